"""Pai Gow: who knows what, and the deals that fit it."""

from gupai_env.core.episode import begin_view, distance, seat_after, seat_at, view_dtype
from gupai_env.core.rng import derive, draw
from gupai_env.core.rule import rule
from gupai_env.games.pai_gow.rules import (
    DECK_SETS,
    GROUP,
    HAND,
    SEATS,
    SPLITS,
    clear,
    hand_size,
    is_distinct,
    table_of,
    values_of,
)
from gupai_env.games.splitting.knowledge import draw_hands, see_hands
from gupai_env.games.splitting.rules import UNSPLIT

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
    while state.to_act != viewer:
        seat = state.to_act
        ways = 0
        for action in range(WAYS):
            ways += is_distinct(state.tiles[seat], action)
        remaining = draw(key, int(seat), ways)
        for action in range(WAYS):
            if is_distinct(state.tiles[seat], action):
                if remaining == 0:
                    state.splits[seat] = action
                remaining -= 1
        state.to_act = seat_after(rules, state, seat)
    if state.splits[viewer] != UNSPLIT:
        state.to_act = seat_after(rules, state, viewer)
