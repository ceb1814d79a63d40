"""A lock on a folder: one process at a time, and free again however that process ends."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    import msvcrt

    def _take(file: Any) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
else:

    def _take(file: Any) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


FILE = "lock"
TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock; raises ValueError if somebody else does. The operating system gives it back."""
    with (folder / FILE).open("ab") as file:
        try:
            _take(file)
        except OSError as error:
            if error.errno in TAKEN:
                raise ValueError(f"{folder}: another process is training this run") from None
            # a file system without locks: as good as it gets
        yield
