"""Where the JSON in a file and the same computed again differ."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from gupai_env.words.checks import short_repr

CLOSE = 1e-9  # figures as close as this, relatively or absolutely, are equal: processors differ in their last digits


def adopted(here: Any, there: Any) -> Any:
    """Return a value of JSON as computed here, with the floats of a file in the place of those that are CLOSE."""
    if isinstance(here, dict) and isinstance(there, dict):
        return {name: adopted(value, there.get(name)) for name, value in here.items()}
    if isinstance(here, list | tuple) and isinstance(there, list) and len(here) == len(there):
        return [adopted(*pair) for pair in zip(here, there, strict=True)]
    close = type(here) is type(there) is float and math.isclose(here, there, rel_tol=CLOSE, abs_tol=CLOSE)
    return there if close else here


class Difference(NamedTuple):
    """Where two values of JSON differ, and how, in words."""

    place: str
    how: str

    def __str__(self) -> str:
        return f"{self.place} {self.how}"


def difference(there: Any, here: Any, key: str = "") -> Difference | None:
    """Return the first difference of two values of JSON."""
    return next(differences(there, here, key), None)


def differences(there: Any, here: Any, key: str = "", *, typed: bool = True) -> Iterator[Difference]:
    """Yield the differences of two values of JSON, down to single values.

    Args:
        there: What is in a file.
        here: What is wanted.
        key: Of both, "" for the whole.
        typed: Whether 1 and 1.0 differ.
    """
    if isinstance(there, dict) and isinstance(here, dict):
        for name in {**here, **there}:
            inner = f"{key}.{name}" if key else str(name)
            if name not in there:
                yield Difference(inner, f"is missing there, here {short_repr(here[name])}")
            elif name not in here:
                yield Difference(inner, f"is {short_repr(there[name])} there, not known here")
            else:
                yield from differences(there[name], here[name], inner, typed=typed)
    elif isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        for index, pair in enumerate(zip(there, here, strict=True)):
            yield from differences(*pair, f"{key}[{index}]", typed=typed)
    elif there != here or (typed and type(there) is not type(here)):
        a, b = short_repr(there), short_repr(here)
        yield Difference(key, f"is {a} there, here {b}" if a != b else "differs, though it begins alike")
