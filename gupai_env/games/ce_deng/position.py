"""Positions of Ce Deng."""

from collections.abc import Sequence
from typing import Any

from gupai_env.core.episode import NOBODY
from gupai_env.core.position import Position, Tiles, new_position, paid, read_tiles, seats_of
from gupai_env.core.tiles import tile_set
from gupai_env.games.ce_deng import GAME
from gupai_env.games.ce_deng.rules import DECK_SETS, HANDS, ask_next, give_rights, may_declare
from gupai_env.games.connecting.position import place_tiles, points_of


def from_tiles(
    hands: Sequence[Tiles],
    layout: Tiles = "",
    discards: Sequence[Tiles] | None = None,
    *,
    leader: int = 0,
    last_player: int | None = None,
    **variant: Any,
) -> Position:
    """Return a deal under way, as `jie_long.from_tiles` does.

    With nothing laid, seats whose doubles give them a right are asked first, as after the deal; else all of
    them have said that they play on.
    """
    position = new_position(GAME, leader, len(hands), variant)
    position = place_tiles(
        position,
        DECK_SETS[position.rules.deck],
        hands,
        layout,
        discards,
        last_player=last_player,
        forced=True,
        both_ends=False,
    )
    if position.state.turn == 0:
        give_rights(position.rules, position.state)
        ask_next(position.rules, position.state)
    return position


def settle(
    discards: Sequence[int | Tiles],
    plays: Sequence[int],
    *,
    leader: int = 0,
    **variant: Any,
) -> list[float]:
    """Return the chips of every seat after a deal.

    Args: discards: by seat, the tiles discarded or left in hand, or their pips. plays: tiles that each seat
            laid, which tell pass, head seven and tail eight.
    """
    position = new_position(GAME, leader, len(discards), variant)
    most = HANDS[position.rules.deck]
    for seat, points in enumerate(points_of(discards, len(discards))):
        laid = seats_of("plays", plays, len(discards))[seat]
        if not 0 <= laid <= most:
            raise ValueError(f"plays={laid} is not allowed; a seat lays 0 to {most} tiles")
        position.state.points[seat] = points
        position.state.plays[seat] = laid
    position.state.declarer = NOBODY
    return paid(position)


def settle_declaration(hands: Sequence[Tiles], declarer: int, **variant: Any) -> list[float]:
    """Return the chips of every seat when `declarer` shows its eight doubles."""
    position = new_position(GAME, declarer, len(hands), variant)
    for seat, hand in enumerate(hands):
        position.state.hands[seat] = tile_set(read_tiles(hand))
    if not may_declare(position.rules, position.state.hands[declarer]):
        doubles = HANDS[position.rules.deck]
        raise ValueError(
            f"seat {declarer} may not declare: the option is off or it has not {doubles} doubles"
        )
    position.state.declarer = declarer
    return paid(position)
