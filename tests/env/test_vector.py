"""Lanes: what they are made with, what they refuse, and threads that share them or meddle with them."""

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from gupai_env import GAMES, VectorEnv, vector
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.rng import derive

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
ARRAYS = ("states", "seats", "masks", "observations", "rewards", "terminated", "episodes")


@every_game
def test_illegal_action_is_named_and_leaves_all_lanes_unchanged(game):
    envs = VectorEnv(game, 5, seed=2)
    envs.step(envs.sample(1))
    before = [array.tobytes() for array in kept(envs)]
    legal = envs.sample(2)
    for lane, view in enumerate(envs.views()[0]):
        forbidden = np.flatnonzero(~envs.masks[lane])[lane : lane + 1].tolist()  # Da Ling: perhaps none
        for wrong in (*forbidden, -1, game.num_actions, -(10**9), 2**40):
            actions = legal.astype(np.int64)
            actions[lane] = wrong
            with pytest.raises(IllegalActionError) as error:
                envs.step(actions)
            what = game.action_name(wrong, view) if wrong in forbidden else f"{wrong} is not an action"
            assert f"lane {lane}, seat {envs.seats[lane]}: " in str(error.value)
            assert what in str(error.value)
            assert game.action_name(legal[lane], view) in str(error.value) or "more" in str(error.value)
            assert [array.tobytes() for array in kept(envs)] == before
    envs.step(legal)


@every_game
def test_actions_other_than_one_integer_per_lane_are_refused(game):
    envs = VectorEnv(game, 3)
    before = envs.states.tobytes()
    for actions in ([0, 1], [[0, 1, 2]], [0.0, 0.0, 0.0], ["0", "0", "0"], [None] * 3, [True] * 3, 0, None):
        with pytest.raises(ValueError, match="one per lane"):
            envs.step(actions)
        assert envs.states.tobytes() == before, actions


@every_game
def test_actions_of_any_integer_dtype_are_played_alike(game):
    envs = VectorEnv(game, 50, seed=6)
    actions = envs.sample(6)
    envs.step(actions)
    for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
        other = VectorEnv(game, 50, seed=6)
        other.step(actions.astype(dtype))
        np.testing.assert_array_equal(envs.states, other.states, dtype)


def kept(envs: VectorEnv) -> list[np.ndarray]:
    """All that a refused step must leave alone."""
    names = ("states", "seats", "masks", "observations", "rewards", "terminated", "episodes", "seeds")
    return [getattr(envs, name) for name in names]


@every_game
def test_threads_and_calls_of_many_actions_change_nothing(game, monkeypatch):
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    options = {"seed": 48, "deals": 2, "skip_forced": True}
    one_by_one, shared = VectorEnv(game, 37, **options), VectorEnv(game, 37, threads=3, **options)
    at_once = [VectorEnv(game, 37, **options), VectorEnv(game, 37, threads=2, **options)]
    for call in range(7):
        key = derive(49, call)
        for number in range(16):
            actions = one_by_one.sample(derive(key, number))
            np.testing.assert_array_equal(shared.sample(derive(key, number)), actions)
            one_by_one.step(actions)
            shared.step(actions)
        for envs in at_once:
            envs.play_random(16, key)
        for envs in (shared, *at_once):
            for array in ARRAYS:
                np.testing.assert_array_equal(getattr(envs, array), getattr(one_by_one, array))
    assert one_by_one.episodes.max() > 0


def test_illegal_action_stops_all_threads(monkeypatch):
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    envs = VectorEnv("jie-long", 40, seed=53, threads=2)
    before = {array: getattr(envs, array).copy() for array in ARRAYS}
    actions = envs.sample(1)
    actions[33] = np.flatnonzero(~envs.masks[33])[0]
    with pytest.raises(IllegalActionError, match="lane 33"):
        envs.step(actions)
    for array, was in before.items():
        np.testing.assert_array_equal(getattr(envs, array), was)


MEDDLING = {
    "step": lambda envs: envs.step(np.zeros(envs.num_envs, np.int64)),
    "sample": lambda envs: envs.sample(1),
    "play_random": lambda envs: envs.play_random(2, 1),
    "reset": lambda envs: envs.reset(2),
    "reset to seeds": lambda envs: envs.reset(seeds=np.arange(envs.num_envs)),
    "begin": lambda envs: envs.begin(),
    "refresh": lambda envs: envs.refresh(),
}


def refused(envs: VectorEnv, meddle: Callable[[VectorEnv], object]) -> bool:
    """Play in a thread and meddle from this one while it plays; False if it was done too soon for that."""
    thread = threading.Thread(target=envs.play_random, args=[4000, 55])
    thread.start()
    try:
        while thread.is_alive():
            if envs.alone.holder:
                try:
                    meddle(envs)
                except RuntimeError as error:
                    return str(error) == vector.IN_USE
    finally:
        thread.join()
    return False


@pytest.mark.parametrize("meddle", MEDDLING.values(), ids=MEDDLING)
@pytest.mark.parametrize("threads", [1, 2])
def test_two_threads_in_the_same_lanes_are_reported(threads, meddle, monkeypatch):
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    alone = VectorEnv("jie-long", 64, seed=54)
    alone.play_random(4000, 55)
    for _ in range(20):
        envs = VectorEnv("jie-long", 64, seed=54, threads=threads)
        if refused(envs, meddle):
            break
    else:
        pytest.fail("nobody was refused")
    for array in ARRAYS:
        np.testing.assert_array_equal(getattr(envs, array), getattr(alone, array))
    for each in (envs, alone):
        each.step(each.sample(56))
    np.testing.assert_array_equal(envs.states, alone.states)


def test_helper_threads_end_with_the_call(monkeypatch):
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    before = threading.active_count()
    VectorEnv("jie-long", 30, threads=3).play_random(3, 1)
    assert threading.active_count() == before


class FailureError(Exception):
    """What a rule might raise."""


def test_failure_of_a_helper_thread_is_raised(monkeypatch):
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    envs = VectorEnv("jie-long", 30, seed=1, threads=3)

    def breaking(table, *rest):
        """Fail in lanes other than the first."""
        if table["first"][0] > 0:
            raise FailureError

    monkeypatch.setattr(VectorEnv, "kernels", envs.kernels._replace(step=breaking, play_random=breaking))
    for do in (lambda: envs.step(envs.masks.argmax(1)), lambda: envs.play_random(2, 1)):
        with pytest.raises(FailureError):
            do()


@pytest.mark.parametrize("threads", [1, 3])
def test_lanes_are_free_again_after_an_error(threads, monkeypatch):
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    failing: list[bool] = []

    class Breaking:
        """A loop that stops where a rule raises."""

        def __init__(self, loop):
            self.loop = loop

        def entry(self, *arguments):
            return 0, ()

        def run_plain(self, *arguments):
            if failing:
                if failing.pop():
                    time.sleep(0.1)
                raise FailureError
            return self.loop(*arguments)

        __call__ = run_plain

    envs = VectorEnv("jie-long", 30, seed=1, threads=threads)
    breaking = {name: Breaking(getattr(envs.kernels, name)) for name in ("step", "play_random")}
    monkeypatch.setattr(VectorEnv, "kernels", envs.kernels._replace(**breaking))
    for do in (lambda: envs.step(envs.masks.argmax(1)), lambda: envs.play_random(2, 1)):
        failing[:] = [True, False][:threads]  # one of the threads is late
        with pytest.raises(FailureError):
            do()
        assert not failing, "a thread is still at the lanes"
        envs.reset(2)
        envs.step(envs.sample(1))


def test_reset_is_atomic_for_other_threads():
    """Nobody plays between the new seeds and the new deals."""
    envs, found = VectorEnv("jie-long", 4, seed=1), []

    def begin():
        found.append(envs.alone.holder["thread"])
        return real_begin()

    def show():
        found.append(envs.alone.holder["thread"])
        thread = threading.Thread(target=meddle)
        thread.start()
        thread.join()
        return real_show()

    def meddle():
        with pytest.raises(RuntimeError, match="in use by another thread"):
            envs.sample(1)
        found.append("refused")

    real_begin, real_show = envs._begin, envs._show
    vars(envs).update(_begin=begin, _show=show)
    envs.reset(5)
    assert found == [threading.get_ident(), threading.get_ident(), "refused"]


def test_rewards_are_zero_after_a_reset():
    envs, step = VectorEnv("da-ling", 8, seed=1), 0
    while not envs.rewards.any():
        envs.play_random(1, step)
        step += 1
    envs.reset(2)
    assert not envs.rewards.any() and not envs.terminated.any()
