"""Shi Wu Hu: who knows what, the deals that fit it, and the observation."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gupai_env.core.byte_rows import store_word
from gupai_env.core.episode import rotate_back, seat_after
from gupai_env.core.layout import Section
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, kinds_in, size
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
from gupai_env.games.shi_wu_hu.rules import (
    DECK_SETS,
    GROUP_NAMES,
    MATCHING,
    PLAYS,
    STOCK,
    THOUSAND,
    clear,
    full_groups,
    matching_of,
)

VIEW = fishing_view(
    PLAYS,
    ("full", "u1", (SEATS,)),  # a bit for each group that is full in a catch
    ("open", "u1", (SEATS,)),  # and for each that is not, but would be with all tiles that no other seat has caught
    ("deck", "i1"),  # the deck: its number among the choices of the option,
    ("one_one", "i1"),  # whether the civil kind and one military kind fill a group,
    ("supreme_bonus", "i2"),  # chips for all Supreme tiles,
    ("matches", "i1"),  # and the row of MATCHING by which fish are caught
)
count_usual_matches: Callable[..., Any] = match_counter(MATCHING[0])


@rule
def information_set(rules, state, seat, view, history=True):
    """Fill the view of `seat`: all except the other hands and the order of the stock."""
    row, deck_set = matching_of(rules), DECK_SETS[rules.deck]
    unseen = open_view(rules, state, seat, deck_set, kinds_in(state.lake), view, history)
    view.deck = rules.deck
    view.one_one = rules.group
    view.supreme_bonus = rules.supreme_bonus
    view.matches = row
    free, place_seat = deck_set, seat
    for offset in range(rules.players):
        free -= state.catches[offset]
    for offset in range(SEATS):  # a constant, so that the loop is unrolled
        if offset == rules.players:
            break
        see_place(state, view, offset, place_seat)
        catch, full = state.catches[place_seat], int(state.full[place_seat])
        view.full[offset] = full
        view.open[offset] = full_groups(free + catch, rules.group) & ~full
        unseen -= catch
        place_seat = seat_after(rules, state, place_seat)
    view.unseen = unseen
    count_matches(view.lake, row, view.bites, 0)
    count_matches(unseen, row, view.rivals, 0)


@rule
def count_matches(tiles, row, out, start):
    """Write for each kind how many tiles of a set match it by a row of MATCHING."""
    if row == 0:
        count_usual_matches(tiles, out, start)
    else:
        for kind in range(KINDS):
            out[start + kind] = size(tiles & (7 * MATCHING[row, kind]))


@rule
def determinize(rules, view, key, state):
    """Fill a state: the unseen tiles lie in the other hands and the stock in any order, all alike."""
    clear(state)
    fishing.determinize(rules, view, key, state)
    rotate_back(rules, state, view.seat, view.full, state.full)


HAND = 15  # the largest
MATCHES = 16  # tiles of one match: six pips and [2:1]
GROUPS = len(GROUP_NAMES)
BYTES = np.array(
    [sum((bits >> index & 1) << 8 * index for index in range(GROUPS)) for bits in range(1 << GROUPS)]
)  # as a word
ORDER = ", ".join(GROUP_NAMES)

LAYOUT = fishing_layout(
    HAND,
    STOCK,
    MATCHES,
    Section("full", (SEATS, GROUPS), 1, f"which groups are full in each catch: {ORDER}"),
    Section("open", (SEATS, GROUPS), 1, "which are not, but can still be by tiles that no other seat has caught"),
    Section("hundreds", (SEATS,), 27, "points of each catch: the hundreds,"),
    Section("tens", (SEATS,), 9, "and the tens below"),
    Section("thousand", (SEATS,), 1, "the catch has 1,000 points or more"),
)
AT = LAYOUT.starts


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]; seats that do not play stay zero."""
    encode_table(view, out, AT)
    count_matches(view.lake, view.matches, out, AT.bites)
    count_matches(view.unseen, view.matches, out, AT.rivals)
    for place in range(SEATS):
        encode_place(view, out, AT, place)
        store_word(out, AT.full + place * GROUPS, BYTES[view.full[place]])
        store_word(out, AT.open + place * GROUPS, BYTES[view.open[place]])
        points = int(view.points[place])
        out[AT.hundreds + place] = points // 100
        out[AT.tens + place] = points % 100 // 10
        out[AT.thousand + place] = points >= THOUSAND
