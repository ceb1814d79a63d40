"""Compiled loops over lanes: which lanes they move, what they play on their own, and that plain Python agrees."""

import numpy as np
import pytest

from gupai_env import GAMES, VectorEnv
from gupai_env.core.game import Game
from gupai_env.core.kernels import WAIT, Kernels
from variants import PAIR_NAMES, PAIRS
from walks import envs_of, play_out, sample

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
every_variant = pytest.mark.parametrize(("game", "variant"), PAIRS, ids=PAIR_NAMES)


@every_game
def test_finished_lane_takes_any_action_unchanged(game):
    envs = play_out(VectorEnv(game, 10, seed=7, renew=False), 7)
    before = envs.states.tobytes()
    payoffs, terminated = envs.step(np.full(10, -1))
    assert envs.states.tobytes() == before
    assert not payoffs.any()
    assert terminated.all()


@every_game
def test_waiting_lane_stays_unchanged_next_to_a_moving_one(game):
    envs, other = VectorEnv(game, 10, seed=8), VectorEnv(game, 10, seed=8)
    for step in range(40):
        actions, before = envs.sample(step), envs.states[5:].copy()
        payoffs, terminated = envs.step(np.where(np.arange(10) < 5, actions, WAIT))
        np.testing.assert_array_equal(envs.states[5:], before)
        assert not payoffs[5:].any()
        assert not terminated[5:].any()
        other.step(np.concatenate([actions[:5], other.sample(step)[5:]]))
        np.testing.assert_array_equal(envs.states[:5], other.states[:5])


# Games in which a deal may begin with a forced decision, which is not skipped
FORCED = {"tiu-u": {"deck": "tiny", "players": 2, "must_catch": True}, "small-mahjong": {"deck": "tiny", "players": 2}}


@pytest.mark.parametrize(("game", "options"), [*((game, {}) for game in GAMES), *FORCED.items()], ids=str)
def test_lanes_skip_forced_decisions_by_playing_them_except_the_first_of_a_deal(game, options):
    options = {"seed": 9, "deals": 6 if options else 2, "renew": False, **options}
    quick, envs = VectorEnv(game, 100, skip_forced=True, **options), VectorEnv(game, 100, **options)
    skipped = forced_beginnings = 0
    while not quick.terminated.all():
        actions = quick.sample(int(quick.states.moves.sum()))
        payoffs, terminated = quick.step(actions)
        slow_payoffs, slow_over = (array.copy() for array in envs.step(actions))
        while True:  # what has no choice, one decision at a time; a lane stays as it is where a deal has ended
            forced = ~slow_over & (envs.states.settled == 0) & (envs.masks.sum(1) == 1)
            if not forced.any():
                break
            skipped += forced.sum()
            more_payoffs, more_over = envs.step(np.where(forced, envs.masks.argmax(1), WAIT))
            slow_payoffs += more_payoffs
            slow_over |= more_over
        np.testing.assert_array_equal(payoffs, slow_payoffs)
        np.testing.assert_array_equal(terminated, slow_over)
        for array in ("states", "seats", "masks", "observations"):
            np.testing.assert_array_equal(getattr(quick, array), getattr(envs, array))
        forced_beginnings += ((envs.states.settled == 1) & (envs.masks.sum(1) == 1)).sum()
    assert skipped > 100 or envs.game.simultaneous  # where everybody always has a choice
    assert forced_beginnings > 20 or game not in FORCED or "deck" not in options


@every_game
def test_random_play_stops_at_the_end_of_the_episode(game):
    envs = VectorEnv(game, 10, seed=50, renew=False)
    envs.play_random(1000, 51)
    np.testing.assert_array_equal(envs.states.terminated, 1)
    np.testing.assert_array_equal(envs.terminated, True)
    np.testing.assert_array_equal(envs.rewards, 0)  # those of the last action, which was none
    np.testing.assert_array_equal(envs.masks, False)
    still = envs.states.copy()
    envs.play_random(3, 52)
    np.testing.assert_array_equal(envs.states, still)


@every_variant
def test_plain_python_rules_equal_the_compiled_ones(game, variant):
    compiled = envs_of(game, variant, 1, seed=46, renew=False)
    plain = envs_of(game, variant, 1, seed=46, renew=False)
    kernels = Kernels(*(kernel.function for kernel in plain.kernels))
    with np.errstate(all="raise"):
        kernels.begin(plain.table.view(np.recarray))
        for step in range(40):
            for array in ("states", "seats", "masks", "observations", "rewards", "terminated"):
                np.testing.assert_array_equal(getattr(plain, array), getattr(compiled, array))
            actions, plain_actions = sample(compiled, step), np.zeros(1, np.int64)
            kernels.pick(plain.masks, step, plain_actions)
            np.testing.assert_array_equal(plain_actions, actions)
            if step % 8 == 0 and not compiled.terminated.any():
                views, rng_keys = compiled.views()
                compare(game, compiled, kernels, views, rng_keys)
            compiled.step(actions)
            kernels.step(plain.table.view(np.recarray), actions)


def compare(game: Game, envs: VectorEnv, kernels: Kernels, views: np.recarray, rng_keys: np.ndarray) -> None:
    """Views, RNG keys, observations and redealt states are the same in plain Python."""
    plain_views, plain_keys = np.zeros_like(views), np.zeros_like(rng_keys)
    kernels.views(envs.rules, envs.states, plain_views, plain_keys)
    np.testing.assert_array_equal(plain_views, views)
    np.testing.assert_array_equal(plain_keys, rng_keys)
    drawn, plain_drawn = game.new_states(len(views)), game.new_states(len(views))
    envs.kernels.determinize(envs.rules, views, rng_keys, drawn)
    kernels.determinize(envs.rules, views, rng_keys, plain_drawn)
    np.testing.assert_array_equal(plain_drawn, drawn)
