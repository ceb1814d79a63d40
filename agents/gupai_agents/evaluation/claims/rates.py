"""How often, or how much: deals of each player of a panel at all seats."""

import numpy as np

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.check import variant_of
from gupai_agents.evaluation.claims.effects import counted_effects, joint_verdict
from gupai_agents.evaluation.claims.measures import metrics_of
from gupai_agents.evaluation.claims.players import UNSKILLED
from gupai_agents.evaluation.claims.report import written
from gupai_agents.evaluation.claims.results import Effect, Finding, finding
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import Rate
from gupai_agents.evaluation.claims.setting import Setting, measured
from gupai_agents.evaluation.statistics import Estimate, ratio_of_means
from gupai_env.games.claims import Metric
from gupai_env.words.messages import capitalized, joined, say


def rate(setting: Setting, reading: Rate) -> Finding:
    """Measure deals of each player of the panel at all seats."""
    measure, deals = metrics_of(setting.game)[reading.metric], setting.deals or reading.deals
    sampler = Sampler(setting.game, setting.variant, reading.population)
    unit = measure.unit if reading.against is None else "times as much"
    effects, judged, p = [], [], []
    for number, member in enumerate(reading.panel):
        setting.meter.begin(f"{member} at all seats")
        sample = _rated(setting, reading, sampler, measure, member, number, deals)
        bounds = sample.bounds(reading.alternative)
        result = _judged(sample.figure, bounds, reading, deals)
        if reading.threshold is not None and member != UNSKILLED:
            p.append(sample.p_beyond(reading.threshold))
        judged.append(result)
        effects.append(Effect(member, sample.figure, result.verdict, counted=member != UNSKILLED, bounds=bounds))
    verdict, remark = joint_verdict([effect.verdict for effect in counted_effects(effects)])
    needed = [effect.deals_needed for effect in judged if effect.deals_needed]
    texts = [(say(effect.label), _figure(effect.estimate, unit)) for effect in effects]
    figures = [say("{label} {figure}", label=label, figure=figure) for label, figure in texts]
    text = say("{metric}: {figures}", metric=capitalized(measure.what), figures=joined(", ", figures))
    if reading.threshold is not None:
        text = say("{findings}; the claim says {limit}", findings=text, limit=_limit(reading, unit))
    return finding(
        reading,
        verdict,
        say("{text}.", text=text),
        unit=unit,
        remark=remark,
        about={
            "metric": reading.metric,
            "number": reading.number,
            "threshold": reading.threshold,
            "alternative": reading.alternative,
            "against": reading.against,
            "hand": joined(", ", map(str, reading.population.hand)) or "any",
        },
        effects=tuple(effects),
        frequency=float(sampler.probability) if sampler.conditional else None,
        exact=True,
        p=max(p) if p and verdict not in verdicts.UNJUDGED else None,  # all players must agree
        deals_needed=max(needed) if needed and verdict == verdicts.INCONCLUSIVE else None,
    )


def _judged(estimate: Estimate, bounds: tuple[float, float], reading: Rate, deals: int) -> verdicts.Judged:
    """Return the verdict on the rate of a player; what is only measured needs no least number of deals."""
    none = verdicts.unjudged([estimate], deals)
    if none and (reading.threshold is not None or not estimate.occurred):
        return verdicts.Judged(none)
    return verdicts.judge_rate(estimate, *bounds, reading.threshold, reading.alternative)


def _rated(
    setting: Setting, reading: Rate, sampler: Sampler, measure: Metric, member: str, number: int, deals: int
) -> verdicts.Rated:
    """Return the rate of a player or, with `against`, how many times that of the other variant it is."""
    variants = [setting.variant]
    if reading.against is not None:
        variants.append(variant_of(setting.game, reading.against))
    columns = []
    for place, variant in enumerate(variants):
        own = Sampler(setting.game, variant, reading.population) if variant is not setting.variant else sampler
        source = setting.source(own, number)
        blocks = setting.blocks(source, 0, deals, deals * len(variants), deals * place)
        columns.append(
            measured(
                setting._replace(variant=variant), blocks, source, (measure, reading.number), member, reading.treated
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
