"""Games in which everybody splits a hand at once: nobody sees another's hand or split before the showdown."""

import numpy as np
import pytest

from gupai_env import VectorEnv
from gupai_env.core.rng import derive
from gupai_env.core.tiles import KINDS, count
from gupai_env.games.splitting.rules import UNSPLIT
from walks import views_of

MOST = {"da-ling": 5, "pai-gow": 8}  # seats
every_game = pytest.mark.parametrize("name", MOST)


@pytest.mark.parametrize(
    ("name", "players"), [(name, some) for name, most in MOST.items() for some in range(2, most + 1)]
)
def test_splits_of_others_are_hidden_before_the_showdown(name, players):
    one, other = (VectorEnv(name, 200, seed=2, players=players) for _ in range(2))
    for _ in range(players - 1):
        one.step(one.masks.argmax(1))  # the first legal split, and the last one
        other.step(one.game.num_actions - 1 - other.masks[:, ::-1].argmax(1))
        for seat in range(players):
            here, there = (views_of(envs, envs.states, seat) for envs in (one, other))
            waiting = one.states.splits[:, seat] == UNSPLIT
            np.testing.assert_array_equal(here[waiting], there[waiting])
            assert (here.splits[:, 1:] == UNSPLIT).all()
            assert (here.hands[:, 1:] == 0).all()


@every_game
def test_showdown_reveals_everything(name):
    players = MOST[name]
    envs = VectorEnv(name, 200, seed=2, renew=False, players=players)
    while not envs.terminated.all():
        envs.step(envs.sample(3))
    for seat in range(players):
        views, order = views_of(envs, envs.states, seat), (seat + np.arange(players)) % players
        np.testing.assert_array_equal(views.splits[:, :players], envs.states.splits[:, order])
        np.testing.assert_array_equal(views.hands[:, :players], envs.states.hands[:, order])
        np.testing.assert_array_equal(views.unseen, envs.states.unused)


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
