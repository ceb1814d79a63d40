"""The observation of Tiu-U."""

from gupai_env.core.layout import Encoder, Layout, Section
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS
from gupai_env.games.fishing.encoder import encode_place, encode_table
from gupai_env.games.fishing.rules import SEATS
from gupai_env.games.tiu_u.rules import DEALT, STOCK

HAND = DEALT // 2  # the largest
MATCHES = 12  # tiles of one match: six pips and the supreme pair
TENS = 10  # points of one unit of the section `points`

LAYOUT = Layout(
    (
        Section("hand", (KINDS,), 4, "copies of each kind in one's hand"),
        Section("drawn", (KINDS,), 1, "the tile of the stock to be played now, one-hot; all 0: none"),
        Section("lake", (KINDS,), 4, "copies of each kind in the lake"),
        Section("bites", (KINDS,), MATCHES, "tiles of the lake of which a bait of the kind may catch one"),
        Section("rivals", (KINDS,), MATCHES, "unseen tiles that match the kind"),
        Section("unseen", (KINDS,), 4, "copies of each kind in the other hands and the stock"),
        Section("catches", (SEATS, KINDS), 4, "copies of each kind caught, by seat"),
        Section("laid", (SEATS, KINDS), 4, "copies of each kind laid from the hand, by seat"),
        Section("points", (SEATS,), 60, "points of each catch, in tens, rounded down"),
        Section("red", (SEATS,), 48, "red pips of the small fish of each catch"),
        Section("sizes", (SEATS,), HAND, "tiles in each hand"),
        Section("stock", (1,), STOCK, "tiles in the stock"),
        Section("mover", (SEATS,), 1, "whose turn it is, one-hot"),
        Section("leader", (SEATS,), 1, "who led, one-hot"),
        Section("first_deal", (1,), 1, "the first deal of a match"),
        Section("last_deal", (1,), 1, "the last deal of a match"),
    )
)
AT = LAYOUT.starts


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]; seats that do not play stay zero."""
    encode_table(view, out, AT)
    for place in range(SEATS):
        encode_place(view, out, AT, place)
        out[AT.points + place] = view.points[place] // TENS
        out[AT.red + place] = view.red[place]


ENCODER = Encoder("tiu-u", 1, LAYOUT)
