"""The part of an observation that the fishing games share."""

from gupai_env.core.episode import NOBODY
from gupai_env.core.layout import Layout, Section
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, write_counts
from gupai_env.games.fishing.rules import SEATS


def fishing_layout(hand: int, stock: int, matches: int, *own: Section) -> Layout:
    """Return the layout of an observation: what fishing games share, with the sections of the game's `own`.

    Args:
        hand: Tiles of the largest hand.
        stock: Tiles of the largest stock.
        matches: The most tiles that match one kind.
        own: Sections about the catches.
    """
    return Layout(
        (
            Section("hand", (KINDS,), 4, "copies of each kind in your hand"),
            Section("drawn", (KINDS,), 1, "the tile of the stock to be played now, one-hot; all 0: none"),
            Section("lake", (KINDS,), 4, "copies of each kind in the lake"),
            Section("bites", (KINDS,), matches, "tiles of the lake of which a bait of the kind may catch one"),
            Section("rivals", (KINDS,), matches, "unseen tiles that match the kind"),
            Section("unseen", (KINDS,), 4, "copies of each kind in the other hands and the stock"),
            Section("catches", (SEATS, KINDS), 4, "copies of each kind caught, by seat"),
            Section("laid", (SEATS, KINDS), 4, "copies of each kind laid from the hand, by seat"),
            *own,
            Section("sizes", (SEATS,), hand, "tiles in each hand"),
            Section("stock", (1,), stock, "tiles in the stock"),
            Section("mover", (SEATS,), 1, "whose turn it is, one-hot"),
            Section("leader", (SEATS,), 1, "who led, one-hot"),
            Section("first_deal", (1,), 1, "the first deal of a match"),
            Section("last_deal", (1,), 1, "the last deal of a match"),
        )
    )


@rule
def encode_place(view, out, starts, place):
    """Fill what fishing games share of the sections by seat."""
    write_counts(view.catches[place], out, starts.catches + place * KINDS)
    write_counts(view.laid[place], out, starts.laid + place * KINDS)
    out[starts.sizes + place] = view.sizes[place]


@rule
def encode_table(view, out, starts):
    """Fill the other sections that fishing games share, except for bites and rivals; `at` is where sections start.

    A game counts these again: to read them from the view would wait for its bytes, and the count in the view is left
    out where nobody reads it.
    """
    write_counts(view.hand, out, starts.hand)
    write_counts(view.lake, out, starts.lake)
    write_counts(view.unseen, out, starts.unseen)
    if view.drawn != NOBODY:
        out[starts.drawn + int(view.drawn)] = 1
    out[starts.stock] = view.stock
    out[starts.mover + int(view.mover)] = 1
    out[starts.leader + int(view.leader)] = 1
    out[starts.first_deal] = view.deal == 0
    out[starts.last_deal] = view.deal >= view.deals - 1
