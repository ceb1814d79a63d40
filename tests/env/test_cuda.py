"""Lanes on a GPU where there is none: kernels compile for one, and in numba's simulator they play the same."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

from benchmarks.device import PROCESSOR, TINY, digests, network_chips
from gupai_env import GAMES, get_game, make_vec
from gupai_env.core.compiling import Loop
from gupai_env.core.memory import bytes_of

needs_compiler = pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda")


# What one process prints in which numba simulates a GPU: digests of all games, chips of networks, and a refused action.
SIMULATED = """
import json, sys
from benchmarks import device
from gupai_env.core import compiling
from gupai_env.cuda_vector import CudaVectorEnv

compiling.PLAIN_SECONDS = 1e9  # else other processes would compile meanwhile what nobody waits for
sys.argv = ["device", "--device", "cpu", "--only-digests", "--tiny"]
device.main()
print(json.dumps([device.network_chips(game, 4, "cpu").tolist() for game in ("jie-long", "deer-hunt")]))

envs = CudaVectorEnv("jie-long", 3, seed=3, device="cpu")
before, actions = envs.states.clone(), envs.sample(0)
actions[1] = 1000
try:
    envs.step(actions)
except ValueError as error:
    print(type(error).__name__, str(error)[:13], bool((envs.states == before).all()))
envs.step(envs.sample(0).repeat_interleave(2)[::2])  # not side by side in memory
print(bool((envs.states != before).any(1).all()))
"""


@needs_compiler
def test_simulated_gpu_plays_as_the_processor(monkeypatch):
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    printed = subprocess.run([sys.executable, "-c", SIMULATED], env=environment, capture_output=True, text=True)
    *played, chips, refusal, went_on = printed.stdout.splitlines() or [printed.stderr]
    # Loops run here as plain Python, which other tests compare with machine code: compiling them takes minutes.
    monkeypatch.setattr(Loop, "runs_plain", lambda *_: True)
    assert json.loads("".join(played))["games"] == {game: digests(game, TINY, PROCESSOR) for game in GAMES}
    # Each for itself, and two teams: a network against itself, a heuristic, a random player and another network.
    assert chips == json.dumps([network_chips(game, 4, PROCESSOR).tolist() for game in ("jie-long", "deer-hunt")])
    assert (refusal, went_on) == ("IllegalActionError lane 1, seat  True", "True")  # a refused action changes no lane


# One game of each kind, and of loops that play alike one: each takes seconds. Rules are simulated in all games above.
KERNELS = {
    "jie-long": ("step", "try_actions", "finish", "draw_keys", "converse"),
    "deer-hunt": ("step", "try_actions"),
    "da-ling": ("step", "try_actions"),
}


@needs_compiler
@pytest.mark.parametrize("game", KERNELS)
def test_rules_compile_for_a_gpu(game, monkeypatch):
    from numba import cuda
    from numba.cuda import dispatcher, types

    from gupai_env.core.cuda import cuda_kernels
    from gupai_training.cuda_targets import playout_kernels

    # What a kernel calls is compiled for the GPU that is there.
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=(9, 0)))
    kernels = cuda_kernels(get_game(game))._asdict() | playout_kernels(get_game(game))._asdict()
    for name in KERNELS[game]:
        function = kernels[name].py_func
        numbers = [types.int64] * function.__code__.co_argcount
        code, _ = cuda.compile_ptx(function, types.void(*numbers), cc=(9, 0))
        assert ".visible .entry" in code and ".target sm_90" in code
        # Such an operation may be contracted with the next one to one rounding, and a heuristic play something else.
        assert not re.search(r"\b(mul|add|sub)\.f(32|64)", code), name


@needs_compiler
@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("device", ["cuda", "cuda:1", "gpu", ""])
def test_device_that_is_not_there_is_refused(device):
    with pytest.raises(ValueError, match=f"device.*{device!r}"):
        make_vec("jie-long", 4, device=device)


def test_lanes_on_a_gpu_have_no_threads():
    with pytest.raises(ValueError, match="threads on a GPU"):
        make_vec("jie-long", 4, threads=2, device="cuda")


def test_missing_package_is_named_with_the_extra(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"torch: pip install 'gupai\[cuda\]'"):
        make_vec("jie-long", 4, device="cuda")


def test_no_records_have_no_bytes():
    game = get_game("jie-long")
    assert bytes_of(game.new_states(0)).shape == (0, game.state.itemsize)
