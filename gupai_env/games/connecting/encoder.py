"""The observation of a connecting game: what all of them share, and that of Jie Long and Ce Deng."""

import numpy as np

from gupai_env.core.byte_rows import copy_entries
from gupai_env.core.episode import write_match
from gupai_env.core.layout import MATCH_SECTIONS, Encoder, Layout, Section
from gupai_env.core.memory import scratch
from gupai_env.core.rule import rule
from gupai_env.core.tiles import CARRYING, HIGHEST, KINDS, ONE, kinds_in, number_of, write_counts
from gupai_env.games.connecting.rules import DISCARD, SEATS, TURNS, ends_after, is_covered

OTHERS = SEATS - 1

SECTIONS = (
    Section("hand", (KINDS,), 2, "copies of each kind in your hand"),
    Section("discards", (KINDS,), 2, "copies of each kind one has discarded"),
    Section("unseen", (KINDS,), 2, "copies of each kind in places one does not see"),
    Section("played", (SEATS, KINDS), 2, "copies of each kind laid, by who laid them"),
    Section("laid_at", (KINDS,), TURNS, "turn, from 1, at which the kind was last laid; 0: not yet"),
    Section("ends", (2, HIGHEST + 1), 1, "each open number, one-hot; 0: nothing lies open yet"),
    Section("sizes", (SEATS,), 16, "tiles in each hand"),
    Section("drops", (SEATS,), 16, "tiles each seat has discarded"),
    Section("missed", (OTHERS, HIGHEST), 16, "discards each other seat made while the number was open"),
    Section("void", (OTHERS, HIGHEST), 1, "each other seat is known to hold no tile with the number"),
    Section("suits", (HIGHEST,), 16, "kinds in your hand that carry the number"),
    Section("unseen_suits", (HIGHEST,), 8, "unseen kinds that carry the number"),
    Section("leader", (SEATS,), 1, "who led, one-hot"),
    Section("last_player", (SEATS,), 1, "who laid the last tile, one-hot; all 0 before the lead"),
    Section("passes", (1,), TURNS, "discards since then"),
    Section("turn", (1,), TURNS, "tiles shed in this deal"),
    *MATCH_SECTIONS,
)
LAYOUT = Layout(
    (
        *SECTIONS,
        Section("locked", (1,), 1, "doubles are barred because all others discarded"),
        Section("asked", (1,), 1, "one is asked for a declaration before the play"),
    )
)
AT = LAYOUT.starts


@rule
def encode_table(view, out):
    """Fill SECTIONS, the first of `out`, a cleared int8 vector; seats that do not play stay zero."""
    write_counts(view.hand, out, AT.hand)
    write_counts(view.discards, out, AT.discards)
    write_counts(view.unseen, out, AT.unseen)
    for place in range(SEATS):
        write_counts(view.played[place], out, AT.played + place * KINDS)
        out[AT.sizes + place] = view.sizes[place]
        out[AT.drops + place] = view.drops[place]
    copy_entries(view.laid_at, 0, out, AT.laid_at, KINDS)
    out[AT.ends + int(view.ends[0])] = 1
    out[AT.ends + HIGHEST + 1 + int(view.ends[1])] = 1
    for other in range(OTHERS):
        copy_entries(view.missed[other + 1], 1, out, AT.missed + other * HIGHEST, HIGHEST)
        copy_entries(view.void[other + 1], 1, out, AT.void + other * HIGHEST, HIGHEST)
    hand, unseen = kinds_in(view.hand), kinds_in(view.unseen)
    for number in range(HIGHEST):
        out[AT.suits + number] = number_of(hand & CARRYING[number + 1])
        out[AT.unseen_suits + number] = number_of(unseen & CARRYING[number + 1])
    out[AT.leader + int(view.leader)] = 1
    if view.last_player >= 0:
        out[AT.last_player + int(view.last_player)] = 1
    out[AT.passes] = view.passes
    out[AT.turn] = view.turn
    write_match(view, out, AT)


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]."""
    encode_table(view, out)
    if view.stacked:
        hide_covered(view, out)
    out[AT.locked] = view.locked
    out[AT.asked] = view.asked


@rule
def hide_covered(view, out):
    """Take out of an observation what it owes to covered tiles, which has to be remembered.

    They count as unseen, and discards made while such a tile was the last one are in neither `missed` nor `void`.
    """
    laid, players = 0, 0
    for place in range(SEATS):
        laid += view.plays[place]
        players += view.sizes[place] + view.plays[place] + view.drops[place] > 0
    ends = scratch(2, np.int8)
    ends[:] = 0
    out[AT.laid_at : AT.laid_at + KINDS] = 0
    index, covered, place = 0, False, int(view.leader)
    for turn in range(view.turn):
        action = int(view.record[turn])
        if action < DISCARD:
            kind = action % KINDS
            ends[0], ends[1] = ends_after(ends, kind, action // KINDS, view.stacked == 2)
            covered = is_covered(index, laid)
            index += 1
            if covered:
                out[AT.played + place * KINDS + kind] -= 1
                out[AT.unseen + kind] += 1
            else:
                out[AT.laid_at + kind] = turn + 1
        elif covered and place > 0:
            forget_miss(place, ends[0], out)
            if ends[0] != ends[1]:
                forget_miss(place, ends[1], out)
        place = place + 1 if place + 1 < players else 0
    for number in range(HIGHEST):
        out[AT.unseen_suits + number] = 0
        for kind in range(KINDS):
            if out[AT.unseen + kind] > 0 and CARRYING[number + 1] & ONE[kind]:
                out[AT.unseen_suits + number] += 1


@rule
def forget_miss(place, number, out):
    """Take one discard that the seat at `place` made while `number` was open out of an observation.

    Args:
        place: Of the seat, counted from the viewer.
        number: 1 to 6.
        out: The observation, int8 [layout.size].
    """
    miss = (place - 1) * HIGHEST + int(number) - 1
    out[AT.missed + miss] -= 1
    if out[AT.missed + miss] == 0:
        out[AT.void + miss] = 0


ENCODER = Encoder("connecting", 1, LAYOUT)
