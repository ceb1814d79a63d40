"""Processes that are forked while threads play: in the child there are none of them, so nothing is theirs."""

import os
import weakref
from typing import Any, Protocol


class Shared(Protocol):
    """What a thread has to itself while it plays."""

    def free(self) -> None:
        """Leave it to whoever comes; called in a forked process, before anything else is done there."""
        ...


_shared: weakref.WeakSet[Any] = weakref.WeakSet()


def free_in_children(thing: Shared) -> None:
    """See to it that a thing is free in every process that is forked from now on, as long as the thing is in use."""
    _shared.add(thing)


def _free_all() -> None:
    for thing in list(_shared):
        thing.free()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_all)
