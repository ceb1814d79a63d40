"""Machine code that ships with the package: where it is, whether it is of these sources, and how it is called.

FOLDER holds the extension `calling` (calling.c), SOURCES, and a folder for each level of processor, with a library for
each game and one of the loops that all games share. SOURCES has the digest of every source that the code was made from:
a loop of which a source was edited since is compiled by numba, or runs as plain Python, as if nothing had been shipped.
"""

import ctypes
import functools
import hashlib
import json
import os
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gupai_env.core.sources import source_of

FOLDER = Path(__file__).parent.parent / "machine_code"
SOURCES, SHARED = "sources.json", "shared"
# Of the extension and of libraries, by sys.platform.
SUFFIXES = {"linux": (".abi3.so", ".so"), "darwin": (".abi3.so", ".dylib"), "win32": (".pyd", ".dll")}
CALLING_SUFFIX, LIBRARY_SUFFIX = SUFFIXES.get(sys.platform, SUFFIXES["linux"])
# Folders, by what `level()` of the extension returns.
LEVELS = ("generic", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
SWITCH = "GUPAI_MACHINE_CODE"  # "numba": nothing that ships is used; a level: none above it
NOT_ASKED_FOR = {"NUMBA_DISABLE_JIT": "1", "NUMBA_BOUNDSCHECK": "1", SWITCH: "numba"}
Kinds = tuple[tuple[Any, ...], ...]  # of the arguments of a call, see `kind_of`


class Name(NamedTuple):
    """What a loop is found by: the module and the name of its function, and the module of its game, "" for all."""

    module: str
    function: str
    game: str

    @property
    def library(self) -> str:
        """The file of its machine code, without a suffix."""
        return self.game.rpartition(".")[2] or SHARED

    def symbol(self, kinds: Kinds) -> str:
        """Return the name of the loop's entry for arguments of some kinds."""
        text = repr((*self, *map(_in_words, kinds)))
        return f"gupai_{hashlib.sha256(text.encode()).hexdigest()[:20]}"


def kind_of(argument: Any) -> tuple[Any, ...]:
    """Return what distinguishes an argument of a loop from others that need other machine code.

    An array is (dtype, dimensions, whether it is in order), a tuple (its class, its parts), a number (dtype,).
    """
    if isinstance(argument, np.ndarray):
        return argument.dtype, argument.ndim, bool(argument.flags.c_contiguous)
    if isinstance(argument, tuple):
        return type(argument), *map(kind_of, argument)
    return (np.asarray(argument).dtype,)


def _in_words(kind: Any) -> Any:
    """Return a kind as a text of it is the same in every process."""
    if isinstance(kind, tuple):
        return tuple(map(_in_words, kind))
    if isinstance(kind, np.dtype):
        return [(name, *map(str, field)) for name, field in (kind.fields or {}).items()] or kind.str, kind.itemsize
    return kind.__name__ if isinstance(kind, type) else kind


def with_strides(kind: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the kind of arrays with any strides, for those of a kind that are in order."""
    if isinstance(kind[0], type):
        return kind[0], *map(with_strides, kind[1:])
    return (*kind[:2], False) if len(kind) == 3 else kind


class Shipped:
    """The machine code in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Digests of the sources that the code was made from; by module of loops and of a game, the sources of both.
        self._record: dict[str, dict[str, Any]] = {"digests": {}, "needs": {}}
        self.calling: Any = None  # the extension; None where nothing ships for this system, of whatever sources
        self.level = 0  # the highest of LEVELS that may run
        if any(os.environ.get(name) == value for name, value in NOT_ASKED_FOR.items()) or not is_standard_build():
            return
        try:
            self.calling = calling_in(folder)
            self._record = json.loads((folder / SOURCES).read_text(encoding="utf-8"))
        except (OSError, ImportError):  # nothing ships for this system
            return
        self.level, most = self.calling.level(), os.environ.get(SWITCH)
        self.level = min(self.level, LEVELS.index(most)) if most in LEVELS else self.level

    def entry(self, name: Name, kinds: Kinds) -> int:
        """Return the address of a loop's entry for arguments of some kinds, 0 if it does not ship."""
        if not self.has(name):
            return 0
        try:
            library = self._library(name.library)
        except OSError:
            return 0
        # Arrays in order may be given to code for arrays with any strides.
        symbols = name.symbol(kinds), name.symbol(tuple(map(with_strides, kinds)))
        functions = (getattr(library, symbol, None) for symbol in symbols)
        return next((ctypes.cast(function, ctypes.c_void_p).value or 0 for function in functions if function), 0)

    def has(self, name: Name) -> bool:
        """Return whether machine code of a loop ships, made from the sources that are there."""
        needs = self._record["needs"].get(key_of(name), [])
        return bool(needs) and all(self._record["digests"][module] == digest_of(module) for module in needs)

    def _library(self, name: str) -> ctypes.CDLL:
        """Return the library of a name for the best level that is there.

        Raises:
            OSError: If there is none.
        """
        levels = [self.folder / level / f"{name}{LIBRARY_SUFFIX}" for level in LEVELS[self.level :: -1]]
        return ctypes.CDLL(str(next(filter(Path.exists, levels), levels[0])))


def calling_in(folder: Path) -> Any:
    """Return the extension that calls what ships in a folder.

    Raises:
        ImportError: If there is none for this system.
    """
    loader = ExtensionFileLoader("calling", str(folder / f"calling{CALLING_SUFFIX}"))
    module = module_from_spec(spec_from_loader("calling", loader))  # type: ignore[arg-type]
    loader.exec_module(module)
    return module


def key_of(name: Name) -> str:
    """Return what SOURCES has the sources of a loop by."""
    return f"{name.module} {name.game}".strip()


def is_standard_build() -> bool:
    """Return whether this Python has the stable ABI: builds without a global lock do not."""
    return sys.implementation.name == "cpython" and "t" not in getattr(sys, "abiflags", "")


@functools.cache
def digest_of(module: str) -> str:
    """Return the digest of the source of a module, "" if there is none."""
    source = source_of(module)
    return hashlib.sha256(source[0]).hexdigest() if source else ""


@functools.cache
def shipped() -> Shipped:
    """Return the machine code that ships with this package."""
    return Shipped(FOLDER)
