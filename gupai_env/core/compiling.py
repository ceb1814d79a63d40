"""Compiling loops: where their machine code is kept, what a person is told meanwhile, and running them as plain Python.

With NUMBA_DISABLE_JIT=1 every loop runs as the Python that it is, slowly: rules can be looked at in a debugger.
"""

import functools
import hashlib
import os
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import event

from gupai_env.core.game import Game

PACKAGE = Path(__file__).parents[1]
CONFIG: Any = numba.config
PLAIN = bool(CONFIG.DISABLE_JIT)
PATIENCE = 0.7  # seconds that a loop may compile before anybody is told


@functools.cache
def _digest_of(folder: Path) -> bytes:
    """Return a digest of all sources below a folder, or of the one file that is named; raises OSError for neither."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]:
        digest.update(path.read_bytes())
    return digest.digest()


@functools.cache
def sources_digest(package: str) -> str:
    """Return what changes with any edit of the engine, of our games or of the top-level package of another game.

    It is "" where there are no sources to look at, as of a game that was typed at a prompt or in a notebook.
    """
    module = sys.modules[package]
    outside = [
        Path(each) for each in getattr(module, "__path__", [getattr(module, "__file__", None)]) if each
    ]
    parts = [PACKAGE / "core", PACKAGE / "games", *(part for part in outside if part != PACKAGE)]
    try:
        return hashlib.sha256(b"".join(map(_digest_of, parts))).hexdigest()[:16] if outside else ""
    except OSError:
        return ""


@functools.cache
def neighbours_digest(file: str) -> str:
    """Return what changes with any edit of the sources beside a file: rules of theirs are built into its loops."""
    digest = hashlib.sha256()
    for path in sorted(Path(file).parent.glob("*.py")) if Path(file).is_file() else ():
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def compiled(loop: Callable, game: Game | None = None) -> Callable:
    """Compile a loop that releases the interpreter lock; its machine code is kept on disk, for each game by itself.

    Its name there tells the game and the sources, so that code of an older rule is never found, and nothing of a
    package that is not there any more is looked at. That of a game without sources is not kept.
    """
    if PLAIN:
        return _plain(loop)
    name, room = loop.__name__.strip("_"), __name__ if game is None else game.module
    digest = sources_digest(room.partition(".")[0])
    loop.__qualname__ += f"-{room}-{digest}-{neighbours_digest(loop.__code__.co_filename)}"
    dispatcher = _kept(loop) if digest else numba.njit(loop, nogil=True)
    _announcer.names[dispatcher] = name if game is None else f"{name} of {game.title}"
    return dispatcher


def bind(loop: Any, *arguments: Any, later: tuple = ()) -> Callable:
    """Return a compiled loop with its first arguments, to be called with the rest; `later` are examples of these.

    An ordinary call looks at the type of every argument each time, which takes longer than many a decision.
    Arrays are held on to: what the loop reads and writes are their contents at the time of a call.
    """
    if PLAIN:
        return functools.partial(loop, *arguments)
    return functools.partial(loop.compile(tuple(map(numba.typeof, arguments + later))), *arguments)


def _plain(loop: Callable) -> Callable:
    """Return a loop that runs as Python; records let their fields be read as attributes, as in compiled code."""

    @functools.wraps(loop)
    def run(*arguments: Any) -> Any:
        return loop(*map(_with_attributes, arguments))

    return run


def _with_attributes(argument: Any) -> Any:
    structured = isinstance(argument, np.ndarray) and argument.dtype.names
    return argument.view(np.recarray) if structured else argument


# --- where machine code is kept -------------------------------------------------------------------


def _kept(loop: Callable) -> Callable:
    """Return a dispatcher whose machine code is kept where numba likes to, else in the folder for temporary files."""
    try:
        return numba.njit(loop, cache=True, nogil=True)
    except RuntimeError:  # neither the folder of the sources nor the home can be written to
        folder = _temporary_folder()
    chosen = CONFIG.CACHE_DIR
    try:
        CONFIG.CACHE_DIR = folder
        return numba.njit(loop, cache=bool(folder), nogil=True)
    finally:
        CONFIG.CACHE_DIR = chosen


@functools.cache
def _temporary_folder() -> str:
    """Return a folder of this user alone below that for temporary files, "" if there is none; says so, once."""
    user = str(os.getuid()) if hasattr(os, "getuid") else ""
    folder = Path(tempfile.gettempdir()) / f"gupai-{user}"
    kept = f"in {folder}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        # What lies there is run as it is, so nobody else may have made it or may write to it.
        mine = not user or (found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077)
        if not (stat.S_ISDIR(found.st_mode) and mine and os.access(folder, os.W_OK)):
            raise PermissionError
    except OSError:
        folder, kept = None, "by nobody, so that every process compiles anew"  # type: ignore[assignment]
    tell(
        f"the folder of the program and the home cannot be written to: machine code is kept {kept} "
        "(NUMBA_CACHE_DIR names another place)"
    )
    return str(folder or "")


# --- what a person is told ------------------------------------------------------------------------


def tell(line: str) -> None:
    """Print a line about the machine, not about the game, where it does not mix with results."""
    if sys.stderr is not None:
        print(f"gupai: {line}", file=sys.stderr, flush=True)


class _Announcer(event.Listener):
    """Tells a person at a terminal what is being compiled, where it takes more than a moment, and when it is done.

    numba notifies it where a loop is really compiled, and not where machine code is found on disk.
    """

    def __init__(self) -> None:
        self.names: dict[Any, str] = {}  # of our loops
        self._begun: dict[Any, tuple[threading.Timer, float]] = {}
        self._told: set[Any] = set()

    def on_start(self, event: event.Event) -> None:
        loop = event.data["dispatcher"]
        if loop not in self.names or sys.stderr is None or not sys.stderr.isatty():
            return
        timer = threading.Timer(PATIENCE, self._say, [loop])
        timer.daemon = True
        self._begun[loop] = timer, time.monotonic()
        timer.start()

    def _say(self, loop: Any) -> None:
        self._told.add(loop)
        tell(f"compiling {self.names[loop]} (once on this machine, some seconds) ...")

    def on_end(self, event: event.Event) -> None:
        loop = event.data["dispatcher"]
        if loop not in self._begun:
            return
        timer, begun = self._begun.pop(loop)
        timer.cancel()
        timer.join()
        if loop in self._told:
            self._told.remove(loop)
            tell(f"compiled {self.names[loop]} in {time.monotonic() - begun:.0f} s")


_announcer = _Announcer()
event.register("numba:compile", _announcer)
