"""Positions of Ce Deng."""

from collections.abc import Sequence
from typing import Unpack

from gupai_env.core.episode import NOBODY
from gupai_env.core.position import Position, Setup, Tiles, begin_position, piles_of, read_tiles, seats_of, whole
from gupai_env.games.ce_deng import GAME
from gupai_env.games.ce_deng.rules import HANDS, ask_next, give_rights, may_declare
from gupai_env.games.connecting.position import count_points, place_tiles
from gupai_env.games.connecting.position import winner as fewest_points
from gupai_env.messages.checks import refused
from gupai_env.options import CeDengPosition


def from_tiles(
    hands: Sequence[Tiles],
    layout: Tiles = "",
    discards: Sequence[Tiles] | None = None,
    *,
    leader: int = 0,
    last_player: int | None = None,
    **variant: Unpack[CeDengPosition],
) -> Position:
    """Return a deal under way, as `jie_long.from_tiles` does.

    With nothing laid, seats whose doubles give them a right are asked first, as after the deal; else all of
    them have said that they play on.

    Args:
        hands, discards: Tiles by seat.
        layout: The line as it lies, "[1:3][3:2]".
        leader: Who led; whose turn it is follows from the tiles shed.
        last_player: Who laid the last tile; None: whoever may have.
    """
    setup = Setup(GAME, leader, variant, {"hands": hands, "discards": discards}, {"layout": layout})
    position = place_tiles(setup, layout, last_player)
    if position.state.turn == 0:
        give_rights(position.rules, position.state)
        ask_next(position.rules, position.state)
    return position


def settle(
    discards: Sequence[int | Tiles], plays: Sequence[int], *, leader: int = 0, **variant: Unpack[CeDengPosition]
) -> list[float]:
    """Return the chips of every seat after a deal.

    Args:
        discards: By seat, the tiles discarded or left in hand, or their pips.
        plays: Tiles that each seat laid, which decide pass, head seven and tail eight.
        leader: Who led.

    Raises:
        ValueError: For too many copies of a tile, piles that are no rest of a hand, or bad options.
    """
    position, discards = begin_position(GAME, leader, "discards", discards, variant)
    players, most = len(discards), HANDS[position.rules.deck]
    count_points(position, "discards", discards, most)
    for seat, plays_of_seat in enumerate(seats_of("plays", piles_of("plays", plays), players)):
        laid = whole(plays_of_seat)
        if laid is None or not 0 <= laid <= most:
            raise refused("plays", plays_of_seat, f"a seat lays 0 to {most} tiles")
        if whole(discards[seat]) is None and laid + (remaining := len(read_tiles(discards[seat]))) != most:
            raise ValueError(f"seat {seat} has {laid} plays and {remaining} tiles left; together they are {most}")
        position.state.plays[seat] = laid
    return position.paid()


def settle_declaration(hands: Sequence[Tiles], declarer: int, **variant: Unpack[CeDengPosition]) -> list[float]:
    """Return the chips of every seat when `declarer` shows its eight doubles.

    Raises:
        ValueError: For too many copies of a tile, larger hands than are dealt, or if the seat may not declare.
    """
    setup = Setup(GAME, 0, variant, {"hands": hands})
    state, size = setup.state, HANDS[setup.position.rules.deck]
    state.leader = state.declarer = setup.seat("declarer", declarer)
    for seat, kinds in enumerate(setup.by_seat["hands"]):
        if len(kinds) > size:
            raise ValueError(f"seat {seat} has {len(kinds)} tiles; a hand has {size}")
    if not may_declare(setup.position.rules, state.hands[state.declarer]):
        raise ValueError(f"seat {declarer} may not declare: the option is off or it has not {size} doubles")
    return setup.position.paid()


def winner(position: Position) -> int:
    """Return who declared eight doubles, else the seat with the fewest points, on a tie the earlier one."""
    declarer = int(position.state.declarer)
    return fewest_points(position) if declarer == NOBODY else declarer
