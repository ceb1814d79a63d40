"""Writing files and folders: whole or not at all, to regular files only, by one process at a time.

Every writer of this project goes through here, so that a full disk, a device named by mistake, a process that is
killed and two processes with the same target are handled in one place.
"""

import contextlib
import errno
import json
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from gupai_env.messages import joined, say

RIGHTS = 0o777  # of a file: who may read, write and run it
PART = ".part"  # suffix of a file while it is being written
LEFT = re.compile(rf".+\.[0-9a-f]{{16}}{re.escape(PART)}")  # name of what a killed process leaves of a file
LOCK = "lock"  # name of the lock file of a folder
LONGEST = 200  # characters of a path that an error repeats
STREAMS = ("-", "/dev/stdout")  # targets that mean standard output where a command offers that
LOCKLESS = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP)  # of a file system that has no locks
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
    errno.EBADF: "it is closed",
    errno.EIO: "the disk reports an error",
}


def short_path(path: str | Path) -> str:
    """Return a path as an error repeats it: not all of a long one."""
    text = str(path)
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}...{text[-LONGEST // 2 :]}"


def describe(error: OSError) -> str:
    """Return an error of the operating system as one line, "FILE: what is wrong"."""
    meaning = say(MEANINGS.get(error.errno or 0) or error.strerror or str(error) or type(error).__name__)
    return joined(": ", [short_path(error.filename), meaning]) if error.filename not in (None, "") else meaning


@contextlib.contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Let errors of the operating system name the file that was meant, in a user's words."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # not from the operating system, but from a library with a message of its own
            raise
        raise OSError(error.errno, MEANINGS.get(error.errno, error.strerror), str(path)) from None


def read_text(path: str | Path, most: int = 1 << 30) -> str:
    """Return what is in a text file, without the mark that some editors begin one with.

    Args:
        path: The file, in UTF-8.
        most: Bytes that it may hold.

    Raises:
        ValueError: It is not text in UTF-8, or longer; in one line.
        OSError: It cannot be read; it names `path`.
    """
    with naming(path), open(path, "rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(say("{path} holds more than {most:,} bytes", path=short_path(path), most=most))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(say("{path} is not UTF-8 text", path=short_path(path))) from None


def json_text(content: Any, indent: int | None = None) -> str:
    """Return content as JSON that every reader takes.

    Raises:
        ValueError: A number is NaN or infinite, which JSON has not; files hold null there.
    """
    return json.dumps(content, indent=indent, allow_nan=False)


def check_target(path: str | Path, *, force: bool = False) -> Path:
    """Return the regular file that a target stands for, with symbolic links resolved.

    Commands call it before hours of work, `new_file` calls it again.

    Args:
        path: The file to be written.
        force: Whether an existing file may be replaced.

    Raises:
        ValueError: The target is empty, "-", a folder, a device, a pipe or a socket, its folder does not exist or
            cannot be written to, or it exists already and `force` is false; in one line.
    """
    text, mode = str(path), None
    if not text.strip() or "\0" in text or text == "-":
        raise ValueError(f"{short_path(text)!r} is not a name of a file here")
    try:
        with contextlib.suppress(FileNotFoundError):
            mode = os.stat(text).st_mode  # of the path as it stands: what /dev/stdout leads to has no path
        target = Path(os.path.realpath(text))
        inside = os.path.isdir(target.parent)
    except OSError as error:  # links that go in a circle, a file among the folders, too long a name
        raise ValueError(describe(error)) from None
    if (mode is not None and stat.S_ISDIR(mode)) or text.endswith(("/", os.sep)):
        raise ValueError(say("{path}: this is a folder; name a file", path=short_path(text)))
    if mode is not None and not stat.S_ISREG(mode):
        raise ValueError(f"{short_path(text)}: this is not a regular file; name one")
    if not inside:
        raise ValueError(
            say("{path}: there is no folder {parent}", path=short_path(text), parent=short_path(target.parent))
        )
    if mode is not None and not force:
        raise ValueError(_taken(path))
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise ValueError(
            say(
                "{path}: the folder {parent} cannot be written to",
                path=short_path(text),
                parent=short_path(target.parent),
            )
        )
    return target


def make_folder(path: str | Path) -> Path:
    """Make a folder, and those above it, where there is none; return it.

    Raises:
        ValueError: There is a file of this name; in one line.
        OSError: It cannot be made.
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ValueError(say("{path}: this is a file; name a folder", path=short_path(path))) from None
    return folder


def _taken(path: str | Path) -> str:
    return f"{short_path(path)} exists already; choose another name, or replace it with --force"


class NewFile:
    """A file that appears under its name, whole and on the disk, when it is finished.

    Until then it is a temporary file next to its target, of which nothing is left when it is discarded.

    Attributes:
        file: What is written, in bytes.
    """

    path: str | Path

    def __init__(self, path: str | Path, *, force: bool = False) -> None:
        """Open the temporary file.

        Args:
            path: The file to be written, see `check_target`.
            force: Whether an existing file may be replaced; its rights stay.

        Raises:
            ValueError: As `check_target`.
            OSError: No file can be written there; it names `path`.
        """
        self.path, self._force = path, force
        self._target = check_target(path, force=force)
        name = f"{self._target.name[:40]}.{secrets.token_hex(8)}{PART}"  # never too long where the target's is not
        self._temporary = self._target.with_name(name)
        with naming(path):
            self.file: IO[bytes] = self._temporary.open("xb")  # with the default rights of new files

    def finish(self) -> None:
        """Give the file its name.

        Raises:
            ValueError: There is a file of this name by now, and it may not be replaced.
            OSError: It cannot be written; it names the path.
        """
        try:
            with naming(self.path):
                self.file.flush()
                os.fsync(self.file.fileno())
                self.file.close()
                if self._force:
                    with contextlib.suppress(FileNotFoundError):
                        os.chmod(self._temporary, os.stat(self._target).st_mode & RIGHTS)
                    os.replace(self._temporary, self._target)
                else:
                    _place(self._temporary, self._target)
        except FileExistsError:
            raise ValueError(_taken(self.path)) from None
        finally:
            self.discard()
        sync_folder(self._target.parent)

    def discard(self) -> None:
        """Remove the temporary file; after `finish` there is none."""
        with contextlib.suppress(OSError):  # what is still to be written may not be writable
            self.file.close()
        with contextlib.suppress(OSError):
            self._temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def new_file(path: str | Path, *, force: bool = False) -> Iterator[IO[bytes]]:
    """Yield a binary file that appears under its name when the block ends without an error; see `NewFile`.

    Args:
        path: The file to be written, see `check_target`.
        force: Whether an existing file may be replaced.

    Raises:
        ValueError: As `check_target`.
        OSError: The file cannot be written; it names `path`.
    """
    new = NewFile(path, force=force)
    try:
        with naming(path):
            yield new.file
        new.finish()
    finally:
        new.discard()


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
    """Write a whole file (text as UTF-8); arguments and errors as those of `new_file`.

    Args:
        path: The file.
        content: All of it.
        force: Whether an existing file may be replaced.
    """
    with new_file(path, force=force) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def check_output(path: str | Path, *, force: bool = False) -> None:
    """Refuse beforehand what `write_output` would refuse; arguments and errors as those of `check_target`."""
    if str(path) not in STREAMS:
        check_target(path, force=force)


def write_output(path: str | Path, content: bytes | str, *, force: bool = False) -> None:
    """Write a whole file as `write_file` does, or to standard output where the path is "-" or "/dev/stdout".

    Args:
        path: The file, or one of STREAMS.
        content: All of it; text as UTF-8.
        force: Whether an existing file may be replaced.
    """
    if str(path) not in STREAMS:
        write_file(path, content, force=force)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content.encode() if isinstance(content, str) else content)
    sys.stdout.buffer.flush()


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the operating system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def mend_lines(path: Path) -> int:
    """Cut off what a killed process has left behind the last whole line of a file; return its bytes, 0 for none.

    Files of lines (JSON lines, CSV) are mended before anything is appended to them.
    """
    if not path.exists():
        return 0
    with naming(path), path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        start = end
        while start > 0:  # backwards, a block at a time
            block = min(start, 1 << 16)
            file.seek(start - block)
            newline = file.read(block).rfind(b"\n")
            if newline >= 0:
                start += newline + 1 - block
                break
            start -= block
        if start < end:
            file.truncate(start)
            os.fsync(file.fileno())
        return end - start


@contextlib.contextmanager
def locked(folder: Path, doing: str, *, name: str = LOCK, patience: float = 0) -> Iterator[None]:
    """Hold a folder's lock, or another one in it; the operating system gives it back however the process ends.

    Args:
        folder: An existing folder.
        doing: What the holder does, for the error of a second process: "another process is {doing}".
        name: Of the lock file.
        patience: Seconds to wait for it.

    Raises:
        ValueError: Another process holds the lock; in one line.
    """
    from filelock import FileLock, Timeout  # it takes its time to be imported

    lock = FileLock(folder / name, timeout=patience, fallback_to_soft=False)
    try:
        with naming(folder / name):
            lock.acquire()
    except Timeout:
        raise ValueError(say("{folder}: another process is {doing}", folder=folder, doing=say(doing))) from None
    except OSError as error:
        if error.errno not in LOCKLESS:
            raise
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def locked_folder(path: str | Path, doing: str) -> Iterator[Path]:
    """Yield a folder, made if there is none, and hold its lock; all writing into folders happens under it.

    Temporary files that a killed process has left there are removed. After an error, folders that were made here are
    removed if nothing was written into them.

    Args:
        path: The folder.
        doing: As in `locked`.

    Raises:
        ValueError: It is a file, or another process holds the lock; in one line.
        OSError: It cannot be made; it names `path`.
    """
    folder = Path(path)
    with naming(path):
        made = [parent for parent in (folder, *folder.parents) if not parent.exists()]
        make_folder(path)
    with locked(folder, doing):
        try:
            for file in folder.iterdir():
                if LEFT.fullmatch(file.name):
                    file.unlink(missing_ok=True)
            yield folder
        except BaseException:
            with contextlib.suppress(OSError):
                if made and all(path.name == LOCK for path in folder.iterdir()):
                    (folder / LOCK).unlink(missing_ok=True)
                    for parent in made:
                        parent.rmdir()
            raise
