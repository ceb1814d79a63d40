"""Positions of Tiu-U."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from gupai_env.core.position import (
    Position,
    Tile,
    Tiles,
    new_position,
    piles_of,
    read_seat,
    read_tile,
    read_tiles,
    rest_of,
    seats_of,
)
from gupai_env.core.tiles import tile_set
from gupai_env.games.tiu_u import GAME
from gupai_env.games.tiu_u.rules import (
    BIG_POINTS,
    DEALT,
    DECK_SETS,
    MATCHING,
    SMALL_RED,
    STOCK,
    TWO_SETS,
    begin_turn,
    put_into_catch,
    tens,
)


def from_tiles(
    hands: Sequence[Tiles],
    lake: Tiles = "",
    stock: Tiles = "",
    catches: Sequence[Tiles] | None = None,
    *,
    drawn: Tile | None = None,
    leader: int = 0,
    to_act: int | None = None,
    **variant: Any,
) -> Position:
    """Return a deal under way in which a seat is to play a bait of its hand, or the tile it has turned up.

    Args: hands, catches: by seat, for 2 or 3 seats. stock: the top tile first. drawn: the tile turned up from
            the stock that is to be played now. to_act: by default the leader; a seat without a tile to play is
            skipped. Tiles given nowhere take no part, but a view holds them for unseen.
    Raises: ValueError for too many copies of a tile or too many tiles in the hands or the stock.
    """
    hands = piles_of("hands", hands)
    position = new_position(GAME, leader, len(hands), variant)
    state, players = position.state, position.variant.players
    held = [read_tiles(hand) for hand in seats_of("hands", hands, players)]
    caught = [read_tiles(catch) for catch in seats_of("catches", catches, players)]
    lying, hidden = read_tiles(lake), read_tiles(stock)
    turned_up = [] if drawn is None else [read_tile("drawn", drawn)]
    rest_of(DECK_SETS[position.rules.deck], [*chain(*held, *caught), *lying, *hidden, *turned_up])
    if sum(map(len, held)) > DEALT or len(hidden) > STOCK:
        raise ValueError(f"the hands hold {DEALT} tiles at most, and the stock {STOCK}")
    mover = int(state.leader) if to_act is None else read_seat("to_act", to_act, players)

    state.to_act = mover
    state.lake = tile_set(lying)
    state.turned = STOCK - len(hidden)
    state.stock[state.turned :] = hidden
    for seat in range(players):
        state.hands[seat] = tile_set(held[seat])
        for kind in caught[seat]:
            put_into_catch(state, seat, kind, 1)
    if turned_up:
        state.drawn = turned_up[0]
    else:
        begin_turn(position.rules, state)
    return position


def matches(bait: Tile, fish: Tile) -> bool:
    """Return whether a bait catches a fish."""
    return bool(MATCHING[read_tile("bait", bait)] >> (3 * read_tile("fish", fish)) & 1)


def points(catch: Tiles) -> int:
    """Return what a catch counts."""
    kinds = read_tiles(catch)
    rest_of(int(TWO_SETS), kinds)
    return int(tens(SMALL_RED[kinds].sum()) + BIG_POINTS[kinds].sum())


def settle(catches: Sequence[Tiles], **variant: Any) -> list[float]:
    """Return the chips of every seat for its catch; raises ValueError as `from_tiles` does."""
    catches = piles_of("catches", catches)
    return from_tiles([""] * len(catches), catches=catches, **variant).paid()
