"""Tiu-U: the worked examples of its page, what matches, the options, the count, and what stays hidden."""

from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest
from gupai_env.positions.tiu_u import from_tiles, matches, points, settle

from gupai_env import VectorEnv, get_game
from gupai_env.core.rng import derive
from gupai_env.core.tiles import PIPS, tiles_in
from gupai_env.games.tiu_u.rules import CATCH, THREE, TiuU
from referees import tiu_u as referee
from walks import views_of

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


# Play


def test_tiles_match_by_equal_pips_or_the_supreme_pair():
    for bait, fish in product(FACES, repeat=2):
        assert matches(bait, fish) == referee.match(bait, fish)
    assert sum(matches(*pair) for pair in product(FACES, repeat=2)) == THREE - CATCH


# Count and settlement


def test_settlement_is_pairwise_or_with_the_mean():
    catches = ["[6:6]", "[5:4]", "[2:2]"]  # 24, 18 and 0 points
    assert settle(catches) == [24 + 24 - 18 - 0, 18 + 18 - 24 - 0, -24 - 18]
    assert settle(catches, settlement="points") == [10, 4, -14]
    thirds = settle(["[4:4]", "", ""], settlement="points")
    assert thirds == pytest.approx([32 / 3, -16 / 3, -16 / 3])


# What a seat knows


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
