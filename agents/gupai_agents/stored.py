"""JSON from disk, checked before anything uses it: regular files of a bounded size, and a model for what each holds.

A file that holds anything else is damaged, which is reported in one line: the file, the place in it and what is there.
"""

import functools
import math
import stat
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationError, model_validator

from gupai_agents.intervals import interval_text
from gupai_env.core.rng import EXACT, in_json
from gupai_env.words.checks import cut, read_whole, short_repr
from gupai_env.words.messages import joined

MOST_TEXT = 4000  # characters
MOST_NUMBER = 1e9
WORDS = {  # pydantic's kinds of mistakes, in a user's words
    "missing": "it is missing",
    "int_type": "it must be a whole number",
    "int_from_float": "it must be a whole number",
    "float_type": "it must be a number",
    "finite_number": "it must be a number",
    "string_type": "it must be a text",
    "list_type": "it must be a list",
    "dict_type": "it must be an object",
    "model_type": "it must be an object",
    "model_attributes_type": "it must be an object",
    "string_pattern_mismatch": "it must be 64 hexadecimal digits",
}

Text = Annotated[str, Field(max_length=MOST_TEXT)]
Number = Annotated[float, Field(ge=-MOST_NUMBER, le=MOST_NUMBER)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0, lt=1 << 63)]


def _number_of(value: Any) -> Any:
    """Return the large number that a text is, as `in_json` writes it, and anything else as it is."""
    number = read_whole(value) if isinstance(value, str) else None
    return value if number is None or number < EXACT else number


Seed = Annotated[Count, BeforeValidator(_number_of), PlainSerializer(in_json)]


class DamagedError(ValueError):
    """A file that does not hold what it should, in one line: its name and the problem."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(joined(": ", [name, problem]))
        self.name, self.problem = name, problem


class Stored(BaseModel):
    """What a file holds: types as they are, no number that is none; keys that nobody asks for are left out."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, strict=True, allow_inf_nan=False)


class Interval(Stored):
    """A mean with its 95% interval, null where too few samples give none; see `intervals`."""

    mean: Number
    low: Number | None
    high: Number | None
    n: Count

    @model_validator(mode="after")
    def _both_ends_or_none(self) -> Self:
        if (self.low is None) != (self.high is None) or (self.low or 0.0) > (self.high or 0.0):
            raise ValueError("low and high are no interval")
        return self

    @property
    def has_interval(self) -> bool:
        return self.low is not None

    @property
    def half_width(self) -> float:
        """Half of its width, infinite where there is no interval."""
        return math.inf if self.low is None or self.high is None else (self.high - self.low) / 2

    def text(self, places: int | None = None) -> str:
        """Return it as people read it, see `interval_text`."""
        return interval_text(self.mean, self.low, self.high, self.n, places)

    def __str__(self) -> str:
        return self.text()


Model = TypeVar("Model", bound=Stored)


def small_file(path: Path, most: int) -> Path:
    """Return the path of a regular file of `most` bytes or fewer.

    Raises:
        DamagedError: It is larger, or no regular file: a pipe, say, could keep its reader waiting.
        OSError: It is not there, or cannot be looked at.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise DamagedError(path.name, "this is not a regular file")
    if status.st_size > most:
        raise DamagedError(path.name, f"it is larger than {most:,} bytes")
    return path


def read_stored(path: Path, model: type[Model], most: int) -> Model:
    """Return what a file of JSON holds; it is read again only after it has changed.

    Args:
        path: The file.
        model: What it should hold.
        most: Bytes that it may have.

    Raises:
        DamagedError: It holds something else.
        OSError: It cannot be read.
    """
    status = small_file(path, most).stat()
    return _read(path, model, (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))


@functools.lru_cache(maxsize=512)
def _read(path: Path, model: type[Model], _: tuple[int, ...]) -> Model:
    return parse_stored(path.read_bytes(), model, path.name)


def parse_stored(content: bytes | str, model: type[Model], where: str) -> Model:
    """Return what JSON holds. Raises: DamagedError, which begins with `where`."""
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        raise DamagedError(where, _first_mistake(error)) from None


def _first_mistake(error: ValidationError) -> str:
    """Return the first thing that is wrong with what was read, with its key, in one line."""
    first = error.errors(include_url=False, include_context=False)[0]
    kind, place = first["type"], ".".join(cut(" ".join(str(part).split())) for part in first["loc"])
    if kind == "json_invalid":
        return "it is not JSON"
    if not place:
        message = first["msg"].removeprefix("Value error, ")
        return message if kind == "value_error" else "it is not an object"
    problem = WORDS.get(kind, f"{first['msg'][0].lower()}{first['msg'][1:]}")
    got = "" if kind == "missing" else f", not {short_repr(first['input'])}"
    return " ".join(f"{place}: {problem}{got}".split())
