"""Tien Gow: who knows what, the deals that fit it, and the observation."""

import numpy as np

from gupai_env.core.bits import ones
from gupai_env.core.byte_rows import MARKS, copy_entries, store_marks, write_row
from gupai_env.core.episode import begin_view, deal_listed, resume_from, seat_after, seat_at, view_dtype, write_match
from gupai_env.core.layout import MATCH_SECTIONS, Layout, Section
from gupai_env.core.memory import scratch
from gupai_env.core.rng import derive, shuffle
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, MOST_TILES, ONE, bit_each, first_kind, list_tiles, size, write_counts
from gupai_env.games.tien_gow.combinations import CLASSES, COMBINATIONS, SIZE, beatable_by, combinations_in
from gupai_env.games.tien_gow.rules import ALLOWED, DECK_SETS, DISCARD, HAND, PLAYS, SEATS, clear, is_last
from gupai_env.games.tien_gow.settlement import multiplier

VIEW = view_dtype(
    SEATS,
    ("leader", "i1"),  # the banker
    ("mover", "i1"),  # whose turn it is
    ("first", "i1"),  # who led the trick on the table, or leads the next one
    ("holder", "i1"),  # who has the best combination of it, or won the last trick
    ("opener", "i1"),  # who led the first trick of the record
    ("lead", "i1"),  # the combination that was led; NOBODY: none yet
    ("best", "i1"),  # the highest one
    ("tiles", "i1"),  # tiles of each seat in this trick; 0 before the lead
    ("turns", "i1"),  # seats that have played to it
    ("to_discard", "i1"),  # tiles that the mover must still add to its discard; 0: none is begun
    ("last", "i1"),  # the trick on the table is the last one
    ("players", "i1"),
    ("tiny", "i1"),  # the deck
    ("civil_supreme", "i1"),  # the options of these names
    ("early_death", "i1"),
    ("multiplier", "i2"),  # of the banker's payments
    ("streak", "i2"),
    ("hand", "i8"),
    ("discards", "i8"),  # the viewer's own
    ("unseen", "i8"),  # all tiles in other hands and face down before others
    ("leads", "i8"),  # combinations of the hand that may be led
    ("beatable", "i8"),  # combinations that some unseen tiles beat
    ("played", "i8", (SEATS,)),
    ("bonus", "i4", (SEATS,)),
    ("sizes", "i1", (SEATS,)),  # tiles in hand
    ("face_down", "i1", (SEATS,)),  # tiles discarded
    ("taken", "i1", (SEATS,)),  # tricks
    ("gave_up", "i1", (SEATS, len(CLASSES))),
    ("plays", "i1"),
    ("record", "i1", (PLAYS,)),  # what others discarded is DISCARD
    ("own", "i1", (PLAYS,)),  # 1 where the viewer decided
)


@rule
def information_set(rules, state, seat, view, history=True):
    """Fill the view of `seat`: all except the other hands and what lies face down before others."""
    begin_view(rules, state, seat, view)
    view.lead = state.lead
    view.best = state.best
    view.tiles = state.tiles
    view.turns = state.turns
    view.to_discard = state.to_discard
    view.last = state.tiles > 0 and (state.terminated or is_last(rules, state))
    view.players = rules.players
    view.tiny = rules.deck
    view.civil_supreme = rules.civil_supreme
    view.early_death = rules.early_death
    view.multiplier = multiplier(rules, state)
    view.streak = state.streak
    view.hand = state.hands[seat]
    view.discards = state.discards[seat]
    view.plays = state.plays
    unseen = DECK_SETS[rules.deck] - state.hands[seat] - state.discards[seat]
    view.leader, view.mover, view.first, view.holder, view.opener = 0, 0, 0, 0, 0
    place_seat = seat
    for offset in range(SEATS):  # a constant, so that the loop is unrolled
        if offset == rules.players:
            break
        unseen -= state.played[place_seat]
        view.played[offset] = state.played[place_seat]
        view.bonus[offset] = state.bonus[place_seat]
        view.sizes[offset] = ones(bit_each(state.hands[place_seat]))
        view.face_down[offset] = ones(bit_each(state.discards[place_seat]))
        view.taken[offset] = state.taken[place_seat]
        for class_number in range(len(CLASSES)):
            view.gave_up[offset, class_number] = state.gave_up[place_seat, class_number]
        if place_seat == state.leader:
            view.leader = offset
        if place_seat == state.to_act:
            view.mover = offset
        if place_seat == state.first:
            view.first = offset
        if place_seat == state.holder:
            view.holder = offset
        if place_seat == state.opener:
            view.opener = offset
        place_seat = seat_after(rules, state, place_seat)
    view.unseen = unseen
    view.leads = combinations_in(view.hand) & ALLOWED[rules.combinations]
    view.beatable = beatable_by(rules.civil_supreme, unseen)
    if history:
        show_record(rules, state, seat, view)


@rule
def show_record(rules, state, viewer, view):
    """Copy the decisions so far; of a discard by another seat nothing except that it was one."""
    seat, holder, turns, tiles, owed = int(state.opener), int(state.opener), 0, 0, 0
    view.record[:] = 0
    view.own[:] = 0
    for play in range(state.plays):
        action = state.record[play]
        view.own[play] = seat == viewer
        view.record[play] = action if seat == viewer else min(action, DISCARD)
        if action < DISCARD:
            if turns == 0:
                tiles = int(SIZE[action])
            holder = seat
        else:
            owed = (owed if owed > 0 else tiles) - 1
            if owed > 0:
                continue
        turns += 1
        if turns < rules.players:
            seat = seat_after(rules, state, seat)
        else:
            seat, turns = holder, 0


@rule
def determinize(rules, view, key, state):
    """Fill a state: unseen tiles lie in the other hands and in others' discards in any way, all alike.

    Nothing that a seat does reveals what it holds, for it may always discard. Only what lies face down of a discard
    that
    is not complete yet must be such as can be gone on with: the lowest kinds come first.
    """
    restore_public(rules, view, key, state)
    tiles = scratch(MOST_TILES, np.int8)
    unseen = list_tiles(view.unseen, tiles)
    attempt = derive(key, 1)
    shuffle(tiles[:unseen], attempt)
    place_tiles(rules, view, tiles, state)
    while not can_go_on(view, state):
        attempt = derive(attempt, 0)
        shuffle(tiles[:unseen], attempt)
        place_tiles(rules, view, tiles, state)


@rule
def restore_public(rules, view, key, state):
    """Fill a state with all that a view knows; hands and discards of the others stay empty."""
    clear(state)
    resume_from(rules, view, key, state)
    state.leader = seat_at(rules, state, view.seat, view.leader)
    state.to_act = seat_at(rules, state, view.seat, view.mover)
    state.first = seat_at(rules, state, view.seat, view.first)
    state.holder = seat_at(rules, state, view.seat, view.holder)
    state.opener = seat_at(rules, state, view.seat, view.opener)
    state.lead = view.lead
    state.best = view.best
    state.tiles = view.tiles
    state.turns = view.turns
    state.to_discard = view.to_discard
    state.streak = view.streak
    state.plays = view.plays
    write_row(state.record, view.record)
    seat = view.seat
    for offset in range(rules.players):
        state.played[seat] = view.played[offset]
        state.bonus[seat] = view.bonus[offset]
        state.taken[seat] = view.taken[offset]
        state.done += view.taken[offset]
        write_row(state.gave_up[seat], view.gave_up[offset])
        seat = seat_after(rules, state, seat)
    state.hands[view.seat] = view.hand
    state.discards[view.seat] = view.discards
    if view.to_discard > 0 and view.mover == 0:
        state.floor = view.record[view.plays - 1] - DISCARD


@rule
def place_tiles(rules, view, tiles, state):
    """Put unseen tiles, int8 kinds, into the other hands and, discard by discard, before the other seats."""
    for offset in range(1, rules.players):
        seat = seat_at(rules, state, view.seat, offset)
        state.hands[seat] = 0
        state.discards[seat] = 0
    used = deal_listed(rules, state, view.seat, tiles, view.sizes)
    seat, holder, turns, tiles_each, play = int(state.opener), int(state.opener), 0, 0, 0
    while play < view.plays:
        action = view.record[play]
        if action < DISCARD:
            if turns == 0:
                tiles_each = int(SIZE[action])
            holder = seat
            play += 1
        else:
            discarded = min(tiles_each, view.plays - play)
            if view.own[play] == 0:
                record_discard(state, seat, tiles[used : used + discarded], play)
                used += discarded
            play += discarded
        if turns + 1 < rules.players:
            turns, seat = turns + 1, seat_after(rules, state, seat)
        else:
            turns, seat = 0, holder
    for offset in range(1, rules.players):  # of a position set up by hand no record says when they were discarded
        seat = seat_at(rules, state, view.seat, offset)
        for _ in range(view.face_down[offset] - size(state.discards[seat])):
            state.discards[seat] += ONE[tiles[used]]
            used += 1


@rule
def record_discard(state, seat, tiles, play):
    """Lay a discard of a seat face down, and record it from a place on, the lowest kind first."""
    dropped = 0
    for index in range(len(tiles)):
        dropped += ONE[tiles[index]]
    state.discards[seat] += dropped
    while dropped:
        kind = first_kind(dropped)
        dropped -= ONE[kind]
        state.record[play] = DISCARD + kind
        play += 1


@rule
def can_go_on(view, state):
    """True unless another seat has begun a discard with kinds too high for its hand; sets the lowest to follow."""
    if view.to_discard == 0 or view.mover == 0:
        return True
    state.floor = state.record[view.plays - 1] - DISCARD
    hand = state.hands[state.to_act]
    return size(hand & -ONE[state.floor]) >= view.to_discard


MOST = 127  # chips and multipliers that are shown; larger ones look like these
REST = len(COMBINATIONS) - MARKS

LAYOUT = Layout(
    (
        Section("hand", (KINDS,), 2, "copies of each kind in your hand"),
        Section("discards", (KINDS,), 2, "copies of each kind that one has discarded"),
        Section("unseen", (KINDS,), 2, "copies of each kind in the other hands and face down before others"),
        Section("played", (SEATS, KINDS), 2, "copies of each kind played face up, by seat"),
        Section("best", (len(COMBINATIONS),), 1, "the combination to beat, one-hot; all 0 before a lead"),
        Section("leads", (len(COMBINATIONS),), 1, "combinations of your hand that may be led"),
        Section("sure", (len(COMBINATIONS),), 1, "those of them that no unseen tiles beat"),
        Section("gave_up", (SEATS, len(CLASSES)), HAND, "tiles discarded to tricks of each class, by seat"),
        Section("holder", (SEATS,), 1, "whose the combination to beat is, or who won the last trick, one-hot"),
        Section("first", (SEATS,), 1, "who led the trick, or leads the next one, one-hot"),
        Section("mover", (SEATS,), 1, "whose turn it is, one-hot"),
        Section("leader", (SEATS,), 1, "the banker, one-hot"),
        Section("sizes", (SEATS,), HAND, "tiles in each hand"),
        Section("face_down", (SEATS,), HAND, "tiles that each seat has discarded"),
        Section("taken", (SEATS,), HAND, "tricks of each seat"),
        Section("bonus", (SEATS,), MOST, "chips that each seat was paid at once", signed=True),
        Section("tiles", (1,), 4, "tiles of each seat in the trick; 0 before a lead"),
        Section("to_discard", (1,), 3, "tiles that are still to be added to a discard; 0: none is begun"),
        Section("last", (1,), 1, "the trick is the last one"),
        Section("multiplier", (1,), MOST, "by what the banker's payments are multiplied"),
        *MATCH_SECTIONS,
    )
)
AT = LAYOUT.starts


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]; seats that do not play stay zero."""
    write_counts(view.hand, out, AT.hand)
    write_counts(view.discards, out, AT.discards)
    write_counts(view.unseen, out, AT.unseen)
    for place in range(SEATS):
        write_counts(view.played[place], out, AT.played + place * KINDS)
        copy_entries(view.gave_up[place], 0, out, AT.gave_up + place * len(CLASSES), len(CLASSES))
        out[AT.bonus + place] = min(max(view.bonus[place], -MOST), MOST)
    if view.best >= 0:
        out[AT.best + int(view.best)] = 1
    write_combinations(view.leads, out, AT.leads)
    write_combinations(view.leads & ~view.beatable, out, AT.sure)
    copy_entries(view.sizes, 0, out, AT.sizes, SEATS)
    copy_entries(view.face_down, 0, out, AT.face_down, SEATS)
    copy_entries(view.taken, 0, out, AT.taken, SEATS)
    out[AT.holder + int(view.holder)] = 1
    out[AT.first + int(view.first)] = 1
    out[AT.mover + int(view.mover)] = 1
    out[AT.leader + int(view.leader)] = 1
    out[AT.tiles] = view.tiles
    out[AT.to_discard] = view.to_discard
    out[AT.last] = view.last
    out[AT.multiplier] = min(view.multiplier, MOST)
    write_match(view, out, AT)


@rule
def write_combinations(combinations, out, start):
    """Write a set of combinations to out[at : at + len(COMBINATIONS)] as zeros and ones."""
    store_marks(out, start, combinations)
    store_marks(out, start + REST, combinations >> REST)
