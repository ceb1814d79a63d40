"""How often, or how much: deals of each player of a panel at all seats."""

from collections.abc import Callable

import numpy as np

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.check import variant_of
from gupai_agents.evaluation.claims.effects import agreed, those_counted
from gupai_agents.evaluation.claims.measures import metrics_of
from gupai_agents.evaluation.claims.players import UNSKILLED
from gupai_agents.evaluation.claims.results import Effect, Finding, finding
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import Rate
from gupai_agents.evaluation.claims.tables import Setting, measured
from gupai_agents.evaluation.statistics import Estimate, estimate
from gupai_env.core.claims import Metric, ratio
from gupai_env.core.phrases import capitalized


def rate(setting: Setting, reading: Rate) -> Finding:
    """Measure deals of each player of the panel at all seats."""
    measure, deals = metrics_of(setting.game)[reading.metric], setting.deals or reading.deals
    sampler = Sampler(setting.game, setting.variant, reading.population)
    effects, found, p = [], [], []
    for number, member in enumerate(reading.panel):
        setting.meter.begin(f"{member} at all seats")
        values, statistic = _rate_values(setting, reading, sampler, measure, member, number, deals)
        interval = estimate(values) if statistic is None else verdicts.of_statistic(values, statistic)
        low, high = verdicts.bounds(interval, values if statistic is None else None, reading.alternative)
        judged = verdicts.judge_rate(interval, low, high, reading.threshold, reading.alternative)
        found.append(judged)
        if reading.threshold is not None and member != UNSKILLED:
            p.append(verdicts.p_beyond(interval, values if statistic is None else None, reading.threshold))
        effects.append(Effect(member, interval, judged.verdict, counted=member != UNSKILLED, bounds=(low, high)))
    verdict, remark = agreed([each.verdict for each in those_counted(effects)])
    needed = [each.deals_needed for each in found if each.deals_needed]
    unit = measure.unit if reading.against is None else "times as much"
    shown = ", ".join(f"{each.label} {_figure(each.estimate, unit)}" for each in effects)
    threshold = f"; the claim says {_limit(reading, unit)}" if reading.threshold is not None else ""
    return finding(
        reading,
        verdict,
        f"{capitalized(measure.what)}: {shown}{threshold}.",
        unit=unit,
        remark=remark,
        about={
            "metric": reading.metric,
            "number": reading.number,
            "threshold": reading.threshold,
            "alternative": reading.alternative,
            "against": reading.against,
            "hand": ", ".join(map(str, reading.population.hand)) or "any",
        },
        effects=tuple(effects),
        frequency=float(sampler.probability) if sampler.conditional else None,
        exact=True,
        p=max(p) if p else None,  # all players must agree
        deals_needed=max(needed) if needed and verdict == verdicts.INCONCLUSIVE else None,
    )


def _rate_values(
    setting: Setting, reading: Rate, sampler: Sampler, measure: Metric, member: str, number: int, deals: int
) -> tuple[np.ndarray, Callable[[np.ndarray], float] | None]:
    variants = [setting.variant]
    if reading.against is not None:
        variants.append(variant_of(setting.game, reading.against))
    columns = []
    for place, variant in enumerate(variants):
        own = Sampler(setting.game, variant, reading.population) if variant is not setting.variant else sampler
        table = setting.table(own, number)
        blocks = setting.blocks(table, 0, deals, deals * len(variants), deals * place)
        columns.append(
            measured(
                setting._replace(variant=variant), blocks, table, (measure, reading.number), member, reading.treated
            )
        )
    if reading.against is None:
        return columns[0], measure.statistic
    return np.stack(columns, 1), ratio


def _figure(found: Estimate, unit: str) -> str:
    if unit.startswith("share"):
        return f"{100 * found.mean:.2f}% ±{100 * found.half_width:.2f}"
    return f"{found.mean:.3g} ±{found.half_width:.2g} {unit}"


def _limit(reading: Rate, unit: str) -> str:
    limit = reading.threshold or 0.0
    side = {"greater": "more than", "less": "less than", "different": "other than"}[reading.alternative]
    return f"{side} {100 * limit:g}%" if unit.startswith("share") else f"{side} {limit:g} {unit}"
