"""Small Mahjong: triplets, claims and wins of its page, who is asked, and what shows of it."""

from collections import Counter
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from gupai_env.positions.small_mahjong import claims, from_tiles, settle, triplet_points, win_points

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_env import VectorEnv, get_game
from gupai_env.core.episode import NOBODY
from gupai_env.core.rng import derive
from gupai_env.core.tiles import COPIES, DECK, KINDS, PIPS, count, kind_of, parse_tiles, tile_set, tiles_in
from gupai_env.games.small_mahjong.rules import JOIN, LAST_ASKED, LAY_OUT, PASS, TURNS, WIN, SmallMahjong
from gupai_env.games.small_mahjong.triplets import TRIPLETS, best_split, prospects
from walks import random_walk, views_of

GAME = get_game("small-mahjong")
FACES = [(int(high), int(low)) for high, low in PIPS]


def points_of(kinds):
    return triplet_points([FACES[kind] for kind in kinds])


# Triplets


@pytest.mark.parametrize(
    ("tiles", "points"),
    [
        ("[2:2][5:2][5:5]", 3),
        ("[3:2][5:4][5:5]", 2),
        ("[2:1][4:3][5:3]", 1),
        ("[5:2][3:3][4:4]", 1),
        ("[2:1][3:1][3:2]", 1),  # 123 123
        ("[4:3][5:4][4:4]", 0),
    ],
)
def test_combinations_of_the_page(tiles, points):
    assert triplet_points(tiles) == points


def three_tiles():
    """All kinds of three tiles that one set can show."""
    for three in combinations_with_replacement(range(KINDS), 3):
        if all(three.count(kind) <= COPIES[kind] for kind in three):
            yield three


def reading(numbers, places):
    """The points of six numbers, those at some places being one group; 0 if these and the rest are not two."""
    groups = [sorted(numbers[place] for place in places)]
    groups.append(sorted(numbers[place] for place in range(6) if place not in places))
    sets = [group for group in groups if len(set(group)) == 1]
    straights = [group for group in groups if group == list(range(group[0], group[0] + 3))]
    if len(sets) + len(straights) < 2 or (len(sets) == 1 and sets[0][0] in straights[0]):
        return 0
    return 1 + len(sets)


def test_three_tile_kinds_equal_a_brute_force():
    by_points = Counter()
    for three in three_tiles():
        numbers = [number for kind in three for number in FACES[kind]]
        readings = {reading(numbers, places) for places in combinations(range(6), 3)} - {0}
        assert len(readings) <= 1
        assert points_of(three) == (readings.pop() if readings else 0), three
        by_points[points_of(three)] += 1
    assert by_points.total() == 1550
    assert by_points == {0: 1428, 1: 59, 2: 48, 3: 15}


def test_triplets_have_one_action_each():
    names = GAME.action_names[LAY_OUT + 1 :]
    assert len(set(names)) == len(names) == len(TRIPLETS) == 122
    assert all(points_of(parse_tiles(name.removeprefix("claim "))) > 0 for name in names)


# Hands, against all their splits


def splits(hand):
    """The points of every way to split six kinds into two triplets."""
    for places in combinations(range(6), 3):
        one = points_of(hand[place] for place in places)
        other = points_of(hand[place] for place in range(6) if place not in places)
        if one and other:
            yield one + other


def random_hands(tiles, num, seed):
    rng = np.random.default_rng(seed)
    return [DECK[rng.permutation(len(DECK))[:tiles]].tolist() for _ in range(num)]


def winning_hands(num, seed):
    """Random pairs of triplets that one set of tiles can form together."""
    rng, hands = np.random.default_rng(seed), []
    while len(hands) < num:
        hand = [kind for at in rng.integers(len(TRIPLETS), size=2) for kind in TRIPLETS[at][1]]
        if all(hand.count(kind) <= COPIES[kind] for kind in hand):
            hands.append(rng.permutation(hand).tolist())
    return hands


def test_win_counts_its_best_split():
    several = 0
    for hand in [*random_hands(6, 200, 1), *winning_hands(300, 1)]:
        found = list(splits(hand))
        assert win_points([FACES[kind] for kind in hand]) == max(found, default=0)
        several += len(set(found)) > 1
    assert several > 5


def test_exposed_triplet_is_not_split_again():
    assert win_points("[6:6][5:5][4:4] [6:5][4:1][3:2]") == 5  # 666 555 and 123 444 too
    assert win_points("[6:6][5:5][4:4]", ["[6:5][4:1][3:2]"]) == 2
    assert win_points("", ["[6:6][5:5][4:4]", "[6:5][4:1][3:2]"]) == 2


def test_waits_and_claims_equal_trying_every_tile():
    for hand in [*random_hands(5, 30, 3), *(hand[:5] for hand in winning_hands(40, 3))]:
        waits, *near_to_far = map(int, prospects(tile_set(hand)))
        for kind in range(KINDS):
            if hand.count(kind) == COPIES[kind]:
                continue
            wins = any(splits([*hand, kind]))
            assert bool(waits >> (3 * kind) & 1) == wins
            best = max(points_of([kind, *pair]) for pair in combinations(hand, 2))
            for steps, kinds in enumerate(near_to_far, 1):
                assert bool(kinds >> (3 * kind) & 1) == (best >= steps)
                assert bool(claims([FACES[each] for each in hand], FACES[kind], steps)) == (wins or best >= steps)


def test_view_shows_what_completes_the_hand():
    walk = random_walk(GAME, GAME.variant(auto_win=False), 60, 30, seed=6)
    compared = Counter()
    for state in walk.positions(100, seed=6):
        view = views_of(walk.envs, np.array([state]).view(np.recarray), int(state.to_act))[0]
        hand, laid_out = tiles_in(view.hand), int(view.meld_points[0])
        for discarded in set(hand) if len(hand) % 3 == 0 else [None]:
            left = int(view.hand) - (0 if discarded is None else tile_set([discarded]))
            waits = view.waits if discarded is None else view.waits_after[discarded]
            for kind in range(KINDS):
                if count(left, kind) < COPIES[kind]:
                    wins = best_split(left + tile_set([kind]), laid_out) > 0
                    assert bool(waits >> (3 * kind) & 1) == wins
                    compared[wins] += 1
        in_triplets = {kind for three in combinations(hand, 3) if points_of(three) for kind in three}
        assert set(tiles_in(view.triplets)) == in_triplets
        for kind in set(hand):
            others = hand.copy()
            others.remove(kind)
            partners = {third for _, three in TRIPLETS for other in others if (third := third_of(three, kind, other))}
            assert set(tiles_in(view.partners[kind])) == {third - 1 for third in partners}
    assert compared[True] > 200


def third_of(three, one, other):
    """One more than the kind that completes a triplet beside two others; 0 if they are not in it."""
    left = list(three)
    for kind in (one, other):
        if kind not in left:
            return 0
        left.remove(kind)
    return left[0] + 1


# Who may claim

OFFERED = "[5:2]"
DOUBLE_SET, SET_AND_STRAIGHT, DOUBLE_STRAIGHT = "[2:2][5:2][5:5]", "[2:2][4:3][5:2]", "[3:3][4:4][5:2]"
DISCARDER = "[4:2][4:1][5:1][5:1][6:4]"
ONE, OTHER = "[2:2][5:5][6:6][6:5][1:1]", "[2:2][5:5][6:6][6:5][6:2]"  # each can claim a double set
MIDDLE = "[2:2][4:3][6:6][6:5][1:1]"  # a set and straight
IDLE = "[6:1][6:1][3:1][3:1][6:3]"  # nothing
WALL = "[6:4][5:4][3:2]"


def offered(*hands, **options):
    """Seat 0 has just discarded the offered tile; the others hold these hands."""
    return from_tiles([DISCARDER, *hands], offered=OFFERED, wall=WALL, **options)


@pytest.mark.parametrize(("triplet", "farthest"), [(DOUBLE_STRAIGHT, 1), (SET_AND_STRAIGHT, 2), (DOUBLE_SET, 3)])
@pytest.mark.parametrize("seat", [1, 2, 3])
def test_claim_reaches_one_seat_for_every_point(triplet, farthest, seat):
    hand = triplet.replace(OFFERED, "") + "[6:6][6:5][1:1]"
    assert claims(hand, OFFERED, seat) == [triplet] * (seat <= farthest)


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_claim_that_completes_a_win_comes_from_any_distance(seat):
    assert claims("[3:3][4:4]" + "[2:1][4:3][5:3]", OFFERED, seat) == [DOUBLE_STRAIGHT]
    assert claims("[3:3][4:4]", OFFERED, seat, melds=["[2:1][4:3][5:3]"]) == [DOUBLE_STRAIGHT]


def test_nearest_seat_is_asked_first_and_others_skipped():
    position = offered(ONE, IDLE, OTHER)
    assert position.state.to_act == 1
    assert position.legal() == ["pass", f"claim {DOUBLE_SET}"]
    assert position.play("pass").state.to_act == 3
    position.play("pass")  # nobody takes it: the seat after the discarder draws
    assert (position.state.to_act, position.state.new_tile) == (1, kind_of(6, 4))
    assert tiles_in(position.state.discards[0]) == parse_tiles(OFFERED)


def test_draw_is_next_if_nobody_may_claim():
    position = offered(IDLE, "[6:6][6:6][6:5][6:5][2:1]", "[1:1][1:1][6:2][5:3][3:3]")
    assert (position.state.to_act, position.state.offer) == (1, NOBODY)
    assert position.state.new_tile == kind_of(6, 4)


def test_claimed_triplet_is_laid_out_and_the_seat_after_follows():
    position = offered(ONE, IDLE, OTHER).play("pass", f"claim {DOUBLE_SET}")
    assert (position.state.to_act, position.state.meld_points[3]) == (3, 3)
    assert sorted(tiles_in(position.state.melds[3, 0])) == sorted(parse_tiles(DOUBLE_SET))
    assert position.legal() == ["discard [6:2]", "discard [6:5]", "discard [6:6]"]
    position.play("discard [6:2]", "pass")  # seat 1 could claim that one too
    assert position.state.to_act == 0  # seats 1 and 2 have lost their turn
    assert not position.state.discards[0]


def test_claimer_chooses_among_several_triplets():
    hand = "[3:3][4:4][6:3][6:5][1:1]"
    assert claims(hand, OFFERED, 1) == ["[3:3][4:4][5:2]", "[4:4][5:2][6:3]"]
    assert claims(hand, OFFERED, 2) == []
    position = offered(hand, "[6:1][6:1][3:1][3:1][2:1]", OTHER).play("claim [4:4][5:2][6:3]")
    assert position.legal() == ["discard [1:1]", "discard [3:3]", "discard [6:5]"]


def test_unexposed_claim_joins_the_hand_and_shows_only_its_tile():
    position = offered(ONE, IDLE, OTHER, expose_claims=False)
    assert position.legal() == ["pass", "claim into the hand"]
    position.play("claim into the hand")
    assert len(position.legal()) == 6
    for seat in range(4):
        view = position.view(seat)
        assert tiles_in(view.known[(1 - seat) % 4]) == parse_tiles(OFFERED)
        assert not view.melds.any()
        assert count(view.unseen, kind_of(5, 2)) == 0
    while position.state.mover == 1:  # it discards the tile again, and whoever is asked passes
        position.play("discard [5:2]" if position.state.offer == NOBODY else "pass")
    assert not position.state.known.any()


def test_last_discard_may_be_claimed_unless_forbidden():
    hands = [DISCARDER, ONE, IDLE, OTHER]
    position = from_tiles(hands, offered=OFFERED)
    assert position.state.to_act == 1
    position.play("pass", "pass")
    assert (position.terminated, position.payoffs()) == (True, [0, 0, 0, 0])
    assert from_tiles(hands, offered=OFFERED, claim_last_discard=False).terminated


# Winning

SIX = "[2:2][5:2][5:5] [2:1][4:3][5:3]"
OTHERS = ["[6:6][6:6][6:5][6:5][6:4]", "[1:1][1:1][3:1][3:1][6:1]", "[4:4][4:4][6:2][6:3][4:1]"]


@pytest.mark.parametrize("players", [3, 4])
def test_losers_all_pay_the_winner(players):
    others = OTHERS[: players - 1]
    expected = [4 * (players - 1)] + [-4] * (players - 1)
    assert from_tiles([SIX, *others]).play("win").payoffs() == expected
    assert settle(0, SIX, players=players) == expected


def test_auto_win_leaves_only_the_win():
    assert from_tiles([SIX, *OTHERS]).legal() == ["win"]
    legal = from_tiles([SIX, *OTHERS], auto_win=False).legal()
    assert "win" in legal
    assert len(legal) == 7


def test_leader_may_win_with_the_first_tile_drawn():
    position = from_tiles(["[2:2][5:2][5:5] [2:1][4:3]", *OTHERS], wall="[5:3]")
    assert position.legal() == ["win"]


def test_two_triplets_laid_out_can_only_win():
    melds = [["[2:2][5:2][5:5]", "[2:1][4:3][5:3]"], [], [], []]
    position = from_tiles(["", *OTHERS], melds=melds, auto_win=False)
    assert position.legal() == ["win"]
    assert position.play("win").payoffs()[0] == 12


def test_claiming_a_winning_tile_is_a_choice_and_then_wins():
    waiting = "[2:2][5:5] [2:1][4:3][5:3]"
    position = from_tiles([OTHERS[2], waiting, *OTHERS[:2]], offered=OFFERED)
    assert {"pass", f"claim {DOUBLE_SET}"} <= set(position.legal())
    assert position.play(f"claim {DOUBLE_SET}").legal() == ["win"]


def test_winner_leads_next_and_after_a_draw_the_leader():
    envs, draws = VectorEnv(GAME, 300, seed=2, deals=2), 0
    leaders = envs.states.leader.copy()
    for step in range(60):
        envs.step(envs.sample(step))
        between = (envs.states.settled == 1) & (envs.states.deal == 1)
        for lane in np.flatnonzero(between):
            payoff = envs.states.payoff[lane]
            drawn = not payoff.any()
            assert envs.states.leader[lane] == (leaders[lane] if drawn else payoff.argmax())
            draws += drawn
        leaders = np.where(envs.states.deal == 0, envs.states.leader, leaders)
    assert draws > 5


# What a seat sees


@pytest.mark.parametrize("options", [{}, {"players": 3, "auto_win": False}, {"expose_claims": False}])
def test_table_stays_unchanged_for_seats_that_are_not_asked(options):
    """While others are asked, a seat sees what it saw before the discard, or, once asked, what it was asked."""
    envs, asked_before = VectorEnv(GAME, 300, seed=3, **options), 0
    for step in range(40):
        before = envs.states.copy()
        envs.step(envs.sample(step))
        after = envs.states
        asking = (after.offer != NOBODY) & (before.moves + 1 == after.moves)
        for seat in range(envs.variant.players):
            views = [views_of(envs, states[asking], seat) for states in (before, after)]
            seen = after.asked[asking] >> seat & 1 == 1
            now = seen & (after.to_act[asking] == seat)
            np.testing.assert_array_equal(views[0][~now], views[1][~now])
            np.testing.assert_array_equal(views[1].offer[seen], after.offer[asking][seen])
            assert (views[1].offer[~seen] == NOBODY).all()
            asked_before += (seen & ~now).sum()
    assert asked_before > 20


def test_passed_claims_leave_no_trace():
    rest = [IDLE, "[6:6][4:4][4:4][4:3][2:1]"]
    was_asked = from_tiles([DISCARDER, "[5:5][6:6][6:5][1:1][2:2]", *rest], offered=OFFERED, wall="[6:4][3:2]")
    was_not = from_tiles([DISCARDER, "[5:5][6:6][6:5][1:1][3:2]", *rest], offered=OFFERED, wall="[6:4][2:2]")
    assert was_asked.state.offer != NOBODY
    was_asked.play("pass")
    assert was_asked.state.to_act == was_not.state.to_act == 1
    for seat in (0, 2, 3):
        assert was_asked.view(seat) == was_not.view(seat)


def test_redealt_seat_had_no_undeclared_win():
    """Seat 1 claims and discards [1:1]; with `auto_win` its last two tiles then were not a triplet with [1:1]."""
    discarded = kind_of(1, 1)
    for auto_win in (True, False):
        position = offered(ONE, IDLE, OTHER, auto_win=auto_win).play(f"claim {DOUBLE_SET}", "discard [1:1]")
        while position.state.offer != NOBODY:
            position.play("pass")
        view = position.view(0)
        unseen = tiles_in(view.unseen)
        possible = Counter(pair for pair in combinations(unseen, 2) if not (auto_win and points_of([discarded, *pair])))
        assert (possible.total() < len(unseen) * (len(unseen) - 1) // 2) == auto_win
        num = 30 * possible.total()
        envs = VectorEnv(GAME, 1, auto_win=auto_win)
        views = np.zeros(num, GAME.view).view(np.recarray)
        views[:] = view
        drawn = GAME.new_states(num)
        envs.kernels.determinize(envs.rules, views, np.array([derive(9, at) for at in range(num)]), drawn)
        found = Counter(tuple(tiles_in(hand)) for hand in drawn.hands[:, 1])
        assert found.keys() == possible.keys()
        chi_square = sum((found[pair] - 30 * times) ** 2 / (30 * times) for pair, times in possible.items())
        assert chi_square < len(possible) + 5 * np.sqrt(2 * len(possible))


def test_redealt_hand_could_make_its_hidden_claims():
    walk = random_walk(GAME, GAME.variant(expose_claims=False, players=3), 200, 30, seed=8)
    states, checked = walk.states[5:].reshape(-1).view(np.recarray), 0
    just_claimed = (states.new_tile == NOBODY) & (states.offer == NOBODY)
    states = states[just_claimed][:300]
    for seat in range(3):
        views = views_of(walk.envs, states, seat)
        drawn = GAME.new_states(len(states))
        rng_keys = np.array([derive(seat, at) for at in range(len(states))])
        walk.envs.kernels.determinize(walk.envs.rules, views, rng_keys, drawn)
        for state in drawn[drawn.mover != seat]:
            turn = int(state.turns) - 1
            claimed, steps = int(state.thrown[turn - 1]), int(state.steps[turn])
            hand = [FACES[kind] for kind in tiles_in(state.hands[state.mover])]
            hand.remove(FACES[claimed])
            assert claims(hand, FACES[claimed], steps)
            checked += 1
    assert checked > 100


def test_claims_into_the_hand_come_to_an_end():
    """Who always claims and never wins would go on for ever."""
    envs = VectorEnv(GAME, 1000, seed=4, renew=False, players=3, expose_claims=False, auto_win=False)
    longest = 0
    while not envs.terminated.all():
        masks = envs.masks.copy()
        masks[:, WIN] &= masks.sum(1) == 1
        masks[:, PASS] &= ~masks[:, JOIN]
        actions = np.zeros(1000, np.int16)
        envs.kernels.pick(masks, derive(4, int(envs.states.moves.max())), actions)
        envs.step(actions)
        asked = envs.states.offer != NOBODY
        assert (envs.states.turns[asked] <= LAST_ASKED).all()
        longest = max(longest, int(envs.states.turns.max()))
    assert LAST_ASKED < longest <= TURNS
    assert (envs.states.moves <= GAME.max_decisions).all()


@pytest.mark.parametrize("expose_claims", [False, True])
def test_last_discard_with_questions_is_that_of_turn_110(expose_claims):
    for turns, asked in ((1, True), (LAST_ASKED, True), (LAST_ASKED + 1, False), (LAST_ASKED + 5, False)):
        hands = [f"{DISCARDER}{OFFERED}", ONE, IDLE, OTHER]
        position = from_tiles(hands, wall=WALL, expose_claims=expose_claims)
        position.state.turns = turns
        position.play(f"discard {OFFERED}")
        assert (position.state.offer != NOBODY) == asked
        assert position.state.to_act == 1  # is asked, or draws


# Players


def choice(name, position):
    view = position.view(int(position.state.to_act))
    views = np.zeros(1, GAME.view).view(np.recarray)
    views[0] = view
    agent = make_agent(name, GAME)
    return GAME.action_names[agent.act(DecisionBatch(views, position.mask()[None], np.zeros(1, np.int64)))[0]]


@pytest.mark.parametrize("name", ["greedy", "counting"])
def test_rule_based_players_win_claim_and_keep_helpful_tiles(name):
    assert choice(name, from_tiles([SIX, *OTHERS], auto_win=False)) == "win"
    waiting = ["[2:2][5:5] [2:1][4:3][5:3]", *OTHERS[:2]]
    position = from_tiles([OTHERS[2], *waiting], offered=OFFERED, wall="[4:2]", auto_win=False)
    assert choice(name, position) == f"claim {DOUBLE_SET}"
    hands = ["[2:2][5:2][5:5] [3:3][4:4][6:1]", OTHERS[0], "[1:1][1:1][3:1][3:1][6:2]"]
    assert choice(name, from_tiles(hands)) == "discard [6:1]"


# Input


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: from_tiles(["[5:2][5:2]", *OTHERS]), r"\[5:2\] is given 2 times; the deck has 1"),
        (lambda: from_tiles([SIX, *OTHERS[:2], "[6:3]"]), "seat 3 has 1 tiles"),
        (lambda: from_tiles(["[2:2][5:2][5:5] [2:1][4:3]", *OTHERS]), "cannot draw"),
        (lambda: from_tiles([SIX, *OTHERS], turn=4), "turn=4 is not allowed"),
        (lambda: from_tiles(["22 33", *OTHERS], melds=[["43 54 44"], [], [], []]), "is not a triplet"),
        (
            lambda: from_tiles(["21 33", *OTHERS], melds=[["22 52 55"], [], [], []], expose_claims=False),
            "melds are not",
        ),
        (
            lambda: from_tiles([SIX, *OTHERS], claimed=["", "", "66", ""], expose_claims=False),
            r"\[6:6\] is given 1 times; the deck has 0",
        ),
        (lambda: from_tiles([SIX]), "players=1 is not allowed"),
        (lambda: triplet_points("11 22"), "a triplet is three tiles, not 2"),
        (lambda: win_points("11 22 33"), "a win is 6 tiles, not 3"),
        (lambda: claims("11 22 33", OFFERED, 1), "a seat that claims has 5 tiles, not 3"),
        (lambda: claims("11 22 33 44 55", OFFERED, 4), "seats_away=4 is not allowed"),
        (lambda: settle(4, SIX), "winner=4 is not allowed"),
        (lambda: settle(0, "11 22 41 44 55 66"), "not two triplets"),
        (lambda: SmallMahjong(players=2), "players=2 is not allowed"),
    ],
)
def test_bad_input_is_refused_with_one_line(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)
