"""Doses: the same reading at several values of a feature, and from where its verdict holds, in words."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.features import hand_features_of
from gupai_agents.evaluation.claims.results import Level
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import MOST, Action, Condition, Dose, Named, Policy, Population
from gupai_agents.evaluation.claims.setting import DOSE_STREAMS, Setting
from gupai_env.core.game import Game
from gupai_env.words.messages import Message, joined, say

WORDS = ["0", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


class Cell(NamedTuple):
    """Deals that are drawn together: all of a reading, or those of one dose of the hand.

    dose: None where all deals are drawn alike. stream: the number of its first stream, that of the first player.
    """

    dose: Dose | None
    sampler: Sampler
    stream: int

    def named(self, member: str) -> str:
        """Return a player with the dose that its deals are of."""
        return say("{member}, with {dose}", member=say(member), dose=in_words(self.dose)) if self.dose else member


def is_hand_dose(reading: Policy | Action, game: Game) -> bool:
    """Whether the doses of a reading are dealt to order, as features of a hand are."""
    return reading.doses is not None and reading.doses.feature in hand_features_of(game)


def population_at(reading: Policy | Action, game: Game, dose: Dose | None) -> Population:
    """Return the population of a reading at one of its doses; None: at any from the lowest to the highest."""
    if reading.doses is None or not is_hand_dose(reading, game):
        return reading.population
    doses = reading.doses.doses
    least, most = (dose.least, dose.most) if dose else (doses[0].least, doses[-1].most)
    feature, number = reading.doses.feature, reading.doses.number
    met = Condition(feature=feature, number=number, at_least=least, at_most=None if most >= MOST else most)
    return reading.population.model_copy(update={"hand": [met, *reading.population.hand]})


def cells_of(setting: Setting, reading: Policy | Action) -> list[Cell]:
    """Return what is to be dealt for a reading."""
    game, doses = setting.game, reading.doses.doses if reading.doses else []
    if not is_hand_dose(reading, game):
        return [Cell(None, Sampler(game, setting.variant, reading.population), 0)]
    return [
        Cell(dose, Sampler(game, setting.variant, population_at(reading, game, dose)), DOSE_STREAMS * (1 + place))
        for place, dose in enumerate(doses)
    ]


def doses_in(reading: Policy | Action, cell: Cell) -> list[Dose | None]:
    """Return the doses that are among the deals of a cell; None where a reading has none."""
    if cell.dose or not reading.doses:
        return [cell.dose]
    return list(reading.doses.doses)


def recorded_features(setting: Setting, reading: Policy | Action) -> list[Named]:
    """Return the features of positions that are looked at: those of subgroups, and last that of doses."""
    own = [] if reading.doses is None or is_hand_dose(reading, setting.game) else [reading.doses]
    return [*reading.subgroups, *own]


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
    for same, run in groupby(levels, key=_sort_of):
        some = list(run)
        clauses.append((same, _clause(some, levels, chips)))
    held = [text for same, text in clauses if same == verdicts.SUPPORTED]
    others = [text for same, text in reversed(clauses) if same != verdicts.SUPPORTED]
    open_ones = (verdicts.INCONCLUSIVE, *verdicts.UNJUDGED)
    known = [level.verdict for level in levels if level.verdict not in open_ones]
    return verdicts.DEPENDS if known else verdicts.INCONCLUSIVE, joined("; ", [*held, *others])


def _sort_of(level: Level) -> str:
    """Return what a dose has in common with its neighbours that are named with it."""
    return level.verdict if level.verdict == verdicts.SUPPORTED else effect_text(level, True)


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
    effect = level.pooled.effect
    much = f"{abs(effect.mean):.1f}" if abs(effect.mean) >= 0.95 or not chips else f"{abs(effect.mean):.2f}"
    sides = ("it gains {much}", "it costs {much}") if chips else ("it adds {much}", "it takes away {much}")
    if level.remark:
        low, high = level.pooled.range
        return say("it depends on the opponents ({low:+z.1f} to {high:+z.1f})", low=low, high=high)
    side = sides[effect.mean < 0]
    if level.verdict in (verdicts.SUPPORTED, verdicts.CONTRADICTED):
        return say(side, much=much)
    if level.verdict == verdicts.NO_EFFECT:
        return "it matters little"
    if level.verdict == verdicts.TOO_RARE:
        return "it comes up too rarely to say"
    if level.verdict == verdicts.TOO_FEW:
        return "there are too few deals to say"
    if effect.low > 0 or effect.high < 0:
        return say(side.replace("{much}", "little ({much})"), much=much)
    return "it is not settled"
