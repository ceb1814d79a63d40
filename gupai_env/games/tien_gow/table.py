"""The table of Tien Gow, drawn from views alone: other hands and discards lie face down."""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gupai_env.core import table
from gupai_env.core.episode import NOBODY
from gupai_env.core.scene import Pile
from gupai_env.core.tiles import COPIES, KINDS, faces
from gupai_env.games.phrases import says
from gupai_env.games.tien_gow.combinations import COMBINATION_TILES, NAMES, RANK, SIZE
from gupai_env.games.tien_gow.rules import DISCARD, HANDS, TILES
from gupai_env.messages import say


class Play(NamedTuple):
    """What a seat, counted from the viewer, did in a trick.

    Attributes:
        action: The combination, or NOBODY for a discard.
        start, end: Its decisions in the record. A discard under way has fewer than `each`.
        each: Tiles of each seat in the trick.
    """

    seat: int
    action: int
    start: int
    end: int
    each: int


def plays_of(view: np.record) -> tuple[list[Play], list[dict[int, Play]]]:
    """Return all plays, and by trick what each seat played, seats counted from the viewer."""
    plays: list[Play] = []
    tricks: list[dict[int, Play]] = []
    seat = holder = int(view.opener)
    index = tiles = 0
    while index < view.plays:
        if not tricks or len(tricks[-1]) == view.players:
            tricks.append({})
            seat = holder
        action = int(view.record[index])
        if action < DISCARD:
            holder = seat
            tiles, end = int(SIZE[action]), index + 1
        else:
            action, end = NOBODY, min(index + tiles, int(view.plays))
        tricks[-1][seat] = Play(seat, action, index, end, tiles)
        plays.append(tricks[-1][seat])
        seat, index = (seat + 1) % int(view.players), end
    return plays, tricks


class InTrick(NamedTuple):
    """What a seat has in a trick: tiles face up, tiles face down that the viewer knows, and how many it does not."""

    up: int
    down: int
    unknown: int


def _in_trick(play: Play | None, own: np.record | None) -> InTrick:
    """Return what a play consists of; own: the view of its seat, None if the viewer does not have it."""
    if play is None:
        return InTrick(0, 0, 0)
    if play.action != NOBODY:
        return InTrick(int(COMBINATION_TILES[play.action]), 0, 0)
    if own is None:
        return InTrick(0, 0, play.end - play.start)
    return InTrick(0, sum(int(TILES[action]) for action in own.record[play.start : play.end].tolist()), 0)


class Table(table.Table):
    """The trick in the centre until the next lead, what takes it marked, and before each seat what it has played."""

    ranks = RANK + KINDS * (COPIES == 2)  # civil tiles, then military ones

    @functools.cached_property
    def plays(self) -> tuple[list[Play], list[dict[int, Play]]]:
        """All plays, and by trick what each seat played."""
        return plays_of(self.near)

    @property
    def trick(self) -> dict[int, Play]:
        """What each seat has played to the last trick."""
        return self.plays[1][-1] if self.plays[1] else {}

    def in_trick(self, place: int) -> InTrick:
        """Return what a seat has in the trick."""
        return _in_trick(self.trick.get(place), self.views[place])

    def centre(self) -> Sequence[Pile]:
        """Return the trick."""
        piles, capacity = [], max((play.each for play in self.trick.values()), default=0)
        for place, name in enumerate(self.names if self.trick else ()):
            tiles = self.in_trick(place)
            up = faces(tiles.up)
            label = say("{name}, face down", name=name) if tiles.down else name
            marked = tuple(range(len(up))) if place == self.near.holder else ()
            piles.append(Pile(label, up or faces(tiles.down), hidden=tiles.unknown, marked=marked, capacity=capacity))
        return piles

    def piles(self, place: int) -> Sequence[Pile]:
        """Return the piles of a seat, without what it has in the trick."""
        near, own, tiles, size = self.near, self.views[place], self.in_trick(place), HANDS[self.deck]
        down = 0 if own is None else int(own.discards) - tiles.down
        unknown = int(near.face_down[place]) - tiles.unknown if own is None else 0
        return [
            self.pile("hand", place, "hand", "sizes", capacity=0 if own is None else size),
            Pile("played", faces(int(near.played[place]) - tiles.up), capacity=size),
            Pile("discarded", faces(down), hidden=unknown, capacity=size, form="fan" if own is None else "row"),
            Pile("tricks", hidden=int(near.taken[place]), capacity=size, form="stack"),
        ]

    def note(self, place: int) -> list[str]:
        """Return what a seat has won, whether it is banker, and what it was paid at once."""
        near, words = self.near, super().note(place)
        if place == near.leader:
            words += ["banker", say("times {times}", times=near.multiplier) if near.multiplier > 1 else ""]
        return [*words, say("{chips:+d} at once", chips=near.bonus[place]) if near.bonus[place] else ""]

    def notes(self) -> list[str]:
        """Return what is to be beaten, or who is to lead, and whether the trick is the last."""
        near, notes = self.near, super().notes()
        if self.over:
            return notes
        beat = say("to beat: {tiles} of {name}", tiles=NAMES[near.best], name=self.names[near.holder])
        lead = say("{name} to lead", name=self.names[near.mover])
        return [beat if near.tiles > 0 else lead, *["the last trick"] * bool(near.last), *notes]

    def last_move(self) -> str:
        """Return the last play."""
        view, plays = self.near, self.plays[0]
        if not plays:
            return says(self.names[view.opener], "{name} leads", "{name} lead")
        last = plays[-1]
        name = self.names[last.seat]
        if last.action == NOBODY:
            if last.each == 1:
                return says(name, "{name} discards 1 tile", "{name} discard 1 tile")
            return says(
                name,
                "{name} discards {done} of {tiles} tiles",
                "{name} discard {done} of {tiles} tiles",
                done=last.end - last.start,
                tiles=last.each,
            )
        if view.turns == 1 and view.tiles > 0:
            return says(name, "{name} leads {tiles}", "{name} lead {tiles}", tiles=NAMES[last.action])
        return says(name, "{name} plays {tiles}", "{name} play {tiles}", tiles=NAMES[last.action])
