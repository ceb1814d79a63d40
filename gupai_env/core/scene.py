"""A table described without drawing it: what the text and the image show, for every game.

A game turns a view (or, for spectators, a state) into a `Scene`; `draw_text` and `draw_svg` know no rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gupai_env.messages import say

Tile = tuple[int, int]
"""Two numbers 1..6 in the order they lie: first the upper, or in a line the left one."""
Views = Sequence[np.record]
"""What some seats know, a record of the game's view for each."""
YOU = say("You")


def seat_names(players: int, you: int | None = None) -> list[str]:
    """Return "Seat 0", "Seat 1", ..., but "You" for the seat of the reader."""
    return [YOU if seat == you else say("Seat {seat}", seat=seat) for seat in range(players)]


def red_pips(tile: Tile) -> tuple[int, int]:
    """Return the red pips on each end: every one, every four, and on [6:6] half of the pips of each six."""
    if tile == (6, 6):
        return 3, 3
    first, second = tile
    return first * (first in (1, 4)), second * (second in (1, 4))


def _freeze(record: object, **fields: tuple) -> None:
    """Replace lists in a frozen record by tuples, so that it can be hashed: drawings are cached by what they show."""
    for name, value in fields.items():
        object.__setattr__(record, name, value)


@dataclass(frozen=True)
class Pile:
    """Tiles that lie together: a hand, discards, a meld, the lake, the layout, the wall.

    label: a word or two, or "" for none.
    tiles: the face-up tiles in their order, as they lie; the connected line [1:3][3:1] is ((1, 3), (3, 1)).
    hidden: number of face-down tiles, shown after the others.
    marked: positions in `tiles` to highlight, for instance the last tile played.
    capacity: how many tiles a picture keeps space for, so that nothing moves as the pile fills; a fuller pile is
        still drawn, only smaller. 0 keeps space for the tiles there are.
    form: "row" (side by side), "line" (connected end to end, all face up), "stack" (a heap and its count, all face
        down) or "fan" (all face down, each over the one before).
    lead: in a line with two arms the position of its first tile, which a picture keeps in place; else None.
    open_left, open_right: numbers open at the ends of a line, 0 for an end that is not.
    """

    label: str
    tiles: tuple[Tile, ...] = ()
    hidden: int = 0
    marked: tuple[int, ...] = ()
    capacity: int = 0
    form: Literal["row", "fan", "line", "stack"] = "row"
    lead: int | None = None
    open_left: int = 0
    open_right: int = 0

    def __post_init__(self) -> None:
        _freeze(self, tiles=tuple(map(tuple, self.tiles)), marked=tuple(self.marked))
        if any(not 1 <= number <= 6 for tile in self.tiles for number in tile):
            raise ValueError(f"pile {self.label!r}: a tile has two numbers from 1 to 6, got {self.tiles}")
        if self.hidden < 0:
            raise ValueError(f"pile {self.label!r}: hidden must not be negative, got {self.hidden}")
        if (self.form == "line" and self.hidden) or (self.form in ("fan", "stack") and self.tiles):
            raise ValueError(f"pile {self.label!r}: a line lies face up, a stack and a fan face down")
        marks = self.marked if self.lead is None else (*self.marked, self.lead)
        if any(not 0 <= index < len(self.tiles) for index in marks):
            raise ValueError(
                f"pile {self.label!r}: marked {self.marked} and lead {self.lead} must be positions "
                f"among its {len(self.tiles)} tiles"
            )


@dataclass(frozen=True)
class Place:
    """One seat at the table: its name, its piles, whether it is to act, a short note such as its chips."""

    name: str
    piles: tuple[Pile, ...] = ()
    to_act: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        _freeze(self, piles=tuple(self.piles))


@dataclass(frozen=True)
class Scene:
    """A whole table.

    title: the game, and what else stays the same during a deal.
    centre: the piles that belong to nobody: layout, lake, stock, wall, table tiles.
    places: the seats in order of play; a picture puts the first one at the near side of the table.
    notes: short facts of the moment, such as "open end 2".
    last_move: what just happened, as one phrase.
    """

    title: str
    centre: tuple[Pile, ...] = ()
    places: tuple[Place, ...] = ()
    notes: tuple[str, ...] = ()
    last_move: str = ""

    def __post_init__(self) -> None:
        _freeze(self, centre=tuple(self.centre), places=tuple(self.places), notes=tuple(self.notes))
