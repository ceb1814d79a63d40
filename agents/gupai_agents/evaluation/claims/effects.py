"""What readings do with what they have played: effects of opponents and subgroups, and an effect in words."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.features import values_of
from gupai_agents.evaluation.claims.players import SAME, UNSKILLED
from gupai_agents.evaluation.claims.results import Effect, Example, Level, Pooled
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import MOST, Condition, Dose, Named
from gupai_agents.evaluation.claims.setting import Setting
from gupai_agents.evaluation.statistics import Estimate, estimate, false_discovery, holm, t_test
from gupai_env.games.claims import Positions
from gupai_env.messages import Message, capitalized, joined, say

GAIN, LOSS, MEDIAN = "largest gain", "largest loss", "median"
FEWEST_IN_GROUP = 30
COMES_TO = {
    verdicts.NO_EFFECT: "it matters little",
    verdicts.TOO_RARE: "it comes up too rarely to say",
    verdicts.TOO_FEW: "there are too few deals to say",
}
WORDS = ["0", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def group_values(setting: Setting, states: np.recarray, subgroups: Sequence[Named]) -> np.ndarray:
    """Return the values of features in positions, int [N, features].

    Args:
        setting: What is played.
        states: The positions, a record array [N].
        subgroups: The features.
    """
    positions = Positions(setting.game, setting.variant, states, np.zeros((len(states), 0), bool))
    values = [values_of(positions, condition) for condition in subgroups]
    return np.array(values, int).reshape(len(subgroups), len(states)).T


def subgroups_of(conditions: Sequence[Condition], values: np.ndarray, groups: np.ndarray, member: str) -> list[Effect]:
    """Return the effects in the subgroups of a sample that are large enough.

    Args:
        conditions: Their features, with bounds where only some values count.
        values: Chips gained, float64 [N].
        groups: The values of the features, int [N, features].
        member: The player of the panel.
    """
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


def dose_text(level: Level, quantity: str) -> str:
    """Return the figures of a dose in words, the range over opponents first where they differ."""
    assert level.dose
    estimate, digits = level.pooled.effect, 3 if quantity else 2
    dose = in_words(level.dose)
    if not estimate.has_interval:
        text = say(estimate.text(digits))
        return say("with {dose} {text}" if estimate.occurred else "with {dose} it {text}", dose=dose, text=text)
    signed = quantity or level.pooled.differ  # "gains" and "loses" say the sign otherwise
    change = f"{estimate.mean:+z.{digits}f}" if signed else f"{abs(estimate.mean):.{digits}f}"
    mean = change if quantity else say("{chips} chips", chips=change)
    interval = say("({low} to {high})", low=f"{estimate.low:+z.{digits}f}", high=f"{estimate.high:+z.{digits}f}")
    figures = {"dose": dose, "mean": mean, "interval": interval}
    if level.pooled.differ:
        spread = ranged(level.pooled, digits)
        return say("with {dose} {spread} by opponent, mean {mean} {interval}", spread=spread, **figures)
    if quantity:
        return say("with {dose} {mean} {interval}", **figures)
    gains = "with {dose} it gains {mean} {interval}"
    return say(gains if estimate.mean >= 0 else "with {dose} it loses {mean} {interval}", **figures)


def ranged(pooled: Pooled, digits: int | None = None, unit: str = "") -> Message:
    """Return the smallest and the largest mean over opponents, shares in per cent."""
    times, sign = (100, "%") if unit.startswith("share") else (1, "")
    ends = pooled.least or 0.0, pooled.most or 0.0
    low, high = (f"{times * end:+z.{digits or (2 if sign or abs(end) >= 1 else 3)}f}{sign}" for end in ends)
    return say("{least} to {most}", least=low, most=high)


def joint_verdict(member_verdicts: Sequence[str], p: Sequence[float]) -> tuple[str, str, float | None]:
    """Return the verdict of several players, a remark where they differ, and its p from theirs: all must agree."""
    kinds = set(member_verdicts)
    if verdicts.MEASURED in kinds:  # the others did not occur
        return verdicts.MEASURED, "", None
    if len(kinds) == 1:
        one = member_verdicts[0]
        return one, verdicts.why(one), None if one in verdicts.UNJUDGED else max(p)
    if (apart := verdicts.disagreement(member_verdicts, holm(p))) < verdicts.RATE:
        return verdicts.DEPENDS, "it depends on who plays", apart
    return verdicts.INCONCLUSIVE, "not clear with every player", max(p)


def player_text(spec: Any) -> str:
    """Return a player of a file as a report names it."""
    if isinstance(spec, str):
        return say("the opponent itself" if spec == SAME else spec)
    changes = spec.model_dump(exclude_none=True, exclude={"agent"})
    return joined(", ", [player_text(spec.agent), *(f"{key} {value}" for key, value in changes.items())])


def sentence_of(effect: Estimate, margin: float, who: str, quantity: str = "", pooled: Pooled | None = None) -> str:
    """Return an effect in words: chips gained or lost or, of another metric, by how much `quantity` changes.

    Where opponents differ (`pooled`) the range comes first.

    Args:
        effect: The estimate, in chips or in the unit of a metric.
        margin: The least that is worth naming.
        who: The subject of the sentence, which does what is claimed.
        quantity: What changes, "" for chips.
        pooled: The effects at several opponents, None for a single one.
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


# --- deals to look at -----------------------------------------------------------------------------


class Compared(NamedTuple):
    """What was gained in deals of one stream: the number of each deal, int [N], and its gain, [N].

    stream, dose: which stream that was, and the dose of the hand that it was dealt to, if any.
    choices: int [N, 3], of forked positions the number of the move (from 0), the action and the one compared with it.
    """

    deals: np.ndarray
    gains: np.ndarray
    choices: np.ndarray | None = None
    stream: int = 0
    dose: Dose | None = None


def examples(panel: Sequence[str], compared: Sequence[Sequence[Compared]]) -> tuple[Example, ...]:
    """Return where to look at the largest gain, the largest loss and the median, over all players that count.

    compared: by player of the panel its streams, only what was played otherwise. Equal ones: the first player's first.
    """
    counted = [number for number, member in enumerate(panel) if member != UNSKILLED] or list(range(len(panel)))
    comparisons = [(panel[number], comparison) for number in counted for comparison in compared[number]]
    which = np.concatenate([np.full(len(comparison.gains), index) for index, (_, comparison) in enumerate(comparisons)])
    if not len(which):
        return ()
    rows = np.concatenate([np.arange(len(comparison.gains)) for _, comparison in comparisons])
    gains = np.concatenate([comparison.gains for _, comparison in comparisons])
    order = np.argsort(gains, kind="stable")
    places = {
        GAIN: int(np.argmax(gains)) if gains.max() > 0 else None,
        LOSS: int(np.argmin(gains)) if gains.min() < 0 else None,
        MEDIAN: int(order[(len(order) - 1) // 2]),
    }
    entries = []
    for label, index in places.items():
        if index is None:
            continue
        (member, comparison), row = comparisons[int(which[index])], int(rows[index])
        dose = comparison.dose.text if comparison.dose else ""
        choice = () if comparison.choices is None else map(int, comparison.choices[row])
        deal, gain = int(comparison.deals[row]), float(gains[index])
        entries.append(Example(label, member, comparison.stream, deal, gain, dose, *choice))
    return tuple(entries)


# --- doses: from where a claim holds --------------------------------------------------------------


class Cell(NamedTuple):
    """Deals that are drawn together: all of a reading, or those of one dose of the hand.

    dose: None where all deals are drawn alike. stream: the number of its first stream, that of the first player. doses:
    those among its deals; only None where there are none.
    """

    dose: Dose | None
    sampler: Sampler
    stream: int
    doses: Sequence[Dose | None]

    def named(self, member: str) -> str:
        """Return a player with the dose that its deals are of."""
        return say("{member}, with {dose}", member=say(member), dose=in_words(self.dose)) if self.dose else member


def in_words(dose: Dose) -> Message:
    """Return a dose in words: "three", "five or more", "4 to 7"."""
    if dose.most >= MOST:
        return say("{number} or more", number=_word(dose.least))
    if dose.least == dose.most:
        return _word(dose.least)
    least, most = (_word(number) if dose.least else number for number in (dose.least, dose.most))
    return say("{least} to {most}", least=least, most=most)


def _word(number: int) -> Message:
    return say(WORDS[number] if number < len(WORDS) else str(number))


def judged(levels: Sequence[Level], chips: bool) -> tuple[str, str]:
    """Return the verdict over doses, one word if they agree, and the headline that says from where it holds."""
    kinds = {level.verdict for level in levels}
    if len(kinds) == 1:
        return levels[0].verdict, levels[0].verdict
    clauses = []
    # Those that lie side by side are named together where they come to the same.
    for same, run in groupby(
        levels, lambda level: level.verdict if level.verdict == verdicts.SUPPORTED else effect_text(level, chips)
    ):
        some = list(run)
        clauses.append((same, _clause(some, levels, chips)))
    held = [text for same, text in clauses if same == verdicts.SUPPORTED]
    others = [text for same, text in reversed(clauses) if same != verdicts.SUPPORTED]
    open_ones = (verdicts.INCONCLUSIVE, *verdicts.UNJUDGED)
    known = [level.verdict for level in levels if level.verdict not in open_ones]
    return verdicts.DEPENDS if known else verdicts.INCONCLUSIVE, joined("; ", [*held, *others])


def _clause(run: Sequence[Level], levels: Sequence[Level], chips: bool) -> str:
    """Return in words what was found at some doses that lie side by side."""
    dose = _listed([level.dose for level in run if level.dose])
    if run[0].verdict != verdicts.SUPPORTED:
        return say("with {dose} {finding}", dose=dose, finding=say(effect_text(run[0], chips)))
    assert run[0].dose and run[-1].dose
    if run[-1] is levels[-1] and run[0].dose.least:
        return say("supported from {dose}", dose=_word(run[0].dose.least))
    if run[0] is levels[0] and len(run) > 1:
        return say("supported up to {dose}", dose=_word(run[-1].dose.most))
    return say("supported with {dose}", dose=dose)


def _listed(doses: Sequence[Dose]) -> str:
    """Return doses that lie side by side in words."""
    one, last = doses[0], doses[-1]
    if len(doses) == 2 and all(dose.least == dose.most for dose in doses):
        return joined(" and ", [_word(one.least), _word(last.most)])
    return in_words(Dose("", one.least, last.most))


def effect_text(level: Level, chips: bool) -> str:
    """Return what comes of it at one dose, in a few words."""
    effect, verdict = level.pooled.effect, level.verdict
    if verdict == verdicts.DEPENDS:
        low, high = level.pooled.least, level.pooled.most
        return say("it depends on the opponents ({low:+z.1f} to {high:+z.1f})", low=low, high=high)
    if verdict in COMES_TO:
        return COMES_TO[verdict]
    much = f"{abs(effect.mean):.1f}" if abs(effect.mean) >= 0.95 or not chips else f"{abs(effect.mean):.2f}"
    text = verdicts.word_of("chips" if chips else "quantity", effect)
    return say(text.replace("{much}", "little ({much})") if verdict == verdicts.SMALL else text, much=much)
