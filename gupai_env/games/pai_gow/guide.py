"""What leads newcomers through a deal of Pai Gow."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gupai_env.games.guide import Guide, Payment, Phrase
from gupai_env.games.pai_gow.groups import group_name
from gupai_env.games.pai_gow.rules import PaiGow
from gupai_env.games.pai_gow.table import CAME_OF, groups_at, results_of
from gupai_env.games.phrases import says
from gupai_env.words.messages import joined, say
from gupai_env.words.scene import YOU, Views


class PaiGowGuide(Guide):
    """Pai Gow: one split, and how each group met the banker's."""

    kind = "A casino game against a banker: everybody splits four tiles, then all compare"

    variant: PaiGow
    terms: ClassVar[Mapping[str, str]] = {
        "banker": "The player whom all others meet, each alone.",
        "high group": "The better one of your two groups; it meets the banker's better one.",
        "supreme pair": "[4:2][2:1], which beats every other group.",
        "wong": "[6:6] or [1:1] with a nine.",
        "gong": "[6:6] or [1:1] with an eight.",
        "push": "Neither wins, and nothing is paid.",
    }
    card_words: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        "high": ("the highest high group", "the lowest high group"),
        "low": ("the highest low group", "the lowest low group"),
        "high_points": "points in the high group",
        "low_points": "points in the low group",
        "high_pair": "make the high group a pair",
        "high_gong": "make the high group a wong or a gong",
        "high_nine": "make the high group a nine with [6:6] or [1:1]",
        "low_pair": "make the low group a pair",
    }
    card_notes: ClassVar[Mapping[str, str]] = {
        "points in": "The pips without the tens; a gong counts 10 points, a wong 11, any pair 12."
    }

    phrases: ClassVar[Mapping[str, Phrase]] = {
        "high_probability": Phrase(
            "beats {high:.0%} of high groups and {low:.0%} of low ones",
            shows={"high_probability": 1, "low_probability": 1},
            weighs=("high", "low", "both_probability", "high_pair", "high_gong", "high_nine", "low_pair"),
        )
    }

    def goal(self) -> str:
        """Return the goal of the game in a line."""
        return "Split four tiles into two pairs so that both beat the banker's; if you are the banker, beat everybody."

    def task(self, view: np.record, mask: np.ndarray) -> str:
        """Return that the hand is to be split, and against whom."""
        if self.variant.small:
            return "show your two tiles, for there is nothing to decide"
        if view.banker == 0:
            return "split your four tiles into two groups, which meet those of everybody"
        return "split your four tiles into two groups, which meet the banker's two"

    def slots(self, view: np.record, action: int, other: int, values: Mapping[str, float]) -> dict[str, Any]:
        """Return also the shares of groups that are lower than those of a split."""
        chances = {"high": values["high_probability"], "low": values["low_probability"]}
        return super().slots(view, action, other, values) | chances

    def lessons(self, view: np.record, mask: np.ndarray) -> Iterator[str]:
        """Yield how groups meet."""
        if not self.variant.small:
            yield (
                "Your better group meets the banker's better group, your other one the other. You win only if you win "
                "both, or win one and push the other, so a weak group can cost what a strong one gains."
            )
        yield "From the top: pairs, wong, gong, then points, the last digit of the pips of both tiles."

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield what the banker's groups make, and what came of those of all others."""
        near = views[0]
        rules = self.variant.as_rules()
        banker = self._banker(views)
        bankers = groups_at(near, banker)
        yield says(
            names[banker],
            "{name}, the banker, has {groups}.",
            "{name}, the banker, have {groups}.",
            groups=joined(" and ", [group_name(near.table, *group) for group in bankers]),
        )
        for seat, name in enumerate(names):
            if seat != banker:
                groups = groups_at(near, seat)
                met = zip(groups, results_of(rules, near, groups, bankers), strict=True)
                made = joined(
                    " and ",
                    [
                        say("{group} ({result})", group=group_name(near.table, *group), result=CAME_OF[came])
                        for group, came in met
                    ],
                )
                yield (
                    say("Your groups against these: {groups}.", groups=made)
                    if name == YOU
                    else say("{name}'s groups against these: {groups}.", name=name, groups=made)
                )

    def payments(self, views: Views, payoffs: Sequence[float]) -> list[Payment]:
        """Return what every player settles with the banker, less the commission."""
        banker = self._banker(views)
        return [
            Payment(banker, seat, chips) if chips > 0 else Payment(seat, banker, -chips)
            for seat, chips in enumerate(payoffs)
            if seat != banker and chips
        ]

    def _banker(self, views: Views) -> int:
        return int(views[0].banker)


GUIDE = PaiGowGuide
