"""`@rule`: marks a function of the rules, callable as plain Python and from compiled code alike.

`@inlined` does so for a function that loops over lanes call with arrays: its code is put in their place, where a
function of its own would count each array as in use (see `rows`).
"""

from collections.abc import Callable
from typing import TypeVar

from numba.extending import overload
from numba.extending import register_jitable as rule

__all__ = ["inlined", "rule"]

Function = TypeVar("Function", bound=Callable)


def inlined(function: Function) -> Function:
    """Mark a function like `@rule`; compiled code does not call it but contains it."""
    overload(function, inline="always", strict=False)(lambda *arguments: function)
    return function
