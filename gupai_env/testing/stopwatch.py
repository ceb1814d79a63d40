"""How a check keeps to its time: it passes over positions and actions evenly, and counts what it left out."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TypeVar

import numpy as np

PORTION = 10  # one position takes no more than this part of the time
T = TypeVar("T")


@dataclass
class Stopwatch:
    """The time that one check has for looking at positions; None has no end, and then nothing is left out.

    The first position of every game is looked at and one action tried there, whatever the time.
    """

    seconds: float | None = None
    spent: float = 0.0
    looked: int = 0
    passed_over: int = 0
    tried: int = 0
    left_out: int = 0

    def looks(self, progress: float, first: bool) -> bool:
        """Whether to look at a position, the first of its game or one after this part of all, 0 to 1."""
        late = self.seconds is not None and self.spent > self.seconds * progress
        if late and not first:
            self.passed_over += 1
            return False
        self.looked += 1
        return True

    @contextmanager
    def looking(self) -> Iterator[None]:
        """What is done in it counts as looking at a position."""
        begun = monotonic()
        yield
        self.spent += monotonic() - begun

    def some(self, items: Iterable[T], rng: np.random.Generator) -> Iterator[T]:
        """The items, of one position: in random order until the position has had its portion of the time."""
        if self.seconds is None:
            yield from items
            return
        choices = list(items)
        until = monotonic() + self.seconds / PORTION
        for number, index in enumerate(rng.permutation(len(choices)).tolist()):
            if number and monotonic() > until:
                self.left_out += len(choices) - number
                return
            self.tried += 1
            yield choices[index]

    def __str__(self) -> str:
        parts = []
        if self.passed_over:
            parts.append(f"{self.looked} of {self.looked + self.passed_over} positions")
        if self.left_out:
            parts.append(f"{self.tried} of {self.tried + self.left_out} actions")
        return f"in its time: {', '.join(parts)}" if parts else ""
