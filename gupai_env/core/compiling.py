"""Compiling loops: where their machine code is kept, what people see meanwhile, and running them as plain Python.

With NUMBA_DISABLE_JIT=1 every loop runs as plain Python, slowly, so that rules can be stepped through in a debugger.
"""

import ast
import contextlib
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
from typing import Any, Self

import numba
import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.internals import EVENTS, KEEPING, base_class, internal, tell, there
from gupai_env.core.rule import CODED, LOOP
from gupai_env.words.files import describe

LISTS = {"gupai_env", "gupai_env.games"}  # import all games, but contain no rules
STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)  # and what only holds statements
CONFIG: Any = numba.config
njit: Any = numba.njit  # its stubs do not know all options
PLAIN = bool(CONFIG.DISABLE_JIT) or not CODED
KEEPS = PLAIN or there(KEEPING, "machine code is not kept, so that every process compiles again")
VERSIONS = numba.__version__, np.__version__  # machine code of other versions is left alone
DIGEST = hashlib.sha256().digest_size
UNUSED = 30 * 86400  # seconds after which machine code that nobody has used is removed
PATIENCE = 0.7  # seconds of compiling before a message


@functools.cache
def _module(name: str) -> tuple[bytes, frozenset[str]] | None:
    """Return the source of a module, with the names that may be modules it imports; None if there is no source."""
    top, *inner = name.split(".")
    package = sys.modules.get(top)
    files = [getattr(package, "__file__", None)]
    if inner:
        paths = [Path(folder, *inner) for folder in getattr(package, "__path__", [])]
        files = [file for path in paths for file in (path.with_suffix(".py"), path / "__init__.py")]
    file = next((Path(file) for file in files if file and os.path.isfile(file)), None)
    if file is None:
        return None
    source = file.read_bytes()
    return source, _imports(source, (name if file.stem == "__init__" else name.rpartition(".")[0]).split("."))


def _imports(source: bytes, package: list[str]) -> frozenset[str]:
    """Return the names in the import statements of a source, wherever they stand, that may be modules."""
    names: set[str] = set()
    try:
        tree = ast.parse(source)
    except SyntaxError:  # edited since it was imported: the digest of such a source is met by no other
        return frozenset()
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        # Not `ast.walk`: of the nodes of a source one in ten is a statement, and every process waits for this.
        nodes += [child for child in ast.iter_child_nodes(node) if isinstance(child, STATEMENTS)]
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join(filter(None, [*above, node.module]))
            names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}  # a name may be a module or not
    return frozenset(names)


def _home(top: str) -> str:
    """Return the folder that contains a package or a module, "" if it is unknown or holds third-party packages."""
    module = sys.modules.get(top)
    file = getattr(module, "__file__", None) or ""
    file = os.path.dirname(file) if hasattr(module, "__path__") else file
    folder = os.path.dirname(os.path.abspath(file))
    return folder if file and not folder.endswith("-packages") else ""


@functools.cache
def sources_digest(*modules: str) -> str:
    """Return what changes with any edit of some modules, or of what they import from our and their own packages.

    Modules in the same folder count as their own. It is "" where there are no sources, as for a game that was typed at
    a prompt or in a notebook.
    """
    packages = {getattr(sys.modules.get(name), "__package__", "") or name for name in modules}
    tops = {package.partition(".")[0] for package in (__name__, *packages)}
    homes = {_home(top) for top in tops} - {""}
    # More than what is compiled, on purpose: whether a constant ends up in machine code cannot be seen in the source,
    # and compiling once too often costs seconds, while code of an older rule would play another game.
    sources: dict[str, bytes] = {}
    names = set(modules)
    while names:
        name = names.pop()
        top = name.partition(".")[0]
        if (top in tops or _home(top) in homes) and (module := _module(name)):
            sources[name] = module[0]
            names |= module[1] - sources.keys() - LISTS
    if not sources.keys() >= set(modules):
        return ""
    digest = hashlib.sha256()
    # By name and content and not by path or time, so that another copy of the same sources finds the same code.
    for name, source in sorted(sources.items()):
        digest.update(name.encode() + hashlib.sha256(source).digest())
    return digest.hexdigest()[:16]


def compiled(loop: Callable[..., Any], game: Game | None = None) -> Callable[..., Any]:
    """Compile a loop that releases the interpreter lock; its machine code is kept on disk, for each game by itself.

    The file name depends on the game and the sources, so that code of older rules is never used, and that of the same
    rules is found wherever the package lies. That of a game without sources is not kept.
    """
    if PLAIN:
        return _plain(loop)
    name, location = loop.__name__.strip("_"), () if game is None else (game.module_name,)
    digest = sources_digest(loop.__module__, *location)
    # Numba's file names begin with the qualified name of the function; so the digest becomes a part of it.
    loop.__qualname__ += "".join(f"-{part}" for part in (*location, digest, *VERSIONS))
    dispatcher = njit(loop, nogil=True, no_cfunc_wrapper=True, **LOOP)
    if digest and KEEPS and _folder(CONFIG.CACHE_DIR):
        dispatcher._cache = _Kept(loop)
    _announcer.names[dispatcher] = name if game is None else f"{name} of {game.title}"
    return dispatcher


def on_disk(module: str, game: Game) -> bool:
    """Return whether machine code of a module's loops for a game is kept, without loading it."""
    digest, folder = sources_digest(module, game.module_name), _folder(CONFIG.CACHE_DIR) if KEEPS and not PLAIN else ""
    return bool(digest and folder) and any(Path(folder).glob(f"*-{digest}-*.nbi"))


def bind(loop: Any, *arguments: Any, later: tuple[Any, ...] = ()) -> Callable[..., Any]:
    """Return a compiled loop with its first arguments, to be called with the rest; `later` are examples of these.

    An ordinary call determines the type of every argument each time, which takes longer than some decisions. Arrays
    are bound by reference: the loop reads and writes their contents at the time of a call.
    """
    if PLAIN:
        return functools.partial(loop, *arguments)
    # The entry point is the machine code itself: it takes the arguments as they are, so they must be of these types.
    types = tuple(map(_type_of, arguments + later))
    known = loop.overloads.get(types)  # `compile` finds it too, but asks for numba's locks and timers on the way
    return functools.partial(known.entry_point if known else loop.compile(types), *arguments)


_types: dict[tuple, Any] = {}  # of arrays: for a record, numba takes longer to find it than to play a move


def _type_of(argument: Any) -> Any:
    """Return numba's type of an argument."""
    if not isinstance(argument, np.ndarray):
        return numba.typeof(argument)
    key = type(argument), argument.dtype, argument.ndim, argument.flags.num
    if key not in _types:
        _types[key] = numba.typeof(argument)
    return _types[key]


def _plain(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Return a loop that runs as Python; records let their fields be read as attributes, as in compiled code."""

    @functools.wraps(loop)
    def run(*arguments: Any) -> Any:
        return loop(*map(_with_attributes, arguments))

    return run


def _with_attributes(argument: Any) -> Any:
    structured = isinstance(argument, np.ndarray) and argument.dtype.names
    return argument.view(np.recarray) if structured else argument


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


class _Place(base_class("core.caching._CacheLocator")):  # type: ignore[misc]
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


class _Entries(base_class("core.caching.CompileResultCacheImpl")):  # type: ignore[misc]
    _locator_classes = [_Place]  # noqa: RUF012


class _Files(base_class("core.caching.IndexDataCacheFile")):  # type: ignore[misc]
    """The index and the machine code of a loop; the latter ends with its digest, because damaged code must not run."""

    # Numba unpickles what it finds and runs it. The digest stops what a full disk or a crash has left. It does not stop
    # an attacker, who could write a fitting one: that is why the folder must be this user's own (`_is_own`).
    def _dump(self, entry: Any) -> bytes:
        data: bytes = super()._dump(entry)
        return data + hashlib.sha256(data).digest()

    def _load_data(self, name: str) -> Any:
        path = Path(self._data_path(name))
        data = path.read_bytes()
        if hashlib.sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
            raise ValueError("damaged")
        for used in (path, self._index_path):  # so that they are not removed yet
            with contextlib.suppress(OSError):
                os.utime(used)
        return super()._load_data(name)


class _Kept(base_class("core.caching.FunctionCache")):  # type: ignore[misc]
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
        try:
            super().save_overload(signature, compiled)
            _sweep(self._cache_path)
        except OSError as error:
            _warn_once(
                f"machine code cannot be kept in {self._cache_path}: {describe(OSError(error.errno, error.strerror))}"
            )


@functools.cache
def _sweep(folder: str) -> None:
    """Remove what has not been used for long: machine code of older sources is never asked for again."""
    for path in Path(folder).glob("*.nb*"):
        with contextlib.suppress(OSError):  # another process has removed it
            if path.stat().st_mtime < time.time() - UNUSED:
                path.unlink()


@functools.cache
def _folder(chosen: str) -> str:
    """Return the folder for machine code, "" if there is none: below the chosen one or among the user's caches.

    If neither can be written to, it is a folder of this user alone below that for temporary files, with a message.
    """
    # Not next to the sources, where numba puts it: packages may be installed where the user cannot write.
    home = internal("core.caching.AppDirs")("gupai", appauthor=False).user_cache_dir
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


class _Announcer(base_class("core.event.Listener")):  # type: ignore[misc]
    """Shows a person at a terminal what is being compiled if it takes long, and when it is done.

    numba notifies it when a loop is really compiled, not when machine code is found on disk.
    """

    def __init__(self) -> None:
        self.names: dict[Any, str] = {}  # of our loops
        self._begun: dict[Any, tuple[threading.Timer, float]] = {}
        self._announced: set[Any] = set()

    def on_start(self, event: Any) -> None:
        loop = event.data["dispatcher"]
        # Only for a person at a terminal: in a log or a pipe the line would be one more that somebody must filter out.
        if loop not in self.names or sys.stderr is None or not sys.stderr.isatty():
            return
        timer = threading.Timer(PATIENCE, self._say, [loop])
        timer.daemon = True
        self._begun[loop] = timer, time.monotonic()
        timer.start()

    def _say(self, loop: Any) -> None:
        self._announced.add(loop)
        tell(f"compiling {self.names[loop]} (once on this machine, some seconds) ...")

    def on_end(self, event: Any) -> None:
        loop = event.data["dispatcher"]
        if loop not in self._begun:
            return
        timer, begun = self._begun.pop(loop)
        timer.cancel()
        timer.join()  # it may be saying the line just now; what follows must come after it
        if loop in self._announced:
            self._announced.remove(loop)
            tell(f"compiled {self.names[loop]} in {time.monotonic() - begun:.0f} s")


_announcer = _Announcer()
if there(EVENTS, "compiling is not announced"):
    internal("core.event.register")("numba:compile", _announcer)
