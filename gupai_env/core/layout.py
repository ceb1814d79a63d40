"""The layout of an observation: named sections of a flat int8 vector."""

import hashlib
import json
from collections import namedtuple
from dataclasses import dataclass, field
from math import prod
from typing import Any, Self

import numpy as np


@dataclass(frozen=True)
class Section:
    """One part of an observation: values 0..high (or -high..high if signed) in an array of `shape`."""

    name: str
    shape: tuple[int, ...]
    high: int
    meaning: str
    signed: bool = False

    @property
    def size(self) -> int:
        return prod(self.shape)


# Where in a match a deal is: the same two sections in every game that has them, filled by `episode.write_match`.
MATCH_SECTIONS = (
    Section("first_deal", (1,), 1, "the first deal of a match"),
    Section("last_deal", (1,), 1, "the last deal of a match"),
)


@dataclass(frozen=True)
class Layout:
    """The sections of an observation in their order.

    `starts` holds the index of the first entry of each, by its name: compiled rules write to `out[AT.hand + kind]`.
    """

    sections: tuple[Section, ...]
    starts: Any = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        *starts, size = np.cumsum([0, *(section.size for section in self.sections)]).tolist()
        names = [section.name for section in self.sections]
        object.__setattr__(self, "starts", namedtuple("Starts", names)(*starts))
        object.__setattr__(self, "size", size)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # it never changes

    def __reduce__(self) -> tuple[Any, ...]:
        return Layout, (self.sections,)  # pickle does not find the type of `starts`

    @property
    def high(self) -> np.ndarray:
        """The largest value of each entry, int8 [size]."""
        return self._filled([s.high for s in self.sections])

    @property
    def low(self) -> np.ndarray:
        """The smallest value of each entry, int8 [size]."""
        return self._filled([-s.high if s.signed else 0 for s in self.sections])

    def _filled(self, bounds: list[int]) -> np.ndarray:
        """Return the entries of all sections, those of each at its bound, int8 [size]."""
        return np.repeat(np.array(bounds, np.int8), [s.size for s in self.sections])

    def split(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """Return the named sections of an observation [..., size] as views of their own shape."""
        return {
            s.name: observation[..., start : start + s.size].reshape(observation.shape[:-1] + s.shape)
            for s, start in zip(self.sections, self.starts, strict=True)
        }

    @property
    def digest(self) -> str:
        """A fingerprint of names, shapes and ranges: two encoders with the same one agree on every entry."""
        text = json.dumps([[s.name, list(s.shape), s.high, s.signed] for s in self.sections])
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Encoder:
    """The format of the vector that `encode` of a game's module makes of an information set; games may share one."""

    name: str
    version: int
    layout: Layout

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # it never changes

    def __hash__(self) -> int:
        return hash((self.name, self.version))
