"""Which of several rates or effects comes first."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.actions import action_gains
from gupai_agents.evaluation.claims.check import Place, variant_of
from gupai_agents.evaluation.claims.effects import joint_verdict
from gupai_agents.evaluation.claims.features import metrics_of
from gupai_agents.evaluation.claims.players import UNSKILLED
from gupai_agents.evaluation.claims.readings import Fields, Measuring, PanelOrNone
from gupai_agents.evaluation.claims.results import Effect, Finding, written
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import MOST_DEALS, Comparator, Condition, Number, Player, Population
from gupai_agents.evaluation.claims.setting import ITEM_STREAMS, Choice, Setting, measured
from gupai_agents.evaluation.distributions import normal_below
from gupai_agents.evaluation.statistics import Estimate, holm
from gupai_env.messages import joined, say
from gupai_env.storage.models import Written


class Item(Written):
    """One of those that are ranked."""

    label: str
    variant: dict[str, Any] = Field({}, description="options of the rules that differ from the reading's")
    number: Number | None = None
    population: Population = Population()
    treated: Player | None = None
    action: list[Condition] = Field([])


class Ordering(Measuring):
    """Which comes first: of rates by `metric`, or of the effects of actions with a `comparator`."""

    kind: Literal["ordering"]
    items: list[Item] = Field(min_length=2, max_length=12)
    first: str = Field(description='label of the item that should be first; "any": only that they differ')
    but: list[str] = Field([], description="labels that are left out of the comparison")
    metric: str = "chips"
    comparator: Comparator | None = None
    panel: PanelOrNone = Field([])
    fields: Fields = Field([])
    deals: int = Field(10_000, ge=2, le=MOST_DEALS)
    members: ClassVar[str] = ""
    signed: ClassVar[bool] = False

    @model_validator(mode="after")
    def _items_fit_fields(self) -> Self:
        if self.fields and (self.comparator or any(item.treated for item in self.items)):
            raise ValueError("fields: their players are drawn; `comparator` and `treated` cannot be combined with them")
        return self

    def check(self, place: Place) -> None:
        super().check(place)
        place.comparator(self.comparator)
        labels = [item.label for item in self.items]
        if len(set(labels)) < len(labels):
            raise ValueError(f"{place.key}.items: two have the same label")
        if self.first not in (*labels, "any"):
            raise ValueError(f"{place.key}.first: {self.first!r} is not a label; they are any, {', '.join(labels)}")
        for name in self.but:
            if name not in labels or name == self.first:
                known = ", ".join(labels)
                raise ValueError(f"{place.key}.but: {name!r} is not a label of the others; labels are {known}")
        for number, item in enumerate(self.items):
            self._check_item(place, f"items.{number}", item)

    def _check_item(self, place: Place, name: str, item: Item) -> None:
        with place.at(f"{name}.variant"):
            place = place._replace(variant=variant_of(place.game, {**self.variant, **item.variant}))
        here = place._replace(key=f"{place.key}.{name}")
        here.population(item.population)
        here.actions("action", item.action)
        if bool(item.action) != (self.comparator is not None):
            raise ValueError(f"{here.key}.action: items have actions if, and only if, there is a `comparator`")
        if self.comparator is None:
            here.metric(self.metric, item.number)
            self.check_fields(place)
        if item.treated is not None:
            here.player("treated", item.treated, self.panel[0], self.panel[0])

    def weights(self, deals: int | None, masters: bool) -> list[float]:
        return [weight for weight in super().weights(deals, masters) for _ in self.items]

    def planned_deals(self, setting: Setting, sampler: Sampler) -> dict[str, Any]:
        return {"deals": self.deals, "figures": len(self.seating) * len(self.items)}

    def test(self, setting: Setting) -> Finding:
        """Measure every item with every member of the panel, and compare the first with all others."""
        deals = setting.deals or self.deals
        effects: list[Effect] = []
        member_verdicts, remarks, behind = [], [], []
        unit = "chips" if self.comparator else metrics_of(setting.game)[self.metric].unit
        for number, (member, seated) in enumerate(zip(self.labels, self.seating, strict=True)):
            values = {}
            for place, item in enumerate(self.items):
                setting.meter.begin(f"{item.label}, {member}")
                values[item.label] = _item(setting, self, item, seated, ITEM_STREAMS * (1 + place) + number, deals)
            compared = {label: figure for label, figure in values.items() if label not in self.but}
            verdict, p, remark, of_all = _ranked(compared, self.first, unit, deals)
            if member != UNSKILLED:
                member_verdicts.append(verdict)
                behind.append(1.0 if of_all is None else of_all)
            remarks.append(say("{member}: {order}", member=say(member), order=remark))
            effects += [
                Effect(
                    say("{item}, {member}", item=say(label), member=say(member)),
                    estimate,
                    p=p.get(label),
                    counted=member != UNSKILLED,
                )
                for label, estimate in values.items()
            ]
        verdict, remark, p_joint = joint_verdict(member_verdicts or [verdicts.MEASURED], behind)
        return self.finding(
            verdict,
            say("{text}.", text=joined("; ", remarks)),
            unit=unit,
            remark=remark,
            about={"first": self.first, "left out": ", ".join(self.but) or None, "metric": self.metric},
            effects=tuple(effects),
            p=p_joint,
        )


def _item(setting: Setting, reading: Ordering, item: Item, seated: Sequence[str], number: int, deals: int) -> Estimate:
    if item.variant:
        setting = setting._replace(variant=variant_of(setting.game, {**reading.variant, **item.variant}))
    sampler = Sampler(setting.game, setting.variant, item.population)
    if reading.comparator:
        choice = Choice(item.population.position, item.action, [], reading.comparator)
        return action_gains(setting, sampler, seated[0], number, choice, deals).gain
    measure, source = metrics_of(setting.game)[reading.metric], setting.source(sampler, number)
    blocks = setting.blocks(source, 0, deals)
    values = measured(setting, blocks, source, (measure, item.number), seated, item.treated)
    return verdicts.rated(values, measure).estimate


def _ranked(
    values: dict[str, Estimate], first: str, unit: str, deals: int
) -> tuple[str, dict[str, float], str, float | None]:
    """Return whether the first is first, p of its differences to the others (Holm), what is the order, and p of the
    verdict: that of the nearest other, or, where some are ahead of the first, of the farthest.
    """
    order = sorted(values, key=lambda label: (not values[label].occurred, -values[label].mean))
    figures = {label: say(written(estimate, unit, signed=False)) for label, estimate in values.items()}
    ranking = joined(" > ", [say("{label} {figure}", label=say(label), figure=figures[label]) for label in order])
    if none := verdicts.unjudged(list(values.values()), deals):
        return none, {}, ranking, None
    if first == "any":
        pooled = verdicts.pool(list(values.values()))
        alike = pooled.p_q >= 0.05
        return (
            verdicts.INCONCLUSIVE if alike else verdicts.SUPPORTED,
            {},
            say("{order} (all alike: p {p:.2g})", order=ranking, p=pooled.p_q),
            pooled.p_q,
        )
    others = [label for label in values if label != first]
    z = [_apart(values[first], values[label]) for label in others]
    p = dict(zip(others, holm([2 * normal_below(-abs(score)) for score in z]), strict=True))
    behind = [label for label, score in zip(others, z, strict=True) if score < 0 and p[label] < 0.05]
    if behind:
        return verdicts.CONTRADICTED, p, ranking, min(p[label] for label in behind)
    ahead = all(score > 0 and p[label] < 0.05 for label, score in zip(others, z, strict=True))
    return verdicts.SUPPORTED if ahead else verdicts.INCONCLUSIVE, p, ranking, max(p.values())


def _apart(one: Estimate, other: Estimate) -> float:
    """Return by how many standard errors one mean is above the other; 0 where there is no interval.

    The error is that of the sides of the intervals that face each other (Newcombe, Zou and Donner), which for shares
    near 0 and 1 is not that of the other sides.
    """
    if not (one.has_interval and other.has_interval) or one.mean == other.mean:
        return 0.0
    above, below = (one, other) if one.mean > other.mean else (other, one)
    return 1.96 * (one.mean - other.mean) / float(np.hypot(above.mean - above.low, below.high - below.mean))
