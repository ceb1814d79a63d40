"""The observation of Tien Gow."""

from gupai_env.core.byte_rows import MARKS, copy_entries, store_marks
from gupai_env.core.layout import Encoder, Layout, Section
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, write_counts
from gupai_env.games.tien_gow.combinations import CLASSES, COMBINATIONS
from gupai_env.games.tien_gow.rules import HAND, SEATS

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
        Section("first_deal", (1,), 1, "the first deal of a match"),
        Section("last_deal", (1,), 1, "the last deal of a match"),
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
    out[AT.first_deal] = view.deal == 0
    out[AT.last_deal] = view.deal >= view.deals - 1


@rule
def write_combinations(combinations, out, start):
    """Write a set of combinations to out[at : at + len(COMBINATIONS)] as zeros and ones."""
    store_marks(out, start, combinations)
    store_marks(out, start + REST, combinations >> REST)


ENCODER = Encoder("tien-gow", 0, LAYOUT)
