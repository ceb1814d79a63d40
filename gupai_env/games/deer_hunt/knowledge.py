"""Deer Hunt: who knows what, the deals that fit it, and the observation."""

import numpy as np

from gupai_env.core.byte_rows import copy_entries, write_row
from gupai_env.core.episode import (
    NOBODY,
    begin_view,
    deal_hidden,
    distance,
    resume_from,
    seat_after,
    seat_at,
    view_dtype,
    write_match,
)
from gupai_env.core.layout import MATCH_SECTIONS, Layout, Section
from gupai_env.core.memory import scratch
from gupai_env.core.rng import derive, draw, shuffle
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, ONE, RED, kinds_in, list_tiles, size, write_counts
from gupai_env.games.deer_hunt.rules import ALL_RED, DECK_SETS, HAND, ONE_HEAVEN, PACKS, PARTNER, PLAYS, SEATS, clear

VIEW = view_dtype(
    SEATS,
    ("leader", "i1"),  # the dealer
    ("mover", "i1"),  # whose turn it is
    ("hand", "i8"),
    ("played", "i8", (SEATS,)),
    ("taken", "i8", (SEATS,)),
    ("red", "i1", (SEATS,)),
    ("escaped", "i8"),
    ("escape", "i1"),  # the option
    ("trick", "i1", (SEATS,)),  # kinds, or NOBODY
    ("lying", "i1"),
    ("taking", "i1"),  # who takes the trick, as it is, or NOBODY
    ("unseen", "i8"),  # all tiles in the other hands
    ("sizes", "i1", (SEATS,)),  # tiles in hand
    ("above", "i1", (KINDS,)),  # unseen tiles that are stronger than each kind
    ("plays", "i1"),
    ("record", "i1", (PLAYS,)),
)


@rule
def information_set(rules, state, seat, view, history=True):
    """Fill the view of `seat`: all except the other hands."""
    begin_view(rules, state, seat, view)
    view.leader = distance(rules, state, seat, state.leader)
    view.mover = distance(rules, state, seat, state.to_act)
    view.hand = state.hands[seat]
    view.escaped = state.escaped
    view.escape = rules.escape
    view.lying = state.lying
    view.taking = NOBODY
    if state.taking != NOBODY:
        view.taking = distance(rules, state, seat, state.taking)
    view.plays = state.plays
    if history:
        copy_entries(state.record, 0, view.record, 0, PLAYS)
    lies = state.escaped
    place_seat = seat
    for offset in range(SEATS):
        view.played[offset] = state.played[place_seat]
        view.taken[offset] = state.taken[place_seat]
        view.red[offset] = state.red[place_seat]
        view.trick[offset] = state.trick[place_seat]
        view.sizes[offset] = size(state.hands[place_seat])
        lies += state.taken[place_seat]
        if state.lying and state.trick[place_seat] != NOBODY:
            lies += ONE[state.trick[place_seat]]
        place_seat = seat_after(rules, state, place_seat)
    view.unseen = DECK_SETS[rules.deck] - lies - state.hands[seat]
    stronger = 0
    for kind in range(KINDS - 1, -1, -1):
        view.above[kind] = stronger
        stronger += view.unseen >> (3 * kind) & 7


@rule
def determinize(rules, view, key, state):
    """Fill a state: the unseen tiles lie in the other hands in any order that the deal allows, all alike."""
    clear(state)
    resume_from(rules, view, key, state)
    state.leader = seat_at(rules, state, view.seat, view.leader)
    state.to_act = seat_at(rules, state, view.seat, view.mover)
    state.escaped = view.escaped
    state.lying = view.lying
    if view.taking != NOBODY:
        state.taking = seat_at(rules, state, view.seat, view.taking)
    state.plays = view.plays
    write_row(state.record, view.record)
    hands, free = scratch(SEATS, np.int64), scratch(SEATS, np.int64)  # by place; what may still be dealt to each
    for offset in range(SEATS):
        hands[offset], free[offset] = 0, view.sizes[offset]
    hands[0] = view.hand
    deal_packs(rules, view, derive(key, 2), hands, free)

    for offset in range(SEATS):
        seat = seat_at(rules, state, view.seat, offset)
        state.played[seat] = view.played[offset]
        state.taken[seat] = view.taken[offset]
        state.red[seat] = view.red[offset]
        state.trick[seat] = view.trick[offset]
        state.hands[seat] = hands[offset]
    unseen = view.unseen + view.hand - hands.sum()
    deal_hidden(rules, state, view.seat, unseen, free, derive(key, 1))


@rule
def deal_packs(rules, view, key, hands, free):
    """Deal, of a fair deal, the tiles of the packs that are unseen, to hands by place that have so much free.

    What a side has not shown of its pack it holds still. A partner has what the viewer was not dealt. Of the opponents'
    either may hold a [6:6] that only sides are dealt, in any of their free places, and of four tiles each has two.
    """
    pack, unseen = PACKS[rules.fair_deal], view.unseen
    if pack == 0:
        return
    kinds = scratch(SEATS, np.int8)
    own = pack & ~kinds_in(view.hand + view.played[0] + view.played[PARTNER])
    for index in range(list_tiles(own & kinds_in(unseen), kinds)):
        unseen -= put(PARTNER, kinds[index], hands, free)
    remaining = list_tiles(pack & ~kinds_in(view.played[1] + view.played[3]) & kinds_in(unseen), kinds)
    shuffle(kinds[:remaining], key)
    if rules.fair_deal == ONE_HEAVEN:
        first = remaining and draw(key, 0, free[1] + free[3]) < free[1]
    else:
        first = size(pack) // 2 - size(view.played[1] & (7 * pack))
    for index in range(remaining):
        put(1 if index < first else 3, kinds[index], hands, free)


@rule
def put(place, kind, hands, free):
    """Deal a tile to a hand that has a place free for it; return the tile set of what was dealt."""
    tile = ONE[kind] if free[place] > 0 else 0
    hands[place] += tile
    free[place] -= tile != 0
    return tile


LAYOUT = Layout(
    (
        Section("hand", (KINDS,), 2, "copies of each kind in your hand"),
        Section("unseen", (KINDS,), 2, "copies of each kind in the other hands"),
        Section("played", (SEATS, KINDS), 2, "copies of each kind played in the deal, by seat"),
        Section("trick", (SEATS, KINDS), 1, "the tile played to the trick, by seat, one-hot; all 0: none yet"),
        Section("taking", (SEATS,), 1, "who takes the trick as it is, one-hot; all 0: it is to be led"),
        Section("trick_red", (1,), 32, "red pips in the trick"),
        Section("lying", (SEATS,), 1, "tiles in the trick, one-hot"),
        Section("above", (KINDS,), PLAYS, "unseen tiles that are stronger than each kind"),
        Section("red", (SEATS,), ALL_RED[0], "red pips in the tricks that each seat has taken"),
        Section("sizes", (SEATS,), HAND, "tiles in each hand"),
        Section("mover", (SEATS,), 1, "whose turn it is, one-hot"),
        Section("leader", (SEATS,), 1, "the dealer, one-hot"),
        *MATCH_SECTIONS,
    )
)
AT = LAYOUT.starts


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]."""
    write_counts(view.hand, out, AT.hand)
    write_counts(view.unseen, out, AT.unseen)
    for place in range(SEATS):
        write_counts(view.played[place], out, AT.played + place * KINDS)
        out[AT.red + place] = view.red[place]
        out[AT.sizes + place] = view.sizes[place]
        kind = view.trick[place]
        if view.lying and kind != NOBODY:
            out[AT.trick + place * KINDS + int(kind)] = 1
            out[AT.trick_red] += RED[kind]
    if view.lying:
        out[AT.taking + int(view.taking)] = 1
    out[AT.lying + int(view.lying)] = 1
    copy_entries(view.above, 0, out, AT.above, KINDS)
    out[AT.mover + int(view.mover)] = 1
    out[AT.leader + int(view.leader)] = 1
    write_match(view, out, AT)
