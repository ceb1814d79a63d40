"""Machine code that does not ship: object files that are kept on disk, and loaded into this process.

A loop is emitted (`emitting.py`) when it is first called with arguments of some kinds. The name of its file says what
it was made of: the game, a digest of the sources, the processor, the compiler. The next process loads it, and does not
need numba for that.

This imports llvmlite, so it is imported itself only when a loop is compiled or found on disk.
"""

import contextlib
import ctypes
import functools
import hashlib
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import llvmlite
import numpy as np
from llvmlite import binding

from gupai_env.core.compiling import Loop, tell, tell_once
from gupai_env.core.game import Game
from gupai_env.core.shipped import digest_of, is_standard_build, kind_of
from gupai_env.core.sources import sources_digest
from gupai_env.core.target import HERE, NeedsMoreError, Target
from gupai_env.storage.files import describe, locked, write_file

if not is_standard_build():
    raise ImportError("this Python lacks the stable ABI, by which machine code is called")

CALLING = Path(__file__).with_name("calling.ll")  # calling.c, as LLVM has it; `python tools/calling.py` writes it
DIGEST = hashlib.sha256().digest_size
UNUSED = 30 * 86400  # seconds after which machine code that nobody has used is removed
PATIENCE = 120  # seconds that a process waits for another which compiles what it needs
EMITTED_BY = "gupai_env.core.emitting", "gupai_env.core.parts", "gupai_env.core.target"
KEPT = ".o"  # what ends the name of a file
RUNTIME = b"NRT_", b"numba_"  # names of functions that numba has, in object files that need it


def entry(loop: Loop, arguments: tuple[Any, ...]) -> int:
    """Return the address of a loop's entry for arguments like some, 0 where it has to run as plain Python."""
    try:
        made, symbol = emitted(loop, arguments, HERE)
    except NeedsMoreError as error:
        tell_once(f"{loop.name.function} runs as plain Python, slowly: {error}")
        return 0
    except ImportError as error:  # another numba than was tested
        tell_once(f"everything runs as plain Python, slowly: {error}; tested are numba 0.63 to 0.68")
        return 0
    if RUNTIME[0] in made:
        takers.add(loop.name.game)
    return _loaded(made, symbol)


def emitted(loop: Loop, arguments: tuple[Any, ...], target: Target) -> tuple[bytes, str]:
    """Return what is emitted of a loop for arguments like some, or found on disk, and the name of its entry.

    Raises:
        NeedsMoreError: The loop cannot be compiled for the target.
        ImportError: The compiler lacks something.
    """
    function, name = loop.function, loop.name
    symbol = name.symbol(tuple(map(kind_of, arguments)))
    digest = sources_digest(name.module, *filter(None, [name.game]))

    def make() -> bytes:
        # Only for a person at a terminal: in a log or a pipe the line would be one more that somebody must filter out.
        if loop.game and sys.stderr is not None and sys.stderr.isatty():
            tell_once(f"compiling {loop.game.title} (once on this machine, some seconds for each thing it does) ...")
        emitting = import_module("gupai_env.core.emitting")
        made: bytes = emitting.emit({symbol: emitting.Call(loop, arguments)}, target)
        return made

    # Functions of one name, in one module, differ by what they have captured, if not by where they stand.
    captured = [cell.cell_contents for cell in function.__closure__ or ()]
    plain = [repr(value) for value in captured if isinstance(value, str | int | float | tuple | np.dtype)]
    plain = [text for text in plain if " at 0x" not in text]  # an address says nothing to another process
    checked = os.environ.get("NUMBA_BOUNDSCHECK") == "1"
    place = function.__qualname__, function.__code__.co_firstlineno
    made_of = symbol, target, checked, place, plain, _versions(), *map(digest_of, EMITTED_BY)
    key = hashlib.sha256(repr(made_of).encode()).hexdigest()[:16]
    file = "-".join(filter(None, (name.function.strip("_<>"), name.game, digest, key)))
    return content_of(f"{file}{KEPT}" if digest else "", make), symbol


def calling() -> Any:
    """Return the extension that calls entries, made of its LLVM code."""
    text = CALLING.read_text(encoding="utf-8")

    def make() -> bytes:
        module = binding.parse_assembly(text)
        module.triple, machine = HERE.triple, HERE.machine()
        module.data_layout = str(machine.target_data)
        builder = binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=2))
        builder.getModulePassManager().run(module, builder)
        made: bytes = machine.emit_object(module)
        return made

    key = hashlib.sha256(repr((text, HERE, llvmlite.__version__)).encode()).hexdigest()[:16]
    address = _loaded(content_of(f"calling-{key}{KEPT}", make), "PyInit_calling")
    return ctypes.PYFUNCTYPE(ctypes.py_object)(address)()


def on_disk(module: str, game: Game) -> bool:
    """Return whether machine code of a module's loops for a game is kept, without loading it."""
    digest, folder = sources_digest(module, game.module_name), _folder(os.environ.get("NUMBA_CACHE_DIR", ""))
    return bool(digest and folder) and any(Path(folder).glob(f"*-{digest}-*{KEPT}"))


@functools.cache
def _versions() -> tuple[str, ...]:
    """Return what differs between compilers whose machine code differs; numba is not imported for it."""
    numba = getattr(find_spec("numba"), "origin", None) or ""
    return llvmlite.__version__, np.__version__, Path(numba).with_name("_version.py").read_text(encoding="utf-8")


_engines: list[Any] = []  # which hold the machine code
takers: set[str] = set()  # modules of games that have a loop which takes memory from the heap


def _loaded(made: bytes, symbol: str) -> int:
    """Load an object file, and return the address of a function of it."""
    if any(name in made for name in RUNTIME):
        import_module("numba.core.registry").cpu_target.target_context.refresh()  # which makes them known to LLVM
    # An engine for each, as loops of one name may be different.
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), HERE.machine())
    engine.add_object_file(binding.ObjectFileRef.from_data(made))
    _engines.append(engine)
    address: int = engine.get_function_address(symbol)
    return address


# --- where machine code is kept -------------------------------------------------------------------


def content_of(name: str, make: Callable[[], bytes]) -> bytes:
    """Return what is kept on disk in a file; it is made where there is none, or a damaged one.

    Args:
        name: Of the file, which says what its content is made of; "": it is not kept.
        make: Makes it.
    """
    folder = name and _folder(os.environ.get("NUMBA_CACHE_DIR", ""))
    if not folder:
        return make()
    path, lock = Path(folder, name), Path(folder, f"{name}.lock")
    if content := _undamaged(path):
        return content
    with contextlib.ExitStack() as held:
        # Processes that start together ask for the same: one makes it, and the others wait. Where that cannot be, or
        # takes too long, each makes it for itself.
        with contextlib.suppress(OSError, ValueError):
            held.enter_context(locked(lock.parent, "compiling", name=lock.name, patience=PATIENCE))
        content = _undamaged(path) or _written(path, make())
        with contextlib.suppress(OSError):  # on Windows it goes by itself
            lock.unlink()
        return content


def _written(path: Path, content: bytes) -> bytes:
    """Write what was made to its file, and return it."""
    try:
        write_file(path, content + hashlib.sha256(content).digest(), force=True)
        _sweep(str(path.parent))
    except (OSError, ValueError) as error:
        why = describe(OSError(error.errno, error.strerror)) if isinstance(error, OSError) else error
        tell_once(f"machine code cannot be kept in {path.parent}: {why}")
    return content


def _undamaged(path: Path) -> bytes:
    """Return what is in a file before its digest, and note its use, so that it is not removed yet; b"": nothing."""
    # It is run. The digest stops what a full disk or a crash has left. It does not stop an attacker, who could write a
    # fitting one: that is why the folder must be this user's own (`_is_own`).
    with contextlib.suppress(OSError):
        data = path.read_bytes()
        if hashlib.sha256(data[:-DIGEST]).digest() == data[-DIGEST:]:
            with contextlib.suppress(OSError):
                os.utime(path)
            return data[:-DIGEST]
        tell_once(f"machine code in {path.parent} is damaged; it is compiled again")
    return b""


@functools.cache
def _sweep(folder: str) -> None:
    """Remove what has not been used for long: machine code of older sources is never asked for again."""
    for path in Path(folder).iterdir():
        with contextlib.suppress(OSError):  # another process has removed it
            if path.stat().st_mtime < time.time() - UNUSED:
                path.unlink()


@functools.cache
def _folder(chosen: str) -> str:
    """Return the folder for machine code, "" if there is none: below the chosen one or among the user's caches.

    If neither can be written to, it is a folder of this user alone below that for temporary files, with a message.
    """
    # Not next to the sources: packages may be installed where the user cannot write.
    variable, *place = PLACES.get(sys.platform, PLACES["linux"])
    home = os.path.join(os.environ.get(variable) or os.path.expanduser(place[0]), *place[1:])
    if chosen and _usable(Path(chosen, "gupai"), lambda _: True):
        return str(Path(chosen, "gupai"))
    if os.path.isabs(home) and _usable(Path(home), _is_own):
        return home
    user = str(os.getuid()) if hasattr(os, "getuid") else ""
    folder = Path(tempfile.gettempdir(), f"gupai-{user}")
    usable = _usable(folder, _is_own)
    kept_where = f"in {folder}" if usable else "by nobody, so that every process compiles again"
    tell(
        f"the home's folder for caches cannot be written to: machine code is kept {kept_where} "
        "(NUMBA_CACHE_DIR names another place)"
    )
    return str(folder) if usable else ""


# Of the user's caches, by sys.platform: the variable that names the folder, where it is without one, and ours in it.
PLACES = {
    "linux": ("XDG_CACHE_HOME", "~/.cache", "gupai"),
    "darwin": ("", "~/Library/Caches", "gupai"),
    "win32": ("LOCALAPPDATA", "~/AppData/Local", "gupai", "Cache"),
}


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
