"""Positions of Ding Niu."""

from collections.abc import Sequence
from typing import Any

from gupai_env.core.episode import NOBODY
from gupai_env.core.position import Position, Tiles, new_position, paid, rest_of
from gupai_env.core.tiles import kind_of, tile_set
from gupai_env.games.connecting.position import Line, place_tiles, points_of, read_layout
from gupai_env.games.connecting.rules import SEATS
from gupai_env.games.ding_niu import GAME
from gupai_env.games.ding_niu.rules import CLASSIC, DECK_SETS, NONE, SMOTHERED, judge, off_layout

NAMES = {NONE: None, CLASSIC: "classic", SMOTHERED: "smothered"}


def from_tiles(
    hands: Sequence[Tiles],
    layout: Tiles = "",
    discards: Sequence[Tiles] | None = None,
    *,
    leader: int = 0,
    last_player: int | None = None,
    **variant: Any,
) -> Position:
    """Return a deal under way, as `jie_long.from_tiles` does; both ends of the layout are open.

    A layout that is a suan zhang stands only where the deal goes on after it (`after_suan_zhang="play_on"`);
    to see one made, build the position before it and `play` the tile.
    """
    position = new_position(GAME, leader, len(hands), variant)
    goes_on = position.variant.after_suan_zhang == "play_on"

    def may_stand(line: Line) -> bool:
        made = NAMES[_judged(position, line)]
        return made is None or (goes_on and made == "classic")

    def prepare(fresh: Position) -> None:
        fresh.state.suan_zhang, fresh.state.maker, fresh.state.exempt = NONE, NOBODY, 0

    return place_tiles(
        position,
        DECK_SETS[position.rules.deck],
        hands,
        layout,
        discards,
        last_player=last_player,
        forced=position.variant.forced_play,
        both_ends=True,
        prepare=prepare,
        may_stand=may_stand,
    )


def suan_zhang(layout: Tiles, **variant: Any) -> str | None:
    """Return what a line becomes by the last tile at its right end: "classic", "smothered" or None.

    Raises: ValueError for a line that does not join or is not of the deck.
    """
    line = read_layout(layout)
    position = new_position(GAME, 0, variant.get("players", SEATS), variant)
    rest_of(DECK_SETS[position.rules.deck], [kind_of(*tile) for tile in line])
    return NAMES[_judged(position, line)]


def _judged(position: Position, line: Line) -> int:
    """Return what a line is whose last tile was just laid; a lead or a double makes nothing."""
    if len(line) < 2 or line[-1][0] == line[-1][1]:
        return NONE
    left = off_layout(position.rules, [tile_set(kind_of(*tile) for tile in line)])
    return int(judge(position.rules, left, line[0][0], line[-1][1]))


def settle(
    piles: Sequence[int | Tiles],
    *,
    leader: int = 0,
    maker: int | None = None,
    forced: bool = False,
    **variant: Any,
) -> list[float]:
    """Return the chips of every seat after a deal.

    Args: piles: by seat, the tiles discarded or left in hand, or their pips. maker: who made a suan zhang,
            None if nobody did. forced: the maker had no other move.
    """
    position = new_position(GAME, leader, len(piles), variant)
    if maker is not None and not 0 <= maker < len(piles):
        raise ValueError(f"maker={maker} is not allowed; choose None or a seat of {list(range(len(piles)))}")
    for seat, points in enumerate(points_of(piles, len(piles), "piles")):
        position.state.points[seat] = points
    position.state.maker = NOBODY if maker is None else maker
    position.state.exempt = forced and position.variant.exempt_forced_maker
    return paid(position)
