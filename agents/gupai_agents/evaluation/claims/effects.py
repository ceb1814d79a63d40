"""What all designs do with what they have played: effects of opponents and subgroups, and the answer over a panel."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.features import values_of
from gupai_agents.evaluation.claims.players import SAME
from gupai_agents.evaluation.claims.results import Effect
from gupai_agents.evaluation.claims.schema import Condition
from gupai_agents.evaluation.claims.tables import Setting
from gupai_agents.evaluation.statistics import Estimate, estimate, false_discovery, holm, t_test
from gupai_env.core.claims import Positions

FEWEST_IN_GROUP = 30


def group_values(setting: Setting, states: np.recarray, subgroups: Sequence[Condition]) -> np.ndarray:
    at = Positions(setting.game, setting.variant, states, np.zeros((len(states), 0), bool))
    values = [values_of(at, each) for each in subgroups]
    return np.array(values, int).reshape(len(subgroups), len(states)).T


def subgroups_of(conditions: Sequence[Condition], values: np.ndarray, groups: np.ndarray, member: str) -> list[Effect]:
    found = []
    for column, condition in enumerate(conditions):
        bounded = condition.exactly is not None or condition.at_least is not None or condition.at_most is not None
        for value in np.unique(groups[:, column]).tolist():
            if bounded and not condition.least <= value <= condition.most:
                continue
            some = values[groups[:, column] == value]
            if len(some) >= FEWEST_IN_GROUP:
                what = condition.feature if condition.number is None else f"{condition.feature} {condition.number}"
                found.append(Effect(f"{what}: {value}, {member}", estimate(some), p=t_test(some), counted=False))
    return found


def discovered(groups: list[Effect]) -> list[Effect]:
    rates = false_discovery([each.p or 0.0 for each in groups])
    return [replace(each, p=rate) for each, rate in zip(groups, rates, strict=True)]


def those_counted(effects: Sequence[Effect]) -> Sequence[Effect]:
    """Return the effects that a verdict rests on: those of skilled opponents, or all if there are none."""
    return [each for each in effects if each.counted] or effects


def over_panel(effects: list[Effect], margin: float, alternative: str) -> tuple[list[Effect], verdicts.Judged, str]:
    """Return the effects with p adjusted by Holm, and the verdict of those that count."""
    counted = those_counted(effects)
    p = holm([each.p if each.p is not None else 1.0 for each in counted])
    adjusted = {each.label: value for each, value in zip(counted, p, strict=True)}
    judged, remark = verdicts.judge_panel(
        [each.estimate for each in counted], [each.verdict for each in counted], p, margin, alternative
    )
    return [replace(each, p=adjusted.get(each.label, each.p)) for each in effects], judged, remark


def agreed(found: Sequence[str]) -> tuple[str, str]:
    """Return the verdict of several players: that of all, or inconclusive where they differ."""
    kinds = set(found)
    if len(kinds) == 1:
        return found[0], ""
    if {verdicts.SUPPORTED, verdicts.CONTRADICTED} <= kinds:
        return verdicts.INCONCLUSIVE, "it depends on who plays"
    return verdicts.INCONCLUSIVE, "not clear with every player"


def pool_numbers(pooled: verdicts.Pooled) -> dict[str, float | None]:
    return {**pooled.effect.as_numbers(), "q": pooled.q, "p_q": pooled.p_q, "i2": pooled.i2}


def player_text(spec: Any) -> str:
    """Return a player of a file as a report names it."""
    if isinstance(spec, str):
        return "the opponent itself" if spec == SAME else spec
    changes = spec.model_dump(exclude_none=True, exclude={"agent"})
    return ", ".join([player_text(spec.agent), *(f"{key} {value}" for key, value in changes.items())])


def sentence_of(found: Estimate, margin: float, who: str, what: str = "") -> str:
    """Return an effect in words: chips gained or lost or, of another metric, by how much `what` changes."""
    begun = who[0].upper() + who[1:]
    if not np.isfinite(found.half_width):
        return f"{begun} came up too rarely to be measured."
    shown = f"(95% interval {found.low:+.2f} to {found.high:+.2f})"
    named = "" if abs(found.mean) >= margin else f", less than the {margin:g} worth naming"
    if what:
        return f"{begun} changes this by {found.mean:+.3f} {shown}{named}: {what}."
    change = "gains" if found.mean >= 0 else "loses"
    return f"{begun} {change} {abs(found.mean):.2f} chips {shown} when it comes up{named}."
