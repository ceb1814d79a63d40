"""What touches numba only when it has to: its modules are imported when something of them is first used."""

import sys
from importlib import import_module
from typing import Any


class Later:
    """A module that is imported when something of it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


def tell(line: str) -> None:
    """Print a line about the machine, not about the game, on standard error, apart from results."""
    if sys.stderr is not None:
        print(f"gupai: {line}", file=sys.stderr, flush=True)
