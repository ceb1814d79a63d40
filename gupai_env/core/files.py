"""Writing files and folders: whole or not at all, to regular files only, by one process at a time.

Every writer of this project goes through here, so that a full disk, a device named by mistake, a process that is
killed and two processes with the same target are handled in one place.
"""

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows
    import msvcrt

    def _take(file: Any) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
else:

    def _take(file: Any) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


PART = ".part"  # suffix of a file while it is being written
LEFT = re.compile(rf".+\.[0-9a-f]{{16}}{re.escape(PART)}")  # name of what a killed process leaves of a file
LOCK = "lock"  # name of the lock file of a folder
STREAMS = ("-", "/dev/stdout")  # targets that mean standard output where a command offers that
TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
MEANINGS = {  # of what the operating system reports, in a user's words
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your disk quota is used up",
    errno.EFBIG: "the file would be larger than allowed here",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EROFS: "the file system is read-only",
    errno.ENOENT: "no such file or folder",
    errno.ENOTDIR: "part of this path is not a folder",
    errno.EISDIR: "this is a folder; name a file",
    errno.EEXIST: "exists already",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "too many symbolic links",
    errno.EMFILE: "too many open files",
    errno.EIO: "the disk reports an error",
}


def describe(error: OSError) -> str:
    """Return an error of the operating system as one line, "FILE: what is wrong"."""
    meaning = MEANINGS.get(error.errno or 0) or error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {meaning}" if error.filename not in (None, "") else meaning


@contextlib.contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Let errors of the operating system name the file that was meant, in a user's words."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, MEANINGS.get(error.errno or 0, error.strerror), str(path)) from None


def check_target(path: str | Path, *, force: bool = False) -> Path:
    """Return the regular file that a target stands for, with symbolic links resolved.

    Commands call it before hours of work, `new_file` calls it again.

    Args:
        path: The file to be written.
        force: Whether an existing file may be replaced.

    Raises:
        ValueError: The target is empty, a folder, a device, a pipe or a socket, its folder does not exist or cannot
            be written to, or it exists already and `force` is false; in one line.
    """
    if not str(path).strip() or "\0" in str(path):
        raise ValueError(f"{str(path)!r} is no name of a file")
    try:
        target = Path(path).resolve()
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            what = "this is a folder" if stat.S_ISDIR(mode) else "this is not a regular file"
            raise ValueError(f"{path}: {what}; name a file")
        if not target.name or str(path).endswith(("/", os.sep)):
            raise ValueError(f"{path}: this is a folder; name a file")
        if not target.parent.is_dir():
            raise ValueError(f"{path}: there is no folder {target.parent}")
    except (OSError, RuntimeError) as error:  # the latter of links that go in a circle
        raise ValueError(describe(error) if isinstance(error, OSError) else f"{path}: {error}") from None
    if mode is not None and not force:
        raise ValueError(f"{path} exists already; choose another name or replace it with --force")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise ValueError(f"{path}: permission denied to write into {target.parent}")
    return target


@contextlib.contextmanager
def new_file(path: str | Path, *, force: bool = False) -> Iterator[IO[bytes]]:
    """Yield a binary file that appears under its name, whole and on the disk, when the block ends without an error.

    Until then it is a temporary file next to its target; after an error nothing is left of it.

    Args:
        path: The file to be written, see `check_target`.
        force: Whether an existing file may be replaced.

    Raises:
        ValueError: As `check_target`.
        OSError: The file cannot be written; it names `path`.
    """
    target = check_target(path, force=force)
    temporary = target.with_name(f"{target.name[:200]}.{secrets.token_hex(8)}{PART}")
    try:
        with naming(path):
            with temporary.open("xb") as file:  # with the rights that new files get here
                yield file
                file.flush()
                os.fsync(file.fileno())
            if force:
                os.replace(temporary, target)
            else:
                _place(temporary, target)
    except FileExistsError:
        raise ValueError(f"{path} exists already; choose another name or replace it with --force") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    sync_folder(target.parent)


def _place(temporary: Path, target: Path) -> None:
    """Give a file its name; raises FileExistsError if another process has taken it meanwhile."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if target.exists():
            raise FileExistsError(errno.EEXIST, MEANINGS[errno.EEXIST], str(target)) from None
        os.replace(temporary, target)


def write_file(path: str | Path, content: bytes | str, *, force: bool = False) -> None:
    """Write a whole file (text as UTF-8); arguments and errors as those of `new_file`."""
    with new_file(path, force=force) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def write_output(path: str | Path, content: bytes | str, *, force: bool = False) -> None:
    """Write a whole file as `write_file` does, or to standard output where the path is "-" or "/dev/stdout"."""
    if str(path) in STREAMS:
        data = content.encode() if isinstance(content, str) else content
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_file(path, content, force=force)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the operating system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def new_folder(path: str | Path) -> Iterator[Path]:
    """Yield a folder that is new or was empty; if the block ends with an error, what it wrote there is removed.

    Raises:
        ValueError: There is a file of this name, or a folder that holds something; in one line.
        OSError: It cannot be made; it names `path`.
    """
    folder = Path(path)
    with naming(path):
        made = _missing(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise ValueError(f"{path}: this is a file; name a folder") from None
        if any(folder.iterdir()):
            raise ValueError(f"{path} exists already and is not empty; name a new folder")
    try:
        yield folder
    except BaseException:
        with contextlib.suppress(OSError):
            for each in folder.iterdir():
                each.unlink()
            for each in made:
                each.rmdir()
        raise


def _missing(folder: Path) -> list[Path]:
    """Return the folders that would have to be made for a path, the innermost first."""
    return [each for each in (folder, *folder.parents) if not each.exists()]


def mend_lines(path: Path) -> int:
    """Cut off what a killed process has left behind the last whole line of a file; return its bytes, 0 for none.

    Files of lines (JSON lines, CSV) are mended before anything is appended to them.
    """
    if not path.exists():
        return 0
    with naming(path), path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        at = end
        while at > 0:  # backwards, a block at a time
            block = min(at, 1 << 16)
            file.seek(at - block)
            newline = file.read(block).rfind(b"\n")
            if newline >= 0:
                at += newline + 1 - block
                break
            at -= block
        if at < end:
            file.truncate(at)
            os.fsync(file.fileno())
        return end - at


@contextlib.contextmanager
def locked(folder: Path, doing: str) -> Iterator[None]:
    """Hold a folder's lock; the operating system gives it back however the process ends.

    Args:
        folder: An existing folder.
        doing: What the holder does, for the error of who comes second: "another process is {doing}".

    Raises:
        ValueError: Another process holds the lock; in one line.
    """
    with naming(folder / LOCK):
        held = (folder / LOCK).open("ab")
    with held as file:
        try:
            _take(file)
        except OSError as error:
            if error.errno in TAKEN:
                raise ValueError(f"{folder}: another process is {doing}") from None
            # a file system without locks: as good as it gets
        yield


@contextlib.contextmanager
def locked_folder(path: str | Path, doing: str) -> Iterator[Path]:
    """Yield a folder, made if there is none, and hold its lock; whoever writes into a folder does it in here.

    Temporary files that a killed process has left there are removed. After an error, folders that were made here go
    again if nothing was written into them.

    Args:
        path: The folder.
        doing: As in `locked`.

    Raises:
        ValueError: It is a file, or another process holds the lock; in one line.
        OSError: It cannot be made; it names `path`.
    """
    folder = Path(path)
    with naming(path):
        made = _missing(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise ValueError(f"{path}: this is a file; name a folder") from None
    with locked(folder, doing):
        try:
            for each in folder.iterdir():
                if LEFT.fullmatch(each.name):
                    each.unlink(missing_ok=True)
            yield folder
        except BaseException:
            with contextlib.suppress(OSError):
                if made and all(each.name == LOCK for each in folder.iterdir()):
                    (folder / LOCK).unlink(missing_ok=True)
                    for each in made:
                        each.rmdir()
            raise
