"""Loops: plain Python for a start, machine code once it is there.

Loading machine code takes a tenth of a second, and compiling a game some seconds. A decision takes about a millisecond
in plain Python, which gives the same bytes. So loops of `plain_first` run as plain Python in calls of few rows, until a
process has spent PLAIN_SECONDS on them.

Where machine code of these sources ships with the package (`shipped.py`), it runs from the first call on. Elsewhere an
object file of the same kind is emitted by numba and kept on disk (`machine_code.py`); without numba, loops are plain
Python. Both are called in the same way, by the extension `calling` (calling.c).

With NUMBA_DISABLE_JIT=1 every loop runs as plain Python, slowly, so that rules can be stepped through in a debugger.
"""

import builtins
import contextlib
import ctypes
import functools
import os
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy._core import multiarray

from gupai_env.core.game import Game
from gupai_env.core.memory import with_attributes
from gupai_env.core.shipped import Kinds, Name, kind_of, shipped, with_strides

PLAIN_SECONDS = 0.2  # of the processor; 0: loops are machine code from their first call on
PLAIN_ROWS = 16  # calls of more rows are machine code
spent = 0.0  # seconds of the processor that plain Python has taken in this process
# Classes of errors that machine code raises, by name; for others it raises RuntimeError.
ERRORS = {name: kind for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, Exception)}
recorder: Callable[["Loop", tuple[Any, ...]], None] | None = None  # notes every call, which then runs as plain Python


def tell(line: str) -> None:
    """Print a line about the machine, not about the game, on standard error, apart from results."""
    if sys.stderr is not None:
        print(f"gupai: {line}", file=sys.stderr, flush=True)


tell_once = functools.cache(tell)


class Loop:
    """A loop with machine code for each kind of arguments; it releases the interpreter lock."""

    def __init__(self, function: Callable[..., Any], game: Game | None, plain_first: bool) -> None:
        self.function, self.game, self.plain_first = function, game, plain_first
        self.name = Name(function.__module__, function.__name__, "" if game is None else game.module_name)
        self.entries: dict[Kinds, int] = {}  # addresses of its machine code
        self._call: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        if recorder is None and self._call:
            return self._call(*arguments)
        if not self.entry(*arguments)[0]:
            return self.run_plain(*arguments)
        self._call = calling().loop({}, self.entry, self.run_plain)
        return self._call(*arguments)

    def entry(self, *arguments: Any) -> tuple[int, Kinds]:
        """Return the address of machine code for arguments of these kinds, 0 where they run as plain Python."""
        kinds = tuple(map(kind_of, arguments))
        if recorder is not None:
            recorder(self, arguments)
            return 0, kinds
        if kinds not in self.entries:
            # What is compiled for arrays with any strides takes those in order, too.
            strided = tuple(map(with_strides, kinds))
            if address := shipped().entry(self.name, kinds) or self.entries.get(strided, 0):
                self.entries[kinds] = address
        if kinds not in self.entries and not self._waits(arguments):
            code = machine_code(self.name.game or self.name.module)
            self.entries[kinds] = code.entry(self, arguments) if code else 0
        return self.entries.get(kinds, 0), kinds

    def _waits(self, arguments: tuple[Any, ...]) -> bool:
        """Return whether a call runs as plain Python for the present."""
        few = self.plain_first and spent < PLAIN_SECONDS and _rows(arguments) <= PLAIN_ROWS
        return few and not any(self.entries.values())

    def run_plain(self, *arguments: Any) -> Any:
        """Run as plain Python, and count its time."""
        global spent
        begun = time.thread_time()
        try:
            return self.function(*map(with_attributes, arguments))
        finally:
            spent += time.thread_time() - begun


def compiled(loop: Callable[..., Any], game: Game | None = None, *, plain_first: bool = False) -> Loop:
    """Return a loop of a game, or of all; plain_first: a row takes it no more than some milliseconds of Python."""
    return Loop(loop, game, plain_first)


def bind(loop: Loop, *arguments: Any, later: tuple[Any, ...] = (), brief: bool = False) -> Callable[..., Any]:
    """Return a loop with its first arguments, to be called with the rest; `later` are examples of these.

    An ordinary call looks at every argument each time, which takes longer than some decisions. The first arguments are
    read now: arrays are bound by their addresses and are kept alive.

    brief: A call takes no more than some microseconds. Then machine code, which is the only function of C that this
        returns, keeps Python's lock: to other threads a call is one step.
    """
    address, _ = loop.entry(*arguments, *later)
    if address:
        otherwise = functools.partial(loop, *arguments)
        bound: Callable[..., Any] = calling().bound(address, arguments, later, otherwise, brief)
        return bound
    return functools.partial(loop.run_plain, *arguments)


@functools.cache
def machine_code(user: str) -> Any:
    """Return the module `machine_code`, which imports llvmlite; None, and said, where its user runs as plain Python."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        return None
    if find_spec("numba") is None:
        return tell_once(f"{user} runs as plain Python, slowly; pip install 'gupai[compile]' makes machine code of it")
    try:
        return import_module("gupai_env.core.machine_code")
    except ImportError as error:
        return tell_once(f"everything runs as plain Python, slowly: {error}")


@functools.cache
def calling() -> Any:
    """Return the extension that calls machine code: the one that ships, or one made of its LLVM code."""
    extension = shipped().calling or import_module("gupai_env.core.machine_code").calling()
    extension.use(np.ndarray, _fail, multiarray._ARRAY_API, TypeError)
    return extension


def copier(arrays: dict[str, np.ndarray]) -> Callable[[], dict[str, np.ndarray]]:
    """Return what returns copies of arrays by name, as they are when it is called; by the extension, if it is in use.

    Arrays are in order and have at least one dimension.
    """
    if calling.cache_info().currsize:
        return calling().copier(arrays)
    return lambda: {name: array.copy() for name, array in arrays.items()}


def _fail(status: int, address: int) -> None:
    """Raise what a loop has raised: by its status, and by where its class and message are, as text."""
    if status < 1:
        raise RuntimeError(f"a loop stopped with status {status}")
    name, _, message = ctypes.string_at(address).decode(errors="replace").partition("\n")
    raise ERRORS[name](message) if name in ERRORS else RuntimeError(f"{name}: {message}")


def is_ready(module: str, game: Game) -> bool:
    """Return whether a module's loops of a game need no compiling: it ships, it is on disk, or there is to be none."""
    if shipped().has(Name(module, "", game.module_name)) or not (code := machine_code(game.module_name)):
        return True
    on_disk: bool = code.on_disk(module, game)
    return on_disk


class bound_loop(functools.cached_property):  # noqa: N801, as `property`
    """An attribute that is a bound loop or a list of them; it is bound again until it is machine code."""

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        value = super().__get__(instance, owner)
        if instance is not None and any(map(is_plain, value if isinstance(value, list) else [value])):
            vars(instance).pop(self.attrname, None)
        return value


def is_plain(bound: Any) -> bool:
    """Return whether what `bind` returned runs as plain Python: it should be bound again some time."""
    return isinstance(getattr(getattr(bound, "func", None), "__self__", None), Loop)


@contextlib.contextmanager
def at_once() -> Iterator[None]:
    """Let all loops be machine code from their first call on, as for measurements."""
    global PLAIN_SECONDS
    before, PLAIN_SECONDS = PLAIN_SECONDS, 0
    try:
        yield
    finally:
        PLAIN_SECONDS = before


def _rows(arguments: tuple[Any, ...]) -> int:
    """Return the lanes of the table among some arguments, or else the most rows of an array."""
    arrays = [argument for argument in arguments if isinstance(argument, np.ndarray) and argument.ndim]
    tables = (int(array["envs"][0]) for array in arrays if "envs" in (array.dtype.names or ()))
    return next(tables, max(map(len, arrays), default=0))
