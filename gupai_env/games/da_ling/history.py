"""Da Ling: the history of a deal, from its beginning."""

from gupai_env.core.episode import seat_after
from gupai_env.core.rule import rule
from gupai_env.core.tiles import list_tiles
from gupai_env.games.da_ling.rules import UNSPLIT


@rule
def history(rules, state, order, actions):
    """Reconstruct a deal under way: fill `order`, int8, as it was dealt, and `actions`; return how many these are."""
    at = list_tiles(state.table, order)
    for seat in range(rules.players):
        at += list_tiles(state.hands[seat], order[at:])
    list_tiles(state.unused, order[at:])
    seat, decisions = state.leader, 0
    while decisions < rules.players and state.splits[seat] != UNSPLIT:
        actions[decisions] = state.splits[seat]
        decisions += 1
        seat = seat_after(rules, state, seat)
    return decisions
