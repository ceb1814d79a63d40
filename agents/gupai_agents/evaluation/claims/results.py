"""What testing a claim has found: objects that are recorded as JSON, and read from it again once."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from pydantic import (
    BeforeValidator,
    Field,
    GetPydanticSchema,
    PlainSerializer,
    PlainValidator,
    WrapSerializer,
    WrapValidator,
    model_validator,
)

from gupai_agents.evaluation.claims.schema import Dose, dose_of
from gupai_agents.evaluation.intervals import FINE, interval_text
from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.evaluation.tournaments.folder import Seed
from gupai_env.messages import with_messages
from gupai_env.storage.models import Content, Count, Number, Stored, Text

FEWEST_OPEN = 20  # deals with a decision at which both actions are open, to say what a strong player does
MOST_BYTES = 1 << 22  # of a recorded verdict
INLINE = ("estimate", "pooled", "effect")  # parts whose figures are recorded among those of the whole


class _Numbers(Stored):
    """A mean with its interval, null where there is none."""

    mean: Number | None
    low: Number | None
    high: Number | None
    n: Count


def _estimated(content: Any, handler: Callable[[Any], _Numbers]) -> Estimate:
    return content if isinstance(content, Estimate) else Estimate.of(vars(handler(content)))


def _gathered(content: Any) -> Any:
    """Give the parts that are inline the figures of the whole."""
    return {**dict.fromkeys(INLINE, content), **content} if isinstance(content, dict) else content


def _inlined(part: Any, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """Return the numbers of a part, those of its inline parts among them."""
    numbers: dict[str, Any] = {}
    for name, value in handler(part).items():
        numbers |= value if name in INLINE else {name: value}
    return numbers


Whole = TypeVar("Whole")
Inline = Annotated[Whole, BeforeValidator(_gathered), WrapSerializer(_inlined)]
Recorded = Annotated[_Numbers, WrapValidator(_estimated), PlainSerializer(Estimate.as_numbers)]
Figure = Annotated[Estimate, GetPydanticSchema(lambda _, handler: handler.generate_schema(Recorded))]
Words = Annotated[Text, WrapValidator(lambda text, handler: handler(text) and text)]  # a message stays one
DoseText = Annotated[
    Dose | None,
    PlainValidator(lambda dose: dose_of(dose) if isinstance(dose, str) else dose),
    PlainSerializer(lambda dose: dose.text if dose else ""),
]


@dataclass(frozen=True)
class Effect:
    """One figure with its interval: against an opponent, at a dose, in a subgroup, of an item.

    p: that it is zero, adjusted by Holm among those that count (of subgroups: a false discovery rate). changed: the
    share of deals in which anything was played otherwise. counted: it has a say in the verdict. positions: in which an
    action was compared with another.
    """

    label: Words
    estimate: Figure
    verdict: Words = ""
    p: float | None = None
    changed: float | None = None
    counted: bool = True
    positions: int | None = None


@dataclass(frozen=True)
class Pooled:
    """Effects against several opponents as one: their mean, each weighing alike, with its interval.

    q, p_q: Cochran's Q that opponents are all alike, and its p. i2: the share of their variance that is no chance.
    least, most: the smallest and the largest mean, if there is any. differ: opponents clearly differ, so that this
    range says more than the mean. p: that the mean is zero; it is not recorded.
    """

    effect: Figure
    q: float
    p_q: float
    i2: float
    least: float | None
    most: float | None
    differ: bool
    p: Annotated[float, Field(exclude=True)] = 1.0


@dataclass(frozen=True)
class Masters:
    """What a strong player does where the claimed action and the one compared with it are both open; or a third.

    who: the player, and who its deals are among. decisions, deals: how many there were. chooses, other: shares of these
    in which it takes the claimed action, and the other. worth: by how much it values the claimed one above the other,
    in `unit`; None if it does not say. Intervals are over deals.
    """

    who: Words
    decisions: int
    deals: int
    chooses: Figure
    other: Figure
    worth: Figure | None = None
    unit: Words = ""


@dataclass(frozen=True)
class Level:
    """What was found at one dose, or without doses in all deals.

    pooled: over the opponents that count. effects: by opponent. frequency, per_hundred: see `Finding`. masters: what
    the strong do.
    """

    dose: DoseText
    label: Words
    verdict: Words
    pooled: Inline[Pooled]
    remark: Words = ""
    deals_needed: int | None = None
    frequency: float | None = None
    per_hundred: float | None = None
    effects: tuple[Inline[Effect], ...] = ()
    masters: tuple[Masters, ...] = ()


@dataclass(frozen=True)
class Example:
    """A deal to look at, see `deals`: the number of its stream and its own, and what the claimed way gains in it.

    what: why it is looked at. player: of the panel. dose: that its hand was dealt to. move, action, instead: of forked
    positions the number of the move (from 0), the action and the one compared with it.
    """

    what: Words
    player: Words
    stream: Count
    deal: Count
    gain: float
    dose: str = ""
    move: Count | None = None
    action: Count | None = None
    instead: Count | None = None


@dataclass(frozen=True)
class Finding:
    """What a reading of a claim has come to.

    headline: the verdict in a few words: from which dose on it holds; without doses the verdict itself. about: what was
    compared, as the file of the claim says it. frequency: how often it comes up, of the deals of one seat, and whether
    that was worked out and not counted. per_hundred: chips in a hundred ordinary deals; None where opponents disagree.
    deals_needed: about how many would decide, of an inconclusive one.
    p: of the test behind the verdict, two-sided: that there is no effect, that a rate is its threshold, that the first
    is no other than the rest. What is enumerated or only measured has none.
    doses: what was found at each, which then is in place of `effects` and `pooled`. masters: what the strong do.
    q, tests: the false discovery rate among so many tests that were made together, see `corrected`. stands: whether
    the verdict, if it is one of an effect, still holds among them.
    """

    name: Words
    kind: Words
    variant: dict[str, Any]
    verdict: Words
    sentence: Words
    headline: Words = ""
    unit: Words = ""
    remark: Words = ""
    note: Words = ""
    about: dict[str, Any] = field(default_factory=dict)
    pooled: Inline[Pooled] | None = None
    frequency: float | None = None
    per_hundred: float | None = None
    deals_needed: int | None = None
    p: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    frequency_is_exact: bool | None = None
    effects: tuple[Inline[Effect], ...] = ()
    doses: tuple[Inline[Level], ...] = ()
    masters: tuple[Masters, ...] = ()
    subgroups: tuple[Inline[Effect], ...] = ()
    q: float | None = None
    tests: int | None = None
    stands: bool | None = None

    @property
    def opponents(self) -> tuple[Effect, ...]:
        """The figures by opponent, those of the first dose if it has doses."""
        return self.effects or next((level.effects for level in self.doses), ())


class Request(Content):
    """The arguments of a test, see `try_claim`; and of a changed claim the name that it had, and its changes."""

    seed: Seed
    deals: Count | None
    panel: tuple[Words, ...] | None
    strong: bool = False
    masters: bool = True
    claim: Text = ""
    set: tuple[Text, ...] = ()


class Verdict(Content, populate_by_name=True):
    """A claim and what each of its readings has come to, and what made it."""

    format: Text
    gupai: Text
    id: Text
    statement: Words
    source: Words
    game: Text
    seed: Seed
    findings: tuple[Finding, ...] = Field(alias="readings", max_length=100)
    untested: Words = ""
    messages: dict[str, Any]
    request: Request = Field(alias="asked")
    file: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _texts_are_messages(cls, content: Any) -> Any:
        """Let texts be the messages again that they were."""
        return with_messages(content, content.get("messages", {})) if isinstance(content, dict) else content

    def as_numbers(self) -> dict[str, Any]:
        """Return it for JSON, without what is at its default."""
        return self.model_dump(exclude_defaults=True, by_alias=True)


def written(estimate: Estimate, unit: str, *, signed: bool = True) -> str:
    """Return a figure with its interval, shares in per cent. Args: signed: whether more than zero has a sign."""
    times, sign, places = (100, "%", 2) if unit.startswith("share") else (1, "", 3 if abs(estimate.mean) < 1 else 2)
    if 0 < times * estimate.half_width < FINE / 2:
        places = 4
    mean, low, high = (times * number for number in estimate[:3])
    return interval_text(mean, low, high, estimate.samples, places, unit=sign, signed=signed)
