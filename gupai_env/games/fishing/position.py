"""Positions of the fishing games."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from gupai_env.core.position import Position, Tile, Tiles, read_seat, read_tile, read_tiles, rest_of, seats_of
from gupai_env.core.tiles import tile_set
from gupai_env.games.fishing.rules import begin_turn


def place_tiles(
    begun: tuple[Position, list[Any]],
    lake: Tiles,
    stock: Tiles,
    catches: Sequence[Tiles] | None,
    drawn: Tile | None,
    to_act: int | None,
    *,
    dealt: int,
    catch: Callable[..., Any],
) -> Position:
    """Fill a new position; see `from_tiles` of a game.

    Args:
        begun: The position and the hands, as `begin_position` returns them.
        dealt: The most in all hands.
        catch: Puts a tile into a seat's catch, as catch(rules, state, seat, kind).
    """
    position, hands = begun
    state, players = position.state, position.variant.players
    held = [read_tiles(hand) for hand in seats_of("hands", hands, players)]
    caught = [read_tiles(pile) for pile in seats_of("catches", catches, players)]
    lying, hidden = read_tiles(lake), read_tiles(stock)
    turned_up = [] if drawn is None else [read_tile("drawn", drawn)]
    rest_of(tile_set(position.game.deck(position.rules)), [*chain(*held, *caught), *lying, *hidden, *turned_up])
    most = len(state.stock)
    if sum(map(len, held)) > dealt or len(hidden) > most:
        raise ValueError(f"the hands hold {dealt} tiles at most, and the stock {most}")
    mover = int(state.leader) if to_act is None else read_seat("to_act", to_act, players)

    state.to_act = mover
    state.lake = tile_set(lying)
    state.turned = most - len(hidden)
    state.stock[state.turned :] = hidden
    for seat in range(players):
        state.hands[seat] = tile_set(held[seat])
        for kind in caught[seat]:
            catch(position.rules, state, seat, kind)
    if turned_up:
        state.drawn = turned_up[0]
    else:
        begin_turn(position.rules, state)
    return position
