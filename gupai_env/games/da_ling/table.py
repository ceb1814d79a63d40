"""The table of Da Ling, drawn from views alone: no split shows before its time."""

import functools
from collections.abc import Sequence

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.scene import Pile
from gupai_env.core.tiles import NO_TILE, ONE, faces, list_tiles
from gupai_env.games.da_ling.rules import (
    GROUPS,
    HAND,
    HANDS,
    NO_MATCH,
    SPLITS,
    TABLE,
    DaLing,
    best_of,
    colour_of,
    groups_of,
    strength_of,
    value_of,
)
from gupai_env.games.phrases import says
from gupai_env.games.splitting.guide import SplittingTable
from gupai_env.games.splitting.rules import UNSPLIT
from gupai_env.messages import Message, alias, joined, say

GROUP_NAMES = tuple(alias(name, context="group") for name in ("single", "pair", "triple"))


class Table(SplittingTable):
    """The table tiles, and hands or the groups into which they were split.

    The tiles of a group that matches are marked, and its label shows its pips of the colour; at the end also
    whether it wins or ties.
    """

    @functools.cached_property
    def winners(self) -> tuple[int, list[int]]:
        """The absolute winner and the winner of each group, NOBODY before the end."""
        return winners_of(self.near, self.variant) if self.over else (NOBODY, [NOBODY] * GROUPS)

    def centre(self) -> Sequence[Pile]:
        """Return the table tiles."""
        return [Pile("table", faces(self.near.table), capacity=TABLE)]

    def size(self) -> int:
        """Return how many tiles each seat is dealt."""
        return HANDS[self.deck]

    def groups(self, place: int) -> Sequence[Pile]:
        """Return the groups of a hand, each with what came of it."""
        view, offset = self.seen(place)
        groups = groups_of(view.splits[offset], _tiles(view, offset))
        verdicts = _verdicts(self.near, place, self.winners[1]) if self.over else [""] * GROUPS
        rows = zip(GROUP_NAMES, groups, _strengths(view, offset), verdicts, strict=True)
        return [_group(name, group, strength, verdict) for name, group, strength, verdict in rows]

    def note(self, place: int) -> list[str]:
        """Return what a seat has won, the pips of the colour if all its groups match, and which it wins."""
        words, (view, offset), (absolute, winners) = super().note(place), self.seen(place), self.winners
        if view.hands[offset] and view.splits[offset] != UNSPLIT and NO_MATCH not in _strengths(view, offset):
            pips = colour_of(value_of(_tiles(view, offset), (1 << HAND) - 1), view.red)
            words.append(say("all match: {pips}", pips=pips))
        won = [name for name, winner in zip(GROUP_NAMES, winners, strict=True) if winner == place]
        if won:
            words.append("takes all stakes" if absolute == place else say("wins {groups}", groups=joined(" and ", won)))
        return words

    def notes(self) -> list[str]:
        """Return the target, the colour and the stakes."""
        colour = "colour {colour}: its pips are counted" if self.over else "colour {colour}"
        return [
            say("target {target}", target=int(self.near.target)),
            say(colour, colour=colour_named(self.near)),
            say("stakes {stakes}", stakes=", ".join(f"{stake:g}" for stake in self.near.stakes)),
            *super().notes(),
        ]

    def last_move(self) -> str:
        """Return, once the deal is over, that all hands are open, and that one seat matches all or that nobody wins."""
        absolute, winners = self.winners
        if not self.over:
            return super().last_move()
        came_of = "nobody wins" if winners == [NOBODY] * GROUPS else ""
        if absolute != NOBODY:
            came_of = says(self.names[absolute], "{name} matches all three", "{name} match all three")
        return joined(": ", ["All hands are open", came_of])


def _tiles(view: np.record, place: int) -> np.ndarray:
    tiles = np.full(HAND, NO_TILE, np.int8)
    list_tiles(view.hands[place], tiles)
    return tiles


def _strengths(view: np.record, place: int) -> list[int]:
    """Return for each group of a split that the view shows its pips of the colour, or NO_MATCH."""
    tiles = _tiles(view, place)
    return [int(strength_of(value_of(tiles, group), view.target, view.red)) for group in SPLITS[view.splits[place]]]


def winners_of(view: np.record, variant: DaLing) -> tuple[int, list[int]]:
    """Return the absolute winner and the winner of each group, counted from the viewer, NOBODY where there is none.

    An absolute winner wins every group. The view is one of a deal that is over.
    """
    strengths = [_strengths(view, place) for place in range(variant.players)]
    best = int(best_of(_all_match(strengths), variant.players))
    if best != NOBODY or is_push(view, variant):
        return best, [best] * GROUPS
    return NOBODY, [int(best_of(group, variant.players)) for group in zip(*strengths, strict=True)]


def is_push(view: np.record, variant: DaLing) -> bool:
    """Return whether nobody wins anything because the best of those who match with all three groups tie."""
    all_match = _all_match([_strengths(view, place) for place in range(variant.players)])
    tie = max(all_match) != NO_MATCH and best_of(all_match, variant.players) == NOBODY
    return tie and variant.absolute_tie == "push"


def _all_match(strengths: Sequence[list[int]]) -> list[int]:
    """Return for each seat the pips of the colour in its groups, NO_MATCH unless all of them match."""
    return [NO_MATCH if NO_MATCH in hand else sum(hand) for hand in strengths]


def _verdicts(view: np.record, place: int, winners: Sequence[int]) -> list[str]:
    """Return for each group of a seat what came of it: that it wins, ties for the best, or ""."""
    groups = zip(*(_strengths(view, other) for other in range(view.players)), strict=True)
    return [_verdict(place, winner, strengths) for winner, strengths in zip(winners, groups, strict=True)]


def _verdict(place: int, winner: int, strengths: Sequence[int]) -> str:
    """Return what came of one group of a seat, by the strengths of all seats in it."""
    if winner == place:
        return alias("wins", context="group")
    mine = strengths[place]
    ties = winner == NOBODY and mine == max(strengths) and strengths.count(mine) > 1
    return alias("ties", context="group") if ties else ""


def _group(name: str, group: Sequence[int], strength: int, verdict: str) -> Pile:
    """Return a group of a hand that was split."""
    tiles = tuple(face for kind in reversed(group) for face in faces(ONE[kind]))
    made: str = alias("no", context="group")
    if strength != NO_MATCH:
        made = say("{pips} {verdict}", pips=strength, verdict=verdict) if verdict else str(strength)
    return Pile(joined(": ", [name, made]), tiles, marked=tuple(range(len(tiles))) if strength != NO_MATCH else ())


def colour_named(view: np.record) -> Message:
    """Return the colour that decides a deal."""
    return say("red" if view.red else "black")
