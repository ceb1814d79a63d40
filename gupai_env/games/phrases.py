"""Phrases in which every game describes its table."""

import functools
from collections.abc import Iterable
from typing import Any

from gupai_env.core.scene import YOU
from gupai_env.core.table import chips as chips
from gupai_env.core.table import latin as latin
from gupai_env.core.table import title as title
from gupai_env.messages import Message, count, say


def says(name: str, theirs: str, yours: str, /, **arguments: Any) -> Message:
    """Return what a seat does: "{name} plays {tile}", or "{name} play {tile}" for "You".

    Args:
        name: Of the seat, YOU for the reader.
        theirs: The template for another.
        yours: The template for the reader.
        arguments: Of its slots.
    """
    return count(theirs, yours, 2 if name == YOU else 1, name=name, **arguments)


def listed(parts: Iterable[object], joint: str = "and") -> str:
    """Return "3", or "3 and 5" for two different numbers."""
    different = {str(part): part if isinstance(part, str) else str(part) for part in parts}
    template = f"{{one}} {joint} {{other}}"
    return functools.reduce(lambda one, other: say(template, one=one, other=other), different.values())
