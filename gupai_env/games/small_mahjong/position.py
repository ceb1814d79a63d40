"""Positions of Small Mahjong."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Unpack

import numpy as np

from gupai_env.core.episode import NOBODY, distance
from gupai_env.core.memory import address_of
from gupai_env.core.position import (
    Position,
    Setup,
    Tile,
    Tiles,
    new_position,
    piles_of,
    read_seat,
    read_tile,
    read_tiles,
    rest_of,
    seats_of,
    whole,
)
from gupai_env.core.tiles import ONE, set_name, tile_name, tile_set, tiles_in
from gupai_env.games.small_mahjong import GAME
from gupai_env.games.small_mahjong.rules import (
    DECK_SETS,
    DECKS,
    DRAWN,
    DREW,
    HANDS,
    LONGEST_WALL,
    THROWN,
    begin_turn,
    draw_tile,
    mark_triplets,
    study,
)
from gupai_env.games.small_mahjong.triplets import POINTS, TILES, TRIPLET, best_split
from gupai_env.messages.checks import refused
from gupai_env.options import SmallMahjongPosition

FULL = 0  # the deck, where no variant is given


def from_tiles(
    hands: Sequence[Tiles],
    wall: Tiles = "",
    melds: Sequence[Sequence[Tiles]] | None = None,
    discards: Sequence[Tiles] | None = None,
    *,
    turn: int = 0,
    offered: Tile | None = None,
    claimed: Sequence[Tiles] | None = None,
    leader: int | None = None,
    **variant: Unpack[SmallMahjongPosition],
) -> Position:
    """Return a deal under way: at somebody's turn, or when the others are asked about a discard.

    Args:
        hands: By seat, for 3 or 4 seats, what is not laid out of its five tiles; at its `turn` of six, the last drawn.
        wall: The next tile first.
        melds, discards: By seat, its triplets laid out, and what nobody claimed.
        offered: A sixth tile that the seat discards at once; who may claim it is asked, else the deal continues.
        claimed: By seat, tiles of its hand that all saw it claim (without `expose_claims`).
        leader: By default the seat at its turn. Tiles given nowhere take no part, but a view holds them for unseen.

    Raises:
        ValueError: For wrong numbers, too many copies of a tile, or three tiles that are not a triplet.
    """
    hands = piles_of("hands", hands)
    turn = read_seat("turn", turn, len(hands))
    melded = None if melds is None else [_numbers_of(mine) for mine in piles_of("melds", melds)]
    laid_tiles = "".join(map(tile_name, _kinds_of(chain(*melded or ()))))
    lying = {"wall": wall, "offered": "" if offered is None else [offered], "melds": laid_tiles}
    setup = Setup(GAME, 0, variant, {"hands": hands, "discards": discards}, lying)
    position, state, players = setup.position, setup.state, setup.players
    state.leader = setup.seat("leader", turn if leader is None else leader)
    laid_out = seats_of("melds", melded, players, ())
    known = [read_tiles(tiles) for tiles in seats_of("claimed", claimed, players)]
    held, ahead = setup.by_seat["hands"], setup.lying["wall"]
    held[turn] += setup.lying["offered"]
    _check_claims(position.variant.expose_claims, any(laid_out), any(known))
    size = HANDS[position.rules.deck]
    longest = len(DECKS[position.rules.deck]) - size * players
    if len(ahead) > longest:
        raise ValueError(f"the wall of {players} players has at most {longest} tiles, not {len(ahead)}")
    for seat in range(players):
        _check_size(seat, len(held[seat]) + 3 * len(laid_out[seat]), size, more=seat == turn)
        rest_of(tile_set(held[seat]), known[seat])

    state.top = LONGEST_WALL - len(ahead)
    state.wall[state.top :] = ahead
    for seat in range(players):
        state.hands[seat], state.known[seat] = tile_set(held[seat]), tile_set(known[seat])
        for index, number in enumerate(laid_out[seat]):
            state.melds[seat, index] = TILES[number]
            state.meld_points[seat] += POINTS[number]
        if seat != turn:
            study(state, seat)
    _begin(position, turn, held[turn], laid_out[turn])
    if offered is not None:
        position.play(held[turn][-1])
    return position


def _check_claims(exposed: bool, laid_out: bool, known: bool) -> None:
    """Raise ValueError for melds, or for claimed tiles in hand, that the option `expose_claims` rules out."""
    if laid_out and not exposed:
        raise ValueError("melds are not allowed with expose_claims=False, for nothing is laid out")
    if known and exposed:
        raise ValueError("claimed is only allowed with expose_claims=False, where a claimed tile joins the hand")


def _check_size(seat: int, tiles: int, size: int, *, more: bool) -> None:
    """Raise ValueError if a seat has another number of tiles than each has; more: it may have another one."""
    if tiles not in (size, size + more):
        raise ValueError(f"seat {seat} has {tiles} tiles; each has {size}, and one more if it has the turn")


def _begin(position: Position, seat: int, hand: list[int], laid_out: list[int]) -> None:
    """Begin the turn of a seat that has its sixth tile, or draws it now."""
    rules, state = position.rules, position.state
    steps = distance(rules, state, state.leader, seat)
    size = HANDS[rules.deck]
    if not hand:  # it has claimed its second triplet, as if from the seat before it, which drew the tile
        players, number = position.variant.players, laid_out[-1]
        kind = tiles_in(TILES[number])[0]
        begin_turn(state, (seat - 1) % players, (steps - 1) % players, DREW, kind)
        state.log[0, DRAWN] = state.log[0, THROWN] = kind
        state.hands[seat] = TILES[number] - ONE[kind]
        study(state, seat)
        state.hands[seat] = 0
        begin_turn(state, seat, 1, number, kind)
        return
    if len(hand) + 3 * len(laid_out) > size:  # it has drawn the last one
        state.hands[seat] -= ONE[hand[-1]]
        state.top -= 1
        state.wall[state.top] = hand[-1]
    elif state.top == LONGEST_WALL:
        raise ValueError(f"seat {seat} has {size} tiles and cannot draw another from an empty wall")
    study(state, seat)
    draw_tile(state, seat, steps)


def triplet_points(tiles: Tiles) -> int:
    """Return the points of three tiles: 3 double set, 2 set and straight, 1 double straight, 0 no triplet."""
    kinds = read_tiles(tiles)
    if len(kinds) != 3:
        raise ValueError(f"a triplet is three tiles, not {len(kinds)}")
    rest_of(DECK_SETS[FULL], kinds)
    return int(POINTS[TRIPLET[kinds[0], kinds[1], kinds[2]]])


def win_points(hand: Tiles, melds: Iterable[Tiles] = ()) -> int:
    """Return the points of the best split of six tiles into two triplets, those of `melds` as they lie; 0: none.

    Raises:
        ValueError: For another number of tiles, too many copies of one, or a meld that is not a triplet.
    """
    return _win_points(hand, melds, FULL)


def _win_points(hand: Tiles, melds: Iterable[Tiles], deck: int) -> int:
    kinds, numbers = read_tiles(hand), _numbers_of(melds)
    if len(kinds) + 3 * len(numbers) != HANDS[deck] + 1:
        raise ValueError(f"a win is {HANDS[deck] + 1} tiles, not {len(kinds) + 3 * len(numbers)}")
    rest_of(DECK_SETS[deck], [*kinds, *_kinds_of(numbers)])
    return int(best_split(tile_set(kinds), int(POINTS[numbers].sum())))


def claims(hand: Tiles, tile: Tile, seats_away: int, melds: Iterable[Tiles] = ()) -> list[str]:
    """Return the triplets, such as "[2:2][5:2][5:5]", for which a hand may claim a discard.

    Args:
        hand: What is not laid out.
        tile: The discard.
        seats_away: How far before the seat in turn who discards it sits, 1 to 3.
        melds: The triplets laid out.
    """
    kinds, numbers = read_tiles(hand), _numbers_of(melds)
    if len(kinds) + 3 * len(numbers) != HANDS[FULL]:
        raise ValueError(f"a seat that claims has {HANDS[FULL]} tiles, not {len(kinds) + 3 * len(numbers)}")
    away = whole(seats_away)
    if away not in (1, 2, 3):
        raise refused("seats_away", seats_away, "choose 1, 2 or 3")
    kind = read_tile("tile", tile)
    rest_of(DECK_SETS[FULL], [*kinds, *_kinds_of(numbers), kind])
    mask = np.zeros(GAME.num_actions, np.bool_)
    mark_triplets(tile_set(kinds), int(POINTS[numbers].sum()), kind, away, address_of(mask))
    return ["".join(map(tile_name, GAME.moves[action].tiles)) for action in np.flatnonzero(mask)]


def settle(
    winner: int | None, hand: Tiles = "", melds: Iterable[Tiles] = (), **variant: Unpack[SmallMahjongPosition]
) -> list[float]:
    """Return the chips of every seat when `winner` declares these tiles; None: a draw, without any.

    Args:
        winner: Its seat.
        hand: What is not laid out.
        melds: The triplets laid out.

    Raises:
        ValueError: For tiles that are not a win, too many copies of one, no such seat, or bad options.
    """
    players = whole(variant.get("players", GAME.variant().players))
    position = new_position(GAME, 0, -1 if players is None else players, variant)
    if winner is None:
        if read_tiles(hand) or piles_of("melds", melds):
            raise ValueError("in a draw nobody shows tiles; name the winner")
    else:
        position.state.winner = read_seat("winner", winner, position.variant.players)
        position.state.win = _win_points(hand, melds, position.rules.deck)
        if not position.state.win:
            raise ValueError("these tiles are not two triplets, or one with the tiny deck")
    return position.paid()


def winner(position: Position) -> int | None:
    """Return who declared a win, None in a draw."""
    return None if position.state.winner == NOBODY else int(position.state.winner)


def _numbers_of(melds: Iterable[Tiles]) -> list[int]:
    """Return the numbers of triplets laid out; raises ValueError."""
    return [_number_of(meld) for meld in piles_of("melds", melds)]


def _number_of(tiles: Tiles) -> int:
    """Return the number of a triplet laid out; raises ValueError."""
    kinds = read_tiles(tiles)
    if len(kinds) != 3 or not TRIPLET[kinds[0], kinds[1], kinds[2]]:
        raise ValueError(f"{set_name(tile_set(kinds))} is not a triplet")
    return int(TRIPLET[kinds[0], kinds[1], kinds[2]])


def _kinds_of(numbers: Iterable[int]) -> list[int]:
    return [kind for number in numbers for kind in tiles_in(TILES[number])]
