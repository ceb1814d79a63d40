"""Loops: plain Python for a start, machine code once it is there.

Importing numba takes a third of a second, and compiling a game some seconds. A decision takes about a millisecond in
plain Python, which gives the same bytes. So loops of `plain_first` run as plain Python in calls of few rows, until a
process has spent PLAIN_SECONDS on them. If their machine code is not on disk then, another process makes it meanwhile.

Where machine code of these sources ships with the package (`shipped.py`), it runs from the first call on, and numba is
never imported. Without numba, and where nothing ships, loops are plain Python.

With NUMBA_DISABLE_JIT=1 every loop runs as plain Python, slowly, so that rules can be stepped through in a debugger.
"""

import atexit
import contextlib
import functools
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from types import MethodType
from typing import Any

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.internals import tell
from gupai_env.core.memory import with_attributes
from gupai_env.core.shipped import Name, shipped

PLAIN_SECONDS = 0.2  # of the processor; 0: loops are machine code from their first call on
PLAIN_ROWS = 16  # calls of more rows are machine code
recorder: Callable[["Loop", tuple[Any, ...]], None] | None = None  # notes every call, which then runs as plain Python
# By the module of loops: one whose function `prepare(game)` calls them, with the arguments of one lane.
PREPARED_BY = {"gupai_env.core.kernels": "gupai_env.vector"}
_COMMAND = """
import importlib, os, sys
from gupai_env.core import compiling
from gupai_env.games import get_game
compiling.PLAIN_SECONDS = 0
if hasattr(os, "nice"):
    os.nice(5)
importlib.import_module(sys.argv[1]).prepare(get_game(sys.argv[2]))
"""


class Loop:
    """A loop whose machine code is kept on disk, for each game by itself; it releases the interpreter lock."""

    def __init__(self, function: Callable[..., Any], game: Game | None, plain_first: bool) -> None:
        self.function, self.game, self.plain_first = function, game, plain_first
        self.name = Name(function.__module__, function.__name__, "" if game is None else game.module_name)
        self._dispatcher: Any = None

    @functools.cached_property
    def _call(self) -> Callable[..., Any]:
        return shipped().loop(self.name, self.run)

    @property
    def dispatcher(self) -> Any:
        """What numba compiles; it is imported only now."""
        if self._dispatcher is None:
            self._dispatcher = machine_code().dispatcher_of(self.function, self.game)
        return self._dispatcher

    def __call__(self, *arguments: Any) -> Any:
        return self._call(*arguments) if recorder is None else self.run(*arguments)

    def run(self, *arguments: Any) -> Any:
        """Run where nothing ships for arguments like these."""
        if self.runs_plain(arguments):
            return self.run_plain(*arguments)
        return self.dispatcher(*arguments)

    def runs_plain(self, arguments: tuple[Any, ...]) -> bool:
        """Return whether a call with these arguments runs as plain Python."""
        if recorder is not None:
            recorder(self, arguments)
            return True
        if not can_compile(self.name.game or self.name.module):
            return True
        waits = self.plain_first and self._dispatcher is None and PLAIN_SECONDS > 0
        if waits and _rows(arguments) <= PLAIN_ROWS and (_spent.seconds < PLAIN_SECONDS or self.is_awaited()):
            return True
        return machine_code() is None

    def is_awaited(self) -> bool:
        """Return whether another process is compiling loops of this module and game; start it, if that is needed."""
        if self.game is None:  # compiled within a second
            return any(map(_is_running, _compilers.values()))
        module = self.function.__module__
        key = module, self.game.id
        if key not in _compilers:
            needed = module in PREPARED_BY and not is_ready(module, self.game)
            _compilers[key] = _compiler(PREPARED_BY[module], self.game.id) if needed else None
        return _is_running(_compilers[key])

    def run_plain(self, *arguments: Any) -> Any:
        """Run as plain Python, and count its time."""
        begun = time.thread_time()
        try:
            return self.function(*map(with_attributes, arguments))
        finally:
            _spent.seconds += time.thread_time() - begun


def compiled(loop: Callable[..., Any], game: Game | None = None, *, plain_first: bool = False) -> Loop:
    """Return a loop of a game, or of all; plain_first: a row takes it no more than some milliseconds of Python."""
    return Loop(loop, game, plain_first)


def bind(loop: Loop, *arguments: Any, later: tuple[Any, ...] = ()) -> Callable[..., Any]:
    """Return a loop with its first arguments, to be called with the rest; `later` are examples of these.

    An ordinary call determines the type of every argument each time, which takes longer than some decisions. Arrays
    are bound by reference: the loop reads and writes their contents at the time of a call.
    """
    if recorder is None and (
        bound := shipped().bound(loop.name, arguments, later, functools.partial(loop.run, *arguments))
    ):
        return bound
    if loop.runs_plain(arguments + later):
        return functools.partial(loop.run_plain, *arguments)
    code = machine_code().entry_point(loop.dispatcher, arguments + later)
    # Calling a bound method takes 20 ns less.
    return MethodType(code, *arguments) if len(arguments) == 1 else functools.partial(code, *arguments)


def is_ready(module: str, game: Game) -> bool:
    """Return whether a module's loops of a game need no compiling: it ships, it is on disk, or there is to be none."""
    if shipped().has(Name(module, "", game.module_name)) or not can_compile(game.module_name):
        return True
    return machine_code() is None or machine_code().on_disk(module, game)


@functools.cache
def machine_code() -> Any:
    """Return the module `machine_code`, which imports numba; None where numba is off, or another than was tested."""
    try:
        module = import_module("gupai_env.core.machine_code")
    except (ImportError, AttributeError) as error:
        tell(f"everything runs as plain Python, slowly: {error}; tested are numba 0.63 to 0.68")
        return None
    return None if module.CONFIG.DISABLE_JIT else module


@functools.cache
def can_compile(user: str) -> bool:
    """Return whether numba is installed; if not, say once who then runs as plain Python."""
    if find_spec("numba") is None:
        tell(f"{user} runs as plain Python, slowly; pip install 'gupai[compile]' makes machine code of it")
        return False
    return True


def is_plain(bound: Any) -> bool:
    """Return whether what `bind` returned runs as plain Python: it should be bound again some time."""
    return isinstance(getattr(getattr(bound, "func", None), "__self__", None), Loop)


class bound_loop(functools.cached_property):  # noqa: N801, as `property`
    """An attribute that is a bound loop or a list of them; it is bound again until it is machine code."""

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        value = super().__get__(instance, owner)
        if instance is not None and any(map(is_plain, value if isinstance(value, list) else [value])):
            vars(instance).pop(self.attrname, None)
        return value


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


class _Spent:
    seconds = 0.0  # of the processor, that plain Python has taken in this process


_spent = _Spent()
_compilers: dict[tuple[str, str], subprocess.Popen | None] = {}  # by module and game; None where none is needed


def _compiler(module: str, game: str) -> subprocess.Popen | None:
    """Start a process in which a module prepares a game; it may outlive this one, for the sake of the next."""
    silent: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    try:
        return subprocess.Popen([sys.executable, "-c", _COMMAND, module, game], start_new_session=True, **silent)
    except OSError:  # no such program, or no more processes
        return None


def _is_running(compiler: subprocess.Popen | None) -> bool:
    return compiler is not None and compiler.poll() is None


@atexit.register
def _leave() -> None:
    for compiler in _compilers.values():
        if compiler is not None and _is_running(compiler):
            compiler.returncode = 0  # or it warns that it still runs
