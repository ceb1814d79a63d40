"""The observation of Tiu-U."""

from gupai_env.core.layout import Encoder, Section
from gupai_env.core.rule import rule
from gupai_env.games.fishing.encoder import encode_place, encode_table, fishing_layout
from gupai_env.games.fishing.rules import SEATS
from gupai_env.games.tiu_u.knowledge import count_matches
from gupai_env.games.tiu_u.rules import DEALT, STOCK

HAND = DEALT // 2  # the largest
MATCHES = 12  # tiles of one match: six pips and the supreme pair
TENS = 10  # points of one unit of the section `points`

LAYOUT = fishing_layout(
    HAND,
    STOCK,
    MATCHES,
    Section("points", (SEATS,), 60, "points of each catch, in tens, rounded down"),
    Section("red", (SEATS,), 48, "red pips of the small fish of each catch"),
)
AT = LAYOUT.starts


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]; seats that do not play stay zero."""
    encode_table(view, out, AT)
    count_matches(view.lake & (7 * view.fish), out, AT.bites)
    count_matches(view.unseen, out, AT.rivals)
    for place in range(SEATS):
        encode_place(view, out, AT, place)
        out[AT.points + place] = view.points[place] // TENS
        out[AT.red + place] = view.red[place]


ENCODER = Encoder("tiu-u", 1, LAYOUT)
