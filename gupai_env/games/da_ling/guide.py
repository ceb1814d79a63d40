"""What people see and read of Da Ling."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.hints import Line
from gupai_env.core.scene import Views
from gupai_env.core.variant import FULL
from gupai_env.games import guide
from gupai_env.games.da_ling.rules import GROUPS, NO_MATCH, SPLITS
from gupai_env.games.da_ling.table import GROUP_NAMES, colour_named, is_push, winners_of
from gupai_env.games.da_ling.table import Table as Table
from gupai_env.games.guide import Payment, Phrase
from gupai_env.games.phrases import says
from gupai_env.messages import joined, say


class Guide(guide.Guide):
    """Da Ling: every split with the stakes that it matches, the highest in all first, and who takes which stakes."""

    kind = "A game of splitting, like Chinese poker: everybody arranges a hand, then all compare"
    goal = "Split your tiles into a single, a pair and a triple, so that the pips of each end in the target."
    reminders = (
        Line(
            "Split your {tiles}. A group matches if its points end in the target; [4:2] and [2:1] count 3 or 6. All "
            "three take everything; else the strongest group takes its stake."
        ),
    )
    most_shown = 12
    answers = "Type the number of a split, or write it with its slashes."
    headings: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        "": "Your splits, the highest stakes first, and the stakes of the groups that match"
    }
    sorted_by = "greedy"
    tasks = (Line("split your hand into {groups} whose pips end in {target}"),)
    lessons = (
        Line(
            "The pips on the table end in {target}, so that is the target. A group of yours matches if its pips end in "
            "{target} too; [4:2] and [2:1] each count 3 or 6, whichever helps."
        ),
        Line(
            "Of the groups that match the one with most {colour} pips takes its stake from everybody; who matches with "
            "all three groups takes everything."
        ),
    )
    terms: ClassVar[Mapping[str, str]] = {
        "target": "The last digit of the pips of the two table tiles.",
        "match": "A group matches if the last digit of its pips is the target.",
        "colour": "Red if the table tiles show four or more red pips, else black; pips of that colour decide ties.",
        "absolute winner": "Who matches with all three groups, and takes all stakes of everybody.",
    }
    card_words: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        "stakes": "stakes on groups that match",
        "pips": "pips of the colour in groups that match",
        "absolute": "match with all three groups",
        "single_pips": "pips of the colour in a matching single",
        "pair_pips": "pips of the colour in a matching pair",
        "triple_pips": "pips of the colour in a matching triple",
    }

    phrases: ClassVar[Mapping[str, Phrase]] = {
        "absolute": Phrase("matches with all three", none="does not"),
        "stakes": Phrase(
            "matches groups of {number:g} chips",
            "matches a group of one chip",
            "matches nothing",
            weighs=("pips", "stake_pips"),
        ),
        "single_probability": Phrase(
            "wins the single {single_often}", none="has no matching single", weighs=("single_pips",)
        ),
        "pair_probability": Phrase("wins the pair {pair_often}", none="has no matching pair", weighs=("pair_pips",)),
        "triple_probability": Phrase(
            "wins the triple {triple_often}", none="has no matching triple", weighs=("triple_pips",)
        ),
    }

    def facts(self, view: np.record | None) -> dict[str, Any]:
        """Return how a hand is split, the target and the colour."""
        full = self.variant.deck == FULL
        tiles = (
            "six tiles into a single, a pair and a triple"
            if full
            else "three tiles, one as the single, one as the pair and one as the triple"
        )
        if view is None:
            return {"tiles": say(tiles)}
        groups = say("a single, a pair and a triple" if full else "three groups of one tile")
        return {"groups": groups, "target": int(view.target), "colour": colour_named(view)}

    def remark(self, view: np.record, action: int) -> str:
        """Return the stakes of the groups of a split that match."""
        return "+".join(filter(None, _matched(view, action))) or "-"

    def makes(self, view: np.record, action: int) -> tuple[str, ...]:
        """Return of each group whether it matches, and its stake."""
        return tuple(
            say("matches: stake {stake}", stake=stake) if stake else "no match" for stake in _matched(view, action)
        )

    def slots(self, view: np.record, action: int, other: int, values: Mapping[str, float]) -> dict[str, Any]:
        """Return also about how often each group wins its stake."""
        often = {f"{name}_often": _often(values[f"{name}_probability"]) for name in GROUP_NAMES}
        return super().slots(view, action, other, values) | often

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield who matched all, or who won which group."""
        absolute, winners = winners_of(views[0], self.variant)
        if absolute != NOBODY:
            yield says(
                names[absolute],
                "{name} matches with all three groups: all stakes go to an absolute winner.",
                "{name} match with all three groups: all stakes go to an absolute winner.",
            )
            return
        if is_push(views[0], self.variant):
            yield "The best of those who match with all three groups tie: nothing is paid."
            return
        for seat in dict.fromkeys(winner for winner in winners if winner != NOBODY):
            won = [name for name, winner in zip(GROUP_NAMES, winners, strict=True) if winner == seat]
            yield says(
                names[seat],
                "{name} has the best {groups}: it matches with most {colour} pips.",
                "{name} have the best {groups}: it matches with most {colour} pips.",
                groups=joined(" and ", won),
                colour=colour_named(views[0]),
            )
        for name, winner in zip(GROUP_NAMES, winners, strict=True):
            if winner == NOBODY:
                yield say("The {group} is nobody's: none matches, or the best ones tie.", group=name)

    def payments(self, views: Views, payoffs: Sequence[float]) -> list[Payment]:
        """Return what the winners of groups get from all others."""
        _, winners = winners_of(views[0], self.variant)
        seats, stakes = range(self.variant.players), self.variant.stakes
        owed = {(payer, winner): 0.0 for winner in seats for payer in seats if payer != winner}
        for group in range(GROUPS):
            for payer in seats:
                if winners[group] not in (NOBODY, payer):
                    owed[payer, winners[group]] += stakes[group]
        return [Payment(payer, winner, chips) for (payer, winner), chips in owed.items() if chips]


def _often(probability: float) -> str:
    """Return about how often something happens."""
    if 0.005 <= probability < 0.995:
        return say("about {share:.0%} of the time", share=probability)
    return say("less than 1% of the time" if probability < 0.5 else "more than 99% of the time")


def _matched(view: np.record, action: int) -> list[str]:
    """Return the stakes of the groups of a split, "" of those that do not match."""
    groups = SPLITS[action]
    return [f"{view.stakes[index]:g}" if view.strength[group] != NO_MATCH else "" for index, group in enumerate(groups)]
