"""What is paid in Tien Gow: at once for some tricks, and by the last one."""

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.rule import long_rule, rule
from gupai_env.games.tien_gow.combinations import (
    CAPTURING_PAIR,
    CIVIL_SUPREME,
    CLASS,
    ITS_CAPTOR,
    LOWEST_CIVIL,
    SIX,
    SUPREME,
    THREE,
    X22,
)

# Chips that a seat owes the winner, by deck (full and tiny) and its tricks.
OWED = np.array([[5, 3, 2, 1, 0, -1, -2, -3, -4], [3, 1, 0, -1, -2, 0, 0, 0, 0]])
TWICE, FOURFOLD = 2, 4  # by which bonuses of the last trick multiply


@rule
def bonus_of(rules, state):
    """Return the chips that each seat pays at once for a trick that is not the last, before any multiplier."""
    if CLASS[state.best] == X22:
        return rules.four_bonus
    if state.best == SUPREME:
        return rules.supreme_bonus
    if rules.civil_supreme and state.lead == CIVIL_SUPREME:
        return rules.supreme_bonus if state.best == CIVIL_SUPREME or state.best == CAPTURING_PAIR else 0
    return 0


@rule
def multiplier(rules, state):
    """Return by what payments of the banker are multiplied."""
    if rules.banker == 1:
        return 1 + state.streak
    return 2 if rules.banker == 0 else 1


@long_rule
def pay_bonus(rules, state, base):
    """Pay who has won the trick at once."""
    for seat in range(rules.players):
        if seat != state.holder:
            chips = base
            if state.leader == state.holder or state.leader == seat:
                chips = base * multiplier(rules, state)
            state.bonus[seat] -= chips
            state.bonus[state.holder] += chips


@rule
def last_lowest_of(rules, state):
    """Return the tile that won over a lowest tile led last and alone: itself, its captor, or NOBODY otherwise."""
    if state.lead == THREE:
        return state.best if state.best == THREE or state.best == SIX else NOBODY
    if rules.civil_supreme and state.lead == LOWEST_CIVIL:
        return state.best if state.best == LOWEST_CIVIL or state.best == ITS_CAPTOR else NOBODY
    return NOBODY


@rule
def is_capture(rules, state):
    """True if a lowest tile, led last and alone, was captured."""
    return rules.capture and state.lead != state.best and last_lowest_of(rules, state) == state.best


@rule
def factor_of(rules, state):
    """Return by what the last trick multiplies what the winner gets."""
    factor = 1
    supreme = state.best == SUPREME or (rules.civil_supreme and state.best == CIVIL_SUPREME)
    if rules.last_supreme and supreme:
        factor *= TWICE
    if rules.last_four and CLASS[state.best] == X22:
        factor *= FOURFOLD
    if rules.last_lowest and state.lead == state.best and last_lowest_of(rules, state) == state.best:
        factor *= TWICE
    if rules.slam and state.taken[state.holder] == state.done:
        factor *= TWICE if state.tiles == 1 else FOURFOLD
    return factor


@rule
def payoffs(rules, state, out):
    """Fill `out` with chips: what was paid at once, and what every other seat owes the winner of the last trick."""
    winner, banker, times = int(state.holder), int(state.leader), int(multiplier(rules, state))
    captured, factor = is_capture(rules, state), factor_of(rules, state)
    for seat in range(rules.players):
        out[seat] += state.bonus[seat]
        if seat == winner:
            continue
        chips = int(OWED[rules.deck, state.taken[seat]])
        payer, over = seat, chips < 0
        if (winner == banker or seat == banker) and not (seat == banker and over and rules.banker_over == 0):
            chips *= times
        if not over:
            chips *= FOURFOLD if captured else factor
            payer = int(state.first) if captured else seat
        out[payer] -= chips
        out[winner] += chips
