"""Lanes on a GPU where there is none: the processor runs what a GPU would be given, and its assembler takes it."""

import ctypes
import functools
import importlib.util
import math
import re
import threading
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from benchmarks import assembly, ptx
from benchmarks.device import PROCESSOR, TINY, digests, network_chips
from gupai_env import get_game, make_vec
from gupai_env.core import cuda
from gupai_env.core.bits import gather, nth_one, spread
from gupai_env.core.heuristic import WEIGHT
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.kernels import LONG, lanes
from gupai_env.core.memory import array_at, bytes_of
from gupai_env.cuda_vector import CudaVectorEnv

JIE_LONG = get_game("jie-long")


@pytest.fixture
def on_processor(monkeypatch):
    """The processor runs kernels in place of a GPU, as device "cpu"."""
    monkeypatch.setattr(cuda, "stand_in", ptx.load)


# Each for itself, and two teams: a network against itself, a heuristic, a random player and another network. Masks of
# Tiu-U, 82 actions, are written in two parts that overlap, and on a GPU their rows are longer.
@pytest.mark.parametrize("game", ["jie-long", "deer-hunt", "tiu-u"])
def test_kernels_play_as_the_processor(game):
    assert digests(game, TINY, "cpu") == digests(game, TINY, PROCESSOR)
    won, by_processor = (network_chips(game, 4, device) for device in ("cpu", PROCESSOR))
    assert won.tobytes() == by_processor.tobytes()


def test_refused_action_changes_no_lane_and_is_raised_by_a_later_call(on_processor):
    envs = CudaVectorEnv("jie-long", 200, seed=3, device="cpu")
    before, actions = envs.states.clone(), envs.sample(0)
    actions[[7, 150]] = torch.tensor([1000, 2000])
    envs.step(actions)
    envs._seen[:] = cuda.NONE  # it has not arrived yet
    actions[7] = envs.sample(0)[7]
    envs.step(actions)  # refused, too, but for another lane
    assert (envs.states == before).all()
    with pytest.raises(IllegalActionError, match=r"lane 7, .* 1000 is"):
        envs.step(actions)
    assert (envs.states == before).all()
    with pytest.raises(IllegalActionError, match=r"lane 150, .* 2000 is"):
        envs.check(actions)
    envs.step(envs.sample(0).repeat_interleave(2)[::2])  # not side by side in memory
    assert (envs.states != before).any(1).all()


def _numbers_on_a_gpu(words, numbers, count, moved, logs):
    for row in lanes(0, count):
        word, number = array_at(words, (count,), LONG)[row], array_at(numbers, (count,), LONG)[row]
        array_at(moved, (count, 3), LONG)[row, 0] = spread(word)
        array_at(moved, (count, 3), LONG)[row, 1] = gather(word, number)
        array_at(moved, (count, 3), LONG)[row, 2] = nth_one(word | 1 << 40, number & 3 if word & 0xFF == 0xFF else 0)
        array_at(logs, (count,), WEIGHT)[row] = math.log((number & (1 << 53) - 1) + 0.5)


def test_a_gpu_moves_bits_and_takes_logarithms_as_a_processor(on_processor):
    rng, count = np.random.default_rng(5), 1000
    words, numbers = rng.integers(-(1 << 63), 1 << 63, (2, count))
    words[::3] &= rng.integers(-(1 << 63), 1 << 63, len(words[::3]))
    words[::5] |= 0xFF
    given, moved, logs = torch.as_tensor(words), torch.empty((count, 3), dtype=torch.int64), torch.empty(count).double()
    kernel = cuda.Kernel(_numbers_on_a_gpu, JIE_LONG)
    cuda.run(kernel, "cpu", count, given, torch.as_tensor(numbers), count, moved, logs)
    for word, number, row, log in zip(words.tolist(), numbers.tolist(), moved.tolist(), logs.tolist(), strict=True):
        place = nth_one(word | 1 << 40, number & 3 if word & 0xFF == 0xFF else 0)
        assert row == [spread(word), gather(word, number), place]
        expected = math.log((number & (1 << 53) - 1) + 0.5)
        assert abs(log - expected) <= math.ulp(expected)


def test_products_and_sums_are_rounded_one_by_one(on_processor):
    made = assembly.kernels("jie-long")
    for name in ("step", "try_actions"):
        text, entry = made[name].ptx
        assert f".visible .entry {entry}(" in text and ".target sm_75" in text
        # Such an operation may be contracted with the next one to one rounding, and a heuristic play something else.
        assert not re.search(
            r"\b(fma|mad|(mul|add|sub)\.f(32|64))\b.*f(32|64)", re.sub(r"\b(mul|add|sub)\.rn", "", text)
        )


def test_memory_of_lanes_is_not_written_byte_by_byte():
    text = assembly.kernels("jie-long")["show"].ptx[0]
    assert len(re.findall(r"\bst\.(?:global\.)?b8", text)) == 1  # whose turn it is
    assert not re.search(r"\bst\S*\.b8\s+\[%rd\d+\], \S+;\n\s*add\.s64\s+%rd\d+, %rd\d+, 1;", text)  # nor in a loop


def test_alignment_of_what_a_deal_overwrites_is_that_of_what_reads_it():
    text = assembly.kernels("tien-gow")["determinize"].ptx[0]
    assert re.search(r"ld\.global\.nc\.b64\s+%rd\d+, \[source", text)
    assert re.findall(r"\.global \.align (\d+) \.b8 source", text) == ["8"]


@pytest.mark.skipif(not assembly.ptxas(), reason="the assembler is not installed")
@pytest.mark.parametrize("generation", assembly.GENERATIONS)
def test_kernels_assemble(generation):
    made = assembly.kernels("jie-long")
    for name in ("check", "step", "determinize", "try_actions", "converse", "draw_keys"):
        needs = assembly.assembled(made[name], generation)
        plays = name in ("try_actions", "converse")  # what others play, too
        assert needs.registers <= (cuda.PLAYERS if plays else cuda.LANES)
        assert needs.occupancy >= (0.25 if plays else 0.5)
        assert not needs.spilled and not needs.shared
        assert name != "determinize" or needs.stack < 400


def test_players_of_every_kind_need_no_library_of_mathematics():
    assert ".entry" in assembly.kernels("da-ling")["finish"].ptx[0]  # whose players weigh by powers


class Driver:
    """Stands in for CUDA's driver and for torch's choice of a GPU, by thread: on GPU g the stream is 50 + g."""

    def __init__(self, monkeypatch):
        self.loaded, self.launched, self.failing, self.chosen = [], [], "", threading.local()
        monkeypatch.setattr(cuda, "_driver", lambda: self)
        monkeypatch.setattr(torch.cuda, "current_device", self.gpu)
        monkeypatch.setattr(torch.cuda, "_exchange_device", self.choose)
        monkeypatch.setattr(torch.cuda, "_maybe_exchange_device", self.choose)
        monkeypatch.setattr(torch._utils, "_get_current_device_index", self.gpu)
        monkeypatch.setattr(torch.cuda, "current_stream", lambda: SimpleNamespace(cuda_stream=50 + self.gpu()))

    def gpu(self):
        return getattr(self.chosen, "gpu", 0)

    def choose(self, gpu):
        before, self.chosen.gpu = self.gpu(), gpu
        return before

    def __getattr__(self, name):
        return functools.partial(self.call, name)

    def call(self, name, *arguments):
        if name == "cuDeviceGet":
            arguments[0]._obj.value = arguments[1]
        if name == "cuDevicePrimaryCtxRetain":
            arguments[0]._obj.value = 100 + arguments[1].value
        if name == "cuCtxSetCurrent":
            self.chosen.context = arguments[0].value
        if name == "cuModuleLoadData":
            self.loaded.append((arguments[1], self.chosen.context))
        if name == "cuModuleGetFunction":
            arguments[0]._obj.value = 7
        if name == "cuLaunchKernel":
            numbers = [ctypes.c_int64.from_address(address).value for address in arguments[-2]]
            function, *shape, shared, stream, _, extra = arguments
            assert shared == 0 and extra is None
            self.launched.append((function.value, shape, stream.value, self.chosen.context, numbers))
        if name == "cuGetErrorString":
            arguments[1]._obj.value = b"out of memory"
        return 2 if name == self.failing else 0


def test_kernel_is_launched_with_its_words(monkeypatch):
    driver = Driver(monkeypatch)
    cuda._loaded("text", "entry")(129, 11, -1)
    assert driver.loaded == [(b"text", 100)]
    assert driver.launched == [(7, [2, 1, 1, 128, 1, 1], 50, 100, [11, -1])]
    driver.failing = "cuModuleLoadData"
    with pytest.raises(RuntimeError, match="cuModuleLoadData: out of memory"):
        cuda._loaded("text", "entry")


def test_every_launch_is_on_the_gpu_of_its_tensors(monkeypatch):
    driver, kernel = Driver(monkeypatch), cuda.Kernel(_numbers_on_a_gpu, JIE_LONG)
    monkeypatch.setattr(cuda.Kernel, "ptx", ("text", "entry"))
    cuda.run(kernel, "cuda:1", 5)
    driver.choose(1)  # torch.cuda.set_device(1)
    for device in ("cuda", "cuda:0"):
        cuda.run(kernel, device, 5)
    thread = threading.Thread(target=cuda.run, args=(kernel, "cuda:1", 5))  # where GPU 0 is chosen, and no context yet
    thread.start()
    thread.join()
    places = [(stream, context) for _, _, stream, context, _ in driver.launched]
    assert places == [(51, 101), (51, 101), (50, 100), (51, 101)]
    assert [context for _, context in driver.loaded] == [101, 100] and driver.gpu() == 1


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
