"""How rule-based players choose: the legal action with the highest score, and of equals the first."""

import numpy as np

from gupai_env.core.bits import first_one
from gupai_env.core.rule import rule
from gupai_env.core.words import MARKS, marks_from

ACTIONS = 256  # more than any game has


@rule
def best_by(score, view, mask):
    """Return the first legal action with the highest `score(view, action)`, a rule."""
    best, best_score = -1, -np.inf
    for at in range(0, len(mask), 2 * MARKS):
        legal = marks_from(mask, at)
        while legal:
            action = at + first_one(legal)
            legal &= legal - 1
            points = score(view, action)
            if points > best_score:
                best, best_score = action, points
    return best


def ranks_by(worth: np.ndarray) -> np.ndarray:
    """Return a rank an action, int64 above 0, for `best_ranked`: more worth ranks higher, of equals the first."""
    return (worth - worth.min()).astype(np.int64) * ACTIONS + ACTIONS - 1 - np.arange(len(worth))


@rule
def best_ranked(ranks, mask):
    """Return the legal action of the highest rank: as `best_by` with fixed scores, but without branches, so faster.

    Actions behind the last that has a rank do not count.
    """
    best = 0
    for action in range(len(ranks)):
        best = max(best, ranks[action] if mask[action] else 0)
    return ACTIONS - 1 - best % ACTIONS
