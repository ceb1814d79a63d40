"""Da Ling: who knows what, the deals that fit it, and the observation."""

from collections.abc import Callable

import numpy as np

from gupai_env.core.byte_rows import rearrangement
from gupai_env.core.episode import begin_view, seat_after, view_dtype, write_match
from gupai_env.core.layout import MATCH_SECTIONS, Layout, Section
from gupai_env.core.memory import scratch
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, list_tiles, write_counts
from gupai_env.games.da_ling.rules import (
    DECK_SETS,
    GROUPS,
    HAND,
    HANDS,
    NO_MATCH,
    SEATS,
    SPLITS,
    VALUE,
    clear,
    colour_of,
    matches,
    points_of,
    wilds_of,
)
from gupai_env.games.splitting import rules as splitting
from gupai_env.games.splitting.rules import UNSPLIT, draw_hands, see_hands

# Whether a group has the tile at a place: all bits are set, so that `&` leaves what the tile brings, or none.
HOLDS = np.array(
    [[-(group >> offset & 1) for group in range(1 << HAND)] for offset in range(HAND)], np.int8
)  # [HAND, groups]
IS_GROUP = np.array([1 <= group.bit_count() <= GROUPS for group in range(1 << HAND)])
VIEW = view_dtype(
    SEATS,
    ("players", "i1"),
    ("asked", "i1"),  # the viewer is to split its hand now
    ("table", "i8"),
    ("target", "i1"),  # 0..9
    ("red", "i1"),  # 1: the colour is red, 0: black
    ("stakes", "f4", (GROUPS,)),  # chips on each group
    ("unseen", "i8"),  # all tiles in no place that the viewer sees
    ("tiles", "i1", (HAND,)),  # the viewer's tiles, sorted kinds, and NO_TILE behind them
    ("strength", "i1", (1 << HAND,)),  # by group of 1 to 3 tiles: pips of the colour, or NO_MATCH
    ("hands", "i8", (SEATS,)),  # tile sets; those of others only at the showdown
    ("splits", "i1", (SEATS,)),  # likewise
)


@rule
def information_set(rules, state, seat, view, history=True):
    """Fill the view of `seat`: its tiles, the table, its own split; those of others when all have split."""
    begin_view(rules, state, seat, view)
    view.table = state.table
    view.target = state.target
    view.red = state.red
    for group in range(GROUPS):
        view.stakes[group] = rules.stakes[group]
    see_hands(rules, state, seat, DECK_SETS[rules.deck] - state.table, view)
    weigh_groups(view)


@rule
def weigh_groups(view):
    """Fill the strength of all groups of one to three of the viewer's tiles.

    Bytes alone and no branch, so that the compiler does many groups at once.
    """
    points, wilds, pips = scratch(HAND, np.int8), scratch(HAND, np.int8), scratch(HAND, np.int8)
    for offset in range(HAND):
        value = VALUE[view.tiles[offset]]
        points[offset] = points_of(value)
        wilds[offset] = wilds_of(value)
        pips[offset] = colour_of(value, view.red)
    target = view.target
    for group in range(1 << HAND):
        all_points = all_wilds = all_pips = np.int8(0)
        for offset in range(HAND):
            all_points = np.int8(all_points + (points[offset] & HOLDS[offset, group]))
            all_wilds = np.int8(all_wilds + (wilds[offset] & HOLDS[offset, group]))
            all_pips = np.int8(all_pips + (pips[offset] & HOLDS[offset, group]))
        match = matches(all_points, all_wilds, target) & IS_GROUP[group]
        view.strength[group] = all_pips if match else NO_MATCH


@rule
def determinize(rules, view, key, state):
    """Fill a state with a uniform draw among the deals that the view allows.

    Before the showdown nobody knows who has split, and it does not matter: here nobody except the viewer has.
    """
    clear(state)
    draw_hands(rules, view, key, HANDS[rules.deck], state)
    state.table = view.table
    state.target = view.target
    state.red = view.red
    state.to_act = view.seat if view.asked or state.terminated else seat_after(rules, state, view.seat)
    state.leader = view.seat if view.splits[0] != UNSPLIT else state.to_act


# All singles, pairs and triples of positions a to f in the sorted hand: a, b, ..., ab, ac, bc, ..., abc, ...
PARTS = np.array(sorted(set(SPLITS.flat), key=lambda bits: (int(bits).bit_count(), bits)), np.int8)  # [41]
write_strengths: Callable[[np.ndarray, np.ndarray, int], None] = rearrangement(PARTS, 1 << HAND)  # by group as here

LAYOUT = Layout(
    (
        Section("hand", (KINDS,), 2, "copies of each kind in your hand"),
        Section("table", (KINDS,), 2, "copies of each kind on the table"),
        Section("unseen", (KINDS,), 2, "copies of each kind in places one does not see"),
        Section("target", (10,), 1, "points modulo ten that a group must have, one-hot"),
        Section("red", (1,), 1, "the colour is red"),
        Section("matches", (len(PARTS),), 1, "the group matches: singles, pairs, triples of your hand"),
        Section("pips", (len(PARTS),), 33, "pips of the colour in each group that matches"),
        Section("players", (SEATS - 1,), 1, "number of players from 2, one-hot"),
        Section("split", (len(SPLITS),), 1, "how you have split your hand, one-hot"),
        *MATCH_SECTIONS,
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
    for index in range(len(PARTS)):
        strength = out[AT.pips + index]
        out[AT.matches + index] = strength >= 0
        out[AT.pips + index] = max(strength, 0)
    out[AT.players + int(view.players) - 2] = 1
    if view.splits[0] != UNSPLIT:
        out[AT.split + int(view.splits[0])] = 1
    write_match(view, out, AT)


@rule
def history(rules, state, order, actions):
    """Reconstruct a deal under way: fill `order`, int8, as it was dealt, and `actions`; return how many these are."""
    return splitting.history(rules, state, order, list_tiles(state.table, order), actions)
