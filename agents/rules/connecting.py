"""Rule-based players of Jie Long and Ce Deng.

Asked before the play of Ce Deng, all of them declare eight doubles and else demand the redeal: doubles are
hard to lay. A lead may leave either end open; they leave the higher one.
"""

from gupai_env.core.rule import rule
from gupai_env.core.tiles import CARRYING, HIGHEST, KINDS, ONE, WEIGHT, kinds_in
from gupai_env.games.connecting import DISCARD

FIRST_ANSWER = DISCARD + KINDS  # Ce Deng's declare, redeal and play on, the best of them first
VARIETY = 4  # pips that a number kept in hand is worth


@rule
def numbers_in(hand):
    """Return how many different numbers the tiles of a hand carry."""
    kinds, numbers = kinds_in(hand), 0
    for number in range(1, HIGHEST + 1):
        numbers += kinds & CARRYING[number] != 0
    return numbers


@rule
def best_tile(view, mask, variety):
    """Return the play with most pips, or the discard with fewest, each number left in hand counting as pips too."""
    best, best_score = -1, -1000
    for action in range(len(mask)):
        if mask[action]:
            if action >= FIRST_ANSWER:
                return action
            kind = action % KINDS
            score = WEIGHT[kind] if action < DISCARD else -100 - WEIGHT[kind]
            if variety:
                score += variety * numbers_in(view.hand - ONE[kind])
            if score > best_score:
                best, best_score = action, score
    return best


@rule
def greedy(view, mask, key):
    """Play the heaviest tile; discard, when nothing fits, the lightest."""
    return best_tile(view, mask, 0)


@rule
def variety(view, mask, key):
    """Play and discard so that the hand keeps many different numbers, then as `greedy` does."""
    return best_tile(view, mask, VARIETY)
