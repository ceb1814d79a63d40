"""Loops that are compiled when they are first called, not when they are made.

With NUMBA_DISABLE_JIT=1 every loop runs as plain Python, slowly, so that rules can be stepped through in a debugger.
"""

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any

from gupai_env.core.game import Game


class Loop:
    """A loop whose machine code is kept on disk, for each game by itself; it releases the interpreter lock."""

    def __init__(self, function: Callable[..., Any], game: Game | None) -> None:
        self.function, self.game = function, game

    @functools.cached_property
    def dispatcher(self) -> Any:
        """What numba compiles; it is imported only now."""
        from gupai_env.core.machine_code import dispatcher_of

        return dispatcher_of(self.function, self.game)

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)


def compiled(loop: Callable[..., Any], game: Game | None = None) -> Loop:
    """Return a loop to be compiled at its first call, for a game or for all."""
    return Loop(loop, game)


def bind(loop: Any, *arguments: Any, later: tuple[Any, ...] = ()) -> Callable[..., Any]:
    """Return a compiled loop with its first arguments, to be called with the rest; `later` are examples of these.

    An ordinary call determines the type of every argument each time, which takes longer than some decisions. Arrays
    are bound by reference: the loop reads and writes their contents at the time of a call.
    """
    from gupai_env.core.machine_code import entry_point

    code = entry_point(loop.dispatcher, arguments + later)
    # Calling a bound method takes 20 ns less.
    return MethodType(code, *arguments) if len(arguments) == 1 else functools.partial(code, *arguments)
