"""What the fishing games share: a bait from the hand, then the top tile of the stock; each catches or is laid.

A game says how many tiles there are (`shares`: those in all hands and in the lake, the rest are the stock), what
matches, and what a catch counts. Its actions are, in this order: to lay a tile of each kind, a bait that catches one
fish, a bait that catches three of its kind.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gupai_env.core.bits import gather
from gupai_env.core.byte_rows import MARKS, store_marks, write_row
from gupai_env.core.episode import NOBODY, seat_after, state_dtype
from gupai_env.core.memory import scratch
from gupai_env.core.move import Move
from gupai_env.core.rule import rule
from gupai_env.core.tiles import ALL_KINDS, KINDS, ONE, list_tiles

SEATS = 3
CATCH = KINDS  # the first action that catches one fish
CATCHES_ONE, CATCHES_THREE = "catches", "catches three"  # verbs


def fishing_state(stock: int, plays: int, *own: tuple[Any, ...]) -> np.dtype:
    """Return the dtype of a state: what fishing games share, with the fields of the game's `own`.

    Args:
        stock: Its most tiles.
        plays: The decisions of the longest deal.
    """
    return state_dtype(
        SEATS,
        ("hands", "i8", (SEATS,)),  # tile sets
        ("catches", "i8", (SEATS,)),  # face up
        ("points", "i2", (SEATS,)),  # of the catches
        *own,
        ("lake", "i8"),
        ("laid", "i8", (SEATS,)),  # what each seat laid from its hand
        ("stock", "i1", (stock,)),  # kinds, the next one at `turned`
        ("turned", "i1", (), stock),  # the place of the next one; the last tile of the stock is at the end
        ("drawn", "i1", (), NOBODY),  # the kind turned up, to be played now; NOBODY while the bait comes from the hand
        ("last_player", "i1", (), NOBODY),  # who played last
        ("plays", "i1"),  # decisions so far
        ("record", "i1", (plays,)),  # the actions, all public
    )


def action_finder(kinds: Sequence[int] | np.ndarray) -> Callable[..., Any]:
    """Return actions_of(held): the actions from CATCH on whose kind is in a set of kinds, as bits, the lowest first.

    `kinds` are those of these actions, NOBODY for none. The set is looked up seven kinds at a time.
    """
    of_kind = [sum(1 << place for place, other in enumerate(kinds) if other == kind) for kind in range(KINDS)]
    parts = [[of_kind[kind] for kind in range(first, first + 7)] for first in range(0, KINDS, 7)]
    table = np.array(
        [[sum(part[index] for index in range(7) if held >> index & 1) for held in range(128)] for part in parts]
    )

    @rule
    def actions_of(held):
        packed = gather(held, ALL_KINDS)
        return table[0, packed & 127] | table[1, packed >> 7 & 127] | table[2, packed >> 14 & 127]

    return actions_of


@rule
def mark_catches(marks, mask):
    """Write the bits of the actions from CATCH on, more than MARKS and no more than twice as many, to a mask."""
    rest = len(mask) - MARKS
    store_marks(mask, CATCH, marks)
    store_marks(mask, rest, marks >> (rest - CATCH))


@rule
def threes_in(lake):
    """Return the set of kinds of which just three tiles lie in the lake."""
    return lake & (lake >> 1) & ALL_KINDS


@rule
def match_set(kinds, matches):
    """Return the set of kinds that match one of `kinds`; `matches` [KINDS] are those that match each kind."""
    result = 0
    for kind in range(KINDS):
        if kinds >> (3 * kind) & 1:
            result |= matches[kind]
    return result


@rule
def deal_tiles(rules, state, order, shares):
    """Deal hands, lake and stock to a cleared state; the leader is to choose a bait."""
    dealt, lake = shares
    hand, stock = dealt // rules.players, order[dealt + lake :]
    for index in range(dealt):
        state.hands[index // hand] += ONE[order[index]]
    for index in range(dealt, dealt + lake):
        state.lake += ONE[order[index]]
    state.turned = len(state.stock) - len(stock)
    write_row(state.stock[state.turned :], stock)
    state.to_act = state.leader


@rule
def history(rules, state, shares, deck_set, baits, pair, order, actions):
    """Reconstruct a deal under way: fill `order`, int8, with how it was dealt, and `actions`; return their number.

    Args:
        baits: The kind that each action plays.
        pair: The action that lays two tiles of the hand as an extra play before the bait; NOBODY if there is none.
    """
    dealt, in_lake = shares
    hands, sizes = scratch(SEATS, np.int64), scratch(SEATS, np.int64)
    for seat in range(rules.players):
        hands[seat], sizes[seat] = state.hands[seat], dealt // rules.players
    stock = turned = dealt + in_lake  # places in `order`
    seat = state.leader
    from_stock = False
    for play in range(state.plays):
        actions[play] = state.record[play]
        kind, tiles = baits[state.record[play]], 2 if state.record[play] == pair else 1
        if from_stock:
            order[turned] = kind
            turned += 1
        else:
            hands[seat] += tiles * ONE[kind]
            sizes[seat] -= tiles
        if tiles == 1 and not from_stock and turned < len(order):
            from_stock = True
            continue
        if tiles == 1:
            seat = seat_after(rules, state, seat)
        while sizes[seat] == 0 and turned == len(order) and play + 1 < state.plays:
            seat = seat_after(rules, state, seat)
        from_stock = sizes[seat] == 0
    if state.drawn != NOBODY:
        order[turned] = state.drawn
        turned += 1
    write_row(order[turned:], state.stock[state.turned :])
    lake = deck_set
    index = 0
    for seat in range(rules.players):
        index += list_tiles(hands[seat], order[index:])
        lake -= hands[seat]
    for place in range(stock, len(order)):
        lake -= ONE[order[place]]
    list_tiles(lake, order[index:])
    return state.plays


@rule
def put_on_record(state, action):
    """Note an action of the seat to act."""
    state.last_player = state.to_act
    state.record[state.plays] = action
    state.plays += 1


@rule
def lay(state, seat, kind):
    """Put a bait into the lake."""
    state.lake += ONE[kind]
    if state.drawn == NOBODY:
        state.laid[seat] += ONE[kind]


@rule
def end_play(rules, state, seat):
    """Turn up the tile of the stock after a bait of the hand; after that tile the turn passes."""
    if state.drawn == NOBODY and state.turned < len(state.stock):
        turn_up(state)
    else:
        state.drawn = NOBODY
        state.to_act = seat_after(rules, state, seat)
        begin_turn(rules, state)


@rule
def turn_up(state):
    """Turn up the top tile of the stock for the seat to act."""
    state.drawn = state.stock[state.turned]
    state.turned += 1


@rule
def begin_turn(rules, state):
    """Find who plays next: a seat without a bait has only the stock's tile, one without either is skipped."""
    for _ in range(rules.players):
        if state.hands[state.to_act] != 0:
            return
        if state.turned < len(state.stock):
            turn_up(state)
            return
        state.to_act = seat_after(rules, state, state.to_act)
    state.terminated = 1


def moves_with(catches: Iterable[tuple[int, int]], threes: Iterable[int], *more: str) -> tuple[Move, ...]:
    """Return the moves: each tile is laid, a bait catches one fish or three of its kind; `more` do without a tile."""
    return (
        *(Move("lay", (kind,), to="lake") for kind in range(KINDS)),
        *(Move(CATCHES_ONE, (bait,), takes=(fish,)) for bait, fish in catches),
        *(Move(CATCHES_THREE, (kind,), takes=3 * (kind,)) for kind in threes),
        *map(Move, more),
    )
