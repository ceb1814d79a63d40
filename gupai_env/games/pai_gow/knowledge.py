"""Pai Gow: who knows what, and the deals that fit it."""

import numpy as np

from gupai_env.core.byte_rows import write_row
from gupai_env.core.episode import begin_view, distance, resume_from, seat_after, seat_at, view_dtype
from gupai_env.core.rng import derive, draw, shuffle
from gupai_env.core.rule import rule
from gupai_env.core.tiles import ONE, list_tiles
from gupai_env.games.pai_gow.rules import (
    DECK_SETS,
    GROUP,
    HAND,
    SEATS,
    SPLITS,
    UNSPLIT,
    clear,
    deck,
    hand_size,
    is_distinct,
    table_of,
    take_up,
    values_of,
)

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
    view.players = rules.players
    view.asked = state.to_act == seat and not state.terminated
    view.banker = distance(rules, state, seat, state.leader)
    view.table = table_of(rules)
    view.unseen = DECK_SETS[rules.deck] - state.hands[seat]
    view.splits[:] = UNSPLIT
    view.hands[:] = 0
    view.total[:] = 0
    other = seat
    for offset in range(rules.players):
        view.total[offset] = state.total[other]
        if state.terminated or not offset:
            view.hands[offset] = state.hands[other]
            view.splits[offset] = state.splits[other]
        if state.terminated and offset:
            view.unseen -= state.hands[other]
        other = seat_after(rules, state, other)
    write_row(view.tiles, state.tiles[seat])
    for action in range(WAYS):
        view.values[action, 0], view.values[action, 1] = values_of(view.table, view.tiles, action)


@rule
def determinize(rules, view, key, state):
    """Fill a state with a uniform draw among the deals that the view allows.

    Before the showdown the splits of those who were asked before the viewer are drawn too, each as likely as the other.
    Of the later ones nobody knows who has split, and it does not matter: here none of them has.
    """
    clear(state)
    resume_from(view, key, state)
    state.terminated = view.splits[1] != UNSPLIT
    state.total[:] = 0
    size = hand_size(rules)
    tiles, hand = np.empty(len(deck(rules)), np.int8), np.empty(size, np.int8)
    unseen = list_tiles(view.unseen, tiles)
    shuffle(tiles[:unseen], derive(key, 1))
    dealt, seat = 0, view.seat
    for offset in range(rules.players):
        state.total[seat] = view.total[offset]
        state.splits[seat] = view.splits[offset]
        if view.hands[offset]:
            list_tiles(view.hands[offset], hand)
            take_up(state, seat, hand)
        else:
            take_up(state, seat, tiles[dealt : dealt + size])
            dealt += size
        seat = seat_after(rules, state, seat)
    for at in range(dealt, unseen):
        state.unused += ONE[tiles[at]]
    state.leader = seat_at(rules, state, view.seat, view.banker)
    state.to_act = state.leader
    if not state.terminated and (view.asked or view.splits[0] != UNSPLIT):
        split_before(rules, view.seat, derive(key, 2), state)


@rule
def split_before(rules, viewer, key, state):
    """Split the hands from the banker's up to the viewer's at random; go on with the viewer, or after its split."""
    while state.to_act != viewer:
        seat = state.to_act
        ways = 0
        for action in range(WAYS):
            ways += is_distinct(state.tiles[seat], action)
        left = draw(key, int(seat), ways)
        for action in range(WAYS):
            if is_distinct(state.tiles[seat], action):
                if left == 0:
                    state.splits[seat] = action
                left -= 1
        state.to_act = seat_after(rules, state, seat)
    if state.splits[viewer] != UNSPLIT:
        state.to_act = seat_after(rules, state, viewer)
