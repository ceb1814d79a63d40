"""The table of a connecting game, drawn from views alone: what no viewer sees lies face down."""

import functools
from collections.abc import Sequence

import numpy as np

from gupai_env.core import table
from gupai_env.core.scene import Pile, Tile
from gupai_env.core.tiles import KINDS, ONE, PIPS, tile_name, tiles_in, weight
from gupai_env.games.connecting.rules import DISCARD, STACK_ROW
from gupai_env.games.phrases import listed, says
from gupai_env.messages import joined, say


class Table(table.Table):
    """The line, and the hand and the discards of each seat."""

    @property
    def over(self) -> bool:
        """Whether the deal is over."""
        return super().over or bool(self.near.turn == self.turns)

    @property
    def turns(self) -> int:
        """How many turns the longest deal has."""
        return int(self.variant.players * self.near.hand_size)

    @property
    def acting(self) -> list[int]:
        """The seat that is asked before the play, or whose turn it is."""
        return [] if self.over else (self.choosers or [(self.near.leader + self.near.turn) % self.variant.players])[:1]

    @functools.cached_property
    def layout(self) -> Pile:
        """The line, or what of it is not covered."""
        if self.variant.stacked:
            return _stacked(self.near)
        return _layout(self.near, self.variant.open_ends == 2, len(self.game.decks[self.deck]))

    def centre(self) -> list[Pile]:
        """Return the line, and the tiles that were not dealt."""
        unused = len(self.game.decks[self.deck]) - self.turns
        return [self.layout, *[Pile("unused", hidden=unused, capacity=unused, form="stack")] * (unused > 0)]

    def piles(self, place: int) -> Sequence[Pile]:
        """Return a seat's hand and discards."""
        capacity = int(self.near.hand_size)
        return [
            self.pile("hand", place, "hand", "sizes", capacity=capacity),
            self.pile("discards", place, "discards", "drops", capacity=capacity),
        ]

    def note(self, place: int) -> list[str]:
        """Return what a seat has won, and its points if they show."""
        words, view = super().note(place), self.views[place]
        if view is None:
            return words
        if self.over and self.near.turn == 0:
            return [*words, say("{pips} pips held", pips=weight(view.hand))]
        return [*words, say("{points} points", points=weight(view.discards) + self.over * weight(view.hand))]

    def notes(self) -> list[str]:
        """Return the open ends, how many tiles are covered, whose turn it is, and what is special to it."""
        near = self.near
        notes: list[str] = []
        if near.turn:
            first, second = near.ends
            notes.append(
                say("open ends {first} and {second}", first=first, second=second)
                if self.variant.open_ends == 2
                else say("open end {end}", end=first)
            )
        if covered := sum(map(int, near.plays[: self.variant.players])) - len(self.layout.tiles):
            notes.append(say("covered tiles: {covered}", covered=covered))
        if not self.over:
            notes.append(say("turn {turn} of {turns}", turn=near.turn + 1, turns=self.turns))
        notes += [say("leader: {name}", name=self.names[near.leader]), *super().notes()]
        if self.choosers and not self.over:
            notes.append(say("asked before the play: {name}", name=self.names[self.choosers[0]]))
        return [*notes, *["locked: no double may be played"] * bool(near.locked and not self.over)]

    def last_move(self) -> str:
        """Return the last public move as a phrase."""
        near, names = self.near, self.names
        if near.turn == 0:
            leads = says(names[near.leader], "{name} leads", "{name} lead")
            return say("The tiles are dealt: {leads}", leads=leads)
        mover = names[(near.leader + near.turn - 1) % len(names)]
        action = int(near.record[near.turn - 1])
        if action < DISCARD:
            move = says(
                mover,
                "{name} plays {tile}, leaving {ends} open",
                "{name} play {tile}, leaving {ends} open",
                tile=tile_name(action % KINDS),
                ends=listed(near.ends),
            )
        else:
            move = says(mover, "{name} discards a tile", "{name} discard a tile")
        return joined("; ", [move, "the deal ends here" if self.over and near.turn < self.turns else ""])


def _layout(view: np.record, both_ends: bool, capacity: int) -> Pile:
    """Lay the tiles of the record end to end, the lead's arm or arms growing from it.

    What was laid besides, without a turn of its own, are doubles that fitted at the end of the deal.
    """
    line: list[Tile] = []
    rest = int(sum(view.played))
    lead = last = 0
    for action in map(int, view.record[: view.turn]):
        if action >= DISCARD:
            continue
        kind, end = action % KINDS, action // KINDS
        rest -= int(ONE[kind])
        joins, leaves = int(PIPS[kind, 1 - end]), int(PIPS[kind, end])
        if both_ends and line and line[0][0] == joins:  # as the rules choose where both ends fit
            line.insert(0, (leaves, joins))
            lead, last = lead + 1, 0
        else:
            line.append((joins, leaves))
            last = len(line) - 1
    for kind in tiles_in(rest):
        number = int(PIPS[kind, 0])
        if number == line[-1][1]:
            line.append((number, number))
        else:
            line.insert(0, (number, number))
            lead, last = lead + 1, last + 1
    return Pile(
        "layout",
        tuple(line),
        marked=(last,) if line else (),
        capacity=capacity,
        form="line",
        lead=lead if both_ends and line else None,
        open_left=line[0][0] if both_ends and line else 0,
        open_right=line[-1][1] if line else 0,
    )


def _stacked(view: np.record) -> Pile:
    """Lay the tiles of the record in a winding row, each with its open end last, and show those that lie on top."""
    laid = [int(action) for action in view.record[: view.turn] if action < DISCARD]
    top: dict[int, int] = {}  # action by column
    column = 0
    for index, action in enumerate(laid):
        along = index % STACK_ROW
        column = along if index // STACK_ROW % 2 == 0 else STACK_ROW - 1 - along
        top[column] = action
    tiles = [
        (int(PIPS[action % KINDS, 1 - action // KINDS]), int(PIPS[action % KINDS, action // KINDS]))
        for _, action in sorted(top.items())
    ]
    return Pile("layout", tuple(tiles), marked=(column,) if tiles else (), capacity=STACK_ROW)
