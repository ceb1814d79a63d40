"""Positions of the fishing games."""

from collections.abc import Callable, Sequence
from typing import Any

from gupai_env.core.position import Position, Setup, Tile, Tiles, read_tile
from gupai_env.games.fishing.rules import begin_turn


def place_tiles(
    setup: Callable[..., Setup],
    hands: Sequence[Tiles],
    lake: Tiles,
    stock: Tiles,
    catches: Sequence[Tiles] | None,
    drawn: Tile | None,
    to_act: int | None,
    catch: Callable[..., Any],
) -> Position:
    """Return a new position; see `from_tiles` of a game.

    Args:
        setup: `Setup` with the game, the leader and the options.
        catch: Puts a tile into a seat's catch, as catch(rules, state, seat, kind).
    """
    turned_up = [] if drawn is None else [read_tile("drawn", drawn)]
    given = setup(
        {"hands": hands, "catches": catches}, {"lake": lake, "stock": stock, "drawn": "" if drawn is None else [drawn]}
    )
    position, state, hidden = given.position, given.state, given.lying["stock"]
    most, dealt = len(state.stock), position.game.modules[0].SHARES[position.rules.deck][0]
    if sum(map(len, given.by_seat["hands"])) > dealt or len(hidden) > most:
        raise ValueError(f"the hands hold {dealt} tiles at most, and the stock {most}")
    state.to_act = given.seat("to_act", to_act)
    state.turned = most - len(hidden)
    state.stock[state.turned :] = hidden
    state.catches = 0  # they are counted tile by tile
    for seat, kinds in enumerate(given.by_seat["catches"]):
        for kind in kinds:
            catch(position.rules, state, seat, kind)
    if turned_up:
        state.drawn = turned_up[0]
    else:
        begin_turn(position.rules, state)
    return position
