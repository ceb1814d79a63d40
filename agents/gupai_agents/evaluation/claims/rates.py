"""How often, or how much: deals of each player of a panel at all seats."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.check import Place, variant_of
from gupai_agents.evaluation.claims.effects import counted_effects, joint_verdict
from gupai_agents.evaluation.claims.features import metrics_of
from gupai_agents.evaluation.claims.players import UNSKILLED
from gupai_agents.evaluation.claims.readings import Fields, Measuring, PanelOrNone
from gupai_agents.evaluation.claims.results import Effect, Finding, written
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import MOST_DEALS, Alternative, Dose, Number, Player, Population
from gupai_agents.evaluation.claims.setting import Setting, measured
from gupai_agents.evaluation.statistics import Estimate, ratio_of_means
from gupai_env.games.claims import Metric
from gupai_env.messages import capitalized, joined, say


class Rate(Measuring):
    """How often, or how much, where the same player sits at all seats, or players that seats draw."""

    kind: Literal["rate"]
    population: Population = Population()
    metric: str
    number: Number | None = None
    panel: PanelOrNone = Field([])
    fields: Fields = Field([])
    treated: Player | None = Field(None, description="who sits at the seat in question, if it is another")
    against: dict[str, Any] | None = Field(
        None, description="a variant to be compared with on the same deals: by the ratio of both"
    )
    alternative: Alternative = "greater"
    threshold: float | None = Field(
        None, description="the number to compare the figure with; without it, it is only measured"
    )
    deals: int = Field(10_000, ge=2, le=MOST_DEALS)
    signed: ClassVar[bool] = False

    def games(self, deals: int | None) -> int:
        return super().games(deals) * (1 if self.against is None else 2)

    def population_at(self, dose: Dose | None) -> Population:
        return self.population

    def check(self, place: Place) -> None:
        super().check(place)
        place.measured(self.population, self.metric, self.number)
        self.check_fields(place)
        if self.treated is not None and self.fields:
            raise ValueError(f"{place.key}.treated: it cannot be combined with `fields`, whose players are drawn")
        if self.treated is not None:
            place.player("treated", self.treated, self.panel[0], self.panel[0])
        if self.against is not None:
            with place.at("against"):
                variant_of(place.game, self.against)

    def tested(self) -> str:
        change = self.metric if self.number is None else f"{self.metric} {self.number}"
        return self.tested_in(change, self.population)

    def test(self, setting: Setting) -> Finding:
        """Measure deals of each player of the panel at all seats."""
        measure, deals = metrics_of(setting.game)[self.metric], setting.deals or self.deals
        sampler = self.sampler()
        unit = measure.unit if self.against is None else "times as much"
        effects, judged, p = [], [], {}
        for number, (member, seated) in enumerate(zip(self.labels, self.seating, strict=True)):
            setting.meter.begin(f"{member} at all seats")
            sample = _rated(setting, self, sampler, measure, seated, number, deals)
            result = _judged(sample.estimate, self, deals)
            p[member] = 1.0 if self.threshold is None else sample.p_beyond(self.threshold)
            judged.append(result)
            effects.append(Effect(member, sample.estimate, result.verdict, counted=member != UNSKILLED))
        counted = counted_effects(effects)
        of_members = [effect.verdict for effect in counted], [p[effect.label] for effect in counted]
        verdict, remark, p_joint = joint_verdict(*of_members)
        needed = [effect.deals_needed for effect in judged if effect.deals_needed]
        texts = [(say(effect.label), _figure(effect.estimate, unit)) for effect in effects]
        figures = [say("{label} {figure}", label=label, figure=figure) for label, figure in texts]
        text = say("{metric}: {figures}", metric=capitalized(measure.what), figures=joined(", ", figures))
        if self.threshold is not None:
            text = say("{findings}; the claim says {limit}", findings=text, limit=_limit(self, unit))
        return self.finding(
            verdict,
            say("{text}.", text=text),
            unit=unit,
            remark=remark,
            about={
                "metric": self.metric,
                "number": self.number,
                "threshold": self.threshold,
                "alternative": self.alternative,
                "against": self.against,
                "hand": joined(", ", map(str, self.population.hand)) or "any",
            },
            effects=tuple(effects),
            frequency=float(sampler.probability) if sampler.conditional else None,
            p=p_joint,
            deals_needed=max(needed) if needed and verdict == verdicts.INCONCLUSIVE else None,
        )


def _judged(estimate: Estimate, reading: Rate, deals: int) -> verdicts.Judged:
    """Return the verdict on the rate of a player; what is only measured needs no least number of deals."""
    none = verdicts.unjudged([estimate], deals)
    if none and (reading.threshold is not None or not estimate.occurred):
        return verdicts.Judged(none)
    return verdicts.judge_rate(estimate, reading.threshold, reading.alternative)


def _rated(
    setting: Setting, reading: Rate, sampler: Sampler, measure: Metric, seated: Sequence[str], number: int, deals: int
) -> verdicts.Rated:
    """Return the rate of a player or, with `against`, how many times that of the other variant it is."""
    variants = [setting.variant]
    if reading.against is not None:
        variants.append(variant_of(setting.game, reading.against))
    columns = []
    for place, variant in enumerate(variants):
        own = Sampler(setting.game, variant, reading.population) if place else sampler
        source = setting.source(own, number)
        blocks = setting.blocks(source, 0, deals, deals * len(variants), deals * place)
        columns.append(
            measured(
                setting._replace(variant=variant), blocks, source, (measure, reading.number), seated, reading.treated
            )
        )
    if reading.against is None:
        return verdicts.rated(columns[0], measure)
    return verdicts.Rated(ratio_of_means(np.stack(columns, 1)))


def _figure(estimate: Estimate, unit: str) -> str:
    figure = say(written(estimate, unit, signed=False))
    named = estimate.occurred and not unit.startswith("share")
    return say("{figure} {unit}", figure=figure, unit=say(unit)) if named else figure


def _limit(reading: Rate, unit: str) -> str:
    limit = reading.threshold or 0.0
    templates = {"greater": "more than {limit}", "less": "less than {limit}", "different": "other than {limit}"}
    share = f"{100 * limit:g}%" if unit.startswith("share") else ""
    number = share or say("{figure} {unit}", figure=f"{limit:g}", unit=say(unit))
    return say(templates[reading.alternative], limit=number)
