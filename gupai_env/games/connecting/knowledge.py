"""Who knows what in a connecting game, and the deals that fit it."""

import numpy as np

from gupai_env.core.episode import NOBODY, resume_from, seat_after
from gupai_env.core.rng import derive, draw
from gupai_env.core.rule import rule
from gupai_env.core.tiles import CARRYING, KINDS, ONE, WEIGHT, list_tiles, weight
from gupai_env.core.words import copy_entries, mark_entries
from gupai_env.games.connecting.rules import DISCARD, NUMBERS, SEATS, TURNS, join

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
