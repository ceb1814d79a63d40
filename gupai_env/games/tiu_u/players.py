"""The rule-based players of Tiu-U."""

from gupai_env.core.episode import NOBODY
from gupai_env.core.rule import rule
from gupai_env.core.style import Feature, yes_or_no
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

FEATURES = (
    yes_or_no("catch", "something is caught, or a heaven pair laid"),
    Feature("points", "points by which one's catch grows now", "points", 0, 96),
    Feature("red", "red pips of small fish that are caught: rounding to tens may hide them", "pips", 0, 12),
    Feature("laid", "about how many points the tile adds that is laid into the lake", "points", 0, 24),
    Feature("risk", "the same, times how likely the next seat is to catch it", "points", 0, 24),
    Feature(
        "again",
        "the same, if another tile of the hand may catch it, times how likely it stays",
        "points",
        0,
        24,
    ),
)
CAUGHT, POINTS, RED_PIPS, LAID, RISK, AGAIN = range(len(FEATURES))
STYLES = {
    "greedy": {
        "points": 1,
        "red": 1 / 8,
        "laid": -1,
    },  # what counts most now; else the tile that is worth least
    "careful": {
        "catch": 100,
        "points": 1,
        "red": 1 / 8,
        "risk": -1,
        "again": 1 / 4,
    },  # what others hardly catch
}


@rule
def value(kind):
    """Return about how many points a tile adds to a catch."""
    return BIG_POINTS[kind] + SMALL_RED[kind]


@rule
def risk(view, kind):
    """Return about how likely the next seat is to catch a tile laid now, with its hand or the stock."""
    missed = 1.0
    for _ in range(view.sizes[1] + 1):
        missed *= 1 - view.rivals[kind] / max(size(view.unseen), 1)
    return 1 - missed


@rule
def worth(view, action, weights):
    """Return the weighted sum of the features of an action."""
    bait = BAIT[action]
    if action >= CATCH:
        return weights[CAUGHT] + worth_of_catch(view, action, weights)
    total = weights[LAID] * value(bait)
    if weights[RISK] != 0 or weights[AGAIN] != 0:
        danger = risk(view, bait)
        total += weights[RISK] * danger * value(bait)
        if size(view.hand & (7 * MATCHING[bait])) > (view.drawn == NOBODY):
            total += weights[AGAIN] * (1 - danger) * value(bait)
    return total


@rule
def worth_of_catch(view, action, weights):
    """Return what the growth of one's catch weighs."""
    bait = BAIT[action]
    if action < THREE:
        fish = FISH[action]
        red, big = SMALL_RED[bait] + SMALL_RED[fish], BIG_POINTS[bait] + BIG_POINTS[fish]
    else:
        tiles = 2 if action == HEAVEN_PAIR else 4
        red, big = tiles * SMALL_RED[bait], tiles * BIG_POINTS[bait]
    points = big + tens(view.red[0] + red) - tens(view.red[0])
    return weights[POINTS] * points + weights[RED_PIPS] * red
