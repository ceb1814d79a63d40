"""What the connecting games share: a line of tiles whose open ends the next tile must match.

Source: the rulebook, "Jie Long", "Ce Deng" and "Ding Niu".

Everybody sheds one tile a turn, played or face down, so turn t of a deal belongs to the t-th seat after the
leader. A tile that is laid leaves one of its ends open; that end names the arm too, for where the two open
ends differ, the tile's other end fits just one of them.
Actions  kind lays a tile with its high end open, 21 + kind with its low end open (a double has one way only;
         so has a lead that opens both its ends), 42 + kind discards it face down.
"""

import numpy as np

from gupai_env.core.game import NOBODY, resume_from, seat_after, state_dtype
from gupai_env.core.rng import derive, draw
from gupai_env.core.rows import copy_entries, mark_entries
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
    tile_name,
    weight,
    write_kinds,
)

SEATS = 4
TURNS = 32  # the longest deal
LOW_OPEN = KINDS  # the first action that leaves the low end open
DISCARD = 2 * KINDS  # the first discard; in a record it stands for every discard, for nobody sees the tile
NUMBERS = HIGHEST + 1  # numbers index from 0, "nothing open"

FIELDS = (  # of the state of every connecting game
    ("hands", "i8", (SEATS,)),  # tile sets
    ("discards", "i8", (SEATS,)),  # face down, known to their owner alone
    ("played", "i8", (SEATS,)),  # face up, by who played them
    ("unused", "i8"),  # dealt to nobody and seen by nobody
    ("points", "i2", (SEATS,)),  # pips discarded; at the end of the deal also those left in hand
    ("ends", "i1", (2,)),  # the open numbers, equal if there is one open end; 0 before the lead
    ("turn", "i1"),  # tiles shed so far
    ("hand_size", "i1"),  # tiles dealt to each seat
    ("last_player", "i1"),  # who laid the last tile
    ("passes", "i1"),  # discards since then
    ("plays", "i1", (SEATS,)),  # tiles laid
    ("drops", "i1", (SEATS,)),  # tiles discarded
    ("missed", "i1", (SEATS, NUMBERS)),  # discards made while this number was open
    ("laid_at", "i1", (KINDS,)),  # the turn, from 1, at which a tile of the kind was last laid
    ("record", "i1", (TURNS,)),  # the public moves, turn by turn
    ("rights", "i1"),  # Ce Deng: seats, as bits, still to be asked before the play
    ("declarer", "i1"),  # Ce Deng: who showed eight doubles
    ("redeals", "i1"),  # Ce Deng: hands thrown in before this one
)
STATE = state_dtype(SEATS, *FIELDS)

VIEW_FIELDS = (  # every array over seats begins with the viewer and goes on in order of turn
    ("seat", "i1"),  # the viewer's place at the table, and
    ("direction", "i1"),  # the order of turn there: for `determinize`, of no meaning to a player
    ("asked", "i1"),  # the viewer is asked for a declaration before the play
    ("deal", "i2"),  # deals of the match that are finished, of
    ("deals", "i2"),
    ("total", "f4", (SEATS,)),  # chips won in them
    ("leader", "i1"),
    ("last_player", "i1"),
    ("passes", "i1"),
    ("turn", "i1"),
    ("ends", "i1", (2,)),
    ("locked", "i1"),  # the turn is back with who laid the last tile and doubles may not be laid
    ("hand", "i8"),
    ("discards", "i8"),  # the viewer's own
    ("unseen", "i8"),  # all tiles in no place that the viewer sees
    ("hand_size", "i1"),  # tiles dealt to each seat
    ("played", "i8", (SEATS,)),
    ("sizes", "i1", (SEATS,)),  # tiles in hand
    ("plays", "i1", (SEATS,)),
    ("drops", "i1", (SEATS,)),
    ("missed", "i1", (SEATS, NUMBERS)),
    ("void", "i1", (SEATS, NUMBERS)),  # 1: known to hold no tile with the number
    ("laid_at", "i1", (KINDS,)),
    ("record", "i1", (TURNS,)),
)
VIEW = np.dtype(list(VIEW_FIELDS), align=True)


def action_names(*more: str) -> tuple[str, ...]:
    """Name the actions: a tile as it is laid, its open end last, or the tile that is discarded."""
    high_open = [f"[{low}:{high}]" for high, low in PIPS]
    low_open = [f"[{high}:{low}]" for high, low in PIPS]
    return (*high_open, *low_open, *(f"discard {tile_name(kind)}" for kind in range(KINDS)), *more)


@rule
def deal_hands(rules, state, order, hand_size):
    """Begin a deal: `order`, int8 kinds, gives each seat the next `hand_size` tiles; the rest stay unused."""
    state.discards[:] = 0
    state.played[:] = 0
    state.hands[:] = 0
    state.points[:] = 0
    state.plays[:] = 0
    state.drops[:] = 0
    state.ends[:] = 0
    state.missed[:] = 0
    state.laid_at[:] = 0
    state.record[:] = 0
    state.turn = 0
    state.hand_size = hand_size
    state.last_player = NOBODY
    state.passes = 0
    state.rights = 0
    state.declarer = NOBODY
    state.redeals = 0
    state.unused = 0
    for at in range(len(order)):
        if at < rules.players * hand_size:
            state.hands[at // hand_size] += ONE[order[at]]
        else:
            state.unused += ONE[order[at]]
    state.to_act = state.leader


@rule
def fitting(state):
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
    if action < DISCARD:
        lay(state, seat, kind, action // KINDS, both_ends)
        state.record[state.turn] = action
    else:
        state.discards[seat] += ONE[kind]
        state.points[seat] += WEIGHT[kind]
        state.missed[seat, state.ends[0]] += 1
        if state.ends[0] != state.ends[1]:
            state.missed[seat, state.ends[1]] += 1
        state.drops[seat] += 1
        state.passes += 1
        state.record[state.turn] = DISCARD
    state.turn += 1
    state.to_act = seat_after(rules, state, seat)
    if state.turn == rules.players * state.hand_size:
        state.over = 1


@rule
def lay(state, seat, kind, end, both_ends):
    """Put a tile on the layout so that its `end` (0 high, 1 low) stays open."""
    join(state.ends, kind, end, both_ends)
    state.played[seat] += ONE[kind]
    state.plays[seat] += 1
    state.laid_at[kind] = state.turn + 1
    state.last_player = seat
    state.passes = 0


@rule
def join(ends, kind, end, both_ends):
    """Change the open numbers `ends` [2] as a tile is laid with its `end` (0 high, 1 low) open."""
    leaves, joins = PIPS[kind, end], PIPS[kind, 1 - end]
    if not both_ends:
        ends[:] = leaves
    elif ends[0] == 0:
        ends[0], ends[1] = joins, leaves
    elif ends[0] == joins:
        ends[0] = leaves
    else:
        ends[1] = leaves


@rule
def back_with_last_player(rules, state):
    """True if all others have discarded since the seat to act laid the last tile."""
    return state.last_player == state.to_act and state.passes >= rules.players - 1


@rule
def end_early(rules, state):
    """End the deal here: what is left in hand counts like discards."""
    state.over = 1
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
def open_view(rules, state, viewer, deck, forced, view, history):
    """Fill a view with what the viewer knows of the table; in `forced` play a discard shows what was not held."""
    view.seat = viewer
    view.direction = state.direction
    view.asked = 0
    view.locked = 0
    view.deal = state.deal
    view.deals = rules.deals
    view.passes = state.passes
    view.turn = state.turn
    view.ends[0], view.ends[1] = state.ends[0], state.ends[1]
    view.hand = state.hands[viewer]
    view.discards = state.discards[viewer]
    copy_entries(state.laid_at, 0, view.laid_at, 0, KINDS)
    if history:
        copy_entries(state.record, 0, view.record, 0, TURNS)
    unseen = deck - state.hands[viewer] - state.discards[viewer]
    leader, last_player = 0, NOBODY
    seat = viewer
    for place in range(SEATS):  # a constant, so that the loop is unrolled
        if place == rules.players:
            break
        unseen -= state.played[seat]
        view.total[place] = state.total[seat]
        view.played[place] = state.played[seat]
        view.plays[place] = state.plays[seat]
        view.drops[place] = state.drops[seat]
        view.sizes[place] = state.hand_size - state.plays[seat] - state.drops[seat]
        copy_entries(state.missed[seat], 0, view.missed[place], 0, NUMBERS)
        if forced:
            mark_entries(state.missed[seat], 0, view.void[place], 0, NUMBERS)
        leader = place if seat == state.leader else leader
        last_player = place if seat == state.last_player else last_player
        seat = seat_after(rules, state, seat)
    if not forced:
        view.void[:] = 0
    view.leader = leader
    view.last_player = last_player
    view.unseen = unseen
    view.hand_size = state.hand_size


@rule
def restore_public(rules, view, key, state):
    """Fill a state with all that a view knows; hands and discards of the others stay empty."""
    resume_from(view, key, state)
    state.hands[:] = 0
    state.discards[:] = 0
    state.unused = 0
    state.points[:] = 0
    state.ends[:] = view.ends
    state.turn = view.turn
    state.hand_size = view.hand_size
    state.last_player = NOBODY
    state.passes = view.passes
    state.laid_at[:] = view.laid_at
    state.record[:] = view.record
    state.rights = 0
    state.declarer = NOBODY
    state.redeals = 0
    seat = view.seat
    for place in range(rules.players):
        state.total[seat] = view.total[place]
        state.played[seat] = view.played[place]
        state.plays[seat] = view.plays[place]
        state.drops[seat] = view.drops[place]
        state.missed[seat, :] = view.missed[place, :]
        if place == view.leader:
            state.leader = seat
        if place == view.last_player:
            state.last_player = seat
        if place == (view.leader + view.turn) % rules.players:
            state.to_act = seat
        seat = seat_after(rules, state, seat)
    state.hands[view.seat] = view.hand
    state.discards[view.seat] = view.discards
    state.points[view.seat] = weight(view.discards)


@rule
def list_slots(rules, view, deck_size, forced, both_ends, places, turns, barred):
    """List the slots that the unseen tiles fill; return how many there are.

    A slot is a tile in another's hand (`turns` TURNS), one discarded (at that turn), or one dealt to nobody
    (`places` 0). `barred` is the set of kinds it cannot be: a seat that had to discard held nothing that
    fitted, then or later. The slots of a place stand together, those barred from most kinds first.
    """
    slots = 0
    ends = np.zeros(2, np.int8)
    for place in range(1, rules.players):
        ends[:] = 0
        known = 0
        first = slots
        for turn in range(view.turn):
            action = view.record[turn]
            if action < DISCARD:
                join(ends, action % KINDS, action // KINDS, both_ends)
            elif (view.leader + turn) % rules.players == place:
                if forced:
                    known |= CARRYING[ends[0]] | CARRYING[ends[1]]
                places[slots], turns[slots], barred[slots] = place, turn, known
                slots += 1
        for _ in range(view.sizes[place]):
            places[slots], turns[slots], barred[slots] = place, TURNS, known
            slots += 1
        for step in range((slots - first) // 2):
            left, right = first + step, slots - 1 - step
            turns[left], turns[right] = turns[right], turns[left]
            barred[left], barred[right] = barred[right], barred[left]
    for _ in range(deck_size - rules.players * view.hand_size):
        places[slots], turns[slots], barred[slots] = 0, TURNS, 0
        slots += 1
    return slots


@rule
def fill_slots(tiles, places, barred, key):
    """Put `tiles`, int8 kinds, into the slots in an order drawn from `key`; False if another draw is needed.

    Slot by slot a tile is drawn among those left that it may hold. A filling then comes up in proportion to
    1 / (product of the choices there were), so it is kept with probability (product of the choices) /
    (product of the most choices there can be): every possible filling becomes equally likely.
    """
    slots = len(tiles)
    luck = (derive(key, 1 << 20) >> 31) / (1 << 32)
    odds = 1.0
    own = 0  # slots of the same place before this one; they hold nothing that is barred here
    for slot in range(slots):
        own = own + 1 if slot > 0 and places[slot] == places[slot - 1] else 0
        allowed = 0
        choices = 0  # those of them not used before
        for at in range(slots):
            if barred[slot] & ONE[tiles[at]] == 0:
                allowed += 1
                choices += at >= slot
        if choices == 0:
            return False
        # Of the other tiles used before, at most slots - allowed can be ones that are barred here.
        most = allowed - own - max(0, slot - own - (slots - allowed))
        odds *= choices / most
        if odds <= luck:
            return False
        pick = draw(key, slot, choices)
        for at in range(slot, slots):
            if barred[slot] & ONE[tiles[at]] == 0:
                if pick == 0:
                    tiles[slot], tiles[at] = tiles[at], tiles[slot]
                    break
                pick -= 1
    return True


@rule
def place_tiles(rules, view, tiles, places, turns, state):
    """Give every seat but the viewer's the tiles of its slots."""
    seat = view.seat
    for place in range(rules.players):
        if place > 0:
            state.hands[seat] = 0
            state.discards[seat] = 0
            state.points[seat] = 0
        for slot in range(len(tiles)):
            if places[slot] == place and place > 0:
                if turns[slot] == TURNS:
                    state.hands[seat] += ONE[tiles[slot]]
                else:
                    state.discards[seat] += ONE[tiles[slot]]
                    state.points[seat] += WEIGHT[tiles[slot]]
        seat = seat_after(rules, state, seat)
    state.unused = 0
    for slot in range(len(tiles)):
        if places[slot] == 0:
            state.unused += ONE[tiles[slot]]


@rule
def determinize(possible, rules, view, deck_size, forced, both_ends, key, state):
    """Fill a state with a uniform draw among the fillings of all slots that `possible` accepts.

    possible(rules, view, state, tiles, places, turns): whether the game could have come to this state.
    """
    restore_public(rules, view, key, state)
    places, turns = np.empty(TURNS, np.int8), np.empty(TURNS, np.int8)
    barred, tiles = np.empty(TURNS, np.int64), np.empty(TURNS, np.int8)
    slots = list_slots(rules, view, deck_size, forced, both_ends, places, turns, barred)
    list_tiles(view.unseen, tiles)
    attempt = 1
    while True:
        if fill_slots(tiles[:slots], places[:slots], barred[:slots], derive(key, attempt)):
            place_tiles(rules, view, tiles[:slots], places, turns, state)
            if possible(rules, view, state, tiles[:slots], places, turns):
                return
        attempt += 1


@rule
def settle(rules, state, out):
    """Pay pairwise: every two seats settle the difference of their points; the caller scales and doubles it."""
    for seat in range(rules.players):
        for other in range(rules.players):
            out[seat] += state.points[other] - state.points[seat]


def payoff_bound(deck: np.ndarray, players: int, hand_size: int) -> float:
    """Return pips that no seat can exceed: the heaviest hand, all discarded, against rivals with no points."""
    return float((players - 1) * np.sort(WEIGHT[deck])[-hand_size:].sum())
