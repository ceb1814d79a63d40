"""What rule-based players of the fishing games share."""

from gupai_env.core.bits import first_one
from gupai_env.core.episode import NOBODY
from gupai_env.core.heuristic import WEIGHT, Feature
from gupai_env.core.memory import scratch
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, ONE, count, first_kind, kinds_in, size

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
def prepare_risks(view, weights, indices, values, risks):
    """Fill `risks` of all kinds, if they weigh anything, and return whether the lake after a play does.

    Args:
        view: What the seat to act knows.
        weights: float64 [features + 1].
        indices: Of the features.
        values: Of the kinds, int64 [KINDS].
        risks: float64 [SPARE]; from 3 * kind on, the `risk` of a kind by its unseen rivals, and this times its value.
    """
    lake = weights[indices.gives] != 0 or weights[indices.gives_best] != 0 or points_weigh(weights, indices)
    if not (lake or weights[indices.risk] != 0 or weights[indices.again] != 0):
        return False
    passed, missed, unseen = scratch(KINDS, WEIGHT), scratch(KINDS, WEIGHT), max(size(view.unseen), 1)
    for kind in range(KINDS):
        passed[kind] = 1 - int(view.rivals[kind]) / unseen
        missed[kind] = 1.0
    for _ in range(view.sizes[1] + 1):
        for kind in range(KINDS):  # all at once
            missed[kind] *= passed[kind]
    for kind in range(KINDS):
        risks[3 * kind] = 1 - missed[kind]
        risks[3 * kind + 1] = values[kind] * (1 - missed[kind])
    return lake


@rule
def points_weigh(weights, indices):
    """Return whether a feature weighs anything that adds up points of the lake, whatever the next seat may hold."""
    return (
        weights[indices.exposed] != 0
        or weights[indices.left] != 0
        or weights[indices.caught] != 0
        or weights[indices.later] != 0
    )


@rule
def score_of_lake(view, lake, hand, weights, indices, values, matches, locked, risks):
    """Return the part of the score for what the next seat may catch in a lake.

    Args:
        view: What the seat to act knows.
        lake, hand: The tiles there and in hand after a play, tile sets.
        weights, indices, values: As of `prepare_risks`.
        matches: The kinds that match each kind, int64 [KINDS].
        locked: Whether three of a kind are a closed pile, which only the fourth takes.
        risks: Of `prepare_risks`.
    """
    total, best, kinds = 0.0, 0.0, kinds_in(lake)
    while kinds:
        place = first_one(kinds)  # three for each kind
        kinds &= kinds - 1
        tiles, at_once, given = (lake >> place) & 7, 1, risks[place + 1]
        if locked and tiles > 2:  # of four nothing can be caught any more
            at_once, given = 3, values[place // 3] * risk(view, baits_of(view, place // 3, tiles, locked))
        total += tiles * given
        best = max(best, at_once * given)
    total = weights[indices.gives] * total + weights[indices.gives_best] * best
    if not points_weigh(weights, indices):
        return total
    exposed, remaining, caught, later, kinds = 0, 0, 0, 0, kinds_in(lake)
    while kinds:
        kind = first_kind(kinds)
        kinds &= kinds - 1
        points, baits = count(lake, kind) * values[kind], baits_of(view, kind, count(lake, kind), locked)
        exposed += points * baits
        remaining += points
        caught += points if baits > 0 else 0
        later += points if hand & (7 * matches[kind]) else 0
    total += weights[indices.left] * remaining + weights[indices.caught] * caught
    return total + weights[indices.exposed] * exposed + weights[indices.later] * later


@rule
def baits_of(view, kind, tiles, locked):
    """Return how many unseen tiles may catch a kind of which so many tiles lie in the lake."""
    if locked and tiles > 2:
        return count(view.unseen, kind) if tiles < 4 else 0
    return int(view.rivals[kind])


@rule
def own_catchers(view, kinds):
    """Return how many tiles of some kinds, which may catch the tile laid, are kept; the tile itself is one of them."""
    return size(view.hand & (7 * kinds)) - (view.drawn == NOBODY)


@rule
def with_catchers(view, kind, weights, indices, matches, total):
    """Return a score to which is added what may catch a tile that is laid into the lake, and how many of it lie there.

    Args:
        view: What the seat to act knows.
        kind: Of the tile.
        weights, indices: As of `prepare_risks`.
        matches: The kinds that match it.
        total: The score so far.
    """
    total += weights[indices.catchers] * view.rivals[kind]
    if weights[indices.own_catchers] != 0:
        total += weights[indices.own_catchers] * own_catchers(view, matches)
    if count(view.lake, kind) == 2:
        total += weights[indices.third]
        if count(view.hand, kind) > (view.drawn == NOBODY):
            total += weights[indices.own_third]
    return total


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
