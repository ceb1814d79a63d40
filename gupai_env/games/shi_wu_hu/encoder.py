"""The observation of Shi Wu Hu."""

import numpy as np

from gupai_env.core.byte_rows import store_word
from gupai_env.core.layout import Encoder, Section
from gupai_env.core.rule import rule
from gupai_env.games.fishing.encoder import encode_place, encode_table, fishing_layout
from gupai_env.games.fishing.rules import SEATS
from gupai_env.games.shi_wu_hu.knowledge import count_matches
from gupai_env.games.shi_wu_hu.rules import GROUP_NAMES, STOCK, THOUSAND

HAND = 15  # the largest
MATCHES = 16  # tiles of one match: six pips and [2:1]
GROUPS = len(GROUP_NAMES)
BYTES = np.array(
    [sum((bits >> index & 1) << 8 * index for index in range(GROUPS)) for bits in range(1 << GROUPS)]
)  # as a word
ORDER = ", ".join(GROUP_NAMES)

LAYOUT = fishing_layout(
    HAND,
    STOCK,
    MATCHES,
    Section("full", (SEATS, GROUPS), 1, f"which groups are full in each catch: {ORDER}"),
    Section("open", (SEATS, GROUPS), 1, "which are not, but can still be by tiles that no other seat has caught"),
    Section("hundreds", (SEATS,), 27, "points of each catch: the hundreds,"),
    Section("tens", (SEATS,), 9, "and the tens below"),
    Section("thousand", (SEATS,), 1, "the catch has 1,000 points or more"),
)
AT = LAYOUT.starts


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]; seats that do not play stay zero."""
    encode_table(view, out, AT)
    count_matches(view.lake, view.matches, out, AT.bites)
    count_matches(view.unseen, view.matches, out, AT.rivals)
    for place in range(SEATS):
        encode_place(view, out, AT, place)
        store_word(out, AT.full + place * GROUPS, BYTES[view.full[place]])
        store_word(out, AT.open + place * GROUPS, BYTES[view.open[place]])
        points = int(view.points[place])
        out[AT.hundreds + place] = points // 100
        out[AT.tens + place] = points % 100 // 10
        out[AT.thousand + place] = points >= THOUSAND


ENCODER = Encoder("shi-wu-hu", 1, LAYOUT)
