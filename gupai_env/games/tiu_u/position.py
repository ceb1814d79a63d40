"""Positions of Tiu-U."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Unpack

import numpy as np

from gupai_env.core.position import Position, Setup, Tile, Tiles, piles_of, read_tile, read_tiles, rest_of
from gupai_env.games.fishing.position import place_tiles
from gupai_env.games.tiu_u import GAME
from gupai_env.games.tiu_u.rules import BIG_POINTS, MATCHING, SMALL_RED, TWO_SETS, put_into_catch, tens
from gupai_env.options import TiuUPosition


def from_tiles(
    hands: Sequence[Tiles],
    lake: Tiles = "",
    stock: Tiles = "",
    catches: Sequence[Tiles] | None = None,
    *,
    drawn: Tile | None = None,
    leader: int = 0,
    to_act: int | None = None,
    **variant: Unpack[TiuUPosition],
) -> Position:
    """Return a deal under way in which a seat is to play a bait of its hand, or the tile it has turned up.

    Args:
        hands, catches: By seat, for 2 or 3 seats.
        lake: Its tiles, face up.
        stock: The top tile first.
        drawn: The tile turned up from the stock that is to be played now.
        leader: Who led.
        to_act: By default the leader; a seat without a tile to play is skipped. Tiles given nowhere take no part, but a
            view holds them for unseen.

    Raises:
        ValueError: For too many copies of a tile or too many tiles in the hands or the stock.
    """
    setup = partial(Setup, GAME, leader, variant)
    return place_tiles(setup, hands, lake, stock, catches, drawn, to_act, catch_tile)


def catch_tile(rules: Any, state: np.record, seat: int, kind: int) -> None:
    """Put a tile into the catch of a seat."""
    put_into_catch(state, seat, kind, 1)


def matches(bait: Tile, fish: Tile) -> bool:
    """Return whether a bait catches a fish."""
    return bool(MATCHING[read_tile("bait", bait)] >> (3 * read_tile("fish", fish)) & 1)


def points(catch: Tiles) -> int:
    """Return what a catch counts."""
    kinds = read_tiles(catch)
    rest_of(int(TWO_SETS), kinds)
    return int(tens(SMALL_RED[kinds].sum()) + BIG_POINTS[kinds].sum())


def settle(catches: Sequence[Tiles], **variant: Unpack[TiuUPosition]) -> list[float]:
    """Return the chips of every seat for its catch; raises ValueError as `from_tiles` does."""
    catches = piles_of("catches", catches)
    return from_tiles([""] * len(catches), catches=catches, **variant).paid()
