"""The observation of a connecting game: what all of them share, and that of Jie Long and Ce Deng."""

from gupai_env.core.byte_rows import copy_entries
from gupai_env.core.layout import Encoder, Layout, Section
from gupai_env.core.rule import rule
from gupai_env.core.tiles import CARRYING, HIGHEST, KINDS, kinds_in, number_of, write_counts
from gupai_env.games.connecting.rules import SEATS, TURNS

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
    Section("first_deal", (1,), 1, "the first deal of a match"),
    Section("last_deal", (1,), 1, "the last deal of a match"),
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
    out[AT.first_deal] = view.deal == 0
    out[AT.last_deal] = view.deal >= view.deals - 1


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]."""
    encode_table(view, out)
    out[AT.locked] = view.locked
    out[AT.asked] = view.asked


ENCODER = Encoder("connecting", 1, LAYOUT)
