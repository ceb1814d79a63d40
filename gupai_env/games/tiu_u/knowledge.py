"""Tiu-U: who knows what, and the deals that fit it."""

from collections.abc import Callable
from typing import Any

from gupai_env.core.episode import seat_after, seat_at
from gupai_env.core.rule import rule
from gupai_env.games.fishing import knowledge as fishing
from gupai_env.games.fishing.knowledge import fishing_view, match_counter, open_view, see_place
from gupai_env.games.fishing.rules import SEATS
from gupai_env.games.tiu_u.rules import DECK_SETS, MATCHING, PLAYS, clear, single_fish

VIEW = fishing_view(
    PLAYS,
    ("red", "i1", (SEATS,)),  # red pips of the small fish of each catch, before rounding
    ("lock_triples", "i1"),  # the option: three of a kind in the lake are caught by the fourth alone, and four by none
)
count_matches: Callable[..., Any] = match_counter(MATCHING)


@rule
def information_set(rules, state, seat, view, history=True):
    """Fill the view of `seat`: all except the other hands and the order of the stock."""
    fish = single_fish(rules, state.lake)
    unseen = open_view(rules, state, seat, DECK_SETS[rules.deck], fish, view, history)
    view.lock_triples = rules.lock_triples
    place_seat = seat
    for offset in range(SEATS):  # a constant, so that the loop is unrolled
        if offset == rules.players:
            break
        see_place(state, view, offset, place_seat)
        view.red[offset] = state.red[place_seat]
        unseen -= state.catches[place_seat]
        place_seat = seat_after(rules, state, place_seat)
    view.unseen = unseen
    count_matches(view.lake & (7 * fish), view.bites, 0)
    count_matches(unseen, view.rivals, 0)


@rule
def determinize(rules, view, key, state):
    """Fill a state: the unseen tiles lie in the other hands and the stock in any order, all alike."""
    clear(state)
    fishing.determinize(rules, view, key, state)
    for offset in range(rules.players):
        state.red[seat_at(rules, state, view.seat, offset)] = view.red[offset]
