"""The rule-based players of Small Mahjong. All declare every win and claim every tile that completes one."""

import numpy as np

from gupai_env.core.heuristic import Feature, indices, yes_or_no
from gupai_env.core.memory import scratch
from gupai_env.core.rule import rule
from gupai_env.core.tiles import ALL_KINDS, ONE, count, first_kind, kinds_in, list_hand, number_of, size
from gupai_env.games.small_mahjong.knowledge import place_of
from gupai_env.games.small_mahjong.rules import JOIN, LAY_OUT, PASS, SEATS, WIN
from gupai_env.games.small_mahjong.triplets import COMPLETING, POINTS, TILES, best_split, prospects

FEATURES = (
    yes_or_no("win", "a win is declared"),
    Feature("outs", "unseen tiles that complete the hand after the discard", "tiles", 0, 31),
    Feature(
        "weighted_outs",
        "unseen tiles that complete the hand after the discard, each with one more than its points",
        "points",
        0,
        217,
    ),
    Feature(
        "partners", "unseen tiles with which the discard and another tile of the hand are a triplet", "tiles", 0, 31
    ),
    yes_or_no("breaks", "the discard is part of a triplet in hand"),
    yes_or_no("claim", "a discard is claimed"),
    yes_or_no("claim_win", "it is claimed and completes the hand"),
    yes_or_no("claim_first", "it is claimed by a hand without a triplet"),
    yes_or_no("join_first", "it is claimed into the hand, which is without a triplet"),
    Feature("claim_points", "points of the triplet laid out, if the claim does not complete the hand", "points", 0, 3),
    Feature(
        "claim_win_points", "points of the win that it makes, and a tenth of those of the triplet", "points", 0, 6.3
    ),
    Feature(
        "claim_gain",
        "what a claim that completes nothing adds to `weighted_outs`, after the best discard",
        "points",
        -217,
        217,
    ),
    Feature("claim_wins", "points of the win that a claim makes", "points", 0, 6),
    Feature(
        "outs_next",
        "unseen tiles that complete the hand after the action, and after a claim with the discard that leaves most",
        "tiles",
        0,
        31,
    ),
    Feature("points_next", "points of the wins by these tiles, the most of one discard", "points", 0, 186),
    Feature(
        "pairs", "pairs of tiles in hand after the action that an unseen tile completes to a triplet", "pairs", 0, 15
    ),
    Feature("twins", "pairs of equal tiles in hand after the action", "pairs", 0, 3),
    yes_or_no("claim_near", "the discard of the seat before is claimed"),
    yes_or_no("claim_middle", "a discard from two seats away is claimed"),
    yes_or_no("claim_far", "a discard from three seats away is claimed"),
    yes_or_no("closed", "no triplet of your own is laid out, nor is one now"),
)
AT = indices(FEATURES)
HEURISTICS: dict[str, dict[str, float]] = {
    # Claims what completes a win or the first triplet; discards what helps least.
    "greedy": {
        "win": 1e6,
        "outs": 100,
        "partners": -1,
        "breaks": -50,
        "claim": -1e4,
        "claim_win": 2e4,
        "claim_first": 2e4,
        "claim_points": 1,
        "claim_win_points": 10,
    },
    # Claims and discards so that many unseen tiles complete the hand, to many points; a claim gives up the draw.
    "counting": {
        "win": 1e6,
        "weighted_outs": 100,
        "partners": -1,
        "breaks": -50,
        "claim": -4,
        "claim_win": 2e4,
        "claim_gain": 1,
        "join_first": 2e4,
        "claim_win_points": 10,
    },
}


@rule
def value(view, hand, laid_out, waits, per_tile, per_point):
    """Return the value of the unseen tiles that complete a hand: `per_tile`, and `per_point` of its win."""
    total, kinds = 0, waits & kinds_in(view.unseen)
    while kinds:
        kind = first_kind(kinds)
        kinds &= kinds - 1
        total += count(view.unseen, kind) * (per_tile + per_point * best_split(hand + ONE[kind], laid_out))
    return total


@rule
def probability(view, hand, laid_out, waits):
    """Return the value of the unseen tiles that complete a hand: for each one, and the points of its win."""
    return value(view, hand, laid_out, waits, 1, 1)


@rule
def value_next(view, action, per_tile, per_point):
    """Return the `value` of a hand after an action, and after a claim with its best discard; 0 once it has won."""
    laid_out = view.meld_points[0]
    if action < WIN:
        return value(
            view, view.hand - ONE[action], laid_out, view.waits_after[place_of(view.hand, action)], per_tile, per_point
        )
    if action == PASS:
        return value(view, view.hand, laid_out, view.waits, per_tile, per_point)
    if action == WIN or wins_by(view, action) > 0:
        return 0
    hand = hand_after(view, action)
    if action != JOIN:
        laid_out += POINTS[action - LAY_OUT]
    return value_of_best(view, hand, laid_out, per_tile, per_point)


@rule
def value_of_best(view, hand, laid_out, per_tile, per_point):
    """Return the `value` of a hand of six, or of three besides a triplet laid out, after its best discard."""
    best, kinds = 0, kinds_in(hand)
    while kinds:
        kind = first_kind(kinds)
        kinds &= kinds - 1
        rest = hand - ONE[kind]
        best = max(best, value(view, rest, laid_out, prospects(rest)[0], per_tile, per_point))
    return best


@rule
def wins_by(view, action):
    """Return the points of the win that a claim makes, 0 if it makes none or joins the hand."""
    if action < LAY_OUT:
        return 0
    return best_split(hand_after(view, action), view.meld_points[0] + POINTS[action - LAY_OUT])


@rule
def score(view, action, weights):
    """Return the weighted sum of the features of an action."""
    total = 0.0
    if weights[AT.closed] != 0 and action <= JOIN and view.meld_points[0] == 0:
        total += weights[AT.closed]
    if weights[AT.pairs] != 0 or weights[AT.twins] != 0:
        hand = hand_after(view, action)
        total += weights[AT.pairs] * open_pairs(hand, kinds_in(view.unseen)) + weights[AT.twins] * twins(hand)
    if weights[AT.outs_next] != 0 or weights[AT.points_next] != 0:
        total += weights[AT.outs_next] * value_next(view, action, 1, 0)
        total += weights[AT.points_next] * value_next(view, action, 0, 1)
    if action == WIN:
        return total + weights[AT.win]
    if action == PASS:
        return total
    if action < WIN:
        return total + score_of_discard(view, action, weights)
    return total + score_of_claim(view, action, weights)


@rule
def hand_after(view, action):
    """Return the hand, without what is laid out, after an action."""
    if action < WIN:
        return view.hand - ONE[action]
    if action < JOIN:
        return view.hand
    return view.hand + ONE[view.offer] - TILES[action - LAY_OUT]  # triplet 0 is none: the tile joins the hand


@rule
def open_pairs(hand, kinds):
    """Return how many pairs of tiles in a hand one of `kinds` completes to a triplet."""
    tiles, pairs = scratch(6, np.uint8), 0
    list_hand(hand, tiles)
    for later in range(1, 6):
        for place in range(later):
            pairs += COMPLETING[tiles[place], tiles[later]] & kinds != 0
    return pairs


@rule
def twins(hand):
    """Return of how many kinds a hand has two copies."""
    return number_of((hand >> 1) & ALL_KINDS)


@rule
def seats_from_mover(view):
    """Return from how many seats away the viewer is asked."""
    steps = 0
    for place in range(view.mover, SEATS):
        steps += view.sizes[place] + view.meld_points[place] > 0  # else there is no such seat
    return steps


@rule
def score_of_discard(view, kind, weights):
    """Return the score of a discard."""
    place, total = place_of(view.hand, kind), 0.0
    waits = view.waits_after[place]
    if weights[AT.weighted_outs] != 0:
        total += weights[AT.weighted_outs] * probability(view, view.hand - ONE[kind], view.meld_points[0], waits)
    total += weights[AT.outs] * size(view.unseen & (7 * waits))
    total += weights[AT.partners] * size(view.unseen & (7 * view.partners[place]))
    return total + weights[AT.breaks] if view.triplets >> (3 * kind) & 1 else total


@rule
def score_of_claim(view, action, weights):
    """Return the score of a claim."""
    total = weights[AT.claim]
    if weights[AT.claim_near] != 0 or weights[AT.claim_middle] != 0 or weights[AT.claim_far] != 0:
        total += weights[AT.claim_near - 1 + seats_from_mover(view)]
    if view.triplets == 0:
        total += weights[AT.claim_first]
    if weights[AT.claim_wins] != 0:
        total += weights[AT.claim_wins] * wins_by(view, action)
    completes = view.waits >> (3 * view.offer) & 1
    if completes:
        total += weights[AT.claim_win]
    if action == JOIN:
        return total + weights[AT.join_first] if view.triplets == 0 else total
    number = action - LAY_OUT
    rest, points = view.hand - (TILES[number] - ONE[view.offer]), view.meld_points[0] + POINTS[number]
    if completes:
        return total + weights[AT.claim_win_points] * (best_split(rest, points) + 0.1 * POINTS[number])
    total += weights[AT.claim_points] * POINTS[number]
    if weights[AT.claim_gain] != 0:
        before = probability(view, view.hand, view.meld_points[0], view.waits)
        total += weights[AT.claim_gain] * (value_of_best(view, rest, points, 1, 1) - before)
    return total
