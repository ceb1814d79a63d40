"""The part of an observation that the fishing games share."""

from gupai_env.core.byte_rows import copy_entries
from gupai_env.core.episode import NOBODY
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, write_counts


@rule
def encode_place(view, out, at, place):
    """Fill what fishing games share of the sections by seat."""
    write_counts(view.catches[place], out, at.catches + place * KINDS)
    write_counts(view.laid[place], out, at.laid + place * KINDS)
    out[at.sizes + place] = view.sizes[place]


@rule
def encode_table(view, out, at):
    """Fill the other sections that fishing games share; `at` are where sections start, by name."""
    write_counts(view.hand, out, at.hand)
    write_counts(view.lake, out, at.lake)
    write_counts(view.unseen, out, at.unseen)
    if view.drawn != NOBODY:
        out[at.drawn + int(view.drawn)] = 1
    copy_entries(view.bites, 0, out, at.bites, KINDS)
    copy_entries(view.rivals, 0, out, at.rivals, KINDS)
    out[at.stock] = view.stock
    out[at.mover + int(view.mover)] = 1
    out[at.leader + int(view.leader)] = 1
    out[at.first_deal] = view.deal == 0
    out[at.last_deal] = view.deal >= view.deals - 1
