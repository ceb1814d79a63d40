"""What people see and read of Pai Gow."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gupai_env.core import hints
from gupai_env.core.game import Game
from gupai_env.core.heuristic import weights_row
from gupai_env.core.scene import YOU, Pile, Place, Scene, Views
from gupai_env.core.tiles import NO_TILE, faces, list_tiles, tile_set
from gupai_env.games import guide
from gupai_env.games.guide import Payment, Phrase
from gupai_env.games.pai_gow.groups import VALUE, group_name
from gupai_env.games.pai_gow.players import FEATURES, HEURISTICS, score
from gupai_env.games.pai_gow.rules import HAND, LOST, PUSH, WON, PaiGow, groups_high_first, hand_size, settled
from gupai_env.games.phrases import deal_of_match, says, seats_from, title, won_by
from gupai_env.games.splitting.rules import UNSPLIT
from gupai_env.messages import joined, say

CAME_OF = {WON: say("wins"), PUSH: say("pushes"), LOST: say("loses")}


def scene(
    game: Game, variant: PaiGow, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
) -> Scene:
    """Return the table; see `Game.scene`.

    A hand that is split shows what its groups make, at the end also what came of them; winning ones are marked.
    """
    near = views[0]
    players = variant.players
    order = seats_from(near, players)
    is_open = near.splits[1] != UNSPLIT
    rules = variant.as_rules()
    choosers = [int(view.seat) for view in views if view.asked]
    own = {int(view.seat): view for view in views}
    bankers = groups_at(near, int(near.banker)) if is_open else []

    places = []
    for place, seat in enumerate(order):
        view, offset = (own[seat], 0) if seat in own else (near, place)
        words = won_by(near, place, None if payoffs is None else payoffs[seat])
        if place == near.banker:
            words.append("banker")
        came_of = results_of(rules, near, groups_at(view, offset), bankers) if is_open and place != near.banker else []
        piles = _piles(view, offset, hand_size(rules), came_of)
        places.append(Place(names[seat], piles, to_act=seat in choosers, note=joined(", ", words)))

    notes = [say("banker: {name}", name=names[order[near.banker]]), *deal_of_match(near, is_open)]
    if variant.small:
        last_move = "Everybody has two tiles, unseen by the others"
    else:
        last_move = "Everybody splits a hand, unseen by the others"
    if is_open:
        last_move = "All hands are open: every player meets the banker"
    return Scene(title(game, variant), (), tuple(places), tuple(notes), last_move)


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


def _piles(view: np.record, place: int, size: int, came_of: Sequence[int]) -> tuple[Pile, ...]:
    """Return a hand, or the groups into which it was split, as far as the view shows it."""
    if view.hands[place] == 0:
        return (Pile("hand", hidden=size, capacity=size),)
    if view.splits[place] == UNSPLIT:
        return (Pile("hand", faces(view.hands[place]), capacity=size),)
    piles = []
    for index, group in enumerate(groups_at(view, place)):
        label, tiles = group_name(view.table, *group), faces(tile_set(group))
        if came_of:
            label = joined(", ", [label, CAME_OF[came_of[index]]])
        marked = tuple(range(len(tiles))) if came_of and came_of[index] == WON else ()
        piles.append(Pile(label, tiles, marked=marked))
    return tuple(piles)


BY_ODDS = weights_row(FEATURES, HEURISTICS["odds"])


class Hints(hints.Hints):
    """Pai Gow: every split with what its groups make, those that are likely to win most first."""

    def reminder(self) -> str:
        """Return the game in a sentence."""
        if self.variant.small:  # type: ignore[attr-defined]
            return "Your two tiles meet the banker's; the better group wins, and there is nothing to decide."
        return (
            "Split your four tiles into two groups of two. The higher meets the banker's higher, the lower his lower: "
            "pairs, wong, gong, then points modulo ten, where [4:2] and [2:1] count 3 or 6."
            if self.variant.wild  # type: ignore[attr-defined]
            else "Split your four tiles into two groups of two. The higher meets the banker's higher, the lower his "
            "lower: pairs, wong, gong, then points modulo ten."
        )

    def answers(self) -> str:
        """Return what a person may type."""
        return "Type the number of a split, or write it: 66 63 / 44 11."

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the splits."""
        return "Your splits, high group first, and what the groups make"

    def value(self, view: np.record, actions: Sequence[int]) -> float:
        """Return how many groups are likely to win."""
        return float(score(view, actions[0], BY_ODDS))

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a split and what its groups make."""
        return joined("  ", [super().label(view, actions), joined(" / ", self.makes(view, actions[0]))])

    def makes(self, view: np.record, action: int) -> tuple[str, ...]:
        """Return what the groups make, the high one first."""
        return tuple(group_name(view.table, *group) for group in groups_high_first(view.table, action, view.tiles))


class Guide(guide.Guide):
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
