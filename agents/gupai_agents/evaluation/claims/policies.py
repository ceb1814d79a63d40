"""The trait on and off: the same deals, seats and chance with a trait and without it."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.deals import Compared, examples
from gupai_agents.evaluation.claims.effects import (
    discovered,
    group_values,
    over_panel,
    player_text,
    pool_numbers,
    sentence_of,
    subgroups_of,
    those_counted,
)
from gupai_agents.evaluation.claims.measures import metrics_of
from gupai_agents.evaluation.claims.players import STRONG, UNSKILLED, player
from gupai_agents.evaluation.claims.results import Effect, Finding, finding
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import Plan, Policy
from gupai_agents.evaluation.claims.tables import DOSE_STREAMS, PILOT, Setting, differ
from gupai_agents.evaluation.statistics import estimate, samples_for, t_test


class Pairs(NamedTuple):
    """Gains of the trait, [N]; whether anything was played otherwise, bool [N]; and the groups of the deals."""

    gains: np.ndarray
    changed: np.ndarray
    groups: np.ndarray


def dosed(reading: Policy) -> list[tuple[int, str]]:
    """Return number and name of the members of a panel against whom doses are played."""
    return [(number, member) for number, member in enumerate(reading.panel) if member not in STRONG]


def policy(setting: Setting, reading: Policy) -> Finding:
    """Play the same deals with the trait and without it, against every member of the panel."""
    measure, population = metrics_of(setting.game)[reading.metric], reading.population
    sampler = Sampler(setting.game, setting.variant, population)
    effects, doses, groups, compared = [], [], [], []
    for number, member in enumerate(reading.panel):
        setting.meter.begin(f"against {member}")
        found = _planned(setting, reading, sampler, member, number)
        compared.append(Compared(np.flatnonzero(found.changed), found.gains[found.changed]))
        effects.append(effect_of(member, found, reading.margin, reading.alternative))
        groups += subgroups_of(reading.subgroups, found.gains, found.groups, member)
    for dose in reading.doses:
        exactly = population.hand[0].model_copy(update={"exactly": dose, "at_least": None, "at_most": None})
        narrowed = population.model_copy(update={"hand": [exactly, *population.hand[1:]]})
        at_dose = Sampler(setting.game, setting.variant, narrowed)
        for number, member in dosed(reading):
            setting.meter.begin(f"with {dose}, against {member}")
            deals = setting.deals or effects[number].estimate.samples
            some = pairs_in(setting, reading, at_dose, member, DOSE_STREAMS * (1 + dose) + number, 0, deals)
            doses.append(
                replace(
                    effect_of(f"{exactly}, against {member}", some, reading.margin, reading.alternative),
                    extra={"dose": dose, "frequency": float(at_dose.probability)},
                )
            )
    adjusted, judged, remark = over_panel(effects, reading.margin, reading.alternative)
    pooled = verdicts.pool([each.estimate for each in those_counted(effects)])
    frequency = float(sampler.probability)
    per_hundred = 100 * frequency * pooled.effect.mean if measure.unit == "chips" else None
    return finding(
        reading,
        judged.verdict,
        sentence_of(pooled.effect, reading.margin, "the trait", "" if reading.metric == "chips" else measure.what),
        unit=measure.unit,
        remark=remark,
        about={
            "treated": player_text(reading.treated),
            "baseline": player_text(reading.baseline),
            "metric": reading.metric,
            "margin": reading.margin,
            "alternative": reading.alternative,
            "hand": ", ".join(map(str, population.hand)) or "any",
            "plan": reading.plan.mode,
        },
        effects=tuple(adjusted),
        pooled=pool_numbers(pooled),
        doses=tuple(doses),
        subgroups=tuple(discovered(groups)),
        frequency=frequency,
        exact=True,
        examples=examples(reading.panel, compared),
        per_hundred=per_hundred,
        deals_needed=judged.deals_needed,
        p=verdicts.p_of(pooled.effect),
    )


def _planned(setting: Setting, reading: Policy, sampler: Sampler, member: str, number: int) -> Pairs:
    """Play as many deals as the plan says."""
    fixed = setting.deals or reading.plan.deals
    most = fixed or reading.plan.most

    def more(first: int, deals: int, total: int) -> Pairs:
        return pairs_in(setting, reading, sampler, member, number, first, deals, total)

    found = more(0, min(PILOT, most), most)
    total = fixed or enough(reading.plan, reading.margin, float(np.std(found.gains)))
    return _joined(found, more(PILOT, total - PILOT, total)) if total > PILOT else found


def enough(plan: Plan, margin: float, spread: float) -> int:
    if spread == 0:
        return plan.least
    return min(plan.most, max(plan.least, samples_for(margin, spread, plan.alpha, plan.power)))


def _joined(one: Pairs, other: Pairs) -> Pairs:
    return Pairs(*(np.concatenate(both) for both in zip(one, other, strict=True)))


def pairs_in(
    setting: Setting,
    reading: Policy,
    sampler: Sampler,
    member: str,
    number: int,
    first: int,
    deals: int,
    total: int | None = None,
) -> Pairs:
    """Play some deals of a stream with the trait and without it; `total`: of the figure, to tell how far it is."""
    game, variant, measure = setting.game, setting.variant, metrics_of(setting.game)[reading.metric]
    opponent = player(member, game, variant)
    baseline = player(reading.baseline, game, variant, member)
    base = reading.baseline if isinstance(reading.baseline, str) else reading.baseline.agent
    treated = player(reading.treated, game, variant, member, base)
    table = setting.table(sampler, number)
    won, changed, groups = [], [], []
    for block in setting.blocks(table, first, deals, total):
        ends = [table.play_with(block, opponent, hero, measure.acted) for hero in (treated, baseline)]
        values = [measure.values(each, reading.number or 0) for each in ends]
        won.append(values[0] - values[1])
        changed.append(differ(*(each.states for each in ends)))
        seen = block.states.copy().view(np.recarray)
        seen.to_act = block.seats[:, 0]
        groups.append(group_values(setting, seen, reading.subgroups))
    return Pairs(np.concatenate(won), np.concatenate(changed), np.concatenate(groups))


def effect_of(label: str, found: Pairs, margin: float, alternative: str) -> Effect:
    interval = estimate(found.gains)
    return Effect(
        label,
        interval,
        verdicts.judge(interval, margin, alternative).verdict,
        t_test(found.gains),
        counted=label != UNSKILLED,
        changed=float(found.changed.mean()),
    )


def detectable(plan: Plan, spread: float, deals: int) -> float:
    """Return the smallest mean that so many deals find with the plan's power."""
    from scipy.special import ndtri

    return float((ndtri(1 - plan.alpha / 2) + ndtri(plan.power)) * spread / deals**0.5)
