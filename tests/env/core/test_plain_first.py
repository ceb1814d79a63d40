"""Loops that run as plain Python at first, and as machine code once another process has compiled it."""

import hashlib
import itertools
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_agents.play import decisions
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
        monkeypatch.setattr(compiling, "_spent", compiling._Spent())
        monkeypatch.setattr(compiling, "_compilers", {})
        for loop in loops:
            monkeypatch.setattr(loop, "_dispatcher", None)

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
        assert (kernels(game).step._dispatcher is None) == (seconds == NEVER)
    assert len(digests) == 1


def test_calls_of_many_rows_are_machine_code(afresh):
    afresh(NEVER)
    envs = VectorEnv("jie-long", compiling.PLAIN_ROWS + 1)
    assert envs.kernels.show._dispatcher is not None and envs.kernels.step._dispatcher is None
    with compiling.at_once():
        VectorEnv("jie-long", 1).step(np.array([-2]))
    assert envs.kernels.step._dispatcher is not None


def test_bound_loop_stays_once_it_is_machine_code(afresh):
    afresh(NEVER)
    envs, env = VectorEnv("tiu-u", 1), GupaiEnv("tiu-u")
    env.reset(seed=0)
    envs.step(envs.sample(0))
    assert compiling.is_plain(envs._steps[0]) and compiling.is_plain(env._play)
    assert not {"_steps", "_step"} & set(vars(envs))
    afresh(0)
    env.reset(seed=0)
    envs.step(envs.sample(0))
    assert not compiling.is_plain(env._play)
    assert {"_steps", "_step"} <= set(vars(envs))


def test_plain_python_plays_while_another_process_compiles(afresh, monkeypatch):
    compiler = SimpleNamespace(poll=lambda: None)
    monkeypatch.setattr(compiling, "_compiler", lambda module, game: compiler)
    monkeypatch.setattr("gupai_env.core.machine_code.on_disk", lambda module, game: False)
    afresh(1e-9)
    envs = VectorEnv("da-ling", 1)
    for number in range(5):
        envs.step(envs.sample(number))
    assert envs.kernels.step._dispatcher is None
    compiler.poll = lambda: 1  # it has failed, or is done
    envs.step(envs.sample(5))
    assert envs.kernels.step._dispatcher is not None


@pytest.mark.parametrize(
    ("module", "game", "loops"),
    [
        ("gupai_env.vector", "deer-hunt", {"begin", "determinize", "observe_seat", "show", "step", "views"}),
        ("gupai_env.vector", "no-game", set()),
    ],
)
def test_compiling_process_fills_the_cache_or_fails_in_silence(module, game, loops, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert module in compiling.PREPARED_BY.values()
    process = compiling._compiler(module, game)
    assert (process.wait(120) == 0) == bool(loops)
    names = {path.name.split("-")[0].split(".")[-1] for path in tmp_path.rglob("*.nbi")}
    assert names >= loops and bool(names) == bool(loops)
    assert capfd.readouterr() == ("", "")


def test_loops_of_players_are_prepared(afresh):
    afresh(0)
    assert decisions.__name__ in compiling.PREPARED_BY.values()
    decisions.prepare(GAMES["jie-long"])
    loops = vars(heuristic_loops(GAMES["jie-long"])).values()
    assert {"choose_all", "weigh_all"} <= {loop.function.__name__ for loop in loops if loop._dispatcher is not None}


def test_process_that_cannot_be_started_leaves_compiling_to_the_call(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert compiling._compiler("gupai_env.vector", "jie-long") is None


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
print(sum(compiler is not None for compiler in compiling._compilers.values()))
"""


@pytest.mark.parametrize(("env", "compilers"), [({}, "1"), ({"NUMBA_DISABLE_JIT": "1"}, "0")])
def test_first_game_needs_no_numba_and_an_end_amid_compiling_is_silent(tmp_path, env, compilers):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PLAY],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout.split(), done.stderr, done.returncode) == (["False", compilers], "", 0)
