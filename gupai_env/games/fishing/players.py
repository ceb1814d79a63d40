"""What rule-based players of the fishing games share."""

from gupai_env.core.episode import NOBODY
from gupai_env.core.heuristic import Feature
from gupai_env.core.rule import rule
from gupai_env.core.tiles import ONE, size

CATCHERS = (
    Feature("catchers", "unseen tiles that may catch the tile laid into the lake", "tiles", 0, 24),
    Feature(
        "exposed",
        "points that each tile left in the lake adds, times the unseen tiles that may catch it, in all",
        "points",
        0,
        10_000,
    ),
    Feature("left", "points of the tiles left in the lake", "points", 0, 2000),
    Feature("caught", "points of the tiles left in the lake that an unseen tile may catch", "points", 0, 2000),
    Feature("later", "points of the tiles left in the lake that a tile kept may catch", "points", 0, 2000),
    Feature("own_catchers", "tiles kept that may catch the tile laid into the lake", "tiles", 0, 24),
)


@rule
def lake_weighs(weights, indices):
    """Return whether a feature of the lake after a play weighs anything; `indices` are those of the features."""
    return (
        weights[indices.gives] != 0
        or weights[indices.gives_best] != 0
        or weights[indices.exposed] != 0
        or weights[indices.left] != 0
        or weights[indices.caught] != 0
        or weights[indices.later] != 0
    )


@rule
def own_catchers(view, kinds):
    """Return how many tiles of some kinds, which may catch the tile laid, are kept; the tile itself is one of them."""
    return size(view.hand & (7 * kinds)) - (view.drawn == NOBODY)


@rule
def risk(view, baits):
    """Return about how likely the next seat is to hold, or to turn up, one of so many unseen tiles."""
    missed = 1.0
    for _ in range(view.sizes[1] + 1):
        missed *= 1 - baits / max(size(view.unseen), 1)
    return 1 - missed


@rule
def hand_after(view, bait):
    """Return the hand once a bait is played, which is in it unless it was turned up."""
    return view.hand - ONE[bait] if view.drawn == NOBODY else view.hand
