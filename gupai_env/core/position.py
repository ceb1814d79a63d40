"""A position of any game, and the reading of tiles and seats for the builders."""

import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from gupai_env.core.deal import Deal
from gupai_env.core.game import Game
from gupai_env.core.illegal import first_of
from gupai_env.core.rng import as_key
from gupai_env.core.text import draw_text
from gupai_env.core.tiles import KINDS, count, kind_of, parse_tiles, tile_name, tile_set
from gupai_env.messages.checks import refused, short_repr

Tile = str | tuple[int, int]
Tiles = str | Iterable[Tile]
"""Tiles in the rulebook's notation, "[6:4][1:1]" or "64 11", or a sequence of such texts or of pairs of numbers."""
TILE = re.compile(r"(?:\[\s*)?([1-6])\s*:?\s*([1-6])(?:\s*\])?")
_RUN = re.compile(rf"(?:{TILE.pattern}[ ,]*)+")  # tiles that stand together


def spelled(text: str, turned: bool = True) -> str:
    """Return the canonical spelling of an action's name, `[6:4]` for `46` or `6:4`.

    Tiles that stand together may come in any order, and groups between slashes too, but for those of one tile that
    there are several of. Which number of a tile comes first is kept unless tiles are `turned`.
    """

    def run(match: re.Match[str]) -> str:
        tiles = [(int(a), int(b)) for a, b in TILE.findall(match[0])]
        tiles = [(max(tile), min(tile)) for tile in tiles] if turned else tiles
        return " " + "".join(f"[{a}:{b}]" for a, b in sorted(tiles, reverse=True)) + " "

    groups = [" ".join(_RUN.sub(run, group).split()) for group in text.lower().split("/")]
    sizes = [group.count("[") for group in groups]
    placed = sorted(zip(sizes, groups, strict=True), key=lambda entry: entry if entry[0] > 1 else (entry[0], ""))
    return " / ".join(group for _, group in placed)


class Position(Deal):
    """One deal under way, which plays moves by their names."""

    def __repr__(self) -> str:
        return draw_text(self.scene())

    def legal(self) -> list[str]:
        """Return the names of the legal actions."""
        view = self.view(self.seat)
        return [self.game.action_name(int(action), view) for action in np.flatnonzero(self.mask())]

    def view_row(self, seat: int) -> np.recarray:
        """Return what a seat knows, a record array [1]; raises ValueError if there is no such seat."""
        return super().view_row(read_seat("seat", seat, self.variant.players))

    def play(self, *moves: int | Tiles) -> Self:
        """Play legal actions, given by number or name; return the position itself.

        A name may be spelled as builders read tiles: "[6:4]", "6:4" or "64". The end of a tile that stays open
        comes last; where only one can, either may. Tiles of a group and groups of a split come in any order.

        Raises:
            ValueError: For a name that no action has.
            IllegalActionError: A ValueError too, for an action that the rules forbid. What was played before it stays
                played.
        """
        for move in moves:
            mask = self.mask()
            action = self._action(move, mask)
            if not 0 <= action < self.game.num_actions or not mask[action]:
                raise self.illegal(f"seat {self.seat}", action)
            self.step(action)
        return self

    def after(self, *moves: int | Tiles) -> Self:
        """Return a new position in which legal actions have been played; this one stays as it is."""
        return self.copy().play(*moves)

    def redealt(self, seat: int, key: int) -> Self:
        """Return a new position in which all that a seat cannot know is dealt again, uniformly, by an RNG key.

        Raises:
            ValueError: If the deal is over, for there is no such seat, or for a bad key.
        """
        if self.terminated:
            raise ValueError("the deal is over, so nothing can be dealt again")
        return super().redealt(seat, as_key(key))

    def _action(self, move: Any, mask: np.ndarray) -> int:
        """Return the action that is meant, a legal one if it may be; raises ValueError if there is none."""
        number = whole(move)
        if number is not None:
            return number
        try:
            text = move if isinstance(move, str) else "".join(f"[{a}:{b}]" for a, b in read_line(move))
        except ValueError:
            text = ""  # which names no action
        view = self.view(self.seat)
        named = [(self.game.action_names[action], self.game.action_name(action, view)) for action in range(len(mask))]
        for actions in (np.flatnonzero(mask), range(len(mask))):
            for spelling in (str, partial(spelled, turned=False), spelled):
                for action in map(int, actions):
                    if spelling(text) in map(spelling, named[action]):
                        return action
        raise ValueError(
            f"{short_repr(move)} is not an action of {self.game.id}; legal: {first_of(self.legal()) or 'nothing'}"
        )

    def payoffs(self) -> list[float]:
        """Return the chips of every seat; raises ValueError before the deal is over."""
        self._must_be_over("so nothing is paid yet")
        return self.paid()

    def winner(self) -> int | None:
        """Return the seat that the rules call the winner of the deal, None if it has none, as in a draw.

        Raises:
            ValueError: Before the deal is over, or if the game's rules name no winner.
        """
        self._must_be_over("so nobody has won yet")
        if not hasattr(self.game.positions, "winner"):
            raise ValueError(f"the rules of {self.game.id} name no winner; ask for payoffs()")
        return self.game.positions.winner(self)

    def next_leader(self) -> int:
        """Return who leads the next deal of a match; raises ValueError before the deal is over."""
        self._must_be_over("so the next leader is not known yet")
        later = self.copy()
        self.game.next_deal(self.rules, later.state)
        return int(later.state.leader)

    def _must_be_over(self, so: str) -> None:
        if not self.terminated:
            raise ValueError(f"the deal is not over, {so}")


def new_position(game: Game, leader: int, seats: int, options: Mapping[str, Any]) -> Position:
    """Return a position of nothing except a leader and an order of turn; raises ValueError for bad options.

    Args:
        game: The game.
        leader: Who leads.
        seats: As many as tiles were given for.
        options: Of the rules, which must agree with `seats`.
    """
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in options.items()}
    variant = game.variant.make(**{"players": seats, **plain})
    if variant.players != seats:
        raise ValueError(f"players={variant.players} is not allowed with the tiles of {seats} seats")
    position = Position(game, variant)
    position.state.leader = read_seat("leader", leader, seats)
    return position


def begin_position(
    game: Game, leader: int, name: str, piles: object, options: Mapping[str, Any]
) -> tuple[Position, list[Any]]:
    """Return a new position for as many seats as there are piles, and the piles as a list; raises ValueError.

    Args:
        game, leader, options: As of `new_position`.
        name: What the piles are, for errors.
        piles: One entry for each seat.
    """
    entries = piles_of(name, piles)
    return new_position(game, leader, len(entries), options), entries


class Setup:
    """The tiles of a position by where they lie, checked against the deck.

    They are put into the new position wherever its state has tile sets of the same name.

    Attributes:
        position, state, players: What they are put into, its state, and how many seats there are.
        by_seat: By name, the kinds before each seat.
        lying: By name, the kinds that belong to nobody.
        rest: All other tiles of the deck, a tile set.
    """

    def __init__(
        self,
        game: Game,
        leader: int,
        options: Mapping[str, Any],
        by_seat: Mapping[str, Any],
        lying: Mapping[str, Tiles] = MappingProxyType({}),
    ) -> None:
        """Read the tiles.

        Args:
            game, leader, options: As of `new_position`.
            by_seat: Piles by seat, by name; as many seats as the first has entries. None: nothing.
            lying: Other tiles, by name.

        Raises:
            ValueError: For what is not a tile, too many copies of one, or another number of piles.
        """
        first, piles = next(iter(by_seat.items()))
        self.position, begun = begin_position(game, leader, first, piles, options)
        self.state, self.players = self.position.state, len(begun)
        self.by_seat = {
            name: [read_tiles(pile) for pile in seats_of(name, piles, self.players)]
            for name, piles in {**by_seat, first: begun}.items()
        }
        self.lying = {name: read_tiles(tiles) for name, tiles in lying.items()}
        given = chain(*chain(*self.by_seat.values()), *self.lying.values())
        self.rest = rest_of(tile_set(game.deck(self.position.rules)), given)
        fields = self.state.dtype
        for name in {*self.by_seat, *self.lying} & {*(fields.names or ())}:
            if fields[name] == np.int64:
                self.state[name] = tile_set(self.lying[name])
            elif fields[name] == np.dtype((np.int64, (game.max_seats,))):
                self.state[name][: self.players] = list(map(tile_set, self.by_seat[name]))

    def seat(self, name: str, given: int | None) -> int:
        """Return a seat that was given for something, or else the leader; raises ValueError."""
        return int(self.state.leader) if given is None else read_seat(name, given, self.players)


# --- reading --------------------------------------------------------------------------------------


def whole(value: object) -> int | None:
    """Return a whole number of any integer type, but None for anything else, including booleans."""
    if isinstance(value, (bool, np.bool_, np.ndarray)):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def read_seat(name: str, seat: object, players: int) -> int:
    """Return a seat as an integer; raises ValueError naming what it was given for.

    Args:
        name: What it is given for, for errors.
        seat: A whole number of any type.
        players: How many seats there are.
    """
    number = whole(seat)
    if number is None or not 0 <= number < players:
        raise refused(name, seat, f"choose a seat of {list(range(players))}")
    return number


def read_tiles(tiles: Tiles) -> list[int]:
    """Return the kinds of some tiles; raises ValueError naming what is not a tile."""
    return [kind_of(*ends) for ends in read_line(tiles)]


def read_tile(name: str, tile: Tile) -> int:
    """Return the kind of one tile; raises ValueError naming what it was given for."""
    kinds = read_tiles([tile])
    if len(kinds) != 1:
        raise ValueError(f"{name}={short_repr(tile)} is not one tile")
    return kinds[0]


def read_line(tiles: Tiles) -> list[tuple[int, int]]:
    """Return tiles as pairs of numbers in the order and direction they are given; raises ValueError."""
    if isinstance(tiles, str):
        parse_tiles(tiles)  # complains
        numbers = [int(number) for number in re.findall("[1-6]", tiles)]
        return list(zip(numbers[::2], numbers[1::2], strict=True))
    entries = list(_entries(tiles, f"{short_repr(tiles)} is not a tile; tiles are written [6:4][1:1]"))
    if len(entries) == 2 and None not in map(whole, entries):
        entries = [tuple(entries)]  # a single pair
    return [tile for entry in entries for tile in (read_line(entry) if isinstance(entry, str) else [_pair(entry)])]


def _pair(tile: object) -> tuple[int, int]:
    wrong = f"{short_repr(tile)} is not a tile; a tile is two numbers from 1 to 6"
    numbers = [whole(number) for number in _entries(tile, wrong)]
    if len(numbers) != 2 or any(number not in range(1, 7) for number in numbers):
        raise ValueError(wrong)
    a, b = numbers
    return int(a or 0), int(b or 0)


def _entries(value: object, wrong: str) -> Iterator[Any]:
    """Return what a sequence holds; raises ValueError with the words given if it is none or has no order."""
    if not isinstance(value, Iterable) or isinstance(value, (bytes, Mapping, AbstractSet)):
        raise ValueError(wrong)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        raise ValueError(wrong)
    return iter(value)


def piles_of(name: str, piles: object) -> list[Any]:
    """Return one entry per seat as a list; raises ValueError for anything except a sequence."""
    wrong = f"{name} must be a sequence with one entry for each seat, not {short_repr(piles)}"
    if isinstance(piles, str):
        raise ValueError(wrong)
    return list(_entries(piles, wrong))


def seats_of(name: str, piles: object, players: int, empty: Any = "") -> list[Any]:
    """Return one pile per seat, empty ones for None; raises ValueError if there are not as many as seats.

    Args:
        name: What is given, for errors.
        piles: One for each seat, in any form that `piles_of` reads, or None.
        players: How many seats there are.
        empty: What stands for nothing.
    """
    if piles is None:
        return [empty] * players
    entries = piles_of(name, piles)
    if len(entries) != players:
        raise ValueError(f"{name} must hold one entry for each of the {players} seats, not {len(entries)}")
    return entries


def rest_of(deck: int, kinds: Iterable[int]) -> int:
    """Return the deck without some tiles; raises ValueError naming a kind of which it has too few."""
    kinds = list(kinds)
    for kind in range(KINDS):
        if kinds.count(kind) > count(deck, kind):
            raise ValueError(f"{tile_name(kind)} is given {kinds.count(kind)} times; the deck has {count(deck, kind)}")
    return deck - tile_set(kinds)
