"""One thread at a time, and processes that are forked meanwhile."""

import os
import weakref
from threading import get_ident
from typing import Any


class OneThread:
    """Lets one thread at a time play, `with alone: ...`; any other is refused at once, because their play would mix.

    Whenever a thread is interrupted, it may enter again, and it always releases the lock when it leaves. A
    `threading.RLock` would stay locked if the thread was interrupted right after taking it. A copy is free, and so are
    all in a forked process, in which there are no other threads.
    """

    __slots__ = ("__weakref__", "holder", "refusal")

    def __init__(self, refusal: str) -> None:
        self.refusal = refusal
        self.holder: dict[str, int] = {}  # the thread that plays, as "thread"
        _all.add(self)

    def __enter__(self) -> None:
        """Enter, for this thread alone.

        Raises:
            RuntimeError: While another thread plays.
        """
        thread = get_ident()
        if self.holder.setdefault("thread", thread) != thread:  # reads and writes in one step
            raise RuntimeError(self.refusal)

    def __exit__(self, *error: object) -> None:
        self.holder.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return OneThread, (self.refusal,)


_all: weakref.WeakSet[OneThread] = weakref.WeakSet()


def _free_all() -> None:
    for guard in list(_all):
        guard.holder.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_all)
