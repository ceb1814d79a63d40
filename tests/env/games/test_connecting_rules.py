"""Rules of the connecting games: a line with one or two open ends, what is shed and paid, and who leads next."""

import numpy as np
import pytest

from gupai_env import VectorEnv, get_game
from gupai_env.core.tiles import size, weight
from gupai_env.games.connecting.rules import is_covered
from tables import Table, next_leader, paid

JIE_LONG = get_game("jie-long")


def test_leader_must_play_and_chooses_the_open_end():
    table = Table("jie-long", ["52 22", "65 55"])
    assert table.legal() == {"[5:2]", "[2:5]", "[2:2]"}
    assert table.play("[2:5]").legal() == {"[5:6]", "[5:5]", "discard [6:5]", "discard [5:5]"}


def test_double_leaves_the_open_end_unchanged():
    table = Table("jie-long", ["65 43", "55 64"]).play("[6:5]", "[5:5]")
    assert table.state.ends.tolist() == [5, 5]


def test_two_open_ends_make_a_lead_one_choice():
    table = Table("jie-long", ["65 62 11", "65 33 44"], open_ends=2, forced_play=True)
    assert table.legal() == {"[5:6]", "[2:6]", "[1:1]"}
    assert sorted(table.play("[5:6]").state.ends) == [5, 6]


def test_two_open_ends_take_a_fitting_tile_at_either():
    table = Table("jie-long", ["65 62 11", "65 33 44"], open_ends=2, forced_play=True).play("[5:6]")
    assert table.legal() == {"[5:6]", "[6:5]"}


def test_two_equal_open_ends_are_one_choice():
    table = Table("jie-long", ["65 62 11", "65 33 44"], open_ends=2, forced_play=True).play("[5:6]", "[5:6]")
    assert table.state.ends.tolist() == [6, 6]
    assert table.legal() == {"[6:2]"}
    assert sorted(table.play("[6:2]").state.ends) == [2, 6]


@pytest.mark.parametrize(("players", "hand", "unused"), [(4, 8, 0), (3, 10, 2), (2, 16, 0)])
def test_deal_sizes_and_all_tiles_shed(players, hand, unused):
    envs = VectorEnv("jie-long", 50, players=players, seed=1, renew=False)
    for state in envs.states:
        assert [size(tiles) for tiles in state.hands] == [hand] * players + [0] * (4 - players)
        assert size(state.unused) == unused
    for turn in range(players * hand):
        assert not envs.terminated.any()
        envs.step(envs.sample(turn))
    assert envs.terminated.all()
    for state in envs.states:
        assert [weight(pile) for pile in state.discards] == state.points.tolist()


def test_stake_is_the_price_of_a_pip():
    points = [2, 12, 34, 18]
    assert paid("jie-long", 4, options={"stake": 0.5}, points=points) == [29, 9, -35, -3]
    assert paid("jie-long", 4, options={"stake": 3}, points=points) == [174, 54, -210, -18]


def test_payoffs_are_at_most_the_heaviest_hand_per_rival():
    """66 66 65 65 64 64 55 55 weigh 86."""
    assert JIE_LONG.payoff_bound(JIE_LONG.variant()) == 3 * 86
    assert JIE_LONG.payoff_bound(JIE_LONG.variant(stake=2)) == 2 * 3 * 86


def test_uneven_stake_is_rounded_alike_in_python_and_compiled():
    envs = VectorEnv("jie-long", 200, stake=0.1, seed=2, renew=False)
    while not envs.terminated.all():
        envs.step(envs.sample(int(envs.states.moves[0])))
    for state in envs.states:
        assert paid("jie-long", 4, options={"stake": 0.1}, points=state.points) == state.payoff.tolist()
        mine, all_points = state.points.astype(int), int(state.points.sum())
        np.testing.assert_array_equal(state.payoff, ((all_points - 4 * mine) * 0.1).astype(np.float32))


def test_fewest_points_lead_next_and_ties_go_to_the_earlier_seat():
    assert next_leader("jie-long", [9, 7, 5, 8], leader=0) == 2
    assert next_leader("jie-long", [5, 5, 9, 5], leader=2) == 3
    assert next_leader("jie-long", [5, 5, 9, 7], leader=2) == 0
    assert next_leader("jie-long", [5, 5, 9, 7], leader=1) == 1
    assert next_leader("jie-long", [5, 5], leader=1) == 1


# By number of tiles on the line, the tiles that lie open, from 1 in the order they were laid and as they lie.
OPEN = {
    1: (1,),
    8: (1, 2, 3, 4, 5, 6, 7, 8),
    9: (1, 2, 3, 4, 5, 6, 7, 9),
    10: (1, 2, 3, 4, 5, 6, 10, 9),
    16: (16, 15, 14, 13, 12, 11, 10, 9),
    17: (17, 15, 14, 13, 12, 11, 10, 9),
    18: (17, 18, 14, 13, 12, 11, 10, 9),
    24: (17, 18, 19, 20, 21, 22, 23, 24),
    25: (17, 18, 19, 20, 21, 22, 23, 25),
}


@pytest.mark.parametrize(("laid", "tiles"), OPEN.items())
def test_open_tiles_of_a_stacked_line(laid, tiles):
    assert sorted(tiles) == [index + 1 for index in range(laid) if not is_covered(index, laid)]
