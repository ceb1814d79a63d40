"""Numbers from outside, checked where they enter: one line says what came and what is allowed."""

from collections.abc import Sequence
from typing import Any

import numpy as np

LONGEST = 60  # characters of a value that an error repeats
TRUTHS = (bool, np.bool_)


def told(value: object) -> str:
    """Return a value as an error repeats it: on one line, and not all of a long one."""
    if isinstance(value, np.generic):
        value = value.item()
    try:
        text = " ".join(repr(value).split())
    except Exception:  # it cannot be written, as a number of many thousand digits
        text = f"a value of type {type(value).__name__}"
    return cut(text)


def cut(text: str) -> str:
    """Return a text as an error repeats it: not all of a long one."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def is_whole(value: object) -> bool:
    """True for whole numbers of Python and numpy, a truth value being none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_one_of(value: object, words: Sequence[str]) -> bool:
    """True for one of some words; an array, say, is none, and nothing of it is compared."""
    return isinstance(value, str) and value in words


def whole_number(name: str, value: Any, least: int, most: int) -> int:
    """Return a whole number from `least` to `most`; raises ValueError naming what it is for and what came."""
    if is_whole(value) and least <= value <= most:
        return int(value)
    raise ValueError(
        f"{name}={told(value)} is not allowed; it must be a whole number from {least:,} to {most:,}"
    )


def real_number(name: str, value: Any, least: float, most: float) -> float:
    """Return a number from `least` to `most`; raises ValueError naming what it is for and what came."""
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and least <= value <= most:
        return float(value)
    raise ValueError(f"{name}={told(value)} is not allowed; it must be a number from {least:,} to {most:,}")


def truth(name: str, value: Any) -> bool:
    """Return a truth value; raises ValueError for anything but True and False."""
    if isinstance(value, TRUTHS):
        return bool(value)
    raise ValueError(f"{name}={told(value)} is not allowed; it must be True or False")


def whole_numbers(what: str, values: Any, count: int, each: str) -> np.ndarray:
    """Return `count` whole numbers as an array of the integers it came as, [count].

    Raises: ValueError, beginning with `what`, for another shape or type; `each` is what there is one for.
    """
    try:
        array = np.asarray(values)
    except Exception:  # lists of different lengths, or an object that fails when it is to become an array
        array = np.zeros(0, object)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise ValueError(
            f"{what} must be {count} integer{'s' * (count != 1)}, one per {each}, not {array.dtype} {list(array.shape)}"
        )
    return array
