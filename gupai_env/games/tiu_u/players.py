"""Rule-based players of Tiu-U."""

from gupai_env.core.choice import best_by
from gupai_env.core.episode import NOBODY
from gupai_env.core.rule import rule
from gupai_env.core.tiles import size
from gupai_env.games.tiu_u.rules import (
    BAIT,
    BIG_POINTS,
    CATCH,
    FISH,
    HEAVEN_PAIR,
    MATCHING,
    SMALL_RED,
    THREE,
    tens,
)

PIP = 1 / 8  # what a red pip is worth besides: rounding to tens may hide it
SECOND = 1 / 4  # of its worth, for a tile laid that another of one's hand may catch
CERTAIN = 100  # a catch comes before all laying


@rule
def worth(kind):
    """Return about how many points a tile adds to a catch."""
    return BIG_POINTS[kind] + SMALL_RED[kind]


@rule
def gain(view, action):
    """Return by how many points a catch grows now; red pips are worth a little besides."""
    bait = BAIT[action]
    if action < THREE:
        fish = FISH[action]
        red, big = SMALL_RED[bait] + SMALL_RED[fish], BIG_POINTS[bait] + BIG_POINTS[fish]
    else:
        tiles = 2 if action == HEAVEN_PAIR else 4
        red, big = tiles * SMALL_RED[bait], tiles * BIG_POINTS[bait]
    return big + tens(view.red[0] + red) - tens(view.red[0]) + PIP * red


@rule
def score_now(view, action):
    """Return what a catch gains now, or what laying a tile gives away."""
    return gain(view, action) if action >= CATCH else -worth(BAIT[action])


@rule
def risk(view, kind):
    """Return about how likely the next seat is to catch a tile laid now, with its hand or the stock."""
    missed = 1.0
    for _ in range(view.sizes[1] + 1):
        missed *= 1 - view.rivals[kind] / max(size(view.unseen), 1)
    return 1 - missed


@rule
def score_later(view, action):
    """Return what a catch gains, or what laying a tile risks and may bring."""
    bait = BAIT[action]
    if action >= CATCH:
        return CERTAIN + gain(view, action)
    danger = risk(view, bait)
    others = size(view.hand & (7 * MATCHING[bait])) - (view.drawn == NOBODY)
    score = -danger * worth(bait)
    if others > 0:
        score += (1 - danger) * worth(bait) * SECOND
    return score


@rule
def greedy(view, mask):
    """Catch what counts most now; when nothing can be caught, lay the tile that is worth least."""
    return best_by(score_now, view, mask)


@rule
def careful(view, mask):
    """Catch as `greedy` does; lay what the others are unlikely to catch, best what one can catch oneself."""
    return best_by(score_later, view, mask)


PLAYERS = ("greedy", "careful")


@rule
def choose(player, view, mask, key):
    """Return the action of number `player` of PLAYERS."""
    return greedy(view, mask) if player == 0 else careful(view, mask)
