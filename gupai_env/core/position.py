"""A position of any game, and the reading of tiles for the builders."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError, describe_illegal
from gupai_env.core.tiles import KINDS, count, kind_of, parse_tiles, tile_name, tile_set

Tiles = str | Iterable[tuple[int, int]]
"""Tiles in the rulebook's notation, or as pairs of numbers."""


@dataclass
class Position:
    """One deal under way: `rules` and `state` are what the rules functions of the game take."""

    game: Game
    variant: Any  # the game's own dataclass
    rules: Any
    state: np.record

    @property
    def over(self) -> bool:
        """True if the deal has ended."""
        return bool(self.state.over)

    def mask(self) -> np.ndarray:
        """Return the legal actions of the seat to act, bool [num_actions]; none at the end."""
        mask = np.zeros(self.game.num_actions, np.bool_)
        if not self.over:
            self.game.legal_actions(self.rules, self.state, mask)
        return mask

    def legal(self) -> list[str]:
        """Return the names of the legal actions."""
        view = self.view(int(self.state.to_act))
        return [self.game.action_name(int(action), view) for action in np.flatnonzero(self.mask())]

    def view(self, seat: int) -> np.record:
        """Return what a seat knows."""
        view = self.game.new_view()
        self.game.information_set(self.rules, self.state, seat, view)
        return view

    def play(self, *moves: int | str) -> "Position":
        """Play legal actions, given by number or name; return the position itself.

        Raises: ValueError for a name that no action has; IllegalActionError (a ValueError too) for an action
            that the rules forbid. What was played before it stays played.
        """
        for move in moves:
            action, mask = self._action(move), self.mask()
            seat = int(self.state.to_act)
            if not 0 <= action < self.game.num_actions or not mask[action]:
                raise IllegalActionError(
                    describe_illegal(self.game, f"seat {seat}", action, mask, self.view(seat))
                )
            self.game.step(self.rules, self.state, action)
        return self

    def _action(self, move: int | str) -> int:
        if not isinstance(move, str):
            return int(move)
        view = self.view(int(self.state.to_act))
        for action in range(self.game.num_actions):
            if move in (self.game.action_names[action], self.game.action_name(action, view)):
                return action
        raise ValueError(
            f"{move!r} is no action of {self.game.id}; legal: {', '.join(self.legal()) or 'nothing'}"
        )

    def payoffs(self) -> list[float]:
        """Return the chips of every seat; raises ValueError before the deal is over."""
        if not self.over:
            raise ValueError("the deal is not over, so nothing is paid yet")
        return paid(self)


def paid(position: Position) -> list[float]:
    """Return what the rules pay every seat for a state, as if the deal were over."""
    chips = np.zeros(position.game.max_seats, np.float32)
    position.game.payoffs(position.rules, position.state, chips)
    return [float(each) for each in chips[: position.variant.players]]


def new_position(game: Game, leader: int, seats: int, options: dict[str, Any]) -> Position:
    """Return a position of nothing but a leader and an order of turn; raises ValueError for bad options."""
    variant = game.variant.make(**{"players": seats, **options})
    if variant.players != seats:
        raise ValueError(f"players={variant.players} is not allowed with the tiles of {seats} seats")
    if type(leader) is not int or not 0 <= leader < variant.players:
        raise ValueError(f"leader={leader!r} is not allowed; choose a seat of {list(range(variant.players))}")
    state = game.new_states(1)[0]
    state.leader, state.direction = leader, 1
    return Position(game, variant, variant.as_rules(game.rules_type), state)


def read_tiles(tiles: Tiles) -> list[int]:
    """Return the kinds of some tiles; raises ValueError naming what is no tile."""
    return [kind_of(*ends) for ends in read_line(tiles)]


def read_line(tiles: Tiles) -> list[tuple[int, int]]:
    """Return tiles as pairs of numbers in the order and direction they are given."""
    if isinstance(tiles, str):
        parse_tiles(tiles)  # complains
        numbers = [int(number) for number in re.findall("[1-6]", tiles)]
        return list(zip(numbers[::2], numbers[1::2], strict=True))
    line = [tuple(tile) for tile in tiles]
    for tile in line:
        if len(tile) != 2 or any(number not in range(1, 7) for number in tile):
            raise ValueError(f"{tile!r} is no tile; a tile is two numbers from 1 to 6")
    return [(int(a), int(b)) for a, b in line]


def seats_of(what: str, piles: Sequence[Any] | None, players: int, empty: Any = "") -> list[Any]:
    """Return one pile a seat, empty ones for None; raises ValueError if there are not as many as seats."""
    if piles is None:
        return [empty] * players
    if isinstance(piles, str) or len(piles) != players:
        raise ValueError(f"{what} must hold one entry for each of the {players} seats")
    return list(piles)


def rest_of(deck: int, kinds: Iterable[int]) -> int:
    """Return the deck without some tiles; raises ValueError naming a kind of which it has not as many."""
    kinds = list(kinds)
    for kind in range(KINDS):
        if kinds.count(kind) > count(deck, kind):
            raise ValueError(
                f"{tile_name(kind)} is given {kinds.count(kind)} times; the deck has {count(deck, kind)}"
            )
    return deck - tile_set(kinds)
