"""The rule-based players of Pai Gow. Of splits that are worth the same they choose the first."""

import numpy as np

from gupai_env.core.heuristic import Feature, indices, yes_or_no
from gupai_env.core.rule import rule
from gupai_env.core.tiles import DECK, NO_TILE
from gupai_env.games.pai_gow.groups import DAY, GONG, MILITARY_PAIR, MOST_VALUE, RANK, VALUE, classify, value_of
from gupai_env.games.pai_gow.hands import groups_by_split, hands_of
from gupai_env.games.pai_gow.rules import GROUP, HAND, SPLITS

ROUNDS = 8  # of looking for a split that is best against itself; after five nothing changes any more
HIGH_RANK = int(RANK[DAY])  # of [1:1], from which a nine is a high one


def shares_below(table: int, hands: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return by value the shares of all hands whose high, or low, group is lower, float64 [2, values + 1].

    The last value stands for more than any. Hands are split for the highest sum of both shares, so that it shows how
    often a player who splits well wins a group from another one like it, but for the tiles that it sees.

    Args:
        table: The number of a table of `gupai_env.games.pai_gow.groups.tables`.
        hands: All hands, sorted kinds, int8 [H, 4].
        times: How often each is dealt, [H].
    """
    # Both groups of a split as one number: one look-up and one count instead of two.
    values, hand = MOST_VALUE + 1, np.arange(len(hands))
    pairs = groups_by_split(table, hands) @ np.array([values, 1])
    shares = np.tile(np.arange(values + 1.0), (GROUP, 1)) / MOST_VALUE
    for _ in range(ROUNDS):
        sums = np.add.outer(shares[0, :-1], shares[1, :-1]).ravel()
        chosen = pairs[hand, sums[pairs].argmax(1)]
        counts = np.bincount(chosen, times, values * values).reshape(values, values)
        shares = np.array([[0, *np.cumsum(counts.sum(axis))] for axis in (1, 0)]) / times.sum()
    return shares


_HANDS = hands_of(DECK, HAND)
SHARES = np.array([shares_below(table, *_HANDS) for table in range(len(VALUE))])  # [tables, 2, values + 1]

FEATURES = (
    Feature(
        "high",
        "place of the high group among all different ones, 102 by the default rules, from 0 for the lowest",
        "places",
        0,
        MOST_VALUE,
    ),
    Feature(
        "low",
        "place of the low group among all different ones, 102 by the default rules, from 0 for the lowest",
        "places",
        0,
        MOST_VALUE,
    ),
    yes_or_no("high_pair", "the high group is a pair"),
    yes_or_no("high_gong", "the high group is a wong or a gong"),
    yes_or_no("high_nine", "the high group is a nine with [6:6] or [1:1]"),
    yes_or_no("low_pair", "the low group is a pair or better"),
    Feature("high_points", "points of the high group, 10 for a gong, 11 for a wong, 12 for a pair", "points", 0, 12),
    Feature("low_points", "points of the low group, 10 for a gong, 11 for a wong, 12 for a pair", "points", 0, 12),
    Feature(
        "high_probability",
        "about how likely the high group wins: the share of hands, split for the most groups, that have a lower one, "
        "for the banker one that is no higher",
        "probability",
        0,
        1,
    ),
    Feature("low_probability", "the same of the low group", "probability", 0, 1),
    Feature("both_probability", "the product of these two", "probability", 0, 1),
)
AT = indices(FEATURES)
LITTLE = 1 / 1024  # of a place, so that the other group only breaks ties
HEURISTICS: dict[str, dict[str, float]] = {
    "greedy": {"high": 1, "low": LITTLE},  # the highest high group
    "balanced": {"low": 1, "high": LITTLE},  # the highest low group
    "house": {"high_pair": 500, "high_gong": 500, "high_nine": 500, "low": 1, "high": LITTLE},  # a simple house way
    "odds": {"high_probability": 1, "low_probability": 1},  # the most groups that are likely to win
}


@rule
def score(view, action, weights):
    """Return the weighted sum of the features of a split."""
    high, low = view.values[action, 0], view.values[action, 1]
    total = weights[AT.high] * high + weights[AT.low] * low
    own, other = classes_of(view, action)
    if own >= MILITARY_PAIR:
        total += weights[AT.high_pair]
    elif own >= GONG:
        total += weights[AT.high_gong]
    elif own == 9 and has_high_tile(view, action, high):
        total += weights[AT.high_nine]
    if other >= MILITARY_PAIR:
        total += weights[AT.low_pair]
    total += weights[AT.high_points] * min(own, MILITARY_PAIR) + weights[AT.low_points] * min(other, MILITARY_PAIR)
    copies = view.banker == 0
    high_probability, low_probability = SHARES[view.table, 0, high + copies], SHARES[view.table, 1, low + copies]
    total += weights[AT.high_probability] * high_probability + weights[AT.low_probability] * low_probability
    return total + weights[AT.both_probability] * high_probability * low_probability


@rule
def classes_of(view, action):
    """Return what the high group of a split is, and what the low one."""
    tiles = view.tiles
    one = classify(view.table, tiles[0], tiles[SPLITS[action, 0]])
    other = classify(view.table, tiles[SPLITS[action, 1]], tiles[SPLITS[action, 2]])
    return max(one, other), min(one, other)


@rule
def has_high_tile(view, action, value):
    """True if the group of a split that has this value holds [6:6] or [1:1]."""
    tiles, first, second = view.tiles, 0, SPLITS[action, 0]
    if value_of(view.table, tiles[first], tiles[second]) != value:
        first, second = SPLITS[action, 1], SPLITS[action, 2]
    if tiles[second] == NO_TILE:
        return False
    return max(RANK[tiles[first]], RANK[tiles[second]]) >= HIGH_RANK
