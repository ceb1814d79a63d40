"""Lanes on a GPU where there is none: kernels compile for one, and in numba's simulator they play the same."""

import importlib.util
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

from benchmarks.device import SEED, digest
from gupai_env import GAMES, VectorEnv, get_game, make_vec

LANES, STEPS = 3, 6
needs_compiler = pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda")


@pytest.fixture(scope="module")
def simulated():
    """Return the digest of play on the simulated GPU, by game."""
    words = ["-m", "benchmarks.device", "--device", "cpu", "--only-digests", "--lanes", LANES, "--steps", STEPS]
    ran = subprocess.run(
        [sys.executable, *map(str, words)],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout)["digests"]


@needs_compiler
@pytest.mark.parametrize("game", GAMES)
def test_kernels_play_as_the_processor(game, simulated):
    assert simulated[game] == [digest(VectorEnv(game, LANES, seed=SEED), STEPS)]


REFUSAL = """
from gupai_env.cuda_vector import CudaVectorEnv

envs = CudaVectorEnv("jie-long", 3, seed=3, device="cpu")
before, actions = envs.states.clone(), envs.sample(0)
actions[1] = 1000
try:
    envs.step(actions)
except ValueError as error:
    print(type(error).__name__, str(error)[:13], bool((envs.states == before).all()))
envs.step(envs.sample(0))
print(bool((envs.states != before).any(1).all()))
"""


@needs_compiler
def test_refused_action_leaves_all_lanes_as_they_are():
    ran = subprocess.run(
        [sys.executable, "-c", REFUSAL],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines() == ["IllegalActionError lane 1, seat  True", "True"]


@needs_compiler
@pytest.mark.parametrize("game", GAMES)
def test_step_compiles_for_a_gpu(game, monkeypatch):
    from numba import cuda
    from numba.cuda import dispatcher, types

    from gupai_env.core.cuda import cuda_kernels

    # What a kernel calls is compiled for the GPU that is there.
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=(9, 0)))
    step = cuda_kernels(get_game(game)).step.py_func
    code, _ = cuda.compile_ptx(step, types.void(types.int64, types.int64, types.int64), cc=(9, 0))
    assert ".visible .entry" in code and ".target sm_90" in code


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
