"""The trait on and off: the same deals, seats and chance with a trait and without it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.deals import Compared, examples
from gupai_agents.evaluation.claims.doses import Cell, cells_of, doses_in, in_words, recorded_features
from gupai_agents.evaluation.claims.effects import (
    discovered,
    dose_finding,
    group_values,
    level_of,
    player_text,
    subgroups_of,
)
from gupai_agents.evaluation.claims.masters import masters
from gupai_agents.evaluation.claims.measures import metrics_of
from gupai_agents.evaluation.claims.players import UNSKILLED
from gupai_agents.evaluation.claims.results import Effect, Finding, Level, Masters
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import Dose, Plan, Policy, agent_in
from gupai_agents.evaluation.claims.setting import PILOT, Setting, differ
from gupai_agents.evaluation.statistics import NOTHING, estimate, samples_for, t_test
from gupai_env.games.claims import Metric
from gupai_env.words.messages import joined, say

ALPHA = 0.05  # two-sided, at which a plan finds the margin


class Pairs(NamedTuple):
    """Gains of the trait, [N]; whether anything was played otherwise, bool [N]; and the groups of the deals."""

    gains: np.ndarray
    changed: np.ndarray
    groups: np.ndarray
    population: int = 0  # deals from which those of a dose were taken


def policy(setting: Setting, reading: Policy) -> Finding:
    """Play the same deals with the trait and without it, against every member of the panel, at every dose."""
    measure = metrics_of(setting.game)[reading.metric]
    levels, groups = [], []
    compared: list[list[Compared]] = [[] for _ in reading.panel]
    for cell in cells_of(setting, reading):
        played = []
        for number, member in enumerate(reading.panel):
            setting.meter.begin(f"{f'with {in_words(cell.dose)}, ' if cell.dose else ''}against {member}")
            pairs = _planned(setting, reading, cell.sampler, member, cell.stream + number)
            rows = np.flatnonzero(pairs.changed)
            compared[number].append(Compared(rows, pairs.gains[rows], None, cell.stream + number, cell.dose))
            groups += subgroups_of(reading.subgroups, pairs.gains, pairs.groups, cell.named(member))
            played.append(pairs)
        strong = masters(setting, reading, cell)
        for dose in doses_in(reading, cell):
            levels.append(
                _level(reading, cell, dose, [_select_dose(pairs, dose, cell) for pairs in played], measure, strong)
            )
    return dose_finding(
        reading,
        levels,
        say("the trait"),
        "" if reading.metric == "chips" else measure.what,
        unit=measure.unit,
        about={
            "treated": player_text(reading.treated),
            "baseline": player_text(reading.baseline),
            "metric": reading.metric,
            "margin": reading.margin,
            "alternative": reading.alternative,
            "hand": joined(", ", map(str, reading.population.hand)) or "any",
            **({"doses": reading.doses.what} if reading.doses else {}),
        },
        subgroups=tuple(discovered(groups)),
        exact=True,
        examples=examples(reading.panel, compared),
    )


def _level(
    reading: Policy,
    cell: Cell,
    dose: Dose | None,
    played: Sequence[Pairs],
    measure: Metric,
    strong: dict[Dose | None, tuple[Masters, ...]],
) -> Level:
    effects = [
        effect_of(member, pairs, reading.margin, reading.alternative)
        for member, pairs in zip(reading.panel, played, strict=True)
    ]
    share = float(cell.sampler.probability)
    if dose != cell.dose:  # how often a deal of the population has it was counted
        share *= float(np.mean([len(pairs.gains) for pairs in played])) / max(played[0].population, 1)
    deals = played[0].population or len(played[0].gains)
    level = level_of(effects, reading, dose, deals, frequency=share, masters=strong.get(dose, ()))
    if measure.unit != "chips" or not level.pooled.effect.has_interval:
        return level
    return replace(level, per_hundred=100 * share * level.pooled.effect.mean)


def _select_dose(pairs: Pairs, dose: Dose | None, cell: Cell) -> Pairs:
    """Return the deals of a dose of the position, whose value is the last of the groups."""
    if dose == cell.dose:
        return pairs
    some = (pairs.groups[:, -1] >= dose.least) & (pairs.groups[:, -1] <= dose.most) if dose else slice(None)
    return Pairs(pairs.gains[some], pairs.changed[some], pairs.groups[some], len(pairs.gains))


def _planned(setting: Setting, reading: Policy, sampler: Sampler, member: str, number: int) -> Pairs:
    """Play as many deals as the plan says."""
    most = setting.deals or reading.plan.most

    def more(first: int, deals: int, total: int) -> Pairs:
        return pairs_in(setting, reading, sampler, member, number, first, deals, total)

    pilot = more(0, min(PILOT, most), most)
    total = setting.deals or enough(reading, float(np.std(pilot.gains)))
    return _joined(pilot, more(PILOT, total - PILOT, total)) if total > PILOT else pilot


def enough(reading: Policy, spread: float) -> int:
    """Return how many deals of this spread a plan asks for: of each dose, which shares the level with the others."""
    plan, among = reading.plan, len(reading.doses.values) if reading.doses else 1
    if spread == 0:
        return plan.least
    alpha = 1 - (1 - ALPHA) ** (1 / among)
    return min(plan.most, max(plan.least, samples_for(reading.margin, spread, alpha, plan.power)))


def _joined(one: Pairs, other: Pairs) -> Pairs:
    gains, changed, groups = (np.concatenate(both) for both in zip(one[:3], other[:3], strict=True))
    return Pairs(gains, changed, groups)


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
    """Play some deals of a stream with the trait and without it; `total`: of the figure, to say how far it is."""
    measure = metrics_of(setting.game)[reading.metric]
    opponent = setting.player(member)
    baseline = setting.player(reading.baseline, member)
    treated = setting.player(reading.treated, member, agent_in(reading.baseline))
    source = setting.source(sampler, number)
    won, changed, groups = [], [], []
    for block in setting.blocks(source, first, deals, total):
        ends = [source.play_with(block, opponent, hero, measure.acted) for hero in (treated, baseline)]
        values = [measure.values(end, reading.number or 0) for end in ends]
        won.append(values[0] - values[1])
        changed.append(differ(*(end.states for end in ends)))
        seen = block.states.copy().view(np.recarray)
        seen.to_act = block.seats[:, 0]
        groups.append(group_values(setting, seen, recorded_features(setting, reading)))
    return Pairs(np.concatenate(won), np.concatenate(changed), np.concatenate(groups))


def effect_of(label: str, pairs: Pairs, margin: float, alternative: str) -> Effect:
    deals = pairs.population or len(pairs.gains)
    if not len(pairs.gains):
        none = NOTHING._replace(samples=deals)
        return Effect(label, none, verdicts.unjudged([none], deals), 1.0, counted=label != UNSKILLED)
    interval = estimate(pairs.gains)
    return Effect(
        label,
        interval,
        verdicts.unjudged([interval], deals) or verdicts.judge(interval, margin, alternative).verdict,
        t_test(pairs.gains),
        counted=label != UNSKILLED,
        changed=float(pairs.changed.mean()),
    )


def detectable(plan: Plan, spread: float, deals: int) -> float:
    """Return the smallest mean that so many deals find with the plan's power."""
    from scipy.special import ndtri

    return float((ndtri(1 - ALPHA / 2) + ndtri(plan.power)) * spread / deals**0.5)
