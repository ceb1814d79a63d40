"""What testing a claim has found, as typed objects that turn into JSON."""

from dataclasses import dataclass, field
from typing import Any

from gupai_agents.evaluation.claims.schema import Claim, Reading
from gupai_agents.evaluation.statistics import Estimate


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
    low: float | None = None
    high: float | None = None
    extra: dict[str, float] = field(default_factory=dict)

    def as_numbers(self) -> dict[str, Any]:
        """Return it for JSON."""
        found: dict[str, Any] = {"label": self.label, **self.estimate.as_numbers(), "samples": self.estimate.samples}
        for name in ("verdict", "p", "changed", "low", "high"):
            value = getattr(self, name)
            if value not in (None, ""):
                found[name] = value
        if not self.counted:
            found["counted"] = False
        return found | self.extra


@dataclass(frozen=True)
class Finding:
    """What a reading of a claim has come to.

    frequency: how often it comes up, of the deals of one seat; exact: it was worked out and not counted.
    per_hundred: chips in a hundred ordinary deals. deals_needed: about how many would decide, of an inconclusive one.
    p: of the test behind the verdict, two-sided: that there is no effect, that a rate is its threshold, that the first
    is no other than the rest. What is enumerated or only measured has none.
    """

    name: str
    kind: str
    variant: dict[str, Any]
    verdict: str
    sentence: str
    unit: str = ""
    remark: str = ""
    note: str = ""
    about: dict[str, Any] = field(default_factory=dict)
    effects: tuple[Effect, ...] = ()
    pooled: dict[str, float | None] | None = None
    doses: tuple[Effect, ...] = ()
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
        found = {
            name: value
            for name, value in vars(self).items()
            if (value not in (None, "", (), {}) or name == "variant")
            and name not in ("effects", "doses", "subgroups", "exact")
        }
        if self.frequency is not None:
            found["frequency_is_exact"] = self.exact
        for name in ("effects", "doses", "subgroups"):
            if getattr(self, name):
                found[name] = [each.as_numbers() for each in getattr(self, name)]
        return found


def finding(reading: Reading, verdict: str, sentence: str, **more: Any) -> Finding:
    """Return what a reading has come to; more: other fields."""
    own = reading.name, reading.kind, reading.variant
    return Finding(*own, verdict, sentence, note=reading.note, **more)


@dataclass(frozen=True)
class Verdict:
    """A claim and what each of its readings has come to."""

    claim: Claim
    seed: int
    findings: tuple[Finding, ...]

    def as_numbers(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "id": self.claim.id,
            "statement": self.claim.statement,
            "source": self.claim.source,
            "game": self.claim.game,
            "seed": self.seed,
            "readings": [finding.as_numbers() for finding in self.findings],
            **({"untested": self.claim.untested} if self.claim.untested else {}),
        }
