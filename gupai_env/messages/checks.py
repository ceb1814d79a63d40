"""Checks of values where they enter: errors of one line name the value, what was given and what is allowed."""

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from gupai_env.messages import Message, alias, count, say

LONGEST = 60  # characters of a value that an error repeats
TRUTHS = (bool, np.bool_)


def short_repr(value: object, longest: int = LONGEST) -> str:
    """Return a short repr of a value for errors: on one line, values longer than so many characters truncated."""
    if isinstance(value, np.generic):
        value = value.item()
    try:
        text = " ".join(repr(value).split())
    except Exception:  # it has no repr, for instance a number of many thousand digits
        text = f"a value of type {type(value).__name__}"
    return cut(text, longest)


def cut(text: str, longest: int = LONGEST) -> str:
    """Return a text for errors, truncated if it is longer than so many characters."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def refused(name: str, value: object, instead: str) -> ValueError:
    """Return the error for a value that is not allowed; `instead` says what is.

    Args:
        name: Of the option, as an identifier.
        value: What was given.
        instead: What is allowed, a template of a message.
    """
    return ValueError(not_allowed(name, short_repr(value), instead))


@contextmanager
def key_context(key: object, kind: type[ValueError] = ValueError) -> Iterator[None]:
    """Let errors begin with the key, the file or the setting that they are about, and be of a kind."""
    try:
        yield
    except ValueError as error:
        raise kind(f"{key}: {error}") from None


def not_allowed(name: str, value: str, instead: str) -> Message:
    """Return that a value is not allowed, and what is.

    Args:
        name: Of the option, as an identifier.
        value: What was given, as a text.
        instead: What is allowed, a template of a message.
    """
    option = alias(name, name.replace("_", " "))
    return say("{option}={value} is not allowed; {instead}", option=option, value=value, instead=say(instead))


def nearest(name: str, known: Iterable[str], most: int = 1) -> str:
    """Return "did you mean greedy? " for a name that is close to one of those known, "" if none is close.

    Args:
        name: What was given.
        known: The names that there are.
        most: How many are suggested at most.
    """
    near = difflib.get_close_matches(name, list(known), most)
    return say("did you mean {names}? ", names=" or ".join(near)) if near else ""


def counted(number: int, noun: str) -> str:
    """Return "1 agent", or "2,000 agents" for another number."""
    return count(f"{{number:,}} {noun}", f"{{number:,}} {noun}s", number)


def in_bounds(whole: bool, **bounds: float) -> str:
    """Return in words which numbers are allowed, such as "a whole number from 2 to 8,388,608".

    Args:
        whole: Whether they are whole numbers.
        bounds: The smallest or the largest (`ge`, `le`), or what they lie above or below (`gt`, `lt`); those that are
            None count as not given.
    """
    kind = say("a whole number" if whole else "a number")
    limits = {
        key: f"{int(bound) if bound == int(bound) else bound:,}" for key, bound in bounds.items() if bound is not None
    }
    if "ge" in limits and "le" in limits:
        return say("{number} from {least} to {most}", number=kind, least=limits["ge"], most=limits["le"])
    words = {"gt": "above", "ge": "of at least", "lt": "below", "le": "of at most"}
    phrases = [f"{word} {limits[key]}" for key, word in words.items() if key in limits]
    return f"{kind} {' and '.join(phrases)}" if phrases else kind


NUMBERS = {"int": True, "float": False}  # whether numbers are whole, by the prefix of pydantic's error names
BOUNDS = {"greater_than": "gt", "greater_than_equal": "ge", "less_than": "lt", "less_than_equal": "le"}
ASKED = {  # what to write, by the names of pydantic's errors and with their context
    "bool_type": "write true or false",
    "bool_parsing": "write true or false",
    "dict_type": "write a mapping, in {{ }}",
    "list_type": "write a list, in [ ]",
    "literal_error": "choose {expected}",
    "model_attributes_type": "write a mapping, in {{ }}",
    "model_type": "this is a group of settings",
    "string_too_long": "write at most {max_length:,} characters",
    "string_too_short": "write at least {min_length:,} characters",
    "string_type": "write a word",
    "string_unicode": "this is not UTF-8 text",
    "too_long": "write at most {max_length:,} of them",
    "too_short": "write at least {min_length:,} of them",
}


def allowed_instead(error: Any, whole: bool | None = None, **bounds: float) -> str | None:
    """Return what to write instead of a value that pydantic has refused, or None where its own words are needed.

    Args:
        error: One of `ValidationError.errors()`.
        whole: Whether a number must be whole, if that is known.
        bounds: The bounds of a number, if they are known, as `in_bounds` takes them.
    """
    kind, known = error["type"], error.get("ctx", {})
    about_number = NUMBERS.get(kind.partition("_")[0], False if kind == "finite_number" else None)
    if kind in BOUNDS:
        about_number = False
        bounds = bounds or {BOUNDS[kind]: known[BOUNDS[kind]]}
    if about_number is not None:
        return say("write {allowed}", allowed=in_bounds(about_number if whole is None else whole, **bounds))
    return ASKED[kind].format(**known).replace("'", "") if kind in ASKED else None


def read_whole(text: str) -> int | None:
    """Return the whole number that a person or a file writes, None for another text; the one reader of all numbers.

    Digits may be those of any script, such as full-width ones, and blanks around them do not matter.
    """
    try:
        return int(text)
    except ValueError:  # also for thousands of digits
        return None


def is_whole(value: object) -> bool:
    """True for whole numbers of Python and numpy, but not for booleans and timedeltas."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def one_of_an_array(value: Any) -> Any:
    """Return the only entry of an array or a tensor that has one, and any other value as it is.

    Only a number or a boolean is taken out: numpy would turn some timedeltas into integers.
    """
    kind = getattr(getattr(value, "dtype", None), "kind", "i")  # the types of torch have no kind
    if isinstance(value, np.generic) or kind not in "iufb" or not hasattr(value, "item"):
        return value
    try:
        return value.item()
    except Exception:  # there are several entries, or none; each library raises an error of its own
        return value


def is_one_of(value: object, words: Iterable[str]) -> bool:
    """True for one of some words; anything except a string, such as an array, is not even compared."""
    return isinstance(value, str) and value in words


def one_of(name: str, value: Any, words: Iterable[str]) -> str:
    """Return one of some words; raises ValueError naming them.

    Args:
        name: What the value is for.
        value: What was given.
        words: What is allowed.
    """
    if is_one_of(value, words):
        return str(value)
    raise refused(name, value, say("choose one of {words}", words=", ".join(words)))


def whole_number(name: str, value: Any, least: int, most: int) -> int:
    """Return a whole number from `least` to `most`; raises ValueError naming what it is for and what came.

    Args:
        name: What the value is for.
        value: What was given; numbers of numpy are numbers, booleans are none.
        least, most: Bounds, which are allowed.
    """
    if is_whole(value) and least <= value <= most:
        return int(value)
    raise refused(name, value, say("it must be {allowed}", allowed=in_bounds(True, ge=least, le=most)))


def real_number(name: str, value: Any, least: float, most: float) -> float:
    """Return a number from `least` to `most`; raises ValueError naming what it is for and what came.

    Args:
        name: What the value is for.
        value: What was given; numbers of numpy are numbers, booleans are none.
        least, most: Bounds, which are allowed.
    """
    real = is_whole(value) or isinstance(value, (float, np.floating))
    if real and least <= value <= most:
        return float(value)
    raise refused(name, value, say("it must be {allowed}", allowed=in_bounds(False, ge=least, le=most)))


def truth(name: str, value: Any) -> bool:
    """Return a truth value; raises ValueError for anything except True and False."""
    if isinstance(value, TRUTHS):
        return bool(value)
    raise refused(name, value, "it must be True or False")


def whole_numbers(name: str, values: Any, count: int, unit: str) -> np.ndarray:
    """Return `count` whole numbers as an array of the integers it came as, [count].

    Args:
        name: What the values are for.
        values: What was given, for instance a list or an array.
        count: How many are wanted.
        unit: What there is one for.

    Raises:
        ValueError: Beginning with `name`, for another shape or type; `unit` is what there is one for.
    """
    try:
        array = np.asarray(values)
    except Exception:  # lists of different lengths, or an object that cannot become an array
        array = np.zeros(0, object)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must be {count} integer{'s' * (count != 1)}, one per {unit}, not {array.dtype} {list(array.shape)}"
        )
    return array


def between(name: str, value: Any, least: float, most: float, allowed: str) -> float:
    """Return a number above `least` and below `most`; raises ValueError for anything else.

    Args:
        name: What the value is for.
        value: What was given.
        least, most: Bounds, which are not allowed themselves.
        allowed: What is allowed, in words.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool) and least < value < most:
        return value
    raise refused(name, value, say("it must be {allowed}", allowed=say(allowed)))


def as_list(name: str, values: Any, kind: str) -> list[Any]:
    """Return several things as a list; raises ValueError for anything else, such as a single text.

    Args:
        name: What the values are for.
        values: What was given.
        kind: What they are, in the plural.
    """
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise refused(name, values, f"it must be a list of {kind}")
    return list(values)


def as_path(name: str, value: Any) -> Path:
    """Return a path; raises ValueError for anything except a text or a path."""
    if isinstance(value, (str, os.PathLike)):
        return Path(value)
    raise refused(name, value, "it must be a path")


def require_methods(progress: Any = None, record: Any = None) -> None:
    """Raise ValueError for a progress that cannot be called, and for a record to which no games can be written."""
    if not (progress is None or callable(progress)):
        raise refused("progress", progress, "it must be None or a function of the number of deals just finished")
    if not (record is None or callable(getattr(record, "write", None))):
        raise refused("record", record, "it must be None or a RecordWriter")
