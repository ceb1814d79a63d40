"""Loops that run as plain Python at first, and then as machine code."""

import hashlib
import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_agents.players.heuristics import heuristic_loops
from gupai_env import GAMES, VectorEnv
from gupai_env.aec import GupaiEnv
from gupai_env.core import compiling
from gupai_env.core.kernels import kernels, pick

NEVER = float("inf")


@pytest.fixture
def afresh(monkeypatch):
    """Let loops begin as in a new process, with so many seconds of plain Python."""
    loops = [pick, *itertools.chain(*(kernels(game) for game in GAMES.values()))]
    loops += [loop for game in GAMES.values() for loop in vars(heuristic_loops(game)).values()]

    def begin(seconds: float) -> None:
        monkeypatch.setattr(compiling, "PLAIN_SECONDS", seconds)
        monkeypatch.setattr(compiling, "spent", 0.0)
        for loop in loops:
            monkeypatch.setattr(loop, "entries", {})
            monkeypatch.setattr(loop, "_call", None)

    return begin


def digest_of_play(game, steps: int = 40) -> str:
    """Return a digest of all that two lanes, their players and a game of PettingZoo show."""
    digest, envs, env = hashlib.sha256(), VectorEnv(game, 2, seed=3), GupaiEnv(game)
    agents = [make_agent("random", game), make_agent("greedy", game)]
    for number in range(steps):
        for array in (*envs.step(envs.sample(number)), envs.masks, envs.observations, envs.seats, envs.observed_by(1)):
            digest.update(array.tobytes())
    views, rng_keys = envs.views()
    digest.update(views.tobytes() + rng_keys.tobytes())
    for agent in agents:
        digest.update(agent.act(DecisionBatch(views, envs.masks, rng_keys)).tobytes())
    env.reset(seed=5)
    for _ in env.agent_iter():
        observation, reward, *ended, _ = env.last()
        digest.update(observation["observation"].tobytes() + observation["action_mask"].tobytes())
        digest.update(f"{reward} {ended}".encode())
        env.step(None if any(ended) else int(observation["action_mask"].argmax()))
    return digest.hexdigest()


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_plain_python_machine_code_and_a_change_amid_play_give_the_same_bytes(game, afresh):
    digests = set()
    for seconds in (0, 0.02, NEVER):  # what is compiled first is on disk for the second
        afresh(seconds)
        digests.add(digest_of_play(game))
        assert (not kernels(game).step.entries) == (seconds == NEVER)
    assert len(digests) == 1


def test_calls_of_many_rows_are_machine_code(afresh):
    afresh(NEVER)
    envs = VectorEnv("jie-long", compiling.PLAIN_ROWS + 1)
    assert envs.kernels.show.entries and not envs.kernels.step.entries
    with compiling.at_once():
        VectorEnv("jie-long", 1).step(np.array([-2]))
    assert envs.kernels.step.entries


def test_bound_loop_stays_once_it_is_machine_code(afresh):
    afresh(NEVER)
    envs, env = VectorEnv("tiu-u", 1), GupaiEnv("tiu-u")
    env.reset(seed=0)
    envs.step(envs.sample(0))
    assert compiling.is_plain(envs._step) and compiling.is_plain(env._play)
    assert "_step" not in vars(envs)
    afresh(0)
    env.reset(seed=0)
    envs.step(envs.sample(0))
    assert not compiling.is_plain(env._play)
    assert "_step" in vars(envs)


PLAY = """
import sys
from gupai_env.aec import GupaiEnv
from gupai_env.core import compiling

env = GupaiEnv("jie-long")
def play(seed):
    env.reset(seed=seed)
    while not all(env.terminations.values()):
        env.step(int(env.last()[0]["action_mask"].argmax()))
play(0)
print("numba" in sys.modules)
compiling.PLAIN_SECONDS = 1e-9
play(1)
print("numba" in sys.modules)
"""


@pytest.mark.parametrize(("env", "compiles"), [({}, "True"), ({"NUMBA_DISABLE_JIT": "1"}, "False")])
def test_first_game_needs_no_numba_and_is_compiled_later(tmp_path, env, compiles):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PLAY],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout.split(), done.stderr, done.returncode) == (["False", compiles], "", 0)
