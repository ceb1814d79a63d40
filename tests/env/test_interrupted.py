"""Whatever interrupts a call, and whenever: environments stay usable, and what they play on is right."""

import contextlib
import os
import signal
import sys
import threading
import traceback

import gymnasium
import numpy as np
import pytest

from gupai_agents.gymnasium_envs import seat_env, vector_env
from gupai_env import VectorEnv, aec, vector
from gupai_env.aec import GupaiEnv
from gupai_env.core import copying
from gupai_training import selfplay
from gupai_training.selfplay import LearnerVecEnv

OURS = {module.__file__ for module in (aec, copying, vector, seat_env, vector_env, selfplay)}


def interrupted(do, moment) -> bool:
    """Do something, interrupted before line number `moment` of ours; False if it was done by then."""
    left = moment

    def watch(frame, event, argument):
        nonlocal left
        if frame.f_code.co_filename not in OURS:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        do()
        return False
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)


def short_repr(env: GupaiEnv) -> tuple:
    """All that a game shows."""
    return (
        env.agent_selection,
        *map(dict, (env.rewards, env.terminations, env.truncations, env._cumulative_rewards)),
        list(env.agents),
        env.state().tobytes(),
        {agent: info["action_mask"].tolist() for agent, info in env.infos.items()},
    )


def dealt(seed=5) -> GupaiEnv:
    env = GupaiEnv("jie-long", players=2, deals=2)
    env.reset(seed=seed)
    return env


def action_of(env: GupaiEnv) -> int | None:
    return None if env.terminations[env.agent_selection] else int(env.last()[-1]["action_mask"].argmax())


def test_interrupted_step_is_played_wholly_or_not_at_all():
    env, twin = dealt(), dealt()
    moment, played = 1, 0
    while env.agents:  # a moment later at each move: all are met, at some move
        action = action_of(env)
        if not interrupted(lambda: env.step(action), moment):  # noqa: B023
            moment = 0
        moment += 1
        before = short_repr(twin)
        if short_repr(env) != before:
            twin.step(action)
            played += 1
        assert short_repr(env) == short_repr(twin)
        if short_repr(env) == before and moment % 3 == 0:  # go on from a step that was not played
            env.step(action)
            twin.step(action)
            assert short_repr(env) == short_repr(twin)
    assert played > 40


def test_interrupted_reset_can_be_repeated():
    moments = 0
    for start in (lambda env: env.reset(seed=9), lambda env: env.reset()):
        for moment in range(1, 200):
            env, twin = dealt(), dealt()
            if not interrupted(lambda: start(env), moment):  # noqa: B023
                break
            if not env.agents:
                with pytest.raises(RuntimeError, match="call reset"):
                    env.step(0)
                start(env)
            start(twin)
            if short_repr(env) != short_repr(twin):  # it was not begun, or it was done
                start(env)
            assert short_repr(env) == short_repr(twin)
            moments += 1
    assert moments > 20


@pytest.mark.parametrize("threads", [1, 2])
def test_interrupted_lanes_go_on(threads, monkeypatch):
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    envs, moments = VectorEnv("jie-long", 6, seed=3, threads=threads), 0
    calls = {
        "step": lambda: envs.step(envs.masks.argmax(1)),
        "sample": lambda: envs.sample(1),
        "play": lambda: envs.play_random(3, 1),
        "refresh": envs.refresh,
        "reset": lambda: envs.reset(3),
    }
    for do in calls.values():
        for moment in range(1, 200):
            if not interrupted(do, moment):
                break
            moments += 1
            twin = VectorEnv("jie-long", 6, renew=True)
            envs.refresh()
            twin.states[:] = envs.states
            twin.seeds[:], twin.episodes[:] = envs.seeds, envs.episodes
            twin.refresh()
            for each in (envs, twin):
                each.play_random(2, 7)
            np.testing.assert_array_equal(envs.states, twin.states)
            np.testing.assert_array_equal(envs.masks, twin.masks)
    assert moments > 20


def seat():
    return gymnasium.make("gupai/JieLong-v0", opponents="greedy", seat=1).unwrapped


def seats():
    opponents = ["greedy", gupai_agent(), "greedy"]
    return gymnasium.make_vec("gupai/JieLong-v0", 3, opponents=opponents, autoreset_mode="NextStep").unwrapped


def self_play():
    return LearnerVecEnv("jie-long", 3, ["greedy"], seed=3)


def gupai_agent():
    """An agent that is asked outside the loops."""
    from gupai_agents import make_agent

    class Asked:
        name, agent = "asked", make_agent("random", "jie-long")

        def act(self, turns):
            return self.agent.act(turns)

    return Asked()


def begun(env):
    if isinstance(env, LearnerVecEnv):
        env.seed(8)
        return env.reset()
    return env.reset(seed=8)


def step(env):
    return env.step(env.action_masks().argmax(-1))


@pytest.mark.parametrize("make", [seat, seats, self_play])
def test_interrupted_tables_go_on_or_require_a_reset(make):
    env, twin, moments = make(), make(), 0
    begun(twin)
    right = [repr(step(twin)) for _ in range(4)]
    for do in (begun, step):
        for moment in range(1, 400, 3):
            begun(env)
            if not interrupted(lambda: do(env), moment):  # noqa: B023
                break
            moments += 1
            if isinstance(env, LearnerVecEnv) and env.tables._going:
                np.testing.assert_array_equal(env.tables.seats, env.envs.seats)
            if do is step:  # or it says that one has to deal
                with contextlib.suppress(RuntimeError):
                    step(env)
            begun(env)
            assert [repr(step(env)) for _ in range(4)] == right
    assert moments > 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("threads", [1, 2])
def test_forked_process_plays_despite_a_lock_of_its_parent(threads, monkeypatch):
    """As workers of a data loader do, or `multiprocessing`, while another thread plays."""
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    env, envs = dealt(), VectorEnv("jie-long", 6, seed=3, threads=threads)
    envs.play_random(3, 1)  # starts the threads
    held, go_on = threading.Event(), threading.Event()

    def hold():
        with env._alone, envs.alone:
            held.set()
            assert go_on.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(60)
    for busy in (lambda: env.reset(seed=5), lambda: envs.reset(3)):
        with pytest.raises(RuntimeError, match="in use by another thread"):
            busy()
    child = os.fork()
    if child == 0:
        status = 1
        signal.alarm(60)  # it must not wait for ever
        try:
            env.reset(seed=5)
            env.step(action_of(env))
            envs.reset(3)
            envs.play_random(5, 1)
            twin = VectorEnv("jie-long", 6, seed=3)
            twin.play_random(5, 1)
            status = int((envs.masks != twin.masks).any())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    try:
        assert os.waitpid(child, 0)[1] == 0
    finally:
        go_on.set()
        thread.join()
    envs.reset(3)
