"""The observation of Small Mahjong."""

import numpy as np

from gupai_env.core.bits import ones
from gupai_env.core.episode import NOBODY, write_match
from gupai_env.core.layout import MATCH_SECTIONS, Layout, Section
from gupai_env.core.memory import scratch
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, NO_TILE, bit_each, list_hand, write_counts, write_kinds
from gupai_env.games.small_mahjong.rules import LONGEST_WALL, SEATS
from gupai_env.games.small_mahjong.triplets import DOUBLE_SET, MOST_HELD

BEST = 2 * DOUBLE_SET  # points of the best win

LAYOUT = Layout(
    (
        Section("hand", (KINDS,), 2, "copies of each kind in your hand, not laid out"),
        Section("offer", (KINDS,), 1, "the discard one is asked about, one-hot; all 0: not asked"),
        Section("waits", (KINDS,), 1, "kinds that complete your five tiles"),
        Section("outs", (1,), 31, "unseen tiles of these kinds"),
        Section("outs_after", (KINDS,), 31, "unseen tiles that complete your six once the kind is discarded"),
        Section("partners", (KINDS,), 31, "unseen tiles that with the kind and another of your hand are a triplet"),
        Section("triplets", (KINDS,), 1, "kinds in your hand that are part of a triplet there"),
        Section("win", (1,), BEST, "points of the six tiles one holds; 0: no win"),
        Section("unseen", (KINDS,), 2, "copies of each kind in places one does not see"),
        Section("melds", (SEATS, KINDS), 2, "copies of each kind laid out, by seat"),
        Section("discards", (SEATS, KINDS), 2, "copies of each kind discarded and not claimed, by seat"),
        Section("known", (SEATS, KINDS), 2, "copies of each kind known to be in the hand, by seat"),
        Section("meld_points", (SEATS,), BEST, "points of the triplets laid out"),
        Section("sizes", (SEATS,), 6, "tiles in each hand, not laid out"),
        Section("wall", (1,), LONGEST_WALL, "tiles in the wall"),
        Section("mover", (SEATS,), 1, "whose turn it is, one-hot; if one is asked, whose discard it was"),
        Section("leader", (SEATS,), 1, "who led, one-hot"),
        *MATCH_SECTIONS,
    )
)
AT = LAYOUT.starts


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]; seats that do not play stay zero."""
    write_counts(view.hand, out, AT.hand)
    if view.offer != NOBODY:
        out[AT.offer + int(view.offer)] = 1
    write_kinds(view.waits, out, AT.waits)
    unseen = bit_each(view.unseen)
    out[AT.outs] = ones(unseen & (7 * view.waits))
    tiles = scratch(MOST_HELD, np.uint8)
    list_hand(view.hand, tiles)
    for place in range(MOST_HELD):
        kind = tiles[place]
        if kind == NO_TILE:
            break
        out[AT.outs_after + kind] = ones(unseen & (7 * view.waits_after[place]))
        out[AT.partners + kind] = ones(unseen & (7 * view.partners[place]))
    write_kinds(view.triplets, out, AT.triplets)
    out[AT.win] = view.win
    write_counts(view.unseen, out, AT.unseen)
    for place in range(SEATS):
        write_counts(view.melds[place, 0] + view.melds[place, 1], out, AT.melds + place * KINDS)
        write_counts(view.discards[place], out, AT.discards + place * KINDS)
        if view.known[place]:  # never while claims are laid out
            write_counts(view.known[place], out, AT.known + place * KINDS)
        out[AT.meld_points + place] = view.meld_points[place]
        out[AT.sizes + place] = view.sizes[place]
    out[AT.wall] = view.wall
    out[AT.mover + int(view.mover)] = 1
    out[AT.leader + int(view.leader)] = 1
    write_match(view, out, AT)
