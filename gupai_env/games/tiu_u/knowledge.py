"""Tiu-U: who knows what, and the deals that fit it."""

import numpy as np

from gupai_env.core.byte_rows import copy_entries, write_row
from gupai_env.core.episode import NOBODY, begin_view, distance, resume_from, seat_after, seat_at, view_dtype
from gupai_env.core.rng import derive, shuffle
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, ONE, list_tiles, size
from gupai_env.games.tiu_u.rules import DECK_SETS, MATCHING, PLAYS, SEATS, STOCK, clear, deck, single_fish

VIEW = view_dtype(
    SEATS,
    ("leader", "i1"),
    ("mover", "i1"),  # whose turn it is
    ("last_player", "i1"),
    ("hand", "i8"),
    ("drawn", "i1"),  # the kind from the stock that the mover must play now, or NOBODY
    ("lake", "i8"),
    ("lock_triples", "i1"),  # the option: three of a kind in the lake are caught by the fourth alone
    ("fish", "i8"),  # the kinds of the lake of which one tile may be caught
    ("catches", "i8", (SEATS,)),
    ("points", "i2", (SEATS,)),  # of the catches
    ("red", "i1", (SEATS,)),  # red pips of their small fish, before rounding
    ("laid", "i8", (SEATS,)),
    ("unseen", "i8"),  # all tiles in the other hands and the stock
    ("sizes", "i1", (SEATS,)),  # tiles in hand
    ("stock", "i1"),  # tiles in the stock
    ("bites", "i1", (KINDS,)),  # tiles of the lake of which a bait of this kind may catch one
    ("rivals", "i1", (KINDS,)),  # unseen tiles that match this kind
    ("plays", "i1"),
    ("record", "i1", (PLAYS,)),
)


@rule
def matched_tiles(tiles, out):
    """Fill `out` [KINDS] with how many tiles of a set match each kind."""
    for kind in range(KINDS):
        out[kind] = size(tiles & (7 * MATCHING[kind]))


@rule
def information_set(rules, state, seat, view, history=True):
    """Fill the view of `seat`: all but the other hands and the order of the stock."""
    begin_view(rules, state, seat, view)
    view.leader = distance(rules, state, seat, state.leader)
    view.mover = distance(rules, state, seat, state.to_act)
    view.last_player = NOBODY
    if state.last_player != NOBODY:
        view.last_player = distance(rules, state, seat, state.last_player)
    view.hand = state.hands[seat]
    view.drawn = state.drawn
    view.lake = state.lake
    view.lock_triples = rules.lock_triples
    view.fish = single_fish(rules, state.lake)
    view.stock = STOCK - state.turned
    view.plays = state.plays
    if history:
        copy_entries(state.record, 0, view.record, 0, PLAYS)
    unseen = DECK_SETS[rules.deck] - state.lake - state.hands[seat]
    if state.drawn != NOBODY:
        unseen -= ONE[state.drawn]
    place_seat = seat
    for offset in range(SEATS):  # a constant, so that the loop is unrolled
        if offset == rules.players:
            break
        view.total[offset] = state.total[place_seat]
        view.catches[offset] = state.catches[place_seat]
        view.points[offset] = state.points[place_seat]
        view.red[offset] = state.red[place_seat]
        view.laid[offset] = state.laid[place_seat]
        view.sizes[offset] = size(state.hands[place_seat])
        unseen -= state.catches[place_seat]
        place_seat = seat_after(rules, state, place_seat)
    view.unseen = unseen
    matched_tiles(state.lake & (7 * view.fish), view.bites)
    matched_tiles(unseen, view.rivals)


@rule
def determinize(rules, view, key, state):
    """Fill a state: the unseen tiles lie in the other hands and the stock in any order, all alike."""
    clear(state)
    resume_from(view, key, state)
    state.leader = seat_at(rules, state, view.seat, view.leader)
    state.to_act = seat_at(rules, state, view.seat, view.mover)
    if view.last_player != NOBODY:
        state.last_player = seat_at(rules, state, view.seat, view.last_player)
    state.hands[view.seat] = view.hand
    state.lake = view.lake
    state.turned = STOCK - view.stock
    state.drawn = view.drawn
    state.plays = view.plays
    write_row(state.record, view.record)
    tiles = np.empty(len(deck(rules)), np.int8)
    unseen = list_tiles(view.unseen, tiles)
    shuffle(tiles[:unseen], derive(key, 1))
    used = 0
    for offset in range(rules.players):
        seat = seat_at(rules, state, view.seat, offset)
        state.total[seat] = view.total[offset]
        state.catches[seat] = view.catches[offset]
        state.points[seat] = view.points[offset]
        state.red[seat] = view.red[offset]
        state.laid[seat] = view.laid[offset]
        if offset > 0:
            for _ in range(view.sizes[offset]):
                state.hands[seat] += ONE[tiles[used]]
                used += 1
    # Those turned up are public and not needed any more.
    write_row(state.stock[state.turned :], tiles[used : used + view.stock])
