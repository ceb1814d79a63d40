"""Copies that own their memory, whatever brings them; one thread at a time, and processes that are forked meanwhile.

`copy`, pickle and what carries objects between processes (Ray, dask, ...) restore arrays as they see fit: in memory
that can only be read, that is a file's, or that other copies share. Compiled loops write to arrays by their address.
"""

import copy
import functools
import os
import weakref
from threading import get_ident
from typing import Any, Self

import numpy as np


def owned(content: Any) -> Any:
    """Return copies of arrays, also of those in lists, tuples and dicts, that can be written to; anything else as it
    is.
    """
    if isinstance(content, np.ndarray):
        return _array_of(content)
    if type(content) is dict:
        return {name: owned(value) for name, value in content.items()}
    if type(content) in (list, tuple):
        return type(content)(map(owned, content))
    return content


def _array_of(content: np.ndarray) -> np.ndarray:
    """Return a copy of an array in contiguous memory of its own, of numpy's plain class or a record array."""
    dtype = content.dtype
    if dtype.names is None:
        return np.array(content, order="C")
    rows = np.ascontiguousarray(content).view(np.ndarray).view(f"V{dtype.itemsize}")  # faster than field by field
    return np.array(rows).view(dtype).view(np.recarray)


class OwnMemory:
    """Something with arrays that compiled loops write to; a copy of any kind, `copy.copy` too, shares none of them.

    What belongs to these very arrays is in slots, which no copy brings along and which are read in a third of the time.
    """

    def _bind(self) -> None:
        """Set the slots, such as views of the arrays; a copy calls it for its own."""

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what a copy makes again: slots, and cached properties."""
        kind: Any = type(self)
        cached = _cached(kind)
        return {name: value for name, value in vars(self).items() if name not in cached}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(owned(state))
        self._bind()

    def __copy__(self) -> Self:
        return copy.deepcopy(self)


@functools.cache
def _cached(kind: type[OwnMemory]) -> frozenset[str]:
    """Return the cached properties of a class."""
    members = {name: member for base in reversed(kind.__mro__) for name, member in vars(base).items()}
    return frozenset(name for name, member in members.items() if isinstance(member, functools.cached_property))


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
