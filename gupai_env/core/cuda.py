"""The loops of a game as kernels of a CUDA GPU, emitted from the same rules and the same loops as for a processor.

A kernel runs a loop of `kernels.py` in a thread for each lane: there `lanes` is that of the thread. Arrays are given by
their address in the memory of the GPU, as a table has them; a table is given number by number, which need no registers.
LLVM writes a kernel as PTX, which is kept on disk like the processor's machine code and is the same for every GPU.
Tables of the rules lie in the memory of the GPU and are read through its read-only cache. The driver assembles PTX once
for a GPU and keeps that on disk, until another driver is installed, so there is no file of assembled code here
(https://developer.nvidia.com/blog/cuda-pro-tip-understand-fat-binaries-jit-caching).

This imports torch, so it is imported itself only when a GPU is asked for. Nothing of CUDA has to be installed except
the driver.
"""

import ctypes
import functools
import itertools
import sys
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from gupai_env.core import kernels
from gupai_env.core.compiling import Loop
from gupai_env.core.game import Game
from gupai_env.core.kernels import (
    BYTE,
    FLAG,
    LEGAL,
    LONG,
    MOST_ENVS,
    TABLE,
    Widths,
    lanes,
    loops_of_tables,
    loops_of_views,
    rows_of,
)
from gupai_env.core.memory import array_at
from gupai_env.core.rule import Later, in_machine_code, rule

types: Any = Later("numba.core.types")
THREADS = 128  # of a block
NONE = MOST_ENVS  # instead of a lane that is refused
LANES, PLAYERS = 64, 128  # registers of a thread that plays a lane, and of one that plays its players too
# For tests: makes of a kernel's PTX and its name a function of a number of rows and its arguments, run by a processor.
stand_in: Callable[[str, str], Callable[..., None]] | None = None


# As the record, with the variant's numbers in place of their address.
Table: Any = namedtuple("Table", TABLE.names or ())  # type: ignore[misc]


@functools.cache
def cuda_kernels(game: Game) -> dict[str, "Kernel"]:
    """Return the kernels of a game by name; emitting and assembling them (seconds) happens at their first calls.

    They do what `Kernels` says of the loop of that name. Arguments are integers, but for a table.

    begin(table), show(table).
    check(table, actions, refused): of `refused`, int64 [3], lowers the first entry to the first lane whose action its
        mask forbids; where a step has set the second, it does nothing.
    step(table, actions, refused): after `check`; where a lane is refused, it plays nothing, but puts that lane into the
        second entry, and its action into the third.
    observe_seat(table, seat, observations), pick(table, key, actions).
    views(table, views, rng_keys): of all lanes, records [B] and int64 [B].
    determinize(table, views, rng_keys, states): of all lanes.
    """
    module, widths, numbers = game.module, Widths.of(game).wide(), game.variant().as_rules()
    begin_all, check_all, step_all, _, show_all, observe_all = map(rule, loops_of_tables(game, widths))
    views_of_all, _, _, determinize_all = map(rule, loops_of_views(game))
    pick_all = rule(kernels.pick.function)

    def begin(table):
        begin_all((table,))

    def show(table):
        show_all((table,))

    def check(table, actions, refused):
        noted = array_at(refused, (3,), LONG)
        if noted[1] == NONE:
            lane = check_all((table,), array_at(actions, (table.envs,), LONG))
            if lane != LEGAL:
                lower(noted, lane)

    def step(table, actions, refused):
        noted, played = array_at(refused, (3,), LONG), array_at(actions, (table.envs,), LONG)
        if noted[0] == NONE:
            step_all((table,), played)
        elif noted[1] == NONE:
            for _ in lanes(0, 1):
                noted[1], noted[2] = noted[0], played[noted[0]]

    def observe_seat(table, seat, observations):
        observe_all((table,), seat, array_at(observations, (table.envs, widths.observation), BYTE))

    def pick(table, key, actions):
        masks = array_at(table.masks & widths.begin, (table.envs, widths.mask), FLAG)
        pick_all(masks, key, array_at(actions, (table.envs,), LONG))

    def views(table, views, rng_keys):
        rows, envs = rows_of(module, widths, numbers, table), table.envs
        views_of_all(rows.rules, rows.states, array_at(views, (envs,), module.VIEW), array_at(rng_keys, (envs,), LONG))

    def determinize(table, views, rng_keys, states):
        known, keys = array_at(views, (table.envs,), module.VIEW), array_at(rng_keys, (table.envs,), LONG)
        determinize_all(table.rules, known, keys, array_at(states & widths.begin, (table.envs,), module.STATE))

    functions = begin, show, check, step, observe_seat, pick, views, determinize
    return {function.__name__: Kernel(function, game) for function in functions}


def lower(numbers: Any, number: int) -> None:
    """Lower the first of some numbers, int64, to another if that is smaller, whatever other threads do meanwhile."""
    numbers[0] = min(numbers[0], number)


@in_machine_code(lower)
def _lower(typing_context, numbers, number):
    def build(context, builder, signature, given):
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        builder.atomic_rmw("min", data, given[1], "monotonic")
        return context.get_dummy_value()

    return types.void(numbers, types.int64), build


# --- what a GPU does otherwise --------------------------------------------------------------------

# LLVM's code. `gupai_log` is the logarithm of FreeBSD's e_log.c, of normal numbers above 0.
_CODE = f"""
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.assume(i1)
define i64 @gupai_own(i64 %lane, i64 %first) alwaysinline {{
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %begun = mul nuw nsw i32 %block, {THREADS}
  %number = add nuw nsw i32 %begun, %thread
  %row = zext nneg i32 %number to i64
  %own = add nsw i64 %first, %row
  %counts = icmp sge i64 %own, 0
  call void @llvm.assume(i1 %counts)
  %more = icmp slt i64 %own, %lane
  %one = zext i1 %more to i64
  %next = add nsw i64 %own, %one
  ret i64 %next
}}
define i64 @gupai_hidden(i64 %lane) alwaysinline {{
  %same = call i64 asm sideeffect "", "=l,0"(i64 %lane)
  %counts = icmp sge i64 %same, 0
  call void @llvm.assume(i1 %counts)
  ret i64 %same
}}
define void @gupai_prefetch(ptr %line, i32 %writes, i32 %keeps, i32 %data) alwaysinline {{ ret void }}
define double @gupai_log(double %number) {{
  %bits = bitcast double %number to i64
  %raised = add i64 %bits, {(0x3FF00000 - 0x3FE6A09E) << 32}
  %exponent = ashr i64 %raised, 52
  %k = sub i64 %exponent, 1023
  %dk = sitofp i64 %k to double
  %fraction = and i64 %raised, {(1 << 52) - 1}
  %around = add i64 %fraction, {0x3FE6A09E << 32}
  %one = bitcast i64 %around to double
  %f = fsub double %one, 1.0
  %half = fmul double %f, 0.5
  %hfsq = fmul double %half, %f
  %f2 = fadd double %f, 2.0
  %s = fdiv double %f, %f2
  %z = fmul double %s, %s
  %w = fmul double %z, %z
  %a0 = fmul double %w, 0x3FC39A09D078C69F
  %a1 = fadd double %a0, 0x3FCC71C51D8E78AF
  %a2 = fmul double %w, %a1
  %a3 = fadd double %a2, 0x3FD999999997FA04
  %t1 = fmul double %w, %a3
  %b0 = fmul double %w, 0x3FC2F112DF3E5244
  %b1 = fadd double %b0, 0x3FC7466496CB03DE
  %b2 = fmul double %w, %b1
  %b3 = fadd double %b2, 0x3FD2492494229359
  %b4 = fmul double %w, %b3
  %b5 = fadd double %b4, 0x3FE5555555555593
  %t2 = fmul double %z, %b5
  %r = fadd double %t2, %t1
  %hr = fadd double %hfsq, %r
  %sr = fmul double %s, %hr
  %low = fmul double %dk, 0x3DEA39EF35793C76
  %c0 = fadd double %sr, %low
  %c1 = fsub double %c0, %hfsq
  %c2 = fadd double %c1, %f
  %high = fmul double %dk, 0x3FE62E42FEE00000
  %log = fadd double %c2, %high
  ret double %log
}}
"""
_INSTEAD = {"@llvm.prefetch.p0": "@gupai_prefetch", "@llvm.log.f64": "@gupai_log"}
_TARGET = "nvptx64-nvidia-cuda", "sm_75", "+ptx63"  # the oldest GPU that CUDA 13 knows, and its PTX


class Kernel:
    """A function as a kernel; what it calls are rules."""

    def __init__(self, function: Callable[..., Any], game: Game, registers: int = LANES) -> None:
        """Note what is to be emitted.

        Args:
            function: Works on the rows that `lanes` gives; takes integers, and a `table` and `rules` by these names.
            game: The game that it plays.
            registers: How many a thread may have.
        """
        self._function, self._game, self._registers = function, game, registers
        self._functions: dict[int | None, Callable[..., None]] = {}  # by GPU

    @functools.cached_property
    def ptx(self) -> tuple[str, str]:
        """The text of its PTX, and the name of its entry there; emitted, or found on disk."""
        from gupai_env.core.machine_code import emitted
        from gupai_env.core.target import Target

        function = self._function
        examples: dict[str, Any] = {"rules": self._game.variant().as_rules()}
        examples["table"] = Table(*np.zeros(1, TABLE)[0])._replace(**examples)
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        arguments = tuple(examples.get(name, 0) for name in names)
        target = Target(*_TARGET, self._registers, _CODE, _INSTEAD)
        made, symbol = emitted(Loop(function, self._game, False), arguments, target)
        return made.decode(), symbol

    def on(self, device: torch.device) -> Callable[..., None]:
        """Return what runs it on a device: a function of a number of rows and the words of its arguments."""
        gpu = torch.cuda.current_device() if device.type == "cuda" else None
        if gpu not in self._functions:
            self._functions[gpu] = (stand_in or _loaded)(*self.ptx)
        return self._functions[gpu]


def run(kernel: Kernel, device: str | torch.device, rows: int, *arguments: Any) -> None:
    """Run a kernel in a thread for each row, on torch's current stream of a device.

    Args:
        kernel: What to run.
        device: Where its tensors are.
        rows: How many, maybe none.
        arguments: Those of the kernel; tensors are given by their address.
    """
    device = torch.device(device)
    with torch.cuda.device(device if device.type == "cuda" else -1):
        if rows:
            kernel.on(device)(rows, *_words(arguments))


def _words(argument: Any) -> Iterator[int]:
    """Yield the words of an argument, or of a tuple of them."""
    if isinstance(argument, tuple):
        yield from itertools.chain.from_iterable(map(_words, argument))
    elif isinstance(argument, float):
        yield int(np.float64(argument).view(LONG))
    else:
        assert not isinstance(argument, torch.Tensor) or argument.is_contiguous()  # a kernel knows no strides
        yield argument.data_ptr() if isinstance(argument, torch.Tensor) else int(argument)


# --- the GPU --------------------------------------------------------------------------------------


@functools.cache
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")


def _ask(function: str, *arguments: Any) -> None:
    """Call a function of CUDA's driver; raises RuntimeError with what it answers if that is not success."""
    if status := getattr(_driver(), function)(*arguments):
        text = ctypes.c_char_p()
        _driver().cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError(f"{function}: {(text.value or b'error %d' % status).decode()}")


def _loaded(ptx: str, name: str) -> Callable[..., None]:
    """Let the driver assemble a kernel for the current GPU, and return what runs it there on torch's current stream."""
    gpu, context, module, function = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    _ask("cuDeviceGet", ctypes.byref(gpu), torch.cuda.current_device())
    _ask("cuDevicePrimaryCtxRetain", ctypes.byref(context), gpu)  # which is torch's
    _ask("cuCtxSetCurrent", context)
    _ask("cuModuleLoadData", ctypes.byref(module), ptx.encode())
    _ask("cuModuleGetFunction", ctypes.byref(function), module, name.encode())

    def launch(rows: int, *arguments: int) -> None:
        numbers = [ctypes.c_int64(argument) for argument in arguments]
        addresses = (ctypes.c_void_p * len(numbers))(*map(ctypes.addressof, numbers))
        shape = -(-rows // THREADS), 1, 1, THREADS, 1, 1
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        _ask("cuCtxSetCurrent", context)  # a thread that has not used torch yet has none
        _ask("cuLaunchKernel", function, *shape, 0, stream, addresses, None)

    return launch


def is_there(device: str) -> bool:
    """Return whether a device is a GPU that kernels can run on; in tests it may be a stand-in, which is "cpu"."""
    if stand_in:
        return device == "cpu"
    gpus = torch.cuda.device_count() if device.startswith("cuda") and torch.cuda.is_available() else 0
    return bool(gpus) and (torch.device(device).index or 0) < gpus
