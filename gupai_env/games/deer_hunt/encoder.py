"""The observation of Deer Hunt."""

from gupai_env.core.byte_rows import copy_entries
from gupai_env.core.episode import NOBODY
from gupai_env.core.layout import Encoder, Layout, Section
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, RED, write_counts
from gupai_env.games.deer_hunt.rules import ALL_RED, HAND, PLAYS, SEATS

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
        Section("first_deal", (1,), 1, "the first deal of a match"),
        Section("last_deal", (1,), 1, "the last deal of a match"),
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
    out[AT.first_deal] = view.deal == 0
    out[AT.last_deal] = view.deal >= view.deals - 1


ENCODER = Encoder("deer-hunt", 0, LAYOUT)
