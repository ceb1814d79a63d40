"""Shi Wu Hu: who knows what, and the deals that fit it."""

from collections.abc import Callable
from typing import Any

from gupai_env.core.episode import seat_after, seat_at
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, kinds_in, size
from gupai_env.games.fishing import knowledge as fishing
from gupai_env.games.fishing.knowledge import fishing_view, match_counter, open_view, see_place
from gupai_env.games.fishing.rules import SEATS
from gupai_env.games.shi_wu_hu.rules import DECK_SETS, MATCHING, PLAYS, clear, full_groups, matching_of

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
    for offset in range(rules.players):
        state.full[seat_at(rules, state, view.seat, offset)] = view.full[offset]
