"""Tiu-U: the worked examples of its page, what matches, the options, the count, and what stays hidden."""

from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest
from gupai_env.positions.tiu_u import from_tiles, matches, points, settle

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_env import VectorEnv, get_game
from gupai_env.core.rng import derive
from gupai_env.core.tiles import KINDS, PIPS, count, tiles_in
from gupai_env.games.tiu_u.rules import BAIT, CATCH, HEAVEN, HEAVEN_PAIR, STOCK, THREE, TiuU
from referees import tiu_u as referee
from walks import play_out, random_walk, views_of

GAME = get_game("tiu-u")
FACES = [(int(high), int(low)) for high, low in PIPS]
CATCH_ONE, CATCH_THREE, LAY = "[6:5] catches [6:5]", "[6:5] catches three", "lay [6:5]"


def plays(lake, bait, **options):
    """What a bait may do with a lake."""
    return from_tiles([bait, "[1:1]"], lake, **options).legal()


# Worked examples


def test_count_of_a_catch():
    small = "[2:2] [3:1] [3:3] [5:1] [3:3] [4:2] [5:2] [6:1] [6:1] [4:3]"
    big = "[4:4] [6:2] [6:3] [5:4] [6:5] [6:5]"
    assert (points(small), points(big), points(small + big)) == (20, 112, 132)
    assert settle([small + big, "[6:6]"]) == [108, -108]


def test_five_three_catches_all_eights():
    caught = [face for face in FACES if matches((5, 3), face)]
    assert caught == [(4, 4), (5, 3), (6, 2)]


def test_two_one_catches_four_two_but_not_other_sixes():
    assert plays("[5:1] [3:3]", "[2:1]") == ["lay [2:1]"]
    assert plays("[5:1] [3:3] [4:2]", "[2:1]") == ["lay [2:1]", "[2:1] catches [4:2]"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {LAY, CATCH_ONE, CATCH_THREE}),
        ({"must_catch": True}, {CATCH_ONE, CATCH_THREE}),
        ({"lock_triples": True}, {LAY, CATCH_THREE}),
        ({"lock_triples": True, "must_catch": True}, {CATCH_THREE}),
        ({"triple_catch": False}, {LAY, CATCH_ONE}),
        ({"triple_catch": False, "must_catch": True}, {CATCH_ONE}),
        ({"triple_catch": False, "lock_triples": True}, {LAY, CATCH_THREE}),
    ],
)
def test_fourth_of_a_kind_with_three_in_the_lake(options, expected):
    assert set(plays("[6:5] [6:5] [6:5]", "[6:5]", **options)) == expected


# Play


def test_tiles_match_by_equal_pips_or_the_supreme_pair():
    for bait, fish in product(FACES, repeat=2):
        assert matches(bait, fish) == referee.match(bait, fish)
    assert sum(matches(*pair) for pair in product(FACES, repeat=2)) == THREE - CATCH


def test_three_are_caught_with_the_bait():
    position = from_tiles(["[6:5]", "[1:1]"], "[6:5] [6:5] [6:5] [6:4]").play(CATCH_THREE)
    assert tiles_in(position.state.catches[0]) == [19] * 4
    assert tiles_in(position.state.lake) == [18]
    assert position.state.points[0] == 4 * 22


def test_closed_pile_of_four_stays_in_the_lake():
    for lake in ("[5:5] [5:5] [5:5] [5:5]", "[5:5] [5:5] [5:5]"):
        assert plays(lake, "[6:4]", lock_triples=True) == ["lay [6:4]"]
        assert "[6:4] catches [5:5]" in plays(lake, "[6:4]")


def test_useless_bait_may_be_laid_while_another_must_catch():
    legal = plays("[6:4]", "[5:5] [1:1]", must_catch=True)
    assert legal == ["lay [1:1]", "[5:5] catches [6:4]"]


def test_deal_is_48_plays_less_one_for_every_heaven_pair():
    envs = play_out(VectorEnv(GAME, 2000, seed=1, renew=False, heaven_pair=True), 1)
    records = envs.states.record * (np.arange(48) < envs.states.plays[:, None])
    pairs = (records == HEAVEN_PAIR).sum(1)
    assert set(pairs) >= {0, 1}
    np.testing.assert_array_equal(envs.states.plays, 48 - pairs)
    assert (envs.states.turned == STOCK).all()
    assert not envs.states.hands.any()


# The heaven pair


def test_heaven_pair_is_laid_first_and_leaves_the_hand_two_short():
    options = {"heaven_pair": True}
    assert "heaven pair" not in plays("", "[6:6] [6:6]")
    assert "heaven pair" not in plays("", "[6:6] [6:5]", **options)
    position = from_tiles(["[6:6] [6:6] [1:1]", "[2:2] [2:2] [2:2]"], "", "[6:5] [6:4] [5:5] [5:4]", **options)
    position.play("heaven pair")
    assert (position.state.to_act, position.state.points[0]) == (0, 48)
    assert position.legal() == ["lay [1:1]"]
    position.play("lay [1:1]")
    assert position.legal() == ["lay [6:5]"]  # the drawn tile is no time for a pair
    position.play("lay [6:5]", "lay [2:2]", "lay [6:4]")
    assert (position.state.to_act, position.state.drawn) == (0, 14)  # no bait is left: the stock alone
    assert position.legal() == ["lay [5:5]", "[5:5] catches [6:4]"]


def test_all_four_make_two_pairs():
    position = from_tiles(["[6:6] [6:6] [6:6] [6:6] [1:1]", "[2:2]"], heaven_pair=True)
    position.play("heaven pair", "heaven pair")
    assert position.legal() == ["lay [1:1]"]
    assert count(position.state.catches[0], HEAVEN) == 4


# Count and settlement


def test_small_fish_round_up_to_tens():
    by_red_pips = {"[2:2]": 0, "[3:1]": 10, "[4:1] [4:1] ": 10, "[4:1] [4:1] [3:1]": 20}
    assert {catch: points(catch) for catch in by_red_pips} == by_red_pips


def test_big_fish_count_two_a_pip_and_red_pips_nothing_more():
    assert (points("[4:4]"), points("[6:6]"), points("[6:2] [5:3]")) == (16, 24, 32)


def test_settlement_is_pairwise_or_with_the_mean():
    catches = ["[6:6]", "[5:4]", "[2:2]"]  # 24, 18 and 0 points
    assert settle(catches) == [24 + 24 - 18 - 0, 18 + 18 - 24 - 0, -24 - 18]
    assert settle(catches, settlement="points") == [10, 4, -14]
    thirds = settle(["[4:4]", "", ""], settlement="points")
    assert thirds == pytest.approx([32 / 3, -16 / 3, -16 / 3])


def test_points_equal_the_referee_for_random_catches():
    rng = np.random.default_rng(2)
    deck = [FACES[kind] for kind in range(KINDS) for _ in range(4 if kind in BAIT[THREE:HEAVEN_PAIR] else 2)]
    assert len(deck) == 64
    for _ in range(500):
        catch = [deck[at] for at in rng.permutation(64)[: rng.integers(40)]]
        assert points(catch) == referee.count(catch)


def test_lead_passes_to_the_next_seat():
    envs = VectorEnv(GAME, 50, seed=3, deals=2, players=3, renew=False)
    first = envs.states.leader.copy()
    while not envs.terminated.all():
        envs.step(envs.sample(int(envs.states.moves.max())))
    np.testing.assert_array_equal(envs.states.leader, (first + 1) % 3)


# What a seat knows


@pytest.mark.parametrize("options", [{}, {"lock_triples": True, "players": 3}])
def test_view_shows_what_can_still_match_the_lake(options):
    walk = random_walk(GAME, GAME.variant(**options), 20, 48, seed=4)
    for state in walk.positions(60, seed=4):
        states = np.array([state], GAME.state).view(np.recarray)
        for viewer in range(walk.variant.players):
            view = views_of(walk.envs, states, viewer)[0]
            lake = [FACES[kind] for kind in tiles_in(state.lake)]
            unseen = [FACES[kind] for kind in tiles_in(view.unseen)]
            hidden = state.stock[state.turned :].tolist()
            for seat in range(walk.variant.players):
                hidden += tiles_in(state.hands[seat]) if seat != viewer else []
            assert Counter(unseen) == Counter(FACES[kind] for kind in hidden)
            locked = options.get("lock_triples", False)
            fish = [face for face in lake if not (locked and lake.count(face) >= 3)]
            assert view.bites.tolist() == [sum(referee.match(bait, each) for each in fish) for bait in FACES]
            assert view.rivals.tolist() == [sum(referee.match(bait, each) for each in unseen) for bait in FACES]


def test_redealt_hands_and_stock_are_uniform():
    """A late position with five unseen tiles: every one of their orders is tried."""
    envs, draws = VectorEnv(GAME, 200, seed=5, renew=False), 100
    while envs.states.plays[0] < 41:
        envs.step(envs.sample(int(envs.states.plays[0])))
    viewer = int(envs.seats[0])
    position = np.array([envs.states[0]], GAME.state).view(np.recarray)
    view = views_of(envs, position, viewer)
    assert len(tiles_in(view.unseen[0])) == 5
    orders = Counter()
    for order in permutations(tiles_in(view.unseen[0])):
        hand = int(view.sizes[0, 1])
        orders[(tuple(sorted(order[:hand])), order[hand:])] += 1
    num = draws * len(orders)
    drawn = GAME.new_states(num)
    rng_keys = np.array([derive(5, at) for at in range(num)])
    envs.kernels.determinize(envs.rules, np.repeat(view, num).view(np.recarray), rng_keys, drawn)
    found = Counter(
        (tuple(tiles_in(state.hands[1 - viewer])), tuple(state.stock[state.turned :].tolist())) for state in drawn
    )
    assert found.keys() == orders.keys()
    assert len(orders) > 20
    expected = {each: num * times / orders.total() for each, times in orders.items()}
    chi_square = sum((found[each] - expected[each]) ** 2 / expected[each] for each in orders)
    assert chi_square < len(orders) + 5 * np.sqrt(2 * len(orders))


# Players


def test_greedy_catches_the_most_and_lays_the_least():
    greedy = make_agent("greedy", GAME)
    cases = {
        ("[6:6] [5:5]", "[6:6] [6:4]"): "[6:6] catches [6:6]",
        ("[6:1] [5:5]", "[5:2] [6:4]"): "[5:5] catches [6:4]",
        ("[6:5] [6:5]", "[6:5] [6:5]"): "[6:5] catches [6:5]",
        ("[6:5]", "[6:5] [6:5] [6:5]"): "[6:5] catches three",
        ("[6:6] [4:1] [2:2]", ""): "lay [2:2]",
    }
    for (hand, lake), expected in cases.items():
        position = from_tiles([hand, "[1:1]"], lake)
        views = np.zeros(1, GAME.view).view(np.recarray)
        views[0] = position.view(0)
        turns = DecisionBatch(views, position.mask()[None], np.zeros(1, np.int64))
        assert GAME.action_names[greedy.act(turns)[0]] == expected


# Input


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: from_tiles(["[5:2] [5:2] [5:2]", ""]), r"\[5:2\] is given 3 times; the deck has 2"),
        (lambda: from_tiles(["[1:1]"]), "players=1 is not allowed"),
        (lambda: from_tiles(["11", "22"], to_act=2), "to_act=2 is not allowed"),
        (lambda: from_tiles(["11", "22"], drawn="11 22"), "is not one tile"),
        (lambda: from_tiles(["11", "22"], stock="11 22 33 44 55" * 5), "is given|at most"),
        (lambda: settle(["11", "7:1"]), "is not a tile"),
        (lambda: TiuU(players=4), "players=4 is not allowed"),
        (lambda: TiuU(settlement="all"), "settlement='all' is not allowed"),
    ],
)
def test_bad_input_is_refused_with_one_line(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


def test_rules_see_the_options_as_numbers():
    assert TiuU(settlement="points").as_rules().settlement == 1
