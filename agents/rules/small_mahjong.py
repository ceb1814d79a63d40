"""Rule-based players of Small Mahjong. All of them declare every win and claim every tile that completes one."""

from gupai_env.core.game import NOBODY
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, count, size
from gupai_env.games.small_mahjong import (
    JOIN,
    LAY_OUT,
    PASS,
    POINTS,
    WIN,
)

OUT = 100  # a tile that completes the hand, against one that completes a triplet
TRIPLET_KEPT = 50


@rule
def wins(view, kind):
    """True if a tile of the kind completes the hand."""
    return view.waits >> (3 * kind) & 1


@rule
def least_useful(view, mask):
    """Return the discard after which most unseen tiles complete the hand, then most complete a triplet."""
    best, best_score = -1, -1
    for kind in range(KINDS):
        if mask[kind]:
            score = OUT * size(view.unseen & (7 * view.waits_after[kind]))
            score += 0 if view.triplets >> (3 * kind) & 1 else TRIPLET_KEPT
            score += 49 - size(view.unseen & (7 * view.partners[kind]))
            if score > best_score:
                best, best_score = kind, score
    return best


@rule
def best_claim(view, mask):
    """Return the claim of most points."""
    best = JOIN
    for action in range(LAY_OUT + 1, len(mask)):
        if mask[action]:
            best = action
    return best


@rule
def greedy(view, mask, key):
    """Claim what completes a win or the first triplet; discard what helps least."""
    if mask[WIN]:
        return WIN
    if mask[PASS]:
        return best_claim(view, mask) if wins(view, view.offer) or view.triplets == 0 else PASS
    return least_useful(view, mask)
