"""The observation of Ding Niu: a connecting game, and what the suan zhang adds."""

from gupai_env.core.byte_rows import copy_entries
from gupai_env.core.layout import Encoder, Layout, Section
from gupai_env.core.rule import rule
from gupai_env.core.tiles import CARRYING, HIGHEST, KINDS, size
from gupai_env.games.connecting.encoder import SECTIONS, encode_table
from gupai_env.games.connecting.rules import DISCARD, SEATS
from gupai_env.games.ding_niu.rules import SMOTHERED

LAYOUT = Layout(
    (
        *SECTIONS,
        Section("left", (HIGHEST,), 8, "tiles with the number, no doubles, that are not on the layout"),
        Section(
            "makes",
            (2, KINDS),
            SMOTHERED,
            "1: laying the kind, high or low end open, is a classic suan zhang; 2: a smothered one",
        ),
        Section("losing", (2, KINDS), 1, "the same play looks lost if all others hold the average"),
        Section("suan_zhang", (1,), SMOTHERED, "1: a classic suan zhang was made, 2: a smothered one"),
        Section("maker", (SEATS,), 1, "who made it, one-hot"),
        Section("exempt", (1,), 1, "one made it and had no other play"),
    )
)
AT = LAYOUT.starts


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]."""
    encode_table(view, out)
    for number in range(HIGHEST):
        out[AT.left + number] = size(view.left & (7 * CARRYING[number + 1]))
    copy_entries(view.makes, 0, out, AT.makes, DISCARD)
    copy_entries(view.losing, 0, out, AT.losing, DISCARD)
    out[AT.suan_zhang] = view.suan_zhang
    if view.maker >= 0:
        out[AT.maker + int(view.maker)] = 1
    out[AT.exempt] = view.exempt


ENCODER = Encoder("ding-niu", 0, LAYOUT)
