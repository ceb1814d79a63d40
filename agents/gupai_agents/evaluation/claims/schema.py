"""The parts of a claim's file: conditions, doses, populations, players. No code, no surprises."""

import itertools
import re
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from gupai_env.messages import Message, escaped, say
from gupai_env.storage.models import Written

MOST_DEALS = 1_000_000
Number = Annotated[int, Field(ge=1, le=6, description="a number on the ends of tiles")]
Count = Annotated[int, Field(ge=0, le=1000)]
Alternative = Literal["greater", "less", "different"]
Comparator = Literal["best_alternative", "uniform", "pip_matched"]
DOSE = re.compile(r"(\d{1,4})(?:(\+)|-(\d{1,4}))?")  # "3", "5+": five or more, "4-7"
MOST = 1 << 30  # in place of an upper bound


class Named(Written):
    """A feature by its name."""

    feature: str = Field(description="by name, see `gupai claim features`")
    number: Number | None = Field(None, description="of features that look at one number")

    @property
    def what(self) -> Message:
        """The feature, with the number that it looks at."""
        return (
            say(self.feature) if self.number is None else say(f"{escaped(self.feature)} {{number}}", number=self.number)
        )


class Condition(Named):
    """A feature within bounds; without any it must be 1 or more."""

    at_least: Count | None = None
    at_most: Count | None = None
    exactly: Count | None = None

    @model_validator(mode="after")
    def _bounds_make_sense(self) -> Self:
        if self.exactly is not None and (self.at_least is not None or self.at_most is not None):
            raise ValueError("write `exactly` alone, or `at_least` and `at_most`")
        if self.least > self.most:
            raise ValueError(f"nothing is at least {self.least} and at most {self.most}")
        return self

    @property
    def least(self) -> int:
        """The smallest value that meets it."""
        if self.exactly is not None:
            return self.exactly
        return self.at_least if self.at_least is not None else int(self.at_most is None)

    @property
    def most(self) -> int:
        """The largest value that meets it."""
        if self.exactly is not None:
            return self.exactly
        return self.at_most if self.at_most is not None else MOST

    def __str__(self) -> str:
        name = self.what
        if self.least == self.most:
            return say("{feature} exactly {number}", feature=name, number=self.least)
        if self.most >= MOST:
            given = self.least != 1 or self.at_least is not None
            return say("{feature} at least {number}", feature=name, number=self.least) if given else name
        if self.least == 0:
            return say("{feature} at most {number}", feature=name, number=self.most)
        return say("{feature} {least} to {most}", feature=name, least=self.least, most=self.most)


class Dose(NamedTuple):
    """So much of something: its text in a file, and the bounds that it stands for."""

    text: str
    least: int
    most: int

    def holds(self, values: Any) -> Any:
        """Return which values it stands for, bool [N]."""
        return (values >= self.least) & (values <= self.most)


def dose_of(text: str) -> Dose:
    """Return the dose of a text: "3", "5+" for five or more, "4-7"; raises ValueError."""
    match = DOSE.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a dose; write a number such as 3, 5+ for five or more, or 4-7")
    least = int(match[1])
    most = MOST if match[2] else int(match[3] or least)
    if most < least:
        raise ValueError(f"{text!r} is not a dose: nothing is at least {least} and at most {most}")
    return Dose(text, least, most)


class Doses(Named):
    """A feature of a hand as dealt, or of a position, at several values: each gets a verdict of its own."""

    values: list[Annotated[str, AfterValidator(lambda text: dose_of(text).text)]] = Field(
        min_length=2, max_length=12, description="in rising order: 3, 5+ (five or more), 4-7"
    )

    @field_validator("values", mode="before")
    @classmethod
    def _numbers_are_texts(cls, values: Any) -> Any:
        whole = isinstance(values, list)
        return [str(value) if isinstance(value, int) else value for value in values] if whole else values

    @model_validator(mode="after")
    def _they_rise(self) -> Self:
        doses = self.doses
        for before, after in itertools.pairwise(doses):
            if after.least <= before.most:
                raise ValueError(f"{after.text} is not above {before.text}; write doses in rising order")
        return self

    @property
    def doses(self) -> list[Dose]:
        return [dose_of(text) for text in self.values]


class Partner(Written):
    """A second seat that has the trait too."""

    away: int = Field(ge=1, le=4, description="seats after the first one")
    hand: list[Condition] = Field([], description="on its hand as dealt")
    together: list[Condition] = Field([], description="on both hands taken together")


class Population(Written):
    """Which deals and decisions are meant."""

    hand: list[Condition] = Field([], description="on the hand of the seat in question, as dealt")
    partner: Partner | None = None
    position: list[Condition] = Field([], description="on the position of a decision")


class Changed(Written):
    """A player that is changed in a way that no weight expresses."""

    agent: str = Field(description="a player, as on the command line")
    discards: Literal["random"] | None = Field(None, description="draws what it discards")
    lays: Literal["always"] | None = Field(None, description="discards only where nothing else is legal")
    counts: Literal["never"] | None = Field(None, description="plays as if nothing had been played yet")
    stakes: list[float] | None = Field(
        None, min_length=3, max_length=3, description="of a game with stakes: takes these for them"
    )


Player = str | Changed


def agent_in(player: Player) -> str:
    """Return the text of a player, without how it is changed."""
    return player.agent if isinstance(player, Changed) else player


class Plan(Written):
    """How many deals: as many as find the margin with this power, judged by the spread of a first few."""

    power: float = Field(0.9, gt=0.5, lt=1)
    least: int = Field(2000, ge=2, le=MOST_DEALS)
    most: int = Field(20_000, ge=2, le=MOST_DEALS)
