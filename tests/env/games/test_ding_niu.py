"""Ding Niu: the worked examples of its page, the blocks a layout can come to, and what follows them."""

from itertools import product

import numpy as np
import pytest
from gupai_env.positions.ding_niu import from_tiles, settle, suan_zhang

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_env import VectorEnv, get_game
from gupai_env.core.position import read_line
from gupai_env.core.rng import derive
from gupai_env.core.tiles import DOUBLES, ONE, PIPS, WEIGHT, count, kind_of
from gupai_env.games.connecting.rules import DISCARD, KINDS
from gupai_env.games.ding_niu.rules import (
    CLASSIC,
    DECK,
    DECK_SET,
    NONE,
    RUNNING,
    SMOTHERED,
    DingNiu,
    has_no_way_out,
    made_by,
    off_layout,
)
from walks import views_of

GAME = get_game("ding-niu")


# Payment


def test_adam_boris_celine_and_dominik():
    assert settle([10, 5, 5, 10]) == [-3, 6, -1, -2]


def test_same_with_10_15_15_10():
    assert settle([10, 15, 15, 10]) == [6, -3, -2, -1]


def test_leader_is_the_lowest_hand():
    assert settle([5, 5, 10, 10], leader=1) == [-1, 6, -3, -2]


def test_maker_who_comes_first_is_paid_twice():
    assert settle([10, 5, 5, 10], maker=1) == [-6, 12, -2, -4]


@pytest.mark.parametrize("maker", [0, 2, 3])
def test_maker_who_does_not_come_first_pays_for_all(maker):
    expected = [0, 12, 0, 0]
    expected[maker] = -12
    assert settle([10, 5, 5, 10], maker=maker) == expected


@pytest.mark.parametrize("maker", [0, 1])
def test_forced_maker_is_exempt_under_the_house_rule(maker):
    points = [10, 5, 5, 10]
    assert settle(points, maker=maker, forced=True, exempt_forced_maker=True) == settle(points)
    assert settle(points, maker=maker, exempt_forced_maker=True) == settle(points, maker=maker)
    assert settle(points, maker=maker, forced=True) == settle(points, maker=maker)


def test_maker_without_points_is_spared_under_the_house_rule():
    points = [0, 0, 5, 10]
    assert settle(points, maker=1, spare_pointless_maker=True) == settle(points) == [6, -1, -2, -3]
    assert settle(points, maker=2, spare_pointless_maker=True) == [12, 0, -12, 0]
    assert settle(points, maker=1) == [12, -12, 0, 0]


# Suan zhang

LINES = {
    "ones": ("[1:3][3:1][1:5][5:1][1:6][6:1]", "classic", (1,)),
    "two-three": ("[3:3][3:3][3:1][1:3][3:6][6:2]", "classic", (2, 3)),
    "fours": ("[4:6][6:4]", "classic", (4,)),
    "fives": ("[5:6][6:5][5:1][1:5]", "classic", (5,)),
    "smothered fives": ("[6:3][3:1][1:6][6:5][5:6][6:1][1:3]", "smothered", (5,)),
    "smothered (killed) fours": ("[2:6][6:3][3:1][1:6][6:5][5:6][6:1]", "smothered", (4,)),
}


@pytest.mark.parametrize(("line", "kind", "numbers"), LINES.values(), ids=LINES)
def test_worked_example_becomes_a_suan_zhang_at_either_end(line, kind, numbers):
    tiles = line.replace("][", "] [").split()
    assert [suan_zhang("".join(tiles[:laid])) for laid in range(1, len(tiles))] == [None] * (len(tiles) - 1)
    assert suan_zhang(line) == suan_zhang(line, last="right") == (kind, numbers)
    back = [(b, a) for a, b in reversed(read_line(line))]
    assert suan_zhang(back) == suan_zhang(back, last="left") == (kind, numbers)


@pytest.mark.parametrize(
    "line",
    ["[6:2]", "[6:4][4:6]", "[5:6][6:5][5:1][1:5][5:5]", "[4:6][6:4][4:4][4:4]"],
    ids=["the lead", "sixes still run", "a double", "doubles"],
)
def test_not_a_suan_zhang(line):
    assert suan_zhang(line, last="right") is None


def test_doubles_may_follow_a_suan_zhang_of_another_tile():
    assert suan_zhang("[5:6][6:5][5:1][1:5][5:5]") == ("classic", (5,))
    assert suan_zhang("[5:6][6:5][5:1][1:5][5:5]", last="left") == ("classic", (5,))  # [5:6] came last
    assert suan_zhang("[4:4][4:6][6:4][4:4]") == ("classic", (4,))
    assert suan_zhang("[4:4][4:6][6:4][4:4]", last="left") is None
    assert suan_zhang("[6:2]") is suan_zhang("") is suan_zhang("", last="left") is None
    assert str(suan_zhang(LINES["two-three"][0])) == "classic suan zhang of twos and threes"
    with pytest.raises(ValueError, match="last='top' is not allowed; choose None, 'left' or 'right'"):
        suan_zhang("[6:2]", last="top")


def test_smothered_numbers_are_those_of_the_variant():
    fives, fours = LINES["smothered fives"][0], LINES["smothered (killed) fours"][0]
    assert suan_zhang(fives, smothered_numbers=(4,)) is None
    assert suan_zhang(fours, smothered_numbers=(5,)) is None
    assert suan_zhang(fours, smothered_numbers=(4,)) == ("smothered", (4,))
    assert suan_zhang(fours, smothered_numbers=()) is None
    assert suan_zhang(LINES["ones"][0], smothered_numbers=()) == ("classic", (1,))
    cut_off = "[6:5][5:6][6:1][1:3][3:1][1:1][1:6]"  # of all tiles that lead to a one or a five only [5:1] is left
    assert suan_zhang(cut_off, smothered_numbers=(1, 2, 3, 4, 5, 6)) == ("smothered", (1, 5))


def reachable_blocks(**variant):
    """Every kind of suan zhang that any line of the deck can come to, with its open numbers.

    What a line can become depends on its ends and on the tiles that are left, doubles aside, alone: some hundred
    cases. Doubles change neither, but may lead.
    """
    rules = DingNiu(**variant).as_rules()
    whole, found = int(off_layout(rules, [0])), {CLASSIC: set(), SMOTHERED: set()}
    reached = {(whole, (number, number)) for number in range(1, 7)}
    reached |= {(whole - int(ONE[kind]), (int(PIPS[kind, 1]), int(PIPS[kind, 0]))) for kind in RUNNING}
    news = set(reached)
    while news:
        before, news = news, set()
        for left, ends in before:
            for kind in RUNNING:
                for end in range(2):
                    joins, leaves = int(PIPS[kind, 1 - end]), int(PIPS[kind, end])
                    if joins not in ends or not count(left, int(kind)):
                        continue
                    after = tuple(sorted((leaves, ends[1] if ends[0] == joins else ends[0])))
                    made = made_by(rules, left, ends, kind, end)
                    if made == NONE:
                        news.add((left - int(ONE[kind]), after))
                    else:
                        found[made].add(after)
        news -= reached
        reached |= news
    return found, len(reached)


@pytest.mark.parametrize("smothered", [(4, 5), ()])
def test_search_finds_the_four_classic_types_and_never_six_six(smothered):
    found, cases = reachable_blocks(smothered_numbers=smothered)
    assert found[CLASSIC] == {(1, 1), (4, 4), (5, 5), (2, 3)}
    assert cases > 500
    assert bool(found[SMOTHERED]) == bool(smothered)


def test_fours_alone_block_with_two_tiles():
    pairs = [
        (first, second)
        for a, b in product(RUNNING.tolist(), repeat=2)
        for first, second in product(*([tuple(PIPS[kind]), tuple(PIPS[kind][::-1])] for kind in (a, b)))
        if first[1] == second[0] and (a != b or count(DECK_SET, a) == 2)
    ]
    assert {pair for pair in pairs if suan_zhang(pair)} == {((4, 6), (6, 4))}


# What follows

FOURS = {"hands": ["44 11", "64 55 22", "66 44 33", "33 22 55"], "layout": "[4:6]"}  # seat 1 can block


def test_doubles_of_open_numbers_are_laid_at_once():
    position = from_tiles(**FOURS).play("[6:4]")
    assert position.terminated
    assert position.state.points.tolist() == [2, 14, 18, 20]
    assert sum(count(tiles, kind_of(4, 4)) for tiles in position.state.played) == 2
    assert position.payoffs() == [12, -12, 0, 0]


def test_stop_counts_every_tile_in_hand():
    position = from_tiles(**FOURS, after_suan_zhang="stop").play("[6:4]")
    assert position.terminated
    assert position.state.points.tolist() == [10, 14, 26, 20]
    assert position.payoffs() == [12, -12, 0, 0]


def test_play_on_allows_only_fitting_doubles_after_a_suan_zhang():
    position = from_tiles(**FOURS, after_suan_zhang="play_on").play("[6:4]")
    assert position.legal() == ["[4:4]"]
    position.play("[4:4]")
    assert position.legal() == ["discard [2:2]", "discard [3:3]", "discard [5:5]"]
    while not position.terminated:
        position.play(int(position.mask().argmax()))
    assert position.state.points.tolist() == [2, 14, 18, 20]
    assert position.payoffs() == [12, -12, 0, 0]


SMOTHERED_FIVES = {
    "hands": ["66", "44", "31 22", "55 22"],
    "layout": "[6:3][3:1][1:6][6:5][5:6][6:1]",  # seat 2 is to lay the last tile of the example
}


@pytest.mark.parametrize(
    ("after", "points"), [("doubles", [0, 8, 4, 14]), ("stop", [12, 8, 4, 14]), ("play_on", [12, 8, 4, 14])]
)
def test_smothered_suan_zhang_ends_the_deal(after, points):
    position = from_tiles(**SMOTHERED_FIVES, after_suan_zhang=after).play("[1:3]")
    assert position.terminated
    assert position.state.suan_zhang == SMOTHERED
    assert position.state.points.tolist() == points


def test_layout_that_ended_the_deal_is_refused_as_a_suan_zhang():
    for options in ({}, {"after_suan_zhang": "play_on"}):
        with pytest.raises(ValueError, match=r"\[1:3\] is a smothered suan zhang of fives, which ends the deal"):
            from_tiles(["66", "44", "22", "55 22"], SMOTHERED_FIVES["layout"] + "[1:3]", **options)
    with pytest.raises(ValueError, match=r"^\[4:6\]\[6:4\] is a classic suan zhang of fours, which ends the deal"):
        from_tiles(["44", "11", "66 33", "33 22"], "[4:6][6:4]")


BLOCKED = {"hands": ["11", "22", "66", "55"], "layout": "[4:4][4:6][6:4][4:4]", "after_suan_zhang": "play_on"}


def test_maker_of_a_suan_zhang_can_be_given_and_decides_the_payment():
    paid = {}
    for maker in (1, 2, None):
        position = from_tiles(**BLOCKED, maker=maker)
        assert maker in (None, position.state.maker)
        while not position.terminated:
            position.play(position.legal()[0])
        paid[maker] = position.payoffs()
    assert paid[1] == settle([2, 4, 12, 10], maker=1) == [12, -12, 0, 0]
    assert paid[2] == settle([2, 4, 12, 10], maker=2) == [12, 0, -12, 0]
    assert paid[None] in paid.values()


def test_maker_is_accepted_only_for_a_suan_zhang_it_can_have_made():
    for maker in (0, 3):  # who led, and who can only have laid the last double
        with pytest.raises(ValueError, match="no order of play"):
            from_tiles(**BLOCKED, maker=maker)
    with pytest.raises(ValueError, match="maker=1 is not allowed, for the layout is not a suan zhang"):
        from_tiles(**FOURS, maker=1)
    with pytest.raises(ValueError, match="maker=4 is not allowed; choose a seat"):
        from_tiles(**BLOCKED, maker=4)


# The maker without a choice

TWO_THREE = {"hands": ["55", "44", "11", "62 44"], "layout": "[3:1][1:3][3:6]"}  # seat 3 must make it


@pytest.mark.parametrize("forced_play", [True, False])
def test_maker_without_another_tile_is_exempt_only_by_house_rule(forced_play):
    position = from_tiles(**TWO_THREE, forced_play=forced_play)
    assert position.legal() == ["[6:2]"] + ["discard [4:4]", "discard [6:2]"] * (not forced_play)
    assert position.play("[6:2]").payoffs() == [0, 0, 12, -12]
    exempt = from_tiles(**TWO_THREE, exempt_forced_maker=True, forced_play=forced_play).play("[6:2]")
    assert exempt.payoffs() == [-3, -2, 6, -1] == settle([10, 8, 2, 8])


@pytest.mark.parametrize("forced_play", [True, False])
@pytest.mark.parametrize("hand", ["62 66", "62 65"])  # a double, and a tile that blocks nothing
def test_maker_with_another_tile_to_play_is_charged(hand, forced_play):
    hands, options = ([*TWO_THREE["hands"][:3], hand], {"forced_play": forced_play, "exempt_forced_maker": True})
    position = from_tiles(hands, TWO_THREE["layout"], **options).play("[6:2]")
    assert position.state.maker == 3
    assert position.payoffs() == [0, 0, 12, -12]


@pytest.mark.parametrize("forced_play", [True, False])
def test_hidden_makers_redealt_hand_decides_whether_it_was_forced(forced_play):
    options = {"after_suan_zhang": "play_on", "exempt_forced_maker": True, "forced_play": forced_play}
    envs = VectorEnv(GAME, 400, seed=3, **options)
    made = envs.states.copy()  # the states in which the suan zhang was made
    seen = np.zeros(2, int)
    for step in range(150):
        fresh = envs.states.suan_zhang == NONE
        made[fresh] = envs.states[fresh]
        envs.step(envs.sample(step))
        states = envs.states[(envs.states.suan_zhang == CLASSIC) & (envs.states.turn > 0)]
        before = made[(envs.states.suan_zhang == CLASSIC) & (envs.states.turn > 0)]
        for state, then in zip(states, before, strict=True):
            maker = int(state.maker)
            if state.drops[maker] > then.drops[maker]:
                continue  # a tile discarded since would have to be found among the discards
            views = views_of(envs, np.array([state]).view(np.recarray), (maker + 1) % 4)
            drawn = GAME.new_states(1)
            envs.kernels.determinize(envs.rules, views, np.array([derive(step, maker)]), drawn)
            hand = drawn.hands[0, maker] + state.played[maker] - then.played[maker]
            forced = has_no_way_out(envs.rules, hand, off_layout(envs.rules, then.played), then.ends)
            assert drawn.exempt[0] == forced
            seen[int(forced)] += 1
    assert seen.min() > 20


# For beginners


@pytest.mark.parametrize("forced_play", [True, False])
def test_play_without_suan_zhang_ends_when_no_tile_is_left(forced_play):
    position = from_tiles(**FOURS, suan_zhang=False, forced_play=forced_play)
    assert not losing(position)
    assert not position.play("[6:4]").terminated
    while not position.terminated:
        position.play(position.legal()[-1])
    assert position.state.hands.sum() == 0
    assert (position.state.suan_zhang, position.state.maker) == (NONE, -1)
    assert sorted(position.payoffs()) == [-3, -2, -1, 6]


def test_layouts_are_never_a_suan_zhang_without_the_option():
    assert suan_zhang("[4:6][6:4]", suan_zhang=False) is None
    assert from_tiles(["44", "11", "66 33", "33 22"], "[4:6][6:4]", suan_zhang=False).seat == 2
    with pytest.raises(ValueError, match=r"^maker=1 is not allowed with suan_zhang=False"):
        settle([10, 5, 5, 10], maker=1, suan_zhang=False)


@pytest.mark.parametrize("maker", [None, 0, 1])
def test_points_settle_pairwise_differences_whoever_made_it(maker):
    assert settle([2, 12, 34, 18], maker=maker, settlement="points") == [58, 18, -70, -6]
    assert GAME.payoff_bound(GAME.variant(settlement="points")) == 3 * 66


def test_points_make_a_suan_zhang_only_end_the_deal():
    for settlement, paid in (("chips", [12, -12, 0, 0]), ("points", None)):
        position = from_tiles(**FOURS, settlement=settlement).play("[6:4]")
        assert (position.terminated, position.state.maker) == (True, 1)
        points = position.state.points.tolist()
        assert position.payoffs() == (paid or [sum(points) - 4 * each for each in points])


def test_points_show_a_suan_zhang_as_lost_to_the_seat_behind():
    line, options = TWO_THREE["layout"], {"settlement": "points", "exempt_forced_maker": True}
    assert losing(from_tiles(with_hand("62 44"), line, **options)) == {"[6:2]": True}
    assert losing(from_tiles(with_hand("62 51"), line, **options)) == {"[6:2]": False}


# What a seat sees


@pytest.mark.parametrize("forced_play", [True, False])
def test_view_shows_what_every_own_play_would_make(forced_play):
    envs = VectorEnv(GAME, 300, seed=5, renew=False, forced_play=forced_play)
    made = set()
    while not envs.terminated.all():
        live, fresh = ~envs.terminated, envs.states.suan_zhang == NONE
        views, _ = envs.views()
        actions = envs.sample(int(envs.states.moves.max()))
        foreseen = np.where(actions < DISCARD, views.makes[range(300), actions % DISCARD], NONE)
        assert not (views.makes[~envs.masks[:, :DISCARD]]).any()
        envs.step(actions)
        np.testing.assert_array_equal(envs.states.suan_zhang[live & fresh], foreseen[live & fresh])
        made |= set(foreseen[live].tolist())
    assert made >= {NONE, CLASSIC}


def losing(position):
    """The names of the plays of the seat to act that would make a suan zhang, and whether it is a losing one."""
    view = position.view(int(position.state.to_act))
    return {GAME.action_names[a]: bool(view.losing[a]) for a in range(DISCARD) if view.makes[a] != NONE}


def with_hand(hand):
    return [*TWO_THREE["hands"][:3], hand]


def test_suan_zhang_is_losing_if_average_tiles_weigh_less():
    line = TWO_THREE["layout"]
    assert losing(from_tiles(with_hand("62 44"), line)) == {"[6:2]": True}
    assert losing(from_tiles(with_hand("62 51"), line)) == {"[6:2]": False}
    assert losing(from_tiles(with_hand("62 33"), line)) == {"[6:2]": False}  # [3:3] would be laid at once
    assert losing(from_tiles(with_hand("62 55"), line, after_suan_zhang="stop")) == {"[6:2]": True}


@pytest.mark.parametrize("forced_play", [True, False])
def test_suan_zhang_that_would_not_be_charged_is_not_losing(forced_play):
    options = {"exempt_forced_maker": True, "forced_play": forced_play}
    assert losing(from_tiles(**TWO_THREE, **options)) == {"[6:2]": False}
    assert losing(from_tiles(with_hand("62 66"), TWO_THREE["layout"], **options)) == {"[6:2]": True}


def test_equal_ends_are_one_arm():
    assert from_tiles(["66", "11", "51 66", "44 33"], "[5:6][6:5]").legal() == ["[5:1]"]
    assert from_tiles(["66", "11", "51 66", "44 33"], "[5:6][6:1]").legal() == ["[5:1]", "[1:5]"][::-1]


# Players


@pytest.mark.parametrize("seed", [1, 2])
def test_greedy_plays_heavy_tiles_but_no_losing_suan_zhang(seed):
    envs, greedy = VectorEnv(GAME, 500, seed=seed), make_agent("greedy", GAME)
    avoided = 0
    for _ in range(40):
        views, rng_keys = envs.views()
        turns = DecisionBatch(views, envs.masks, rng_keys)
        actions = greedy.act(turns)
        for view, mask, action in zip(turns.views, turns.masks, actions, strict=True):
            plays = np.flatnonzero(mask[:DISCARD])
            safe = [play for play in plays if not view.losing[play]]
            avoided += 0 < len(safe) < len(plays)
            best = max((WEIGHT[play % KINDS] for play in safe or plays), default=None)
            if best is None:
                assert WEIGHT[action % KINDS] == min(WEIGHT[kind] for kind in np.flatnonzero(mask[DISCARD:]))
            else:
                assert WEIGHT[action % KINDS] == best
                assert action in (safe or plays)
        envs.step(actions)
    assert avoided > 10


# Options


@pytest.mark.parametrize("numbers", [(0,), (7,), (4, 4), ("4",), 4])
def test_smothered_numbers_are_different_numbers_of_a_tile(numbers):
    with pytest.raises(ValueError, match="smothered_numbers"):
        DingNiu(smothered_numbers=numbers)


def test_smothered_numbers_are_read_from_configurations():
    assert DingNiu(smothered_numbers=[5]) == DingNiu.parse(["smothered_numbers=5"]) == DingNiu(smothered_numbers=(5,))
    assert DingNiu.parse(["smothered_numbers=4,5"]) == DingNiu()


def test_deck_has_both_civil_copies_and_the_bull_pair():
    assert len(DECK) == 24
    numbers = [sum(number in PIPS[kind] for kind in DECK if PIPS[kind, 0] != PIPS[kind, 1]) for number in range(1, 7)]
    assert numbers == [6, 1, 3, 2, 4, 8]
    assert sum(DOUBLES >> (3 * kind) & 1 for kind in DECK.tolist()) == 12
