"""`@rule`: marks a function of the rules, callable as plain Python and from compiled code alike, also on a GPU.

Compiled code does not call such a function but inlines it, so that constants of its caller, such as the width of a row,
are known within it too, and there is no cost of a call. A `@long_rule` is called: it runs for so long, or so rarely,
that the cost of a call does not matter, and is used in so many places that compiling it at each of them would take
seconds.

What is made of a mark:

| mark                               | plain Python | machine code (`parts.py`)                                     |
|------------------------------------|--------------|---------------------------------------------------------------|
| `rule(f)`                          | f            | inlines f                                                     |
| `long_rule(f)`                     | f            | calls f                                                       |
| `rule_in_place(f, g)`              | f            | inlines g                                                     |
| `in_machine_code(f)`               | f            | generates code                                                |
| `in_machine_code(f, without_bmi2)` | f            | generates code with BMI2, inlines `without_bmi2` where none is |

A GPU's code is made from the same (`cuda.py`), with other instructions instead of BMI2.

Marks are only noted here. Numba is imported, and they are registered with it, before the first loop is compiled. With
it, `import gupai_env` would take three times the processor's time and twice the memory.
"""

from collections import deque
from collections.abc import Callable
from importlib import import_module
from typing import Any

# For type checkers a rule takes and returns anything: numba knows the types.
Mark = Callable[[Callable[..., Any]], Callable[..., Any]]
# Marks that are not registered with numba yet: a way to register, and its arguments.
marks: deque[tuple[Any, ...]] = deque()


class Later:
    """A module that is imported when something of it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


def rule(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that compiled code inlines."""
    marks.append(("inline", function))
    return function


def long_rule(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that compiled code calls."""
    marks.append(("call", function))
    return function


def rule_in_place(function: Callable[..., Any], other: Callable[..., Any]) -> None:
    """Make compiled code inline another function of the same arguments instead of one that only Python can run."""
    marks.append(("replace", function, other))


def in_machine_code(function: Callable[..., Any], without_bmi2: Callable[..., Any] | None = None) -> Mark:
    """Return a decorator for the code generator that replaces calls of a function in compiled code.

    The generator is what numba's `@intrinsic` takes: from the types of the arguments to a signature and a builder of
    LLVM code. With an intrinsic itself the function would have to be written a second time around it, and compiled for
    every signature.

    Args:
        function: The function.
        without_bmi2: Where the code needs BMI2, the rule that processors without it inline.
    """

    def register(generator: Callable[..., Any]) -> Callable[..., Any]:
        marks.append(("generate", function, generator, without_bmi2))
        return generator

    return register
