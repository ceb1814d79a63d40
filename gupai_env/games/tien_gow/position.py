"""Positions of Tien Gow."""

from collections.abc import Sequence
from typing import Unpack

from gupai_env.core.position import (
    Position,
    Setup,
    Tiles,
    begin_position,
    new_position,
    read_seat,
    read_tiles,
    seats_of,
)
from gupai_env.core.tiles import set_name, tile_set, tiles_in
from gupai_env.core.variant import MOST_DEALS
from gupai_env.games.tien_gow import GAME
from gupai_env.games.tien_gow.combinations import CLASS, CLASSES, SIZE, combination_of
from gupai_env.games.tien_gow.combinations import beats as number_beats
from gupai_env.games.tien_gow.rules import HANDS
from gupai_env.games.tien_gow.settlement import bonus_of, pay_bonus
from gupai_env.messages.checks import whole_number
from gupai_env.options import TienGowPosition


def from_tiles(
    hands: Sequence[Tiles],
    tricks: Sequence[int] | None = None,
    played: Sequence[Tiles] | None = None,
    discards: Sequence[Tiles] | None = None,
    *,
    to_lead: int | None = None,
    leader: int = 0,
    streak: int = 1,
    **variant: Unpack[TienGowPosition],
) -> Position:
    """Return a deal in which a seat is to lead a trick.

    Args:
        hands: By seat, equally many tiles in each.
        tricks: By seat; with the tiles of a hand they add up to those dealt to a seat. By default the banker has them
            all.
        played, discards: What each seat has played face up and discarded; tiles that are given nowhere were discarded.
        leader: The banker.
        to_lead: By default the banker.
        streak: Deals in a row in which it has been banker.

    Raises:
        ValueError: For too many copies of a tile, or other numbers of tiles or tricks.
    """
    setup = Setup(GAME, leader, variant, {"hands": hands, "played": played, "discards": discards})
    position, state, dealt = setup.position, setup.state, HANDS[setup.position.rules.deck]
    rest, sizes = tiles_in(setup.rest), list(map(len, setup.by_seat["hands"]))
    if len(set(sizes)) != 1 or not 0 < sizes[0] <= dealt:
        raise ValueError(f"all hands have equally many tiles, 1 to {dealt}, not {', '.join(map(str, sizes))}")
    place_tricks(position, tricks, dealt - sizes[0])
    state.streak = whole_number("streak", streak, 1, MOST_DEALS)
    for seat, piles in enumerate(zip(*setup.by_seat.values(), strict=True)):
        missing = dealt - sum(map(len, piles))
        if missing < 0:
            raise ValueError(f"seat {seat} has {dealt - missing} tiles in hand, played and discarded, not {dealt}")
        state.discards[seat] += tile_set(rest.pop() for _ in range(missing))
    state.to_act = state.first = state.holder = state.opener = setup.seat("to_lead", to_lead)
    return position


def place_tricks(position: Position, tricks: Sequence[int] | None, done: int) -> None:
    """Give every seat its tricks; raises ValueError unless they add up to those that are done."""
    state, players = position.state, position.variant.players
    if tricks is None:
        state.taken[state.leader] = done
    else:
        for seat, count in enumerate(seats_of("tricks", tricks, players)):
            state.taken[seat] = whole_number(f"the tricks of seat {seat}", count, 0, done)
    if state.taken.sum() != done:
        raise ValueError(f"the tricks add up to {state.taken.sum()}, not to {done}")
    state.done = done


def number_of(tiles: Tiles) -> int:
    """Return the number of the combination that some tiles are; raises ValueError if they are none."""
    kinds = read_tiles(tiles)
    number = combination_of(kinds)
    if number is None:
        raise ValueError(f"{set_name(tile_set(kinds)) or 'no tile'} is not a combination")
    return number


def combination_class(tiles: Tiles) -> str:
    """Return the class of a combination, such as "c2" or "x21", as the rulebook page names it."""
    return CLASSES[CLASS[number_of(tiles)]]


def beats(tiles: Tiles, other: Tiles, civil_supreme: bool = False) -> bool:
    """Return whether a combination beats another.

    Args:
        tiles, other: The tiles of both; `other` was led.
        civil_supreme: As the option of that name.

    Raises:
        ValueError: For tiles that are not a combination.
    """
    return number_beats(number_of(tiles), number_of(other), civil_supreme)


def settle(
    tricks: Sequence[int],
    winner: int,
    *,
    leader: int = 0,
    streak: int = 1,
    lead: Tiles = "[6:6]",
    best: Tiles | None = None,
    led_by: int | None = None,
    **variant: Unpack[TienGowPosition],
) -> list[float]:
    """Return the chips of every seat for its tricks, without what was paid at once.

    Args:
        tricks: How many each seat took.
        winner: Of the last trick.
        leader: The banker.
        streak: Deals in a row in which it has been banker.
        lead: The combination that was led in the last trick.
        best: The one that won it; by default the same.
        led_by: By default the winner.

    Raises:
        ValueError: For tricks that do not add up to those of a deal, or tiles that are not a combination.
    """
    position, tricks = begin_position(GAME, leader, "tricks", tricks, variant)
    state = position.state
    place_tricks(position, tricks, HANDS[position.rules.deck])
    place_trick(position, lead, winner, best, streak)
    state.first = state.holder if led_by is None else read_seat("led_by", led_by, len(tricks))
    state.tiles = SIZE[state.lead]
    state.terminated = 1
    return position.paid()


def paid_at_once(
    lead: Tiles,
    winner: int,
    *,
    best: Tiles | None = None,
    leader: int = 0,
    streak: int = 1,
    **variant: Unpack[TienGowPosition],
) -> list[float]:
    """Return the chips of every seat for a trick that is not the last.

    Args:
        lead, winner, best, leader, streak: As of `settle`.
    """
    position = new_position(GAME, leader, GAME.variant.make(**variant).players, variant)
    place_trick(position, lead, winner, best, streak)
    pay_bonus(position.rules, position.state, bonus_of(position.rules, position.state))
    return [float(chips) for chips in position.state.bonus[: position.variant.players]]


def place_trick(position: Position, lead: Tiles, winner: int, best: Tiles | None, streak: int) -> None:
    """Set a trick that is won, and the streak of the banker; see `settle`."""
    state = position.state
    state.streak = whole_number("streak", streak, 1, MOST_DEALS)
    state.holder = read_seat("winner", winner, position.variant.players)
    state.lead = number_of(lead)
    state.best = state.lead if best is None else number_of(best)


def winner(position: Position) -> int:
    """Return the seat that won the last trick."""
    return int(position.state.holder)
