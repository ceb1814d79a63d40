"""Rule-based players of the connecting games. A lead may leave either end open; they leave the higher one."""

import numpy as np

from gupai_env.core.choice import best_by, best_ranked, ranks_by
from gupai_env.core.rule import rule
from gupai_env.core.tiles import CARRYING, HIGHEST, KINDS, ONE, WEIGHT, kinds_in

VARIETY = 4  # pips that a number kept in hand is worth
WORTH = np.concatenate(
    [WEIGHT, WEIGHT, -200 - WEIGHT.astype(np.int64)]
)  # of every action, in pips: all plays first
RANKS = ranks_by(WORTH)
PLAYERS = ("greedy", "variety")


@rule
def numbers_left(view, action):
    """Return how many different numbers the viewer's other tiles carry when one is laid or discarded."""
    kinds, numbers = kinds_in(view.hand - ONE[action % KINDS]), 0
    for number in range(1, HIGHEST + 1):
        numbers += kinds & CARRYING[number] != 0
    return numbers


@rule
def various(view, action):
    """Return the worth of an action, each number left in hand counting as pips too."""
    return WORTH[action] + VARIETY * numbers_left(view, action)


@rule
def greedy(view, mask):
    """Play the heaviest tile; discard, when nothing fits, the lightest."""
    return best_ranked(RANKS, mask)


@rule
def variety(view, mask):
    """Play and discard so that the hand keeps many different numbers, then as `greedy` does."""
    return best_by(various, view, mask)


@rule
def choose(player, view, mask, key):
    """Return the action of number `player` of PLAYERS."""
    return greedy(view, mask) if player == 0 else variety(view, mask)
