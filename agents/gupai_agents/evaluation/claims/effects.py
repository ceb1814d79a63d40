"""What all designs do with what they have played: effects of opponents and subgroups, and the answer over a panel."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.doses import in_words, judged
from gupai_agents.evaluation.claims.features import values_of
from gupai_agents.evaluation.claims.players import SAME
from gupai_agents.evaluation.claims.results import Effect, Finding, Level, finding, pool_numbers
from gupai_agents.evaluation.claims.schema import Action, Condition, Dose, Named, Policy
from gupai_agents.evaluation.claims.setting import Setting
from gupai_agents.evaluation.statistics import Estimate, estimate, false_discovery, holm, t_test
from gupai_env.games.claims import Positions
from gupai_env.words.messages import Message, capitalized, joined, say

FEWEST_IN_GROUP = 30


def group_values(setting: Setting, states: np.recarray, subgroups: Sequence[Named]) -> np.ndarray:
    positions = Positions(setting.game, setting.variant, states, np.zeros((len(states), 0), bool))
    values = [values_of(positions, condition) for condition in subgroups]
    return np.array(values, int).reshape(len(subgroups), len(states)).T


def subgroups_of(conditions: Sequence[Condition], values: np.ndarray, groups: np.ndarray, member: str) -> list[Effect]:
    effects = []
    for column, condition in enumerate(conditions):
        bounded = condition.exactly is not None or condition.at_least is not None or condition.at_most is not None
        for value in np.unique(groups[:, column]).tolist():
            if bounded and not condition.least <= value <= condition.most:
                continue
            some = values[groups[:, column] == value]
            if len(some) >= FEWEST_IN_GROUP:
                group = say("{feature}: {value}, {member}", feature=condition.what, value=value, member=say(member))
                effects.append(Effect(group, estimate(some), p=t_test(some), counted=False))
    return effects


def discovered(groups: list[Effect]) -> list[Effect]:
    rates = false_discovery([effect.p or 0.0 for effect in groups])
    return [replace(effect, p=rate) for effect, rate in zip(groups, rates, strict=True)]


def counted_effects(effects: Sequence[Effect]) -> Sequence[Effect]:
    """Return the effects that a verdict rests on: those of skilled opponents, or all if there are none."""
    return [effect for effect in effects if effect.counted] or effects


def level_of(effects: Sequence[Effect], how: Policy | Action, dose: Dose | None, deals: int, **more: Any) -> Level:
    """Return what opponents come to at a dose: p adjusted by Holm, and the verdict of those that count.

    Args:
        how: The reading.
        deals: That were played with each.
        more: Other fields of the level.
    """
    counted, among = counted_effects(effects), len(how.doses.values) if how.doses else 1
    p = holm([effect.p if effect.p is not None else 1.0 for effect in counted])
    adjusted = {effect.label: value for effect, value in zip(counted, p, strict=True)}
    members = [effect.estimate for effect in counted]
    member_verdicts = [effect.verdict for effect in counted]
    judged, remark = verdicts.judge_panel(members, member_verdicts, p, how.margin, how.alternative, among)
    if none := verdicts.unjudged(members, deals):
        judged, remark = verdicts.Judged(none), ""
    corrected = tuple(replace(effect, p=adjusted.get(effect.label, effect.p)) for effect in effects)
    return Level(
        dose,
        say("{feature}: {dose}", feature=how.doses.what, dose=in_words(dose)) if how.doses and dose else "",
        judged.verdict,
        verdicts.pool(members, among),
        corrected,
        remark,
        judged.deals_needed,
        **more,
    )


def dose_finding(
    reading: Policy | Action, levels: Sequence[Level], who: str, quantity: str = "", **more: Any
) -> Finding:
    """Return what a reading has come to: at all of its doses, or in all deals.

    Args:
        who: What gains or loses.
        quantity: Is measured, if it is no chips.
        more: Other fields of the finding.
    """
    p = [level.pooled.p for level in levels]
    if not reading.doses:
        (one,) = levels
        return finding(
            reading,
            one.verdict,
            sentence_of(one.pooled.effect, reading.margin, who, quantity, one.pooled),
            remark=one.remark or verdicts.why(one.verdict),
            effects=one.effects,
            pooled=pool_numbers(one.pooled),
            masters=one.masters,
            frequency=one.frequency,
            per_hundred=one.per_hundred,
            deals_needed=one.deals_needed,
            p=None if one.verdict in verdicts.UNJUDGED else p[0],
            **more,
        )
    verdict, headline = judged(levels, not quantity)
    # That nothing is so at any dose; where all agree, that it is not so at the one that is least sure.
    combined = min(1.0, len(p) * min(p)) if verdict == verdicts.DEPENDS else max(p)
    texts = joined("; ", [_dose_text(level, quantity) for level in reversed(levels)])
    if quantity:
        texts = say("{findings} ({metric})", findings=texts, metric=say(quantity))
    return finding(
        reading,
        verdict,
        say("{subject}, by {feature}: {text}.", subject=capitalized(who), feature=reading.doses.what, text=texts),
        headline=headline,
        remark=verdicts.why(verdict),
        doses=tuple(levels),
        p=None if verdict in verdicts.UNJUDGED else combined,
        **more,
    )


def _dose_text(level: Level, quantity: str) -> str:
    """Return the figures of a dose in words, the range over opponents first where they differ."""
    assert level.dose
    estimate, digits = level.pooled.effect, 3 if quantity else 2
    dose = in_words(level.dose)
    if not estimate.has_interval:
        text = say(estimate.text(digits))
        return say("with {dose} {text}" if estimate.occurred else "with {dose} it {text}", dose=dose, text=text)
    change = f"{estimate.mean:+z.{digits}f}" if quantity else f"{abs(estimate.mean):.{digits}f}"
    mean = change if quantity else say("{chips} chips", chips=change)
    interval = say("({low} to {high})", low=f"{estimate.low:+z.{digits}f}", high=f"{estimate.high:+z.{digits}f}")
    figures = {"dose": dose, "mean": mean, "interval": interval}
    if level.pooled.differ:
        spread = ranged(level.pooled, digits)
        return say("with {dose} {spread} by opponent, mean {mean} {interval}", spread=spread, **figures)
    if quantity:
        return say("with {dose} {mean} {interval}", **figures)
    if estimate.mean >= 0:
        return say("with {dose} it gains {mean} {interval}", **figures)
    return say("with {dose} it loses {mean} {interval}", **figures)


def ranged(pooled: verdicts.Pooled, digits: int = 2) -> Message:
    low, high = (f"{end:+z.{digits}f}" for end in pooled.range)
    return say("{least} to {most}", least=low, most=high)


def joint_verdict(member_verdicts: Sequence[str]) -> tuple[str, str]:
    """Return the verdict of several players: that of all, or inconclusive where they differ."""
    kinds = set(member_verdicts)
    if verdicts.MEASURED in kinds:  # the others did not occur
        return verdicts.MEASURED, ""
    if len(kinds) == 1:
        return member_verdicts[0], verdicts.why(member_verdicts[0])
    if {verdicts.SUPPORTED, verdicts.CONTRADICTED} <= kinds:
        return verdicts.INCONCLUSIVE, "it depends on who plays"
    return verdicts.INCONCLUSIVE, "not clear with every player"


def player_text(spec: Any) -> str:
    """Return a player of a file as a report names it."""
    if isinstance(spec, str):
        return say("the opponent itself" if spec == SAME else spec)
    changes = spec.model_dump(exclude_none=True, exclude={"agent"})
    return joined(", ", [player_text(spec.agent), *(f"{key} {value}" for key, value in changes.items())])


def sentence_of(
    effect: Estimate, margin: float, who: str, quantity: str = "", pooled: verdicts.Pooled | None = None
) -> str:
    """Return an effect in words: chips gained or lost or, of another metric, by how much `quantity` changes.

    Where opponents differ (`pooled`) the range comes first.
    """
    subject, metric = capitalized(who if "," not in who else say("{subject},", subject=who)), say(quantity or "chips")
    if not effect.occurred:
        return say("{subject} {finding}.", subject=subject, finding=say(effect.text()))
    if not effect.has_interval:
        return say("{subject} changes {metric} by {change}.", subject=subject, metric=metric, change=say(effect.text()))
    figures: dict[str, str] = {"subject": subject, "low": f"{effect.low:+z.2f}", "high": f"{effect.high:+z.2f}"}
    little = say(", less than the {margin:g} worth naming", margin=margin)
    figures["less"] = "" if abs(effect.mean) >= margin else little
    spread = ranged(pooled, 3 if quantity else 2) if pooled is not None and pooled.differ else ""
    if quantity:
        change = say("{spread} by opponent, on average {mean}", spread=spread, mean=f"{effect.mean:+z.3f}")
        figures.update(change=change if spread else f"{effect.mean:+z.3f}", metric=metric)
        return say("{subject} changes this by {change} (95% interval {low} to {high}){less}: {metric}.", **figures)
    if spread:
        figures |= {"spread": spread, "mean": f"{effect.mean:+z.2f}"}
        figures["change"] = say("{spread} by opponent, by {mean} on average", **figures)
        return say("{subject} changes chips by {change} (95% interval {low} to {high}){less}.", **figures)
    figures["chips"] = f"{abs(effect.mean):.2f}"
    if effect.mean >= 0:
        return say("{subject} gains {chips} chips (95% interval {low} to {high}) when it comes up{less}.", **figures)
    return say("{subject} loses {chips} chips (95% interval {low} to {high}) when it comes up{less}.", **figures)
