"""The rule-based players of Tiu-U."""

from gupai_env.core.heuristic import Feature, indices, prepared, yes_or_no
from gupai_env.core.rule import rule
from gupai_env.core.tiles import ONE
from gupai_env.games.fishing.players import (
    CATCHERS,
    hand_after,
    own_catchers,
    prepare_risks,
    score_of_lake,
    with_catchers,
)
from gupai_env.games.tiu_u.rules import (
    BAIT,
    BIG_POINTS,
    CATCH,
    DECK,
    FISH,
    HEAVEN_PAIR,
    MATCHING,
    SMALL_RED,
    THREE,
    tens,
)

VALUE = BIG_POINTS + SMALL_RED  # [KINDS], about how many points a tile adds to a catch

FEATURES = (
    yes_or_no("catch", "something is caught, or a heaven pair laid"),
    Feature("points", "points by which your catch grows now", "points", 0, 96),
    Feature("red", "red pips of small fish that are caught, before rounding to tens", "pips", 0, 12),
    Feature("laid", "points that the tile laid into the lake adds, about", "points", 0, 24),
    Feature("risk", "the same, times how likely the next seat is to catch it", "points", 0, 24),
    Feature("again", "the same, if another tile of the hand may catch it, times how likely it stays", "points", 0, 24),
    Feature("big", "points of big fish by which your catch grows now", "points", 0, 96),
    yes_or_no("pile", "the three of the lake are caught with the fourth"),
    yes_or_no("third", "the tile is laid as the third of its kind in the lake"),
    yes_or_no("own_third", "the tile is laid as the third of its kind in the lake, and the fourth stays in your hand"),
    Feature(
        "gives",
        "about how many points each tile of the lake adds, times how likely the next seat is to catch it, in all",
        "points",
        0,
        int(VALUE[DECK].sum()),
    ),
    Feature("gives_best", "the same of the tile, or the closed pile, of which it is most", "points", 0, 72),
    *CATCHERS,
)
AT = indices(FEATURES)
HEURISTICS: dict[str, dict[str, float]] = {
    "greedy": {"points": 1, "red": 1 / 8, "laid": -1},  # what counts most now; else the tile that is worth least
    "careful": {"catch": 100, "points": 1, "red": 1 / 8, "risk": -1, "again": 1 / 4},  # what others hardly catch
}


@rule
def prepare(view, weights, risks):
    """Fill `risks`, and return whether the lake after a play weighs anything."""
    return prepare_risks(view, weights, AT, VALUE, risks)


@rule
def score_with(view, action, weights, lake, risks):
    """Return the weighted sum of the features of an action."""
    total = 0.0
    if lake:
        lake_then, hand = lake_after(view, action), tiles_kept(view, action)
        total += score_of_lake(view, lake_then, hand, weights, AT, VALUE, MATCHING, view.lock_triples, risks)
    if action >= CATCH:
        return total + weights[AT.catch] + score_of_catch(view, action, weights)
    return total + score_of_tile(view, BAIT[action], weights, risks)


score = prepared(prepare, score_with)


@rule
def tiles_kept(view, action):
    """Return the hand after an action; a heaven pair is two tiles of it."""
    hand = hand_after(view, BAIT[action])
    return hand - ONE[BAIT[action]] if action == HEAVEN_PAIR else hand


@rule
def score_of_tile(view, kind, weights, risks):
    """Return the part of the score for a tile that is laid into the lake."""
    total = weights[AT.laid] * VALUE[kind]
    if weights[AT.risk] != 0 or weights[AT.again] != 0:
        danger = risks[3 * kind]
        total += weights[AT.risk] * danger * VALUE[kind]
        if own_catchers(view, MATCHING[kind]) > 0:
            total += weights[AT.again] * (1 - danger) * VALUE[kind]
    return with_catchers(view, kind, weights, AT, MATCHING[kind], total)


@rule
def lake_after(view, action):
    """Return the lake after an action."""
    if action < CATCH:
        return view.lake + ONE[BAIT[action]]
    if action < THREE:
        return view.lake - ONE[FISH[action]]
    return view.lake if action == HEAVEN_PAIR else view.lake - 3 * ONE[BAIT[action]]


@rule
def score_of_catch(view, action, weights):
    """Return the part of the score for the growth of the seat's catch."""
    bait = BAIT[action]
    if action < THREE:
        fish = FISH[action]
        red, big = SMALL_RED[bait] + SMALL_RED[fish], BIG_POINTS[bait] + BIG_POINTS[fish]
    else:
        tiles = 2 if action == HEAVEN_PAIR else 4
        red, big = tiles * SMALL_RED[bait], tiles * BIG_POINTS[bait]
    points = big + tens(view.red[0] + red) - tens(view.red[0])
    total = weights[AT.points] * points + weights[AT.red] * red + weights[AT.big] * big
    return total + weights[AT.pile] if THREE <= action < HEAVEN_PAIR else total
