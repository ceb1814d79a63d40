"""Machine code: numba's dispatcher of a loop, where its code is kept, and what people see while it is compiled.

This imports numba, so it is imported itself only when a loop is compiled or found on disk.
"""

import contextlib
import functools
import hashlib
import os
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.caching import AppDirs, CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator
from numba.core.registry import cpu_target as cpu_target
from numba.extending import NativeValue, models, register_model, unbox

from gupai_env.core.game import Game
from gupai_env.core.internals import tell
from gupai_env.core.parts import LoopCompiler, register_marks
from gupai_env.core.sources import sources_digest
from gupai_env.storage.files import describe, write_file

CONFIG: Any = numba.config
njit: Any = numba.njit  # its stubs do not know all options
VERSIONS = numba.__version__, np.__version__  # machine code of other versions is left alone
DIGEST = hashlib.sha256().digest_size
UNUSED = 30 * 86400  # seconds after which machine code that nobody has used is removed
PATIENCE = 0.7  # seconds of compiling before a message


def dispatcher_of(loop: Callable[..., Any], game: Game | None) -> Callable[..., Any]:
    """Return what compiles a loop for the types of its arguments, or finds its machine code on disk, and calls it.

    It releases the interpreter lock. The file name depends on the game and the sources, so that code of older rules is
    never used, and that of the same rules is found wherever the package lies. That of a game without sources is not
    kept.
    """
    register_marks()
    name, location = loop.__name__.strip("_"), () if game is None else (game.module_name,)
    digest = _digest(loop.__module__, *location)
    # Numba's file names begin with the qualified name of the function; so the digest becomes a part of it.
    loop.__qualname__ = "-".join((loop.__qualname__.partition("-")[0], *location, digest, *VERSIONS))
    dispatcher = njit(loop, nogil=True, no_cfunc_wrapper=True, pipeline_class=_LoopCompiler)
    if digest and _folder(CONFIG.CACHE_DIR):
        dispatcher._cache = _Kept(loop)
    _names[loop] = name if game is None else f"{name} of {game.title}"
    return dispatcher


def entry_point(dispatcher: Any, examples: tuple[Any, ...]) -> Callable[..., Any]:
    """Return the machine code of a loop for arguments of the types of some examples: it takes no others."""
    signature = tuple(map(_type_of, examples))
    known = dispatcher.overloads.get(signature)  # `compile` finds it too, but asks for numba's locks and timers first
    return known.entry_point if known else dispatcher.compile(signature)


def on_disk(module: str, game: Game) -> bool:
    """Return whether machine code of a module's loops for a game is kept, without loading it."""
    digest, folder = _digest(module, game.module_name), _folder(CONFIG.CACHE_DIR)
    return bool(digest and folder) and any(Path(folder).glob(f"*-{digest}-*.nbi"))


def file_of(loop: Callable[..., Any], game: Game, suffix: str, make: Callable[[], bytes]) -> bytes:
    """Return what is kept on disk of a loop in a file of this suffix; it is made where there is none, or a damaged one.

    Args:
        loop: A function.
        game: The game that it plays.
        suffix: Of the file; digests of the sources and the versions of what makes it stand before it.
        make: Makes it.
    """
    digest, folder = _digest(loop.__module__, game.module_name), _folder(CONFIG.CACHE_DIR)
    path = Path(folder, "-".join((loop.__name__, game.module_name, digest, *VERSIONS)) + suffix)
    with contextlib.suppress(OSError, ValueError):
        return _undamaged(path)
    made = make()
    if digest and folder:
        with _noting_faults(folder):
            write_file(path, made + hashlib.sha256(made).digest(), force=True)
    return made


def _digest(*modules: str) -> str:
    """Return what machine code of some modules is kept by: their sources, and whether it checks its indices."""
    digest = sources_digest(*modules)
    return f"{digest}c" if digest and CONFIG.BOUNDSCHECK else digest


class Borrowed(types.Array):
    """The type of an array that machine code takes without counting a reference: Python holds it during the call."""

    def __init__(self, array: Any) -> None:
        super().__init__(array.dtype, array.ndim, array.layout, not array.mutable, f"borrowed {array}", array.aligned)


register_model(Borrowed)(models.ArrayModel)


# numba: an object on the heap for each array of a call, which counts the references to it, 147 ns for a call with two;
# here: where the array lies and how long it is, 111 ns.
@unbox(Borrowed)
def _unbox_borrowed(kind: Any, array: Any, compiler: Any) -> NativeValue:
    context, builder, api = compiler.context, compiler.builder, compiler.pyapi
    native = context.make_array(kind)(context, builder)
    function = ir.FunctionType(ir.IntType(32), [api.pyobj, api.voidptr])
    read = cgutils.get_or_insert_function(builder.module, function, "numba_adapt_ndarray")
    failed = builder.call(read, [array, builder.bitcast(native._getpointer(), api.voidptr)])
    return NativeValue(native._getvalue(), is_error=cgutils.is_not_null(builder, failed))


_types: dict[tuple, Any] = {}  # of arrays: for a record, numba takes longer to find it than to play a move


def _type_of(argument: Any) -> Any:
    """Return numba's type of an argument; an array is borrowed."""
    if not isinstance(argument, np.ndarray):
        return numba.typeof(argument)
    key = type(argument), argument.dtype, argument.ndim, argument.flags.num
    if key not in _types:
        _types[key] = Borrowed(numba.typeof(argument))
    return _types[key]


# --- where machine code is kept -------------------------------------------------------------------
#
# Four classes, because numba's cache is made of four, and each of ours replaces just one method or two of one of them:
#
#   _Kept      FunctionCache           finds and saves the code of one loop; never fails because of a disk
#   _Entries   CompileResultCacheImpl  names the class of the places where it looks
#   _Place     _CacheLocator           the folder, and what says that code is of the same source
#   _Files     IndexDataCacheFile      the bytes on disk, with a digest behind them
#
# `_Kept` makes the other three, as numba does. One class would have to bring along what the four inherit.


class _Place(_CacheLocator):
    """Shows numba where the machine code of a loop is kept: in one folder, under a name that identifies it."""

    def __init__(self, loop: Callable[..., Any], file: str) -> None:
        self._py_file, self._line = file, loop.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return _folder(CONFIG.CACHE_DIR)

    def get_source_stamp(self) -> str:
        return ""  # numba: time and size of the file; here the digest in the name says it, also of what is imported

    def get_disambiguator(self) -> str:
        # Numba tells functions of one name in a file apart by it, such as the loops `step` of two modules.
        return str(self._line)

    @classmethod
    def from_function(cls, loop: Callable[..., Any], file: str) -> Self:
        return cls(loop, file)


class _Entries(CompileResultCacheImpl):
    _locator_classes = [_Place]  # noqa: RUF012


class _Files(IndexDataCacheFile):
    """The index and the machine code of a loop; the latter ends with its digest, because damaged code must not run."""

    # Numba unpickles what it finds and runs it. The digest stops what a full disk or a crash has left. It does not stop
    # an attacker, who could write a fitting one: that is why the folder must be this user's own (`_is_own`).
    def _dump(self, entry: Any) -> bytes:
        data: bytes = super()._dump(entry)
        return data + hashlib.sha256(data).digest()

    def _load_data(self, name: str) -> Any:
        _undamaged(Path(self._data_path(name)))
        with contextlib.suppress(OSError):
            os.utime(self._index_path)
        return super()._load_data(name)


def _undamaged(path: Path) -> bytes:
    """Return what is in a file before its digest, and note its use, so that it is not removed yet.

    Raises:
        ValueError: If that is not what was written.
        OSError: If it cannot be read.
    """
    data = path.read_bytes()
    if hashlib.sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
        raise ValueError("damaged")
    with contextlib.suppress(OSError):
        os.utime(path)
    return data[:-DIGEST]


@contextlib.contextmanager
def _noting_faults(folder: str) -> Iterator[None]:
    """Say why no machine code can be written to a folder; remove there what has not been used for long."""
    try:
        yield
        _sweep(folder)
    except OSError as error:
        _warn_once(f"machine code cannot be kept in {folder}: {describe(OSError(error.errno, error.strerror))}")


class _Kept(FunctionCache):
    """The machine code of a loop on disk. If anything is wrong with the disk, the loop is compiled."""

    _impl_class = _Entries

    def __init__(self, loop: Callable[..., Any]) -> None:
        super().__init__(loop)  # which makes a file of numba's own class, replaced here by ours
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, "")

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(signature, target_context)
        except Exception:  # bytes that are not what was written may raise anything
            with contextlib.suppress(OSError):  # without its index nothing asks for the damaged code again
                os.unlink(self._cache_file._index_path)
            _warn_once(f"machine code in {self._cache_path} is damaged; it is compiled again")
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        with _noting_faults(self._cache_path):
            super().save_overload(signature, compiled)


@functools.cache
def _sweep(folder: str) -> None:
    """Remove what has not been used for long: machine code of older sources is never asked for again."""
    for path in (*Path(folder).glob("*.nb*"), *Path(folder).glob("*.ptx")):
        with contextlib.suppress(OSError):  # another process has removed it
            if path.stat().st_mtime < time.time() - UNUSED:
                path.unlink()


@functools.cache
def _folder(chosen: str) -> str:
    """Return the folder for machine code, "" if there is none: below the chosen one or among the user's caches.

    If neither can be written to, it is a folder of this user alone below that for temporary files, with a message.
    """
    # Not next to the sources, where numba puts it: packages may be installed where the user cannot write.
    home = AppDirs("gupai", appauthor=False).user_cache_dir
    if chosen and _usable(Path(chosen, "gupai"), lambda _: True):
        return str(Path(chosen, "gupai"))
    if os.path.isabs(home) and _usable(Path(home), _is_own):
        return home
    user = str(os.getuid()) if hasattr(os, "getuid") else ""
    folder = Path(tempfile.gettempdir(), f"gupai-{user}")
    usable = _usable(folder, _is_own)
    place = f"in {folder}" if usable else "by nobody, so that every process compiles again"
    tell(
        f"the home's folder for caches cannot be written to: machine code is kept {place} "
        "(NUMBA_CACHE_DIR names another place)"
    )
    return str(folder) if usable else ""


def _usable(folder: Path, trusted: Callable[[Path], bool]) -> bool:
    """Make a folder if there is none; return whether files can be written to it and it can be trusted."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        return trusted(folder)
    except OSError:
        return False


def _is_own(folder: Path) -> bool:
    """True if nobody else can have written to a folder, whose contents are run unchecked."""
    status = folder.lstat()
    mine = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not stat.S_IMODE(status.st_mode) & 0o077)
    return stat.S_ISDIR(status.st_mode) and mine


# --- what people see ----------------------------------------------------------------------------


@functools.cache
def _warn_once(line: str) -> None:
    tell(line)


_names: dict[Callable[..., Any], str] = {}  # of loops, as people read them


class _LoopCompiler(LoopCompiler):
    """Shows a person at a terminal what is being compiled if it takes long, and when it is done."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        # Only for a person at a terminal: in a log or a pipe the line would be one more that somebody must filter out.
        if sys.stderr is None or not sys.stderr.isatty():
            return super().compile_extra(func)
        name, announcement, begun = _names[func], threading.Event(), time.monotonic()

        def announce() -> None:
            announcement.set()
            tell(f"compiling {name} (once on this machine, some seconds) ...")

        timer = threading.Timer(PATIENCE, announce)
        timer.daemon = True
        timer.start()
        try:
            return super().compile_extra(func)
        finally:
            timer.cancel()
            timer.join()  # it may be saying the line just now; what follows must come after it
            if announcement.is_set():
                tell(f"compiled {name} in {time.monotonic() - begun:.0f} s")
