"""The observation of Tiu-U."""

from gupai_env.core.byte_rows import copy_entries
from gupai_env.core.episode import NOBODY
from gupai_env.core.layout import Encoder, Layout, Section
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, write_counts
from gupai_env.games.tiu_u.rules import DEALT, SEATS, STOCK

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
    write_counts(view.hand, out, AT.hand)
    write_counts(view.lake, out, AT.lake)
    write_counts(view.unseen, out, AT.unseen)
    if view.drawn != NOBODY:
        out[AT.drawn + int(view.drawn)] = 1
    copy_entries(view.bites, 0, out, AT.bites, KINDS)
    copy_entries(view.rivals, 0, out, AT.rivals, KINDS)
    for place in range(SEATS):
        write_counts(view.catches[place], out, AT.catches + place * KINDS)
        write_counts(view.laid[place], out, AT.laid + place * KINDS)
        out[AT.points + place] = view.points[place] // TENS
        out[AT.red + place] = view.red[place]
        out[AT.sizes + place] = view.sizes[place]
    out[AT.stock] = view.stock
    out[AT.mover + int(view.mover)] = 1
    out[AT.leader + int(view.leader)] = 1
    out[AT.first_deal] = view.deal == 0
    out[AT.last_deal] = view.deal >= view.deals - 1


ENCODER = Encoder("tiu-u", 1, LAYOUT)
