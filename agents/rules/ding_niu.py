"""Rule-based players of Ding Niu. None of them makes a suan zhang that looks lost if it has another play."""

from agents.rules.connecting import numbers_in
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, ONE, WEIGHT
from gupai_env.games.connecting import DISCARD
from gupai_env.games.ding_niu import NONE

LOST = 50  # pips; more than any play is worth
WON = 100
VARIETY = 2  # pips that a number kept in hand is worth


@rule
def best_tile(view, mask, variety, suan_zhang):
    """Return the play with most pips, or the discard with fewest, numbers kept and a block counted in."""
    best, best_score = -1, -1000
    for action in range(len(mask)):
        if mask[action]:
            kind = action % KINDS
            score = -4 * LOST - WEIGHT[kind]
            if action < DISCARD:
                score = WEIGHT[kind]
                if view.losing[action]:
                    score -= LOST
                elif view.makes[action] != NONE:
                    score += suan_zhang
            if variety:
                score += variety * numbers_in(view.hand - ONE[kind])
            if score > best_score:
                best, best_score = action, score
    return best


@rule
def greedy(view, mask, key):
    """Play the heaviest tile; discard, when nothing fits, the lightest."""
    return best_tile(view, mask, 0, 0)


@rule
def blocker(view, mask, key):
    """Make a suan zhang that looks won at once; else keep many different numbers in hand."""
    return best_tile(view, mask, VARIETY, WON)
