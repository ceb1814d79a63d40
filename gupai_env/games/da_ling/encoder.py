"""The observation of Da Ling: the tiles, and the strength of every group of one to three of them."""

from collections.abc import Callable

import numpy as np

from gupai_env.core.byte_rows import rearrangement
from gupai_env.core.layout import Encoder, Layout, Section
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, write_counts
from gupai_env.games.da_ling.rules import HAND, SEATS, SPLITS
from gupai_env.games.splitting.rules import UNSPLIT

# All singles, pairs and triples of positions a to f in the sorted hand: a, b, ..., ab, ac, bc, ..., abc, ...
GROUPS = np.array(sorted(set(SPLITS.flat), key=lambda bits: (int(bits).bit_count(), bits)), np.int8)  # [41]
write_strengths: Callable[[np.ndarray, np.ndarray, int], None] = rearrangement(GROUPS, 1 << HAND)  # by group as here

LAYOUT = Layout(
    (
        Section("hand", (KINDS,), 2, "copies of each kind in your hand"),
        Section("table", (KINDS,), 2, "copies of each kind on the table"),
        Section("unseen", (KINDS,), 2, "copies of each kind in places one does not see"),
        Section("target", (10,), 1, "points modulo ten that a group must have, one-hot"),
        Section("red", (1,), 1, "the colour is red"),
        Section("matches", (len(GROUPS),), 1, "the group matches: singles, pairs, triples of your hand"),
        Section("pips", (len(GROUPS),), 33, "pips of the colour in each group that matches"),
        Section("players", (SEATS - 1,), 1, "number of players from 2, one-hot"),
        Section("split", (len(SPLITS),), 1, "how you have split your hand, one-hot"),
        Section("first_deal", (1,), 1, "the first deal of a match"),
        Section("last_deal", (1,), 1, "the last deal of a match"),
    )
)
AT = LAYOUT.starts


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]."""
    write_counts(view.hands[0], out, AT.hand)
    write_counts(view.table, out, AT.table)
    write_counts(view.unseen, out, AT.unseen)
    out[AT.target + int(view.target)] = 1
    out[AT.red] = view.red
    write_strengths(view.strength, out, AT.pips)
    for index in range(len(GROUPS)):
        strength = out[AT.pips + index]
        out[AT.matches + index] = strength >= 0
        out[AT.pips + index] = max(strength, 0)
    out[AT.players + int(view.players) - 2] = 1
    if view.splits[0] != UNSPLIT:
        out[AT.split + int(view.splits[0])] = 1
    out[AT.first_deal] = view.deal == 0
    out[AT.last_deal] = view.deal >= view.deals - 1


ENCODER = Encoder("da-ling", 0, LAYOUT)
