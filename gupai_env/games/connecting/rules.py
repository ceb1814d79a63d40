"""What the connecting games share: a line of tiles whose open ends the next tile must match.

Source: the rulebook, "Jie Long", "Ce Deng" and "Ding Niu".

Everybody sheds one tile a turn, played or face down, so turn t of a deal belongs to the t-th seat after the
leader. A tile that is laid leaves one of its ends open; that end names the arm too, for where the two open
ends differ, the tile's other end fits just one of them.
Actions  kind lays a tile with its high end open, 21 + kind with its low end open (a double has one way only;
         so has a lead that opens both its ends), 42 + kind discards it face down.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gupai_env.core.byte_rows import write_row
from gupai_env.core.episode import NOBODY, clearing, seat_after, state_dtype
from gupai_env.core.move import AWAY, Move
from gupai_env.core.rule import rule
from gupai_env.core.tiles import (
    CARRYING,
    DOUBLES,
    HIGH_IS,
    HIGHEST,
    KINDS,
    LOW_IS,
    ONE,
    PIPS,
    WEIGHT,
    kinds_in,
    list_tiles,
    weight,
    write_kinds,
)
from gupai_env.core.variant import LEAST_STAKE
from gupai_env.messages import say
from gupai_env.messages.checks import refused

SEATS = 4
TURNS = 32  # the longest deal
LOW_OPEN = KINDS  # the first action that leaves the low end open
DISCARD = 2 * KINDS  # the first discard; in a view's record it stands for every discard, for nobody sees the tile
NUMBERS = HIGHEST + 1  # numbers index from 0, "nothing open"
STACK_ROW = 8  # tiles of a stacked line in a row

FIELDS = (  # of the state of every connecting game
    ("hands", "i8", (SEATS,)),  # tile sets
    ("discards", "i8", (SEATS,)),  # face down, known to their owner alone
    ("played", "i8", (SEATS,)),  # face up, by who played them
    ("unused", "i8"),  # dealt to nobody and seen by nobody
    ("points", "i2", (SEATS,)),  # pips discarded; at the end of the deal also those left in hand
    ("ends", "i1", (2,)),  # the open numbers, equal if there is one open end; 0 before the lead
    ("turn", "i1"),  # tiles shed so far
    ("hand_size", "i1"),  # tiles dealt to each seat
    ("last_player", "i1", (), NOBODY),  # who laid the last tile
    ("passes", "i1"),  # discards since then
    ("plays", "i1", (SEATS,)),  # tiles laid
    ("drops", "i1", (SEATS,)),  # tiles discarded
    ("missed", "i1", (SEATS, NUMBERS)),  # discards made while this number was open
    ("laid_at", "i1", (KINDS,)),  # the turn, from 1, at which a tile of the kind was last laid
    ("record", "i1", (TURNS,)),  # the actions, turn by turn
)
STATE = state_dtype(SEATS, *FIELDS)
clear: Callable[..., Any] = clearing(STATE)
STACKED = "tiles of the line cover others; pictures and observations show only those that lie open"  # an option


def moves_with(*more: str) -> tuple[Move, ...]:
    """Return the moves: a tile is laid with its high or its low number open, or discarded; `more` do without a tile."""
    laid = (Move(tiles=(kind,), leaves=int(number)) for end in PIPS.T for kind, number in enumerate(end))
    return (*laid, *(Move("discard", (kind,), to=AWAY) for kind in range(KINDS)), *map(Move, more))


@rule
def deal_hands(rules, state, order, hand_size):
    """Begin a deal in an empty state: `order` gives each seat the next `hand_size` tiles; the rest stay unused."""
    state.hand_size = hand_size
    for index in range(len(order)):
        if index < rules.players * hand_size:
            state.hands[index // hand_size] += ONE[order[index]]
        else:
            state.unused += ONE[order[index]]
    state.to_act = state.leader


@rule
def history(rules, state, order, actions):
    """Reconstruct a deal under way: fill `order`, int8, as it was dealt, and `actions`; return how many these are."""
    index = 0
    for seat in range(rules.players):
        index += list_tiles(state.hands[seat] + state.discards[seat] + state.played[seat], order[index:])
    list_tiles(state.unused, order[index:])
    write_row(actions, state.record[: state.turn])
    return state.turn


@rule
def matching_kinds(state):
    """Return the kinds that fit an open end; before the lead, all."""
    return CARRYING[state.ends[0]] | CARRYING[state.ends[1]]


@rule
def mark_plays(state, kinds, both_ends, mask):
    """Mark every way to lay a tile of `kinds`, a set of kinds in hand."""
    left, right = state.ends[0], state.ends[1]
    write_kinds(kinds & (LOW_IS[left] | LOW_IS[right]), mask, 0)
    if not (left == 0 and both_ends):
        write_kinds(kinds & ~DOUBLES & (HIGH_IS[left] | HIGH_IS[right]), mask, LOW_OPEN)


@rule
def mark_discards(state, mask):
    """Mark every tile in the hand of the seat to act for discarding."""
    write_kinds(kinds_in(state.hands[state.to_act]), mask, DISCARD)


@rule
def shed(rules, state, action, both_ends):
    """Lay or discard a tile and pass the turn on; the deal is over when all hands are empty."""
    seat = state.to_act
    kind = action % KINDS
    state.hands[seat] -= ONE[kind]
    state.record[state.turn] = action
    if action < DISCARD:
        lay(state, seat, kind, action // KINDS, both_ends)
    else:
        state.discards[seat] += ONE[kind]
        state.points[seat] += WEIGHT[kind]
        state.missed[seat, state.ends[0]] += 1
        if state.ends[0] != state.ends[1]:
            state.missed[seat, state.ends[1]] += 1
        state.drops[seat] += 1
        state.passes += 1
    state.turn += 1
    state.to_act = seat_after(rules, state, seat)
    if state.turn == rules.players * state.hand_size:
        state.terminated = 1


@rule
def lay(state, seat, kind, end, both_ends):
    """Put a tile on the layout so that its `end` (0 high, 1 low) stays open."""
    state.ends[0], state.ends[1] = ends_after(state.ends, kind, end, both_ends)
    state.played[seat] += ONE[kind]
    state.plays[seat] += 1
    state.laid_at[kind] = state.turn + 1
    state.last_player = seat
    state.passes = 0


@rule
def ends_after(ends, kind, end, both_ends):
    """Return the numbers open once a tile is laid with its `end` (0 high, 1 low) open.

    Args:
        ends: The numbers open before, [2], 0 for none.
        kind: The tile.
        end: Which of its numbers stays open.
        both_ends: Whether a layout has two open ends.
    """
    leaves, joins = PIPS[kind, end], PIPS[kind, 1 - end]
    if not both_ends:
        return leaves, leaves
    if ends[0] == 0:
        return joins, leaves
    return (leaves, ends[1]) if ends[0] == joins else (ends[0], leaves)


@rule
def is_covered(index, laid):
    """True if of so many tiles on a stacked line the one at `index`, in the order they were laid, is under another.

    The line winds: the ninth tile is on the eighth, the tenth on the seventh, the seventeenth on the sixteenth.
    """
    return STACK_ROW * (index // STACK_ROW + 2) - 1 - index % STACK_ROW < laid


@rule
def back_with_last_player(rules, state):
    """True if all others have discarded since the seat to act laid the last tile."""
    return state.last_player == state.to_act and state.passes >= rules.players - 1


@rule
def end_early(rules, state):
    """End the deal here: what is left in hand counts like discards."""
    state.terminated = 1
    for seat in range(rules.players):
        state.points[seat] += weight(state.hands[seat])


@rule
def winner(rules, state):
    """Return the seat with the fewest points; on a tie the one earlier in the order of the deal just played."""
    best = seat = state.leader
    for _ in range(rules.players - 1):
        seat = seat_after(rules, state, seat)
        if state.points[seat] < state.points[best]:
            best = seat
    return best


@rule
def settle(rules, state, out):
    """Pay pairwise: every two seats settle the difference of their points; the caller scales and doubles it."""
    for seat in range(rules.players):
        for other in range(rules.players):
            out[seat] += state.points[other] - state.points[seat]


@rule
def pay_stake(rules, chips, out):
    """Turn what every seat has won in `out` into chips, so many for each."""
    for seat in range(rules.players):
        out[seat] = float(out[seat]) * chips  # rounded once, in Python as in compiled code


def require_stake(variant: Any, payoff_bound: Callable[[Any], float]) -> None:
    """Refuse a stake, chips per pip, that is too small to be paid or too large to be counted exactly.

    Raises:
        ValueError: Naming it and what is allowed.
    """
    if not LEAST_STAKE <= variant.stake < float("inf"):
        raise refused("stake", variant.stake, say("it must be at least {least} chips", least=LEAST_STAKE))
    variant.require_exact([variant.stake], payoff_bound(variant), "stake")


def payoff_bound(deck: np.ndarray, players: int, hand_size: int) -> float:
    """Return pips that no seat can exceed: the heaviest hand, all discarded, against rivals with no points."""
    return float((players - 1) * sum(sorted(int(WEIGHT[kind]) for kind in deck)[-hand_size:]))
