"""Which of several rates or effects comes first."""

from collections.abc import Sequence

import numpy as np

from gupai_agents.agent import Agent
from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.actions import action_gains
from gupai_agents.evaluation.claims.check import variant_of
from gupai_agents.evaluation.claims.effects import joint_verdict
from gupai_agents.evaluation.claims.measures import metrics_of
from gupai_agents.evaluation.claims.players import UNSKILLED, player
from gupai_agents.evaluation.claims.report import written
from gupai_agents.evaluation.claims.results import Effect, Finding, finding
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import Item, Ordering
from gupai_agents.evaluation.claims.setting import ITEM_STREAMS, Block, Choice, DealSource, Setting, measured
from gupai_agents.evaluation.statistics import Estimate, holm
from gupai_env.core.rng import derive, draw
from gupai_env.core.streams import FIELD_STREAM
from gupai_env.games.claims import Metric
from gupai_env.words.messages import joined, say


def ordering(setting: Setting, reading: Ordering) -> Finding:
    """Measure every item with every member of the panel, and compare the first with all others."""
    deals = setting.deals or reading.deals
    effects: list[Effect] = []
    member_verdicts, remarks, behind = [], [], []
    unit = "chips" if reading.comparator else metrics_of(setting.game)[reading.metric].unit
    members = reading.panel or [" or ".join(field) for field in reading.fields]
    for number, member in enumerate(members):
        values = {}
        for place, item in enumerate(reading.items):
            setting.meter.begin(f"{item.label}, {member}")
            values[item.label] = _item(setting, reading, item, member, ITEM_STREAMS * (1 + place) + number, deals)
        compared = {label: figure for label, figure in values.items() if label not in reading.but}
        verdict, p, remark, of_all = _ranked(compared, reading.first, unit, deals)
        if member != UNSKILLED:
            member_verdicts.append(verdict)
            behind.append(of_all)
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
    verdict, remark = joint_verdict(member_verdicts or [verdicts.MEASURED])
    tested = [p_value for p_value in behind if p_value is not None]
    return finding(
        reading,
        verdict,
        say("{text}.", text=joined("; ", remarks)),
        unit=unit,
        remark=remark,
        about={"first": reading.first, "left out": ", ".join(reading.but) or None, "metric": reading.metric},
        effects=tuple(effects),
        p=max(tested) if tested and verdict not in verdicts.UNJUDGED else None,  # all players must agree
    )


def _item(setting: Setting, reading: Ordering, item: Item, member: str, number: int, deals: int) -> Estimate:
    if item.variant:
        setting = setting._replace(variant=variant_of(setting.game, {**reading.variant, **item.variant}))
    sampler = Sampler(setting.game, setting.variant, item.population)
    if reading.comparator:
        choice = Choice(item.population.position, item.action, [], reading.comparator)
        return action_gains(setting, sampler, member, number, choice, deals).gain
    measure, source = metrics_of(setting.game)[reading.metric], setting.source(sampler, number)
    blocks = setting.blocks(source, 0, deals)
    if reading.fields:
        field = [player(spec, setting.game, setting.variant) for spec in reading.fields[number % ITEM_STREAMS]]
        values = np.concatenate([_drawn(source, block, field, measure, item.number) for block in blocks])
    else:
        values = measured(setting, blocks, source, (measure, item.number), member, item.treated)
    return verdicts.rated(values, measure).figure


def _drawn(source: DealSource, block: Block, field: Sequence[Agent], measure: Metric, number: int | None) -> np.ndarray:
    """Return the values of deals at whose seats sit players that are drawn from a field."""
    rng_keys = [derive(int(seed), FIELD_STREAM) for seed in block.states.seed]
    seating = np.array([[draw(key, seat, len(field)) for seat in range(source.variant.players)] for key in rng_keys])
    return measure.values(source.play(block, field, seating), number or 0)


def _ranked(
    values: dict[str, Estimate], first: str, unit: str, deals: int
) -> tuple[str, dict[str, float], str, float | None]:
    """Return whether the first is first, p of its differences to the others (Holm), what is the order, and p of the
    verdict: that of the nearest other, or, where some are ahead of the first, of the farthest.
    """
    from scipy.special import ndtr

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
    p = dict(zip(others, holm([float(2 * ndtr(-abs(score))) for score in z]), strict=True))
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
