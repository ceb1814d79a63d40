"""Rules of the connecting games: a line with one or two open ends, what is shed and paid, and who leads next."""

import numpy as np
import pytest

from gupai_env import VectorEnv, get_game
from gupai_env.games.connecting.rules import is_covered
from tables import paid

JIE_LONG = get_game("jie-long")


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
