"""Positions of Jie Long."""

from collections.abc import Sequence
from typing import Unpack

from gupai_env.core.position import Position, Setup, Tiles, begin_position
from gupai_env.games.connecting.position import count_points, place_tiles, winner
from gupai_env.games.jie_long import GAME
from gupai_env.games.jie_long.rules import HAND_SIZES
from gupai_env.options import JieLongPosition

__all__ = ["from_tiles", "settle", "winner"]


def from_tiles(
    hands: Sequence[Tiles],
    layout: Tiles = "",
    discards: Sequence[Tiles] | None = None,
    *,
    leader: int = 0,
    last_player: int | None = None,
    **variant: Unpack[JieLongPosition],
) -> Position:
    """Return a deal under way.

    Who laid which tile and when is made up, as the rules allow and with discards as late as can be; to fix
    it, give the hands as dealt and `play` the moves. Every seat has an equal share of the tiles given, which
    may be less than in a real deal; tiles not given are unused.

    Args:
        hands, discards: Tiles by seat.
        layout: The line as it lies, "[1:3][3:2]"; its right end is open, with `open_ends=2` both are.
        leader: Who led; whose turn it is follows from the tiles shed.
        last_player: Who laid the last tile; None: whoever may have.

    Raises:
        ValueError: For too many copies of a tile, a line that does not join, unequal shares, seats that have not taken
            turns, or a position to which no order of play leads.
    """
    setup = Setup(GAME, leader, variant, {"hands": hands, "discards": discards}, {"layout": layout})
    return place_tiles(setup, layout, last_player)


def settle(discards: Sequence[int | Tiles], **variant: Unpack[JieLongPosition]) -> list[float]:
    """Return the chips of every seat; each pile of discards is given by its tiles or by its pips.

    Raises:
        ValueError: For too many copies of a tile, more tiles or pips than a hand has, or bad options.
    """
    position, piles = begin_position(GAME, 0, "discards", discards, variant)
    return count_points(position, "discards", piles, HAND_SIZES[position.rules.deck][len(piles)]).paid()
