"""Da Ling: the worked examples of its page, what a hand can match at best, and what nobody sees too early."""

from collections import Counter, defaultdict
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from gupai_env.positions.da_ling import settle, strength

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_env import VectorEnv, da_ling_v0, get_game
from gupai_env.core.deal import Deal
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.tiles import DECK, PIPS, parse_tiles, tiles_in
from gupai_env.games.da_ling.rules import NO_MATCH, SPLITS, DaLing, groups_of, lay_table
from gupai_env.games.splitting.rules import take_up
from referees import da_ling as referee

GAME = get_game("da-ling")
STAKES = (3, 7, 15)
FACES = [(int(high), int(low)) for high, low in PIPS]

# Worked examples

RED_SEVEN = "[6:6][3:2]"  # target 7, six red pips
BLACK_FOUR = "[6:5][2:1]"
A, B = "[4:3] / [6:5][5:1] / [1:1][6:3][3:3]", "[5:2] / [6:6][4:1] / [2:2][2:2][5:4]"


def strengths(table, split):
    return [strength(table, group) for group in split.split("/")]


def test_both_are_absolute_winners_and_b_wins_by_its_red_pips():
    assert strengths(RED_SEVEN, A) == [4, 1, 2]
    assert strengths(RED_SEVEN, B) == [0, 11, 4]
    assert settle(RED_SEVEN, [A, B]) == [-25, 25]


def test_black_game_two_two_beats_three_one_and_ties_with_itself():
    assert (strength(BLACK_FOUR, "[2:2]"), strength(BLACK_FOUR, "[3:1]")) == (4, 3)
    two_two = "[2:2] / [6:1][1:1] / [6:6][6:4][5:5]"
    assert settle(BLACK_FOUR, [two_two, "[3:1] / [6:1][1:1] / [6:2][5:4][3:3]"]) == [3, -3]
    assert settle(BLACK_FOUR, [two_two, "[2:2] / [6:3][5:1] / [6:6][6:4][5:5]"]) == [0, 0]


def test_wild_tile_counts_three_and_keeps_its_own_pips():
    assert (strength(BLACK_FOUR, "[4:2][6:5]"), strength(BLACK_FOUR, "[6:6][1:1]")) == (13, 6)


def test_absolute_winner_among_five_with_the_fee():
    others = [
        "[6:6] / [6:4][4:4] / [6:5][5:5][2:2]",
        "[6:1] / [6:4][3:1] / [5:5][5:1][2:2]",
        "[5:3] / [6:2][4:4] / [4:1][3:3][4:2]",
        "[3:1] / [6:1][5:4] / [5:2][2:1][1:1]",
    ]
    assert settle(RED_SEVEN, [A, *others], casino_fee=1) == [100 - 1, -25, -25, -25, -25]
    assert settle(RED_SEVEN, [A, *others]) == [100, -25, -25, -25, -25]


# Settlement


def test_strongest_of_each_group_collects_from_everybody_else():
    splits = [
        "[4:3] / [5:5][2:2] / [6:5][6:4][6:1]",
        "[5:2] / [6:1][4:4] / [6:6][6:5][6:4]",
        "[6:2] / [3:3][1:1] / [5:1][4:4][6:3]",
    ]
    assert [strengths(RED_SEVEN, split) for split in splits] == [[4, None, None], [0, None, None], [None] * 3]
    assert settle(RED_SEVEN, splits) == [6, -3, -3]
    assert settle(RED_SEVEN, splits[1:]) == [3, -3]  # a match without a pip of the colour still wins
    assert settle(RED_SEVEN, splits, stakes=(1, 2, 3)) == [2, -1, -1]


TIE = ["[3:3] / [1:1][3:1] / [4:4][6:1][6:5]", "[3:3] / [3:1][6:6] / [5:1][5:5][6:4]"]  # 12 red pips each
TIE_TABLE, BESIDE = "[6:2][4:4]", "[2:2] / [6:5][5:5] / [1:1][6:6][6:1]"


def test_tied_absolute_winners_settle_by_group_or_push():
    assert [strengths(TIE_TABLE, split) for split in TIE] == [[0, 3, 9], [0, 7, 5]]
    assert settle(TIE_TABLE, TIE) == [15 - 7, 7 - 15]
    assert settle(TIE_TABLE, TIE, absolute_tie="push", casino_fee=1) == [0, 0]
    assert strengths(TIE_TABLE, BESIDE) == [None] * 3
    assert settle(TIE_TABLE, [*TIE, BESIDE], casino_fee=1) == [30 - 7, 14 - 15, -22]
    assert settle(TIE_TABLE, [*TIE, BESIDE], absolute_tie="push") == [0, 0, 0]


@cache
def absolute_splits(table, num):
    """Random hands and splits of them that match all three groups, by their pips of the colour."""
    found, rng = defaultdict(list), np.random.default_rng(1)
    while sum(map(len, found.values())) < num:
        hand = sorted(rng.permutation(DECK)[:6].tolist())
        for action in rng.permutation(len(SPLITS)).tolist():
            groups = [tuple(FACES[kind] for kind in group) for group in groups_of(action, hand)]
            if all(referee.matches(table, group) for group in groups):
                pips = sum(referee.colour_pips(table, group) for group in groups)
                found[pips].append((hand, action, groups))
                break
    return found


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("absolute_tie", ["groups", "push"])
def test_absolute_winners_are_paid_like_by_the_referee(players, absolute_tie):
    """Some seats match all three groups, often with equal pips; the hands are drawn one by one, each from a deck."""
    rng = np.random.default_rng(players)
    variant = DaLing(players=players, absolute_tie=absolute_tie, casino_fee=2)
    seen = Counter()
    for table in (["44", "51"], ["65", "62"], ["63", "22"]):
        kinds = parse_tiles(" ".join(table))
        by_pips = absolute_splits(tuple(FACES[kind] for kind in kinds), 30)
        for _ in range(20):
            deal, arranged = Deal(GAME, variant), []
            state = deal.state
            lay_table(state, *kinds)
            pips = [pips for pips, splits in by_pips.items() for _ in splits]
            tied, absolute = rng.choice(pips), rng.integers(players + 1)
            for seat in rng.permutation(players).tolist():
                group = by_pips[tied if rng.random() < 0.7 else rng.choice(pips)]
                hand, action, groups = group[rng.integers(len(group))]
                if seat >= absolute:  # any other split, which may match as well
                    action = int(rng.integers(len(SPLITS)))
                    groups = [tuple(FACES[kind] for kind in group) for group in groups_of(action, hand)]
                arranged.append((seat, groups))
                take_up(state, seat, np.array(hand, np.int8), 0, len(hand))
                state.splits[seat] = action
            groups = [groups for _, groups in sorted(arranged)]
            faces = [FACES[kind] for kind in kinds]
            expected = referee.settle(faces, groups, STAKES, absolute_tie, 2)
            assert deal.paid() == expected
            matched = [all(referee.matches(faces, group) for group in each) for each in groups]
            colours = [sum(referee.colour_pips(faces, g) for g in each) for each in groups]
            best = [c for c, m in zip(colours, matched, strict=True) if m]
            seen[best.count(max(best, default=0))] += 1
    assert all(seen[tied] > 3 for tied in range(players))  # rarely all at once


def test_wild_tile_counts_three_or_six_but_its_own_pips():
    three, six = "[5:5][2:1]", "[5:5][4:2]"  # a black and a red game
    assert [strength(three, tile) for tile in ("[4:2]", "[3:3]", "[5:1]")] == [2, None, None]
    assert [strength(six, tile) for tile in ("[2:1]", "[3:3]", "[5:1]")] == [1, 0, 1]
    assert strength("[6:2][1:1]", "[4:2][2:1][3:1]") == 7  # 3 + 3 + 4 = 10
    assert strength("[6:1][5:1]", "[4:2][2:1][3:1]") == 7  # 3 + 6 + 4 = 13
    assert strength("[6:1][5:4]", "[4:2][2:1][3:1]") == 6  # 6 + 6 + 4 = 16


# The best that a hand can do


def values(tile):
    return (3, 6) if tile in ((4, 2), (2, 1)) else (sum(tile),)


def all_splits(hand):
    """Every way to split six tiles, by brute force: each a (single, pair, triple) in a fixed order."""
    found = set()
    for pair in combinations(range(6), 2):
        for single in set(range(6)) - set(pair):
            triple = set(range(6)) - {single, *pair}
            found.add(tuple(tuple(sorted(hand[place] for place in group)) for group in ((single,), pair, triple)))
    return found


def stakes_matched(target, split):
    return sum(
        stake
        for stake, group in zip(STAKES, split, strict=True)
        if any(sum(counted) % 10 == target for counted in product(*map(values, group)))
    )


@pytest.fixture(scope="module")
def deals():
    """Views of the seat to act, its masks and keys, in random deals; with the tiles as pairs of numbers."""
    envs = VectorEnv(GAME, 400, seed=1)
    views, rng_keys = envs.views()
    hands = [[tuple(map(int, PIPS[kind])) for kind in view.tiles] for view in views]
    targets = [int(sum(PIPS[kind].sum() for kind in tiles_in(view.table))) % 10 for view in views]
    return DecisionBatch(views, envs.masks.copy(), rng_keys), hands, targets


def test_best_possible_match_equals_brute_force(deals):
    turns, hands, targets = deals
    for view, mask, hand, target in zip(turns.views, turns.masks, hands, targets, strict=True):
        matched = (view.strength[SPLITS[mask]] != NO_MATCH) @ np.array(STAKES)
        assert matched.max() == max(stakes_matched(target, split) for split in all_splits(hand))


def test_different_splits_are_each_legal_once_and_named(deals):
    turns, hands, _ = deals
    fewer = 0
    for view, mask, hand in zip(turns.views, turns.masks, hands, strict=True):
        names = [GAME.action_name(int(action), view) for action in np.flatnonzero(mask)]
        assert len(set(names)) == len(names) == len(all_splits(hand))
        fewer += len(names) < len(SPLITS)
    assert len(SPLITS) == 60
    assert fewer > 100


def test_greedy_matches_most_stakes_then_most_pips_of_the_colour(deals):
    turns = deals[0]
    actions = make_agent("greedy", GAME).act(turns)
    choices = 0
    for view, mask, action in zip(turns.views, turns.masks, actions, strict=True):
        strengths = view.strength[SPLITS]
        matched, pips = (strengths != NO_MATCH) @ np.array(STAKES), np.maximum(strengths, 0).sum(1)
        best = mask & (matched == matched[mask].max())
        assert best[action]
        assert pips[action] == pips[best].max()
        choices += len(set(pips[best])) > 1
    assert choices > 50


def test_error_names_the_splits_of_the_hand():
    env = da_ling_v0.env()
    env.reset(seed=1)
    with pytest.raises(IllegalActionError) as error:
        env.step(60)
    view = VectorEnv(GAME, 1).views()[0][0]
    first = GAME.action_name(int(env.infos[env.agent_selection]["action_mask"].argmax()), view)
    assert first.count(" / ") == 2
    assert str(error.value).count(" / ") == 2 * 12  # so many legal ones are listed


# Options


@pytest.mark.parametrize("stakes", [(1, 2), (1, 2, -3), (1, 2, "3"), (1, 2, float("inf")), 25])
def test_stakes_are_three_numbers(stakes):
    with pytest.raises(ValueError, match="stakes"):
        DaLing(stakes=stakes)


def test_stakes_are_read_from_configurations_and_command_lines():
    assert DaLing(stakes=[1, 2, 3]) == DaLing.parse(["stakes=1,2,3"]) == DaLing(stakes=(1, 2, 3))
    assert DaLing.parse(["stakes=0.5,1,2"]).stakes == (0.5, 1, 2)
    with pytest.raises(ValueError, match="write numbers"):
        DaLing.parse(["stakes=few"])


def test_fee_is_not_negative():
    with pytest.raises(ValueError, match="casino_fee"):
        DaLing(casino_fee=-1)


def test_casino_never_loses():
    envs, colour = VectorEnv(GAME, 2000, seed=8, casino_fee=2), make_agent("colour", GAME, casino_fee=2)
    fees = set()
    for _ in range(5):
        views, rng_keys = envs.views()
        payoffs, terminated = envs.step(colour.act(DecisionBatch(views, envs.masks, rng_keys)))
        fees |= set(payoffs[terminated].sum(1).tolist())
    assert fees == {0, -2}
