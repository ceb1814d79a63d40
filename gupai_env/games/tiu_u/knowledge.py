"""Tiu-U: who knows what, the deals that fit it, and the observation."""

from collections.abc import Callable
from typing import Any

from gupai_env.core.episode import rotate_back, seat_after
from gupai_env.core.layout import Section
from gupai_env.core.rule import rule
from gupai_env.games.fishing import knowledge as fishing
from gupai_env.games.fishing.knowledge import (
    encode_place,
    encode_table,
    fishing_layout,
    fishing_view,
    match_counter,
    open_view,
    see_place,
)
from gupai_env.games.fishing.rules import SEATS
from gupai_env.games.tiu_u.rules import DEALT, DECK_SETS, MATCHING, PLAYS, STOCK, clear, single_fish

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
    rotate_back(rules, state, view.seat, view.red, state.red)


HAND = DEALT // 2  # the largest
MATCHES = 12  # tiles of one match: six pips and the supreme pair
TENS = 10  # points of one unit of the section `points`

LAYOUT = fishing_layout(
    HAND,
    STOCK,
    MATCHES,
    Section("points", (SEATS,), 60, "points of each catch, in tens, rounded down"),
    Section("red", (SEATS,), 48, "red pips of the small fish of each catch"),
)
AT = LAYOUT.starts


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]; seats that do not play stay zero."""
    encode_table(view, out, AT)
    count_matches(view.lake & (7 * view.fish), out, AT.bites)
    count_matches(view.unseen, out, AT.rivals)
    for place in range(SEATS):
        encode_place(view, out, AT, place)
        out[AT.points + place] = view.points[place] // TENS
        out[AT.red + place] = view.red[place]
