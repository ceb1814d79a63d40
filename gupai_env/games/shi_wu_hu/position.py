"""Positions of Shi Wu Hu."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Unpack

import numpy as np

from gupai_env.core.position import Position, Setup, Tile, Tiles, piles_of, read_tile, read_tiles, rest_of
from gupai_env.core.tiles import ONE, tile_set
from gupai_env.games.fishing.position import place_tiles
from gupai_env.games.shi_wu_hu import GAME
from gupai_env.games.shi_wu_hu.rules import DECK_SETS, MATCHING, full_groups, matching_of, points_of, put_into_catch
from gupai_env.options import ShiWuHuPosition


def from_tiles(
    hands: Sequence[Tiles],
    lake: Tiles = "",
    stock: Tiles = "",
    catches: Sequence[Tiles] | None = None,
    *,
    drawn: Tile | None = None,
    leader: int = 0,
    to_act: int | None = None,
    **variant: Unpack[ShiWuHuPosition],
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
    put_into_catch(rules, state, seat, ONE[kind])


def matches(bait: Tile, fish: Tile, **variant: Unpack[ShiWuHuPosition]) -> bool:
    """Return whether a bait catches a fish."""
    row = matching_of(GAME.variant.make(**variant).as_rules())
    return bool(MATCHING[row, read_tile("bait", bait)] >> (3 * read_tile("fish", fish)) & 1)


def points(catch: Tiles, **variant: Unpack[ShiWuHuPosition]) -> int:
    """Return what a catch counts."""
    rules, kinds = GAME.variant.make(**variant).as_rules(), read_tiles(catch)
    rest_of(DECK_SETS[rules.deck], kinds)
    tiles = tile_set(kinds)
    return int(points_of(tiles, full_groups(tiles, rules.group), rules.deck, rules.supreme_bonus))


def settle(catches: Sequence[int | Tiles], **variant: Unpack[ShiWuHuPosition]) -> list[float]:
    """Return the chips of every seat; each catch is given by its tiles or by its points.

    Raises:
        ValueError: As `from_tiles` does, and for points below zero.
    """
    catches = piles_of("catches", catches)
    tiles = ["" if isinstance(catch, int) else catch for catch in catches]
    position = from_tiles([""] * len(catches), catches=tiles, **variant)
    for seat, catch in enumerate(catches):
        if isinstance(catch, int):
            if not 0 <= catch <= 3000:
                raise ValueError(f"a catch has 0 to 3000 points, not {catch}")
            position.state.points[seat] = catch
    return position.paid()
