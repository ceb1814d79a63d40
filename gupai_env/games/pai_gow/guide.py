"""What people see and read of Pai Gow."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.hints import Line
from gupai_env.core.scene import YOU, Pile, Views
from gupai_env.core.tiles import NO_TILE, faces, list_tiles, tile_set
from gupai_env.games import guide
from gupai_env.games.guide import Payment, Phrase
from gupai_env.games.pai_gow.groups import RANK, VALUE, group_name
from gupai_env.games.pai_gow.rules import HAND, LOST, PUSH, WON, groups_high_first, hand_size, settled
from gupai_env.games.phrases import says
from gupai_env.games.splitting.guide import SplittingTable
from gupai_env.messages import joined, say

CAME_OF = {WON: say("wins"), PUSH: say("pushes"), LOST: say("loses")}


class Table(SplittingTable):
    """What the groups of split hands make, at the end also what came of them; winning ones are marked."""

    ranks = RANK

    def size(self) -> int:
        """Return how many tiles each seat is dealt."""
        return hand_size(self.variant.as_rules())

    def groups(self, place: int) -> Sequence[Pile]:
        """Return the groups of a hand, the high one first."""
        near, (view, offset) = self.near, self.seen(place)
        groups = groups_at(view, offset)
        results: Sequence[int | None] = [None] * len(groups)
        if self.over and place != near.banker:
            results = results_of(self.variant.as_rules(), near, groups, groups_at(near, int(near.banker)))
        piles = []
        for group, result in zip(groups, results, strict=True):
            label = joined(", ", [group_name(view.table, *group), "" if result is None else CAME_OF[result]])
            tiles = faces(tile_set(group))
            piles.append(Pile(label, tiles, marked=tuple(range(len(tiles))) if result == WON else ()))
        return piles

    def note(self, place: int) -> list[str]:
        """Return what a seat has won, and whether it is banker."""
        return [*super().note(place), *["banker"] * int(place == self.near.banker)]

    def notes(self) -> list[str]:
        """Return who is banker."""
        return [say("banker: {name}", name=self.names[self.near.banker]), *super().notes()]

    def last_move(self) -> str:
        """Return whether the hands are open."""
        if self.over:
            return "All hands are open: every player meets the banker"
        return "Everybody has two tiles, unseen by the others" if self.variant.small else super().last_move()


def groups_at(view: np.record, place: int) -> list[list[int]]:
    """Return the groups of a seat, counted from the viewer, whose split shows: kinds, the high group first."""
    tiles = np.full(HAND, NO_TILE, np.int8)
    list_tiles(view.hands[place], tiles)
    return groups_high_first(view.table, view.splits[place], tiles)


def results_of(
    rules: tuple[Any, ...], view: np.record, groups: Sequence[Sequence[int]], bankers: Sequence[Sequence[int]]
) -> list[int]:
    """Return what comes of each group of a player, the high one first: WON, PUSH or LOST."""
    values = [[int(VALUE[view.table, one, other]) for one, other in pairs] for pairs in (groups, bankers)]
    return [settled(rules, value, banker) for value, banker in zip(*values, strict=True)]


class Guide(guide.Guide):
    """Pai Gow: one split, those that are likely to win most first, and how each group met the banker's."""

    kind = "A casino game against a banker: everybody splits four tiles, then all compare"
    goal = "Split four tiles into two pairs so that both beat the banker's; if you are the banker, beat everybody."
    reminders = (
        Line(
            "Your two tiles meet the banker's; the better group wins, and there is nothing to decide.",
            lambda moment: moment.variant.small,
        ),
        Line(
            "Split your four tiles into two groups of two. The higher meets the banker's higher, the lower his lower: "
            "pairs, wong, gong, then points modulo ten, where [4:2] and [2:1] count 3 or 6.",
            lambda moment: not moment.variant.small and moment.variant.wild,
        ),
        Line(
            "Split your four tiles into two groups of two. The higher meets the banker's higher, the lower his lower: "
            "pairs, wong, gong, then points modulo ten.",
            lambda moment: not (moment.variant.small or moment.variant.wild),
        ),
    )
    answers = "Type the number of a split, or write it: 66 63 / 44 11."
    headings: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        "": "Your splits, high group first, and what the groups make"
    }
    sorted_by = "odds"
    tasks = (
        Line("show your two tiles, for there is nothing to decide", lambda moment: moment.variant.small),
        Line(
            "split your four tiles into two groups, which meet those of everybody",
            lambda moment: moment.view.banker == 0,
        ),
        Line("split your four tiles into two groups, which meet the banker's two"),
    )
    lessons = (
        Line(
            "Your better group meets the banker's better group, your other one the other. You win only if you win "
            "both, or win one and push the other, so a weak group can cost what a strong one gains.",
            lambda moment: not moment.variant.small,
        ),
        Line("From the top: pairs, wong, gong, then points, the last digit of the pips of both tiles."),
    )
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

    def remark(self, view: np.record, action: int) -> str:
        """Return what the groups of a split make."""
        return joined(" / ", self.makes(view, action))

    def makes(self, view: np.record, action: int) -> tuple[str, ...]:
        """Return what the groups make, the high one first."""
        return tuple(group_name(view.table, *group) for group in groups_high_first(view.table, action, view.tiles))

    def slots(self, view: np.record, action: int, other: int, values: Mapping[str, float]) -> dict[str, Any]:
        """Return also the shares of groups that are lower than those of a split."""
        chances = {"high": values["high_probability"], "low": values["low_probability"]}
        return super().slots(view, action, other, values) | chances

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield what the banker's groups make, and what came of those of all others."""
        near = views[0]
        rules = self.variant.as_rules()
        banker = int(views[0].banker)
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
        banker = int(views[0].banker)
        return [
            Payment(banker, seat, chips) if chips > 0 else Payment(seat, banker, -chips)
            for seat, chips in enumerate(payoffs)
            if seat != banker and chips
        ]
