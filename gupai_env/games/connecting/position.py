"""Positions of the connecting games: a line of tiles, hands, discards, and how it came about."""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gupai_env.core.position import Position, Setup, Tiles, read_line, read_tiles, rest_of, seats_of, whole
from gupai_env.core.tiles import (
    CARRYING,
    KINDS,
    ONE,
    PIPS,
    WEIGHT,
    deck_of,
    kind_of,
    kinds_in,
    tile_set,
    tiles_in,
    weight,
)
from gupai_env.games.connecting.rules import DISCARD, deal_hands
from gupai_env.games.connecting.rules import winner as find_winner

Line = tuple[tuple[int, int], ...]
MOST_TRIES = 300  # searches for an order of play
ORDERS = 30  # orders of play that are played out
STEPS = 50  # of the first searches; later ones have more


def read_layout(layout: Tiles) -> Line:
    """Return a line of tiles as they lie; raises ValueError where two of them do not join."""
    line = read_line(layout)
    for (a, b), (c, d) in itertools.pairwise(line):
        if b != c:
            raise ValueError(f"[{a}:{b}][{c}:{d}] is not a line: {b} and {c} do not join")
    return tuple(line)


def place_tiles(
    setup: Setup,
    layout: Tiles,
    last_player: int | None,
    may_stand: Callable[[Line, int], bool] = lambda line, seat: True,
) -> Position:
    """Return a position that was played from its beginning, in an order of play that the rules allow.

    Where an order of play has ended the deal with tiles left in hand, another is preferred that has not.

    Args:
        setup: The `hands`, the `discards` and the `layout`.
        layout: The line as it lies.
        last_player: Who laid the last tile; None: whoever may have.
        may_stand: Whether a deal continues after a seat laid the last tile of a line; only such lines come up on the
            way.
    """
    variant, players, line = setup.position.variant, setup.players, read_layout(layout)
    if last_player is not None:
        last_player = setup.seat("last_player", last_player)
    held, dropped = setup.by_seat["hands"], setup.by_seat["discards"]
    given = sum(map(len, (*held, *dropped, line)))
    if not given or given % players:
        raise ValueError(f"{given} tiles cannot be shared equally by {players} seats")
    hand_size = given // players
    lays = [hand_size - len(hand) - len(pile) for hand, pile in zip(held, dropped, strict=True)]
    check_batch(setup, held, lays, hand_size)

    leader, both_ends = int(setup.state.leader), variant.open_ends == 2
    search = Search(line, players, leader, last_player, variant.forced_play, both_ends, may_stand)
    table = Table(
        turn=given - sum(map(len, held)),
        low=0,
        high=len(line),
        hands=tuple(map(tile_set, held)),
        discards=tuple(map(tile_set, dropped)),
        lays=tuple(lays),
    )
    ended, setup.state.hands, setup.state.discards = None, 0, 0  # they are dealt now
    orders = (itertools.islice(search.orders(table, late), ORDERS) for late in (True, False))
    for moment, moves in itertools.chain.from_iterable(orders):
        dealt = [kind for hand in moment.hands for kind in tiles_in(hand)]
        order = np.array([*dealt, *deck_of(setup.rest)], np.int8)
        candidate = setup.position.after()
        deal_hands(candidate.rules, candidate.state, order, hand_size)
        if play_all(candidate, moves):
            if not candidate.terminated or not any(held):
                return candidate
            ended = ended or candidate
    if ended:
        return ended
    raise ValueError("no order of play that the rules allow was found that leads to this position")


def mirrored(line: Line) -> Line:
    """Return a line as it is seen from the other side of the table."""
    return tuple((b, a) for a, b in reversed(line))


def check_batch(setup: Setup, held: Sequence[list[int]], lays: Sequence[int], hand_size: int) -> None:
    """Raise ValueError if the seats have not taken turns, or one has more tiles than its share.

    Args:
        setup: The position; its leader and order of turn are set.
        held: The tiles of each seat.
        lays: How many tiles each seat has laid on the layout.
        hand_size: Tiles that each was dealt.
    """
    players, leader = setup.players, int(setup.state.leader)
    shed = [hand_size - len(hand) for hand in held]
    for place in range(players):
        seat = (leader + place) % players
        due = (sum(shed) + players - 1 - place) // players
        if lays[seat] < 0:
            raise ValueError(f"seat {seat} has more than its share of {hand_size} tiles in hand and discarded")
        if shed[seat] != due:
            raise ValueError(
                f"seat {seat} has shed {shed[seat]} of {sum(shed)} tiles; if seat {leader} led, that is {due}"
            )
    if sum(shed) and not lays[leader]:
        raise ValueError(f"seat {leader} led but has laid no tile")


def play_all(position: Position, moves: Sequence[int]) -> bool:
    """Play actions one after another; False if one is not legal."""
    for action in moves:
        if position.terminated or not position.mask()[action]:
            return False
        position.game.step(position.rules, position.state, action)
    return True


@dataclass(frozen=True)
class Table:
    """A moment of a deal; `low` to `high` is the part of the line that lies by then."""

    turn: int
    low: int
    high: int
    hands: tuple[int, ...]  # tile sets by seat
    discards: tuple[int, ...]
    lays: tuple[int, ...]  # tiles laid by each seat

    def without(self, seat: int, kind: int, **changes: object) -> "Table":
        """Return the moment before `seat` shed a tile."""
        hands = (*self.hands[:seat], self.hands[seat] + int(ONE[kind]), *self.hands[seat + 1 :])
        return replace(self, turn=self.turn - 1, hands=hands, **changes)  # type: ignore[arg-type]


class GivenUpError(Exception):
    """A search has taken as many steps as it may."""


@dataclass
class Search:
    """The orders of play that lead to a table, found by taking tile after tile back.

    One wrong guess can cost a long search, so a search is given up early and another begun with new guesses.
    """

    line: Line
    players: int
    leader: int
    last_player: int | None
    forced: bool
    both_ends: bool
    may_stand: Callable[[Line, int], bool]
    hopeless: set[Table] = field(default_factory=set)  # no order of play leads to these
    late: bool = True
    steps: int = STEPS

    def orders(self, table: Table, late: bool) -> Iterator[tuple[Table, list[int]]]:
        """Yield the table after the deal and the actions from there to `table`, in one way after another.

        With `late` discards come late, which is the easiest to explain; without, anywhere, which at a lock may be the
        only way.
        """
        guess, self.late = random.Random(0), late
        for tries in range(MOST_TRIES):
            self.steps = STEPS * (1 + tries // 10)
            try:
                path = self.trace(table, guess if tries else None)
            except GivenUpError:
                continue
            if path is None:
                return
            yield path

    def trace(self, table: Table, guess: random.Random | None) -> tuple[Table, list[int]] | None:
        """Return one such way, None if there is none; trying first what `guess` says."""
        if table.turn == 0:
            return table, []
        if table in self.hopeless:
            return None
        self.steps -= 1
        if self.steps < 0:
            raise GivenUpError
        moments = list(self.back(table))
        if guess:
            guess.shuffle(moments)
        if self.late and (not guess or table.high - table.low < len(self.line)):
            moments.sort(key=lambda moment: moment[1] < DISCARD)
        for before, action in moments:
            path = self.trace(before, guess)
            if path:
                return path[0], [*path[1], action]
        self.hopeless.add(table)
        return None

    def back(self, table: Table) -> Iterator[tuple[Table, int]]:
        """Yield each moment before, and the action that led from there to `table`."""
        seat = (self.leader + table.turn - 1) % self.players
        lies = table.high - table.low
        if lies and table.turn > 1:
            yield from self.back_discards(table, seat)
        if not table.lays[seat] or not lies or (lies == 1) != (table.turn == 1):
            return
        if table.high - table.low == len(self.line) and self.last_player not in (None, seat):
            return
        lays = tuple(laid - (who == seat) for who, laid in enumerate(table.lays))
        arms = [(self.line[table.high - 1], table.low, table.high - 1)]
        if self.both_ends and lies > 1:
            left, right = self.line[table.low]
            arms.append(((right, left), table.low + 1, table.high))
        for (joins, leaves), low, high in arms:
            lying = self.line[table.low : table.high]
            if self.may_stand(lying if low == table.low else mirrored(lying), seat):
                kind = kind_of(joins, leaves)
                end = 0 if PIPS[kind, 0] == leaves or (lies == 1 and self.both_ends) else 1
                yield table.without(seat, kind, low=low, high=high, lays=lays), end * KINDS + kind

    def back_discards(self, table: Table, seat: int) -> Iterator[tuple[Table, int]]:
        low_end = self.line[table.low][0] if self.both_ends else self.line[table.high - 1][1]
        matches = int(CARRYING[low_end] | CARRYING[self.line[table.high - 1][1]])
        for kind in sorted(set(tiles_in(table.discards[seat]))):
            if not self.forced or not int(kinds_in(table.hands[seat] + int(ONE[kind]))) & matches:
                piles = tuple(pile - (int(ONE[kind]) if who == seat else 0) for who, pile in enumerate(table.discards))
                yield table.without(seat, kind, discards=piles), DISCARD + kind


def count_points(position: Position, label: str, piles: object, hand_size: int) -> Position:
    """Give every seat the pips of its pile, which comes as its tiles or their number, and return the position.

    Args:
        position: Is changed.
        label: Of the piles, for errors.
        piles: One for each seat, tiles or their number.
        hand_size: The most tiles of a pile.

    Raises:
        ValueError: For more tiles than the deck has or than a hand, more pips than a hand can have, or another number
            of piles.
    """
    deck = position.game.deck(position.rules)
    heaviest = int(np.sort(WEIGHT[deck])[-hand_size:].sum())
    given: list[int] = []
    for seat, pile in enumerate(seats_of(label, piles, position.variant.players)):
        pips = whole(pile)
        if pips is None:
            try:
                kinds = read_tiles(pile)
            except ValueError as error:
                raise ValueError(f"{label}: {error}; pips are a whole number") from None
            if len(kinds) > hand_size:
                raise ValueError(f"{label} of {len(kinds)} tiles are not allowed; a hand has {hand_size}")
            given += kinds
            pips = int(weight(tile_set(kinds)))
        if not 0 <= pips <= heaviest:
            raise ValueError(f"{label} of {pips} pips are not allowed; a hand has 0 to {heaviest}")
        position.state.points[seat] = pips
    rest_of(tile_set(deck), given)
    return position


def winner(position: Position) -> int:
    """Return the seat with the fewest points, on a tie the one earlier from the leader."""
    return int(find_winner(position.rules, position.state))
