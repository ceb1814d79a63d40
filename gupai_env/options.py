"""Types of options: those of all games, and of each. `options.pyi` says them to editors and type checkers."""

from typing import Any, TypedDict


class Options(TypedDict, total=False):
    """What any game takes; the variant of a game says what it allows."""


def __getattr__(name: str) -> Any:
    if name.endswith(("Options", "Position")):
        return Options
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
