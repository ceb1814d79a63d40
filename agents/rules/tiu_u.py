"""Rule-based players of Tiu-U."""

from gupai_env.core.rule import rule
from gupai_env.core.tiles import COPIES, ONE, size
from gupai_env.games.tiu_u import (
    BAIT,
    BIG_POINTS,
    CATCH,
    FISH,
    HEAVEN_PAIR,
    MATCHING,
    SMALL_RED,
    THREE,
    points,
)

PIP = 1 / 8  # what a red pip is worth besides: rounding to tens may hide it


@rule
def worth(kind):
    """Return about how many points a tile adds to a catch."""
    return BIG_POINTS[kind] + SMALL_RED[kind]


@rule
def gain(view, action):
    """Return by how many points a catch grows now, red pips that do not complete a ten being worth a little."""
    bait = BAIT[action]
    if action < THREE:
        fish = FISH[action]
        red, big = SMALL_RED[bait] + SMALL_RED[fish], BIG_POINTS[bait] + BIG_POINTS[fish]
    else:
        tiles = 2 if action == HEAVEN_PAIR else 4
        red, big = tiles * SMALL_RED[bait], tiles * BIG_POINTS[bait]
    return points(view.red[0] + red, big) - points(view.red[0], 0) + PIP * red


@rule
def greedy(view, mask, key):
    """Catch what counts most now; when nothing can be caught, lay the tile that is worth least."""
    best, best_score = -1, -1e9
    for action in range(len(mask)):
        if mask[action]:
            score = gain(view, action) if action >= CATCH else -worth(BAIT[action])
            if score > best_score:
                best, best_score = action, score
    return best


@rule
def angler(view, mask, key):
    """Catch what is worth most and unlikely to wait; lay what the others can hardly catch and oneself can."""
    unseen = max(size(view.unseen), 1)
    best, best_score = -1, -1e9
    for action in range(len(mask)):
        if mask[action]:
            bait = BAIT[action]
            if action >= CATCH:
                score = gain(view, action)
                if view.drawn < 0:
                    score -= KEPT * worth(bait)
            else:
                own = size(view.hand & (7 * MATCHING[bait])) - (view.drawn < 0)
                score = -worth(bait) * LOST * view.rivals[bait] / unseen + OWN * worth(bait) * (own > 0)
            if score > best_score:
                best, best_score = action, score
    return best
