"""Da Ling: who knows what, and the deals that fit it."""

import numpy as np

from gupai_env.core.episode import begin_view, seat_after, view_dtype
from gupai_env.core.memory import scratch
from gupai_env.core.rule import rule
from gupai_env.games.da_ling.rules import (
    DECK_SETS,
    GROUPS,
    HAND,
    HANDS,
    NO_MATCH,
    SEATS,
    VALUE,
    clear,
    colour_of,
    matches,
    points_of,
    wilds_of,
)
from gupai_env.games.splitting.knowledge import draw_hands, see_hands
from gupai_env.games.splitting.rules import UNSPLIT

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
