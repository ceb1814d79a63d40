"""Ce Deng: who knows what, and the deals that fit it."""

from gupai_env.core.episode import seat_after
from gupai_env.core.rule import rule
from gupai_env.games.ce_deng.rules import DECK_SETS, DECKS, blocked, clear, may_declare, may_redeal
from gupai_env.games.connecting import knowledge as connecting
from gupai_env.games.connecting.knowledge import open_view


@rule
def information_set(rules, state, seat, view, history=True):
    """Fill the view of `seat`; whether another seat is being asked does not show."""
    open_view(rules, state, seat, DECK_SETS[rules.deck], True, view, history or rules.stacked > 0)
    view.stacked = rules.stacked
    view.asked = state.rights != 0 and state.to_act == seat


@rule
def possible(rules, view, state, tiles, offsets, turns):
    """True unless the deal would have been over: whoever everybody drank for and is to move must match."""
    return not blocked(rules, state)


@rule
def determinize(rules, view, key, state):
    """Fill a state with a uniform draw among the deals and discards that the view allows."""
    clear(state)
    connecting.determinize(possible, rules, view, len(DECKS[rules.deck]), True, False, key, state)
    if view.asked:  # seats after the viewer will be asked if what was drawn for them gives them a right
        seat = view.seat
        state.rights = 1 << seat
        while seat_after(rules, state, seat) != state.leader:
            seat = seat_after(rules, state, seat)
            if may_declare(rules, state.hands[seat]) or may_redeal(rules, state.hands[seat]):
                state.rights |= 1 << seat
        state.to_act = view.seat
