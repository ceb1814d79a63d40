"""The loops of a game as kernels of a CUDA GPU, compiled from the same rules and the same loops as for a processor.

A kernel runs a loop of `kernels.py` in many threads. There `lanes` are those of one thread, so that each lane is played
by one. Arrays are given by their address in the memory of the GPU, as a table has them. This imports numba-cuda, so it
is imported itself only when a GPU is asked for.
"""

import functools
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import torch

from gupai_env.core import kernels
from gupai_env.core.game import Game
from gupai_env.core.kernels import (
    BYTE,
    FLAG,
    LEGAL,
    LONG,
    TABLE,
    Widths,
    lanes,
    loops_of_tables,
    loops_of_views,
    pick,
    rows_of,
)
from gupai_env.core.memory import array_at, prefetch
from gupai_env.core.rule import for_cuda, register, rule_in_place

# Of the package numba-cuda, which takes the place of what numba has of that name.
cuda, types, extending, templates, config = (
    import_module(f"numba.cuda{name}") for name in ("", ".types", ".extending", ".typing.templates", ".core.config")
)
SIMULATED = bool(config.ENABLE_CUDASIM)  # NUMBA_ENABLE_CUDASIM=1, for tests without a GPU
THREADS = 2 if SIMULATED else 128  # of a block; the simulator starts one of Python's for each
OPTIONS: dict[str, Any] = {}  # of kernels
if not SIMULATED:
    # Products and sums are rounded one by one, as by a processor. numba-cuda has no option for that, so it holds for
    # all kernels of the process, and what would optimise them once more when they are linked is off.
    nvvm: Any = import_module("numba.cuda.cudadrv.nvvm")
    nvvm.compile_ir = functools.partial(nvvm.compile_ir, fma=False)
    OPTIONS["lto"] = False


class CudaKernels(NamedTuple):
    """The kernels of one game: what `Kernels` says of the loop of that name. All arguments are integers.

    begin(table), show(table), play_random(table, steps, key).
    check(table, actions, refused): lowers `refused`, int64 [1], to the first lane whose action its mask forbids.
    step(table, actions), observe_seat(table, seat, observations), pick(table, key, actions).
    views(table, views, rng_keys): of all lanes, records [B] and int64 [B].
    determinize(table, views, rng_keys, states): of all lanes.
    """

    begin: Any
    show: Any
    play_random: Any
    check: Any
    step: Any
    observe_seat: Any
    pick: Any
    views: Any
    determinize: Any


@functools.cache
def cuda_kernels(game: Game) -> CudaKernels:
    """Return the kernels of a game; compiling (seconds) happens at their first call in a process."""
    module, widths, numbers = game.module, Widths.of(game), game.variant().as_rules()
    begin_all, check_all, step_all, play_all, show_all, observe_all = map(inline, loops_of_tables(game))
    views_of_all, _, _, determinize_all = map(inline, loops_of_views(game))
    pick_all = inline(pick.function)

    def begin(table):
        begin_all(array_at(table, (1,), TABLE))

    def show(table):
        show_all(array_at(table, (1,), TABLE))

    def play_random(table, steps, key):
        play_all(array_at(table, (1,), TABLE), steps, key)

    def check(table, actions, refused):
        tables = array_at(table, (1,), TABLE)
        lane = check_all(tables, array_at(actions, (tables[0].envs,), LONG))
        if lane != LEGAL:
            cuda.atomic.min(array_at(refused, (1,), LONG), 0, lane)

    def step(table, actions):
        tables = array_at(table, (1,), TABLE)
        step_all(tables, array_at(actions, (tables[0].envs,), LONG))

    def observe_seat(table, seat, observations):
        tables = array_at(table, (1,), TABLE)
        observe_all(tables, seat, array_at(observations, (tables[0].envs, widths.observation), BYTE))

    def pick_actions(table, key, actions):
        envs = array_at(table, (1,), TABLE)[0].envs
        masks = array_at(array_at(table, (1,), TABLE)[0].masks, (envs, widths.actions), FLAG)
        pick_all(masks, key, array_at(actions, (envs,), LONG))

    def views(table, views, rng_keys):
        rows = rows_of(module, widths, numbers, array_at(table, (1,), TABLE)[0])
        envs = len(rows.states)
        views_of_all(rows.rules, rows.states, array_at(views, (envs,), module.VIEW), array_at(rng_keys, (envs,), LONG))

    def determinize(table, views, rng_keys, states):
        rows = rows_of(module, widths, numbers, array_at(table, (1,), TABLE)[0])
        envs = len(rows.states)
        known, keys = array_at(views, (envs,), module.VIEW), array_at(rng_keys, (envs,), LONG)
        determinize_all(rows.rules, known, keys, array_at(states, (envs,), module.STATE))

    functions = begin, show, play_random, check, step, observe_seat, pick_actions, views, determinize
    return CudaKernels(*(kernel(function) for function in functions))


def kernel(function: Callable[..., Any]) -> Any:
    """Return a function of integers as a kernel; what it calls are rules, and loops that went through `inline`."""
    register(for_cuda, _WAYS)
    return cuda.jit(function, **OPTIONS)


def run(program: Any, rows: int, *arguments: int | torch.Tensor) -> None:
    """Run a kernel in at least one thread per row, on torch's current stream; tensors are given by their address."""
    tensors = [argument for argument in arguments if isinstance(argument, torch.Tensor)]
    assert all(tensor.is_contiguous() for tensor in tensors)  # a kernel knows no strides
    numbers = (argument if isinstance(argument, int) else argument.data_ptr() for argument in arguments)
    stream = 0 if SIMULATED else cuda.external_stream(torch.cuda.current_stream(tensors[0].device).cuda_stream)
    if rows:
        program[-(-rows // THREADS), THREADS, stream](*numbers)


# --- how the marks of rules are registered --------------------------------------------------------

_INLINED = {"forceinline": True}


def _replace(function: Callable[..., Any], other: Callable[..., Any]) -> None:
    extending.overload(function, jit_options=_INLINED, strict=False)(lambda *_: other)


def _nothing(rows, row, offset):
    pass


def _lanes_of_thread(first, end):
    return range(first + cuda.grid(1), end, cuda.gridsize(1))


# Nothing need be fetched ahead: other threads play while one waits for memory.
_INSTEAD: dict[Callable[..., Any], Callable[..., Any]] = {lanes: _lanes_of_thread, prefetch: _nothing}


def _generate(
    function: Callable[..., Any], generator: Callable[..., Any], without_bmi2: Callable[..., Any] | None
) -> None:
    if instead := _INSTEAD.get(function, without_bmi2):
        _replace(function, instead)
    else:  # as for the processor, in `parts.py`
        template = templates.make_intrinsic_template(function, generator, function.__name__, prefer_literal=True)
        templates.infer(template)
        templates.infer_global(function, types.Function(template))


def inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """Register a function that kernels call, and return it."""
    if instead := _INSTEAD.get(function):
        _replace(function, instead)
    else:
        extending.register_jitable(**_INLINED)(function)
    return function


if SIMULATED:  # plain Python plays, which looks for `lanes` in its module; outside of kernels it plays all lanes

    def _lanes_in_simulator(first, end):
        in_kernel = hasattr(threading.current_thread(), "blockIdx")
        return _lanes_of_thread(first, end) if in_kernel else lanes(first, end)

    rule_in_place(_lanes_in_simulator, lanes)
    kernels.lanes = _lanes_in_simulator


_WAYS: dict[str, Callable[..., Any]] = {
    "inline": inline,
    "call": extending.register_jitable,
    "replace": _replace,
    "generate": _generate,
}


# --- the GPU --------------------------------------------------------------------------------------


def is_there(device: str) -> bool:
    """Return whether a device is a GPU that kernels can run on, and choose it; numba's simulator runs on the CPU."""
    if SIMULATED:
        return device == "cpu"
    if not (device.startswith("cuda") and torch.cuda.is_available()):
        return False
    cuda.select_device(torch.device(device).index or 0)
    return True
