"""The file of a claim: what is said, by whom, and how each reading of it is put to the test. No code, no surprises.

A claim has one reading or more, each with a verdict of its own. The kind of a reading says how it is tested:

exact: enumerate, and compare facts with what is expected.
rate: how often, or how much, in deals of the same players at all seats.
policy: a player with a trait against the same without it: same deals, same seat, same chance.
action: the same position twice, with one action and with a named other one, played on by the same players.
ordering: several rates or effects, and which comes first.
"""

import itertools
import re
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from gupai_env.words.messages import Message, say

MOST_DEALS = 1_000_000
ID = r"[a-z0-9]+(-[a-z0-9]+)*"  # of a claim
MOST_ID = 60  # characters
Number = Annotated[int, Field(ge=1, le=6, description="a number on the ends of tiles")]
Count = Annotated[int, Field(ge=0, le=1000)]
Alternative = Literal["greater", "less", "different"]
DOSE = re.compile(r"(\d{1,4})(?:(\+)|-(\d{1,4}))?")  # "3", "5+": five or more, "4-7"
MOST = 1 << 30  # in place of an upper bound


class Part(BaseModel):
    """A part of a file: unknown keys are refused, and it never changes."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _a_truth_value_is_no_number(cls, content: Any) -> Any:
        if isinstance(content, dict):
            for key, value in content.items():
                if isinstance(value, bool):
                    raise ValueError(f"{key}: {value} is not allowed; only options of `variant` are true or false")
        return content


class Named(Part):
    """A feature by its name."""

    feature: str = Field(description="by name, see `gupai claim features`")
    number: Number | None = Field(None, description="of features that look at one number")

    @property
    def what(self) -> Message:
        """The feature, with the number that it looks at."""
        return say(self.feature) if self.number is None else say(f"{self.feature} {{number}}", number=self.number)


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


def _is_a_dose(text: str) -> str:
    return dose_of(text).text


class Doses(Named):
    """A feature of a hand as dealt, or of a position, at several values: each gets a verdict of its own."""

    values: list[Annotated[str, AfterValidator(_is_a_dose)]] = Field(
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


class Partner(Part):
    """A second seat that has the trait too."""

    away: int = Field(ge=1, le=4, description="seats after the first one")
    hand: list[Condition] = Field([], description="on its hand as dealt")
    together: list[Condition] = Field([], description="on both hands taken together")


class Population(Part):
    """Which deals and decisions are meant."""

    hand: list[Condition] = Field([], description="on the hand of the seat in question, as dealt")
    partner: Partner | None = None
    position: list[Condition] = Field([], description="on the position of a decision")


class Changed(Part):
    """A player that is changed in a way that no weight expresses."""

    agent: str = Field(description="a player, as on the command line")
    discards: Literal["random"] | None = Field(None, description="draws what it discards")
    stakes: list[float] | None = Field(
        None, min_length=3, max_length=3, description="of a game with stakes: takes these for them"
    )


Player = str | Changed


def agent_in(player: Player) -> str:
    """Return the text of a player, without how it is changed."""
    return player.agent if isinstance(player, Changed) else player


class Plan(Part):
    """How many deals: as many as find the margin with this power, judged by the spread of a first few."""

    power: float = Field(0.9, gt=0.5, lt=1)
    least: int = Field(2000, ge=2, le=MOST_DEALS)
    most: int = Field(20_000, ge=2, le=MOST_DEALS)


class Base(Part):
    """What all readings have."""

    name: str = Field(min_length=1, max_length=120, description="which reading this is, in a few words")
    variant: dict[str, Any] = Field({}, description="options of the rules that differ from the defaults")
    note: str = Field("", description="what is to be known of this reading")


class Expectation(Part):
    """What a fact should be: one of the three."""

    fact: str
    equals: float | str | None = None
    at_most: float | None = None
    at_least: float | None = None

    @model_validator(mode="after")
    def _just_one(self) -> Self:
        if sum(bound is not None for bound in (self.equals, self.at_most, self.at_least)) != 1:
            raise ValueError("write one of `equals`, `at_most` and `at_least`")
        return self


class Exact(Base):
    """Enumerate."""

    kind: Literal["exact"]
    enumerate: str = Field(description="what is enumerated, by name")
    expect: list[Expectation] = Field(min_length=1)


class Rate(Base):
    """How often, or how much, where the same player sits at all seats."""

    kind: Literal["rate"]
    population: Population = Population()
    metric: str
    number: Number | None = None
    panel: list[str] = Field(min_length=1, max_length=12, description="players; each plays all seats by itself")
    treated: Player | None = Field(None, description="sits at the seat in question, if it is another")
    against: dict[str, Any] | None = Field(
        None, description="a variant to be compared with on the same deals: by the ratio of both"
    )
    alternative: Alternative = "greater"
    threshold: float | None = Field(None, description="that it is compared with; without it it is measured only")
    deals: int = Field(10_000, ge=2, le=MOST_DEALS)


class Policy(Base):
    """The trait on and off."""

    kind: Literal["policy"]
    population: Population = Population()
    treated: Player = Field(description='a player; "+attack_2=40" adds weights to the baseline')
    baseline: Player = Field("same", description='a player; "same": the opponent itself')
    panel: list[str] = Field(min_length=1, max_length=12, description="opponents, at all other seats")
    metric: str = "chips"
    number: Number | None = None
    alternative: Alternative = "greater"
    margin: float = Field(gt=0, description="the smallest effect worth naming")
    plan: Plan = Plan()
    doses: Doses | None = Field(None, description="a feature of the hand or the position, at each of several values")
    subgroups: list[Condition] = Field([], description="of deals, by values of a feature; exploratory")


class Action(Base):
    """The action against another one, in the same positions."""

    kind: Literal["action"]
    population: Population = Population()
    action: list[Condition] = Field(min_length=1, description="all that the action must have")
    instead: list[Condition] = Field([], description="all that the other one must have")
    comparator: Literal["best_alternative", "uniform", "pip_matched"]
    panel: list[str] = Field(min_length=1, max_length=12, description="players; each plays all seats by itself")
    alternative: Alternative = "greater"
    margin: float = Field(gt=0)
    deals: int = Field(8000, ge=2, le=MOST_DEALS)
    doses: Doses | None = Field(None, description="a feature of the hand or the position, at each of several values")
    subgroups: list[Condition] = Field([], description="of positions, by values of a feature; exploratory")


class Item(Part):
    """One of those that are ranked."""

    label: str
    variant: dict[str, Any] = Field({}, description="options of the rules that differ from the reading's")
    number: Number | None = None
    population: Population = Population()
    treated: Player | None = None
    action: list[Condition] = []


class Ordering(Base):
    """Which comes first: of rates by `metric`, or of the effects of actions with a `comparator`."""

    kind: Literal["ordering"]
    items: list[Item] = Field(min_length=2, max_length=12)
    first: str = Field(description='label of the item that should be first; "any": only that they differ')
    but: list[str] = Field([], description="labels that are left out of the comparison")
    metric: str = "chips"
    comparator: Literal["best_alternative", "uniform", "pip_matched"] | None = None
    panel: list[str] = Field([], max_length=12, description="players; each plays all seats by itself")
    fields: list[Annotated[list[str], Field(min_length=2, max_length=8)]] = Field(
        [], max_length=12, description="instead: players of whom every seat of a deal draws one"
    )
    deals: int = Field(10_000, ge=2, le=MOST_DEALS)

    @model_validator(mode="after")
    def _somebody_plays(self) -> Self:
        if bool(self.panel) == bool(self.fields):
            raise ValueError("write `panel` or `fields`")
        if self.fields and (self.comparator or any(item.treated for item in self.items)):
            raise ValueError("fields: their players are drawn; `comparator` and `treated` cannot be combined with them")
        return self


Reading = Annotated[Exact | Rate | Policy | Action | Ordering, Field(discriminator="kind")]


class Claim(Part):
    """A claim: what is said, by whom, and its readings."""

    id: str = Field(pattern=f"^{ID}$", max_length=MOST_ID)
    statement: str = Field(min_length=1, description="in the words of its source")
    source: str = Field(min_length=1, description="who says so, and where")
    game: str
    readings: list[Reading] = Field([], max_length=20)
    untested: str = Field("", description="why it, or a part of it, is not tested")

    @model_validator(mode="after")
    def _something_is_tested(self) -> Self:
        if not self.readings and not self.untested:
            raise ValueError("a claim without readings says in `untested` why it cannot be tested")
        names = [reading.name for reading in self.readings]
        if len(set(names)) < len(names):
            raise ValueError("two readings have the same name")
        return self


def schema() -> dict[str, Any]:
    """Return the JSON schema of a claim's file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Claim.model_json_schema()}
