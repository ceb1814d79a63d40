"""Pai Gow: who knows what, the deals that fit it, and the observation."""

import numpy as np

from gupai_env.core.bits import as_index
from gupai_env.core.byte_rows import count_marks, find_mark
from gupai_env.core.episode import begin_view, distance, seat_after, seat_at, view_dtype, write_match
from gupai_env.core.layout import MATCH_SECTIONS, Layout, Section
from gupai_env.core.memory import scratch
from gupai_env.core.rng import derive, draw
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, NO_TILE, write_counts
from gupai_env.games.pai_gow.groups import CLASS_NAMES, MOST_VALUE, classify
from gupai_env.games.pai_gow.rules import (
    DECK_SETS,
    GROUP,
    HAND,
    SEATS,
    SPLITS,
    clear,
    hand_size,
    is_distinct,
    legal_actions,
    table_of,
    values_of,
)
from gupai_env.games.splitting import rules as splitting
from gupai_env.games.splitting.rules import UNSPLIT, draw_hands, see_hands

WAYS = len(SPLITS)
VIEW = view_dtype(
    SEATS,
    ("players", "i1"),
    ("asked", "i1"),  # the viewer is to split its hand now
    ("banker", "i1"),  # how many turns after the viewer the banker comes, 0 for the viewer itself
    ("table", "i1"),  # which table of values the options choose
    ("unseen", "i8"),  # all tiles in no place that the viewer sees
    ("tiles", "i1", (HAND,)),  # the viewer's tiles, sorted kinds, and NO_TILE behind them
    ("values", "i1", (WAYS, GROUP)),  # by split of the viewer's hand: those of the high and the low group
    ("hands", "i8", (SEATS,)),  # tile sets; those of others only at the showdown
    ("splits", "i1", (SEATS,)),  # likewise
)


@rule
def information_set(rules, state, seat, view, history=True):
    """Fill the view of `seat`: its tiles, who is banker, its own split; those of others when all have split."""
    begin_view(rules, state, seat, view)
    view.banker = distance(rules, state, seat, state.leader)
    view.table = table_of(rules)
    see_hands(rules, state, seat, DECK_SETS[rules.deck], view)
    for action in range(WAYS):
        view.values[action, 0], view.values[action, 1] = values_of(view.table, view.tiles, action)


@rule
def determinize(rules, view, key, state):
    """Fill a state with a uniform draw among the deals that the view allows.

    Before the showdown the splits of those who were asked before the viewer are drawn too, each as likely as the other.
    Of the later ones nobody knows who has split, and it does not matter: here none of them has.
    """
    clear(state)
    draw_hands(rules, view, key, hand_size(rules), state)
    state.leader = seat_at(rules, state, view.seat, view.banker)
    state.to_act = state.leader
    if not state.terminated and (view.asked or view.splits[0] != UNSPLIT):
        split_before(rules, view.seat, derive(key, 2), state)


@rule
def split_before(rules, viewer, key, state):
    """Split the hands from the banker's up to the viewer's at random; continue with the viewer, or after its split."""
    mask = scratch(WAYS, np.bool_)
    while state.to_act != viewer:
        seat = state.to_act
        legal_actions(rules, state, mask)
        state.splits[seat] = find_mark(mask, draw(key, int(seat), count_marks(mask)))
        state.to_act = seat_after(rules, state, seat)
    if state.splits[viewer] != UNSPLIT:
        state.to_act = seat_after(rules, state, viewer)


KNOWN = len(CLASS_NAMES)
LAYOUT = Layout(
    (
        Section("hand", (KINDS,), 2, "copies of each kind in your hand"),
        Section("unseen", (KINDS,), 2, "copies of each kind in places one does not see"),
        Section("banker", (SEATS,), 1, "who is banker, one-hot from you on in order of turn"),
        Section("players", (SEATS - 1,), 1, "number of seats from 2, one-hot"),
        Section("ways", (WAYS,), 1, "the split makes other groups than those before it"),
        Section("high", (WAYS,), MOST_VALUE, "value of the high group of each split"),
        Section("low", (WAYS,), MOST_VALUE, "value of the low group of each split"),
        Section(
            "groups",
            (WAYS, GROUP, KNOWN),
            1,
            "what the group with the first tile, and the other group, of each split make, one-hot: points, gong, wong, "
            "a military pair, a civil one, the supreme pair",
        ),
        Section("split", (WAYS,), 1, "how you have split your hand, one-hot"),
        *MATCH_SECTIONS,
    )
)
AT = LAYOUT.starts


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]."""
    write_counts(view.hands[0], out, AT.hand)
    write_counts(view.unseen, out, AT.unseen)
    out[AT.banker + int(view.banker)] = 1
    out[AT.players + int(view.players) - 2] = 1
    tiles, start = view.tiles, AT.groups
    whole = tiles[HAND - 1] != NO_TILE
    for action in range(WAYS):
        out[AT.ways + action] = is_distinct(tiles, action)
        out[AT.high + action] = view.values[action, 0]
        out[AT.low + action] = view.values[action, 1]
        beside, second, third = SPLITS[action, 0], SPLITS[action, 1], SPLITS[action, 2]
        if whole or action == 0:
            out[start + as_index(classify(view.table, tiles[0], tiles[beside]))] = 1
        if whole:
            out[start + KNOWN + as_index(classify(view.table, tiles[second], tiles[third]))] = 1
        start += GROUP * KNOWN
    if view.splits[0] != UNSPLIT:
        out[AT.split + int(view.splits[0])] = 1
    write_match(view, out, AT)


@rule
def history(rules, state, order, actions):
    """Reconstruct a deal under way: fill `order`, int8, as it was dealt, and `actions`; return how many these are."""
    return splitting.history(rules, state, order, 0, actions)
