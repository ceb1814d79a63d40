"""The rule-based players of Small Mahjong. All declare every win and claim every tile that completes one."""

from gupai_env.core.rule import rule
from gupai_env.core.style import Feature, yes_or_no
from gupai_env.core.tiles import KINDS, ONE, count, first_kind, size
from gupai_env.games.small_mahjong.rules import JOIN, LAY_OUT, PASS, WIN
from gupai_env.games.small_mahjong.triplets import POINTS, TILES, best_split, completing_two

FEATURES = (
    yes_or_no("win", "a win is declared"),
    Feature("outs", "unseen tiles that complete the hand after the discard", "tiles", 0, 31),
    Feature(
        "chance",
        "unseen tiles that complete the hand after the discard, each with one more than its points",
        "points",
        0,
        217,
    ),
    Feature(
        "partners",
        "unseen tiles with which the discard and another tile of the hand are a triplet",
        "tiles",
        0,
        31,
    ),
    yes_or_no("breaks", "the discard is part of a triplet in hand"),
    yes_or_no("claim", "a discard is claimed"),
    yes_or_no("claim_win", "it is claimed and completes the hand"),
    yes_or_no("claim_first", "it is claimed by a hand without a triplet"),
    yes_or_no("join_first", "it is claimed into the hand, which is without a triplet"),
    Feature(
        "claim_points",
        "points of the triplet laid out, if the claim does not complete the hand",
        "points",
        0,
        3,
    ),
    Feature(
        "claim_win_points",
        "points of the win that it makes, and a tenth of those of the triplet",
        "points",
        0,
        6.3,
    ),
    Feature(
        "claim_gain",
        "what a claim that completes nothing adds to `chance`, after the best discard",
        "points",
        -217,
        217,
    ),
)
(
    WON,
    OUTS,
    CHANCE,
    PARTNERS,
    BREAKS,
    CLAIM,
    CLAIM_WIN,
    CLAIM_FIRST,
    JOIN_FIRST,
    CLAIM_POINTS,
    CLAIM_WIN_POINTS,
    CLAIM_GAIN,
) = range(len(FEATURES))
STYLES = {
    # Claims what completes a win or the first triplet; discards what helps least.
    "greedy": {
        **{
            "win": 1e6,
            "outs": 100,
            "partners": -1,
            "breaks": -50,
            "claim": -1e4,
            "claim_win": 2e4,
            "claim_first": 2e4,
        },
        **{"claim_points": 1, "claim_win_points": 10},
    },
    # Claims and discards so that many unseen tiles complete the hand, to many points; a claim gives up the draw.
    "counting": {
        **{
            "win": 1e6,
            "chance": 100,
            "partners": -1,
            "breaks": -50,
            "claim": -4,
            "claim_win": 2e4,
            "claim_gain": 1,
        },
        **{"join_first": 2e4, "claim_win_points": 10},
    },
}


@rule
def chance(view, hand, laid_out, waits):
    """Return what the unseen tiles that complete a hand are worth: each one, and the points of its win."""
    total = 0
    for kind in range(KINDS):
        if waits >> (3 * kind) & 1:
            total += count(view.unseen, kind) * (1 + best_split(hand + ONE[kind], laid_out))
    return total


@rule
def worth(view, action, weights):
    """Return the weighted sum of the features of an action."""
    if action == WIN:
        return weights[WON]
    if action == PASS:
        return 0.0
    return worth_of_discard(view, action, weights) if action < WIN else worth_of_claim(view, action, weights)


@rule
def worth_of_discard(view, kind, weights):
    """Return what a discard weighs."""
    waits, total = view.waits_after[kind], 0.0
    if weights[CHANCE] != 0:
        total += weights[CHANCE] * chance(view, view.hand - ONE[kind], view.meld_points[0], waits)
    total += weights[OUTS] * size(view.unseen & (7 * waits))
    total += weights[PARTNERS] * size(view.unseen & (7 * view.partners[kind]))
    return total + weights[BREAKS] if view.triplets >> (3 * kind) & 1 else total


@rule
def worth_of_claim(view, action, weights):
    """Return what a claim weighs."""
    total = weights[CLAIM]
    if view.triplets == 0:
        total += weights[CLAIM_FIRST]
    completes = view.waits >> (3 * view.offer) & 1
    if completes:
        total += weights[CLAIM_WIN]
    if action == JOIN:
        return total + weights[JOIN_FIRST] if view.triplets == 0 else total
    number = action - LAY_OUT
    rest, points = view.hand - (TILES[number] - ONE[view.offer]), view.meld_points[0] + POINTS[number]
    if completes:
        return total + weights[CLAIM_WIN_POINTS] * (best_split(rest, points) + 0.1 * POINTS[number])
    total += weights[CLAIM_POINTS] * POINTS[number]
    if weights[CLAIM_GAIN] != 0:
        before = chance(view, view.hand, view.meld_points[0], view.waits)
        total += weights[CLAIM_GAIN] * (best_chance(view, rest, points) - before)
    return total


@rule
def best_chance(view, hand, laid_out):
    """Return the `chance` of a hand of three after its best discard."""
    best, left = 0, hand
    while left:
        kind = first_kind(left)
        left -= ONE[kind]
        two = hand - ONE[kind]
        best = max(best, chance(view, two, laid_out, completing_two(two)))
    return best
