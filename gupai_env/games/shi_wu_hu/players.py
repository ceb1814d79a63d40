"""The rule-based players of Shi Wu Hu."""

from gupai_env.core.heuristic import Feature, indices, prepared, yes_or_no
from gupai_env.core.rule import rule
from gupai_env.core.tiles import ONE, size
from gupai_env.games.fishing.players import (
    CATCHERS,
    hand_after,
    own_catchers,
    prepare_risks,
    score_of_lake,
    with_catchers,
)
from gupai_env.games.fishing.rules import CATCH, SEATS
from gupai_env.games.shi_wu_hu.rules import (
    BAIT,
    DECK_SETS,
    FISH,
    MATCHING,
    THIRTIES,
    THOUSAND,
    THREE,
    TWENTIES,
    VALUE,
    full_groups,
    points_of,
)

MOST = 600  # points by which a catch may grow at once
FEATURES = (
    yes_or_no("catch", "something is caught"),
    Feature("points", "points by which your catch grows now", "points", 0, MOST),
    Feature("sets", "points beyond ten for each tile caught, for groups that are or become full", "points", 0, MOST),
    Feature(
        "denies",
        "points beyond ten a tile that the tiles caught would add to another catch, the most of them",
        "points",
        0,
        MOST,
    ),
    Feature("closes", "groups that can no longer become full in another catch", "groups", 0, 16),
    Feature("keeps", "tiles caught of groups that can still become full in your catch", "tiles", 0, 4),
    yes_or_no("thousand", "your catch reaches 1,000 points"),
    Feature("laid", "points that the tile laid into the lake counts at most", "points", 0, 30),
    Feature("laid_now", "points that the tile laid would add to the next seat's catch now", "points", 0, MOST),
    Feature("risk", "the same, times how likely the next seat is to catch it", "points", 0, MOST),
    Feature("again", "the points it counts at most, if another tile of the hand may catch it and as likely it stays",
            "points", 0, 30),
    yes_or_no("pile", "the three of the lake are caught with the fourth"),
    yes_or_no("third", "the tile is laid as the third of its kind in the lake"),
    yes_or_no("own_third", "the tile is laid as the third of its kind in the lake, and the fourth stays in your hand"),
    Feature("gives", "points each tile of the lake counts at most, times how likely the next seat is to catch it",
            "points", 0, 1840),
    Feature("gives_best", "the same of the tile of which it is most", "points", 0, 30),
    *CATCHERS,
)  # fmt: skip
AT = indices(FEATURES)
HEURISTICS: dict[str, dict[str, float]] = {
    "greedy": {"points": 1, "laid": -1},  # what counts most now; else the tile that counts least
    # The same, what others would have made of it, and groups that can still become full; laid is what is safe.
    "careful": {"catch": 100, "points": 1, "denies": 0.5, "keeps": 4, "laid": -0.1, "risk": -1, "again": 0.25},
}


@rule
def growth(view, place, tiles):
    """Return the points by which the catch of a seat would grow by some tiles."""
    after = view.catches[place] + tiles
    full = full_groups(after, view.one_one)
    return points_of(after, full, view.deck, view.supreme_bonus) - view.points[place]


@rule
def prepare(view, weights, risks):
    """Fill `risks`, and return whether the lake after a play weighs anything."""
    return prepare_risks(view, weights, AT, VALUE, risks)


@rule
def score_with(view, action, weights, lake, risks):
    """Return the weighted sum of the features of an action."""
    total = 0.0
    if lake:
        lake_then, hand = lake_after(view, action), hand_after(view, BAIT[action])
        total += score_of_lake(view, lake_then, hand, weights, AT, VALUE, MATCHING[view.matches], False, risks)
    if action < CATCH:
        return total + score_of_tile(view, BAIT[action], weights, risks)
    return total + score_of_catch(view, action, weights)


score = prepared(prepare, score_with)


@rule
def taken(action):
    """Return the tiles that an action puts into the catch, the bait among them."""
    bait = ONE[BAIT[action]]
    return bait + ONE[FISH[action]] if action < THREE else 4 * bait


@rule
def lake_after(view, action):
    """Return the lake after an action."""
    bait = ONE[BAIT[action]]
    return view.lake + bait if action < CATCH else view.lake - (taken(action) - bait)


@rule
def score_of_tile(view, kind, weights, risks):
    """Return what a tile weighs that is laid into the lake."""
    total = weights[AT.laid] * VALUE[kind]
    if weights[AT.laid_now] != 0 or weights[AT.risk] != 0 or weights[AT.again] != 0:
        danger = risks[3 * kind] if weights[AT.risk] != 0 or weights[AT.again] != 0 else 0.0
        total += (weights[AT.laid_now] + weights[AT.risk] * danger) * growth(view, 1, ONE[kind])
        if own_catchers(view, MATCHING[view.matches, kind]) > 0:
            total += weights[AT.again] * (1 - danger) * VALUE[kind]
    return with_catchers(view, kind, weights, AT, MATCHING[view.matches, kind], total)


@rule
def score_of_catch(view, action, weights):
    """Return what the tiles that are caught weigh, for your own catch and for those of others."""
    tiles = taken(action)
    points, plain = growth(view, 0, tiles), 10 * size(tiles)
    total = weights[AT.catch] + weights[AT.points] * points + weights[AT.sets] * (points - plain)
    if action >= THREE:
        total += weights[AT.pile]
    if view.points[0] < THOUSAND <= view.points[0] + points:
        total += weights[AT.thousand]
    if weights[AT.denies] != 0:
        most = 0
        for place in range(1, SEATS):
            if place == 1 or view.sizes[place] > 0 or view.catches[place] > 0:
                most = max(most, growth(view, place, tiles) - plain)
        total += weights[AT.denies] * most
    return total + score_of_hopes(view, tiles, weights)


@rule
def score_of_hopes(view, tiles, weights):
    """Return what tiles weigh for groups that can still become full."""
    total = 0.0
    if weights[AT.keeps] != 0:
        total += weights[AT.keeps] * size(tiles & (7 * (TWENTIES[view.open[0]] | THIRTIES[view.open[0]])))
    if weights[AT.closes] != 0:
        for place in range(1, SEATS):
            free = free_tiles(view) - tiles + view.catches[place]
            lost = int(view.open[place]) & ~full_groups(free, view.one_one)
            while lost:
                lost &= lost - 1
                total += weights[AT.closes]
    return total


@rule
def free_tiles(view):
    """Return all tiles that nobody has caught."""
    tiles = DECK_SETS[view.deck]
    for place in range(SEATS):
        tiles -= view.catches[place]
    return tiles
