"""What testing a claim has found, as typed objects that turn into JSON."""

from dataclasses import dataclass, field
from typing import Any

from gupai_agents.evaluation.claims.schema import Dose
from gupai_agents.evaluation.claims.verdicts import Pooled
from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.intervals import FINE, interval_text, number_or_none

FEWEST_OPEN = 20  # deals with a decision at which both actions are open, to say what a strong player does
LISTED = ("effects", "doses", "masters", "subgroups")  # fields of a finding that hold several


@dataclass(frozen=True)
class Effect:
    """One figure with its interval: against an opponent, at a dose, in a subgroup, of an item.

    p: that it is zero, adjusted by Holm among those that count (of subgroups: a false discovery rate). counted: it has
    a say in the verdict. changed: the share of deals in which anything was played otherwise. extra: more figures.
    """

    label: str
    estimate: Estimate
    verdict: str = ""
    p: float | None = None
    counted: bool = True
    changed: float | None = None
    extra: dict[str, float] = field(default_factory=dict)

    def as_numbers(self) -> dict[str, Any]:
        """Return it for JSON."""
        numbers: dict[str, Any] = {"label": self.label, **self.estimate.as_numbers()}
        for name in ("verdict", "p", "changed"):
            value = getattr(self, name)
            if value not in (None, ""):
                numbers[name] = value
        if not self.counted:
            numbers["counted"] = False
        return numbers | self.extra


@dataclass(frozen=True)
class Masters:
    """What a strong player does where the claimed action and the one compared with it are both open; or a third.

    who: the player, and who its deals are among. decisions: how many there were. chooses, other: shares of these in
    which it takes the claimed action, and the other. worth: by how much it values the claimed one above the other, in
    `unit`; None if it does not say. Intervals are over deals.
    """

    who: str
    decisions: int
    chooses: Estimate
    other: Estimate
    worth: Estimate | None
    unit: str

    def as_numbers(self) -> dict[str, Any]:
        """Return it for JSON."""
        numbers: dict[str, Any] = {"who": self.who, "decisions": self.decisions, "deals": self.chooses.samples}
        numbers |= {"chooses": self.chooses.as_numbers(), "other": self.other.as_numbers()}
        return numbers if self.worth is None else {**numbers, "worth": self.worth.as_numbers(), "unit": self.unit}


@dataclass(frozen=True)
class Level:
    """What was found at one dose, or without doses in all deals.

    pooled: over the opponents that count. effects: by opponent. frequency, per_hundred: see `Finding`. masters: what
    the strong do.
    """

    dose: Dose | None
    label: str
    verdict: str
    pooled: Pooled
    effects: tuple[Effect, ...]
    remark: str = ""
    deals_needed: int | None = None
    frequency: float | None = None
    per_hundred: float | None = None
    masters: tuple[Masters, ...] = ()

    def as_numbers(self) -> dict[str, Any]:
        """Return it for JSON."""
        numbers: dict[str, Any] = {"dose": self.dose.text if self.dose else "", "label": self.label}
        numbers |= {"verdict": self.verdict, **pool_numbers(self.pooled)}
        for name in ("remark", "deals_needed", "frequency", "per_hundred"):
            if getattr(self, name) not in (None, ""):
                numbers[name] = getattr(self, name)
        for name in ("effects", "masters"):
            if getattr(self, name):
                numbers[name] = [part.as_numbers() for part in getattr(self, name)]
        return numbers


def pool_numbers(pooled: Pooled) -> dict[str, Any]:
    """Return the mean over opponents for JSON, with how they differ."""
    low, high = map(number_or_none, pooled.range)
    numbers = {**pooled.effect.as_numbers(), "q": pooled.q, "p_q": pooled.p_q, "i2": pooled.i2}
    return {**numbers, "least": low, "most": high, "differ": pooled.differ}


@dataclass(frozen=True)
class Finding:
    """What a reading of a claim has come to.

    headline: the verdict in a few words: from which dose on it holds; without doses the verdict itself.
    doses: what was found at each, which then is in place of `effects` and `pooled`. masters: what the strong do.
    frequency: how often it comes up, of the deals of one seat; exact: it was worked out and not counted.
    per_hundred: chips in a hundred ordinary deals; None where opponents disagree. deals_needed: about how many would
    decide, of an inconclusive one.
    p: of the test behind the verdict, two-sided: that there is no effect, that a rate is its threshold, that the first
    is no other than the rest. What is enumerated or only measured has none.
    """

    name: str
    kind: str
    variant: dict[str, Any]
    verdict: str
    sentence: str
    headline: str = ""
    unit: str = ""
    remark: str = ""
    note: str = ""
    about: dict[str, Any] = field(default_factory=dict)
    effects: tuple[Effect, ...] = ()
    pooled: dict[str, Any] | None = None
    doses: tuple[Level, ...] = ()
    masters: tuple[Masters, ...] = ()
    subgroups: tuple[Effect, ...] = ()
    frequency: float | None = None
    exact: bool = False
    per_hundred: float | None = None
    deals_needed: int | None = None
    p: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    examples: tuple[dict[str, Any], ...] = ()  # deals to look at, see `deals`

    def as_numbers(self) -> dict[str, Any]:
        """Return it for JSON, without what is empty."""
        numbers = {
            name: value
            for name, value in vars(self).items()
            if (value not in (None, "", (), {}) or name == "variant") and name not in (*LISTED, "exact")
        }
        if self.frequency is not None:
            numbers["frequency_is_exact"] = self.exact
        for name in LISTED:
            if getattr(self, name):
                numbers[name] = [part.as_numbers() for part in getattr(self, name)]
        return numbers


def written(estimate: Estimate, unit: str, *, signed: bool = True) -> str:
    """Return a figure with its interval, shares in per cent. Args: signed: whether more than zero has a sign."""
    times, sign, places = (100, "%", 2) if unit.startswith("share") else (1, "", 3 if abs(estimate.mean) < 1 else 2)
    if 0 < times * estimate.half_width < FINE / 2:
        places = 4
    mean, low, high = (times * number for number in estimate[:3])
    return interval_text(mean, low, high, estimate.samples, places, unit=sign, signed=signed)
