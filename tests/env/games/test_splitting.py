"""Games in which everybody splits a hand at once: nobody sees another's hand or split before the showdown."""

import numpy as np
import pytest

from gupai_env import VectorEnv
from gupai_env.core.rng import derive
from gupai_env.core.tiles import KINDS, count
from gupai_env.games.splitting.rules import UNSPLIT

MOST = {"da-ling": 5, "pai-gow": 8}  # seats
every_game = pytest.mark.parametrize("name", MOST)


@every_game
def test_redealt_hands_are_uniform_over_unseen_tiles(name):
    envs, draws = VectorEnv(name, 1, seed=6, players=MOST[name]), 4000
    envs.step(envs.sample(1))
    (view,), _ = envs.views()
    drawn = envs.game.new_states(draws)
    rng_keys = np.array([derive(9, draw) for draw in range(draws)])
    envs.kernels.determinize(envs.rules, np.repeat(view, draws).view(np.recarray), rng_keys, drawn)
    viewer, (state,) = int(envs.seats[0]), envs.states
    assert (drawn.to_act == viewer).all()
    if name == "pai-gow":  # the banker is known, and is asked first
        assert (drawn.leader == state.leader).all()
        assert (drawn.splits[:, state.leader] != UNSPLIT).all()
    unseen = sum(count(view.unseen, kind) for kind in range(KINDS))
    for seat in set(range(MOST[name])) - {viewer}:
        size = sum(count(state.hands[seat], kind) for kind in range(KINDS))
        for kind in range(KINDS):
            held = (drawn.hands[:, seat] >> (3 * kind) & 7).mean()
            assert abs(held - count(view.unseen, kind) * size / unseen) < 5 * np.sqrt(0.5 / draws)
