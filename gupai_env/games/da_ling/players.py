"""The rule-based players of Da Ling. Of splits with equal scores they choose the first."""

from math import comb

import numpy as np

from gupai_env.core.bits import ones
from gupai_env.core.heuristic import Feature, indices, prepared, yes_or_no
from gupai_env.core.rule import long_rule, rule
from gupai_env.core.tiles import COPIES, FULL_SET, KINDS, NO_TILE, ONE, bit_each, first_kind
from gupai_env.games.da_ling.rules import (
    DECKS,
    GROUPS,
    HAND,
    HANDS,
    MOST_POINTS,
    NO_MATCH,
    SEATS,
    SPLITS,
    TABLE,
    VALUE,
    WILD,
    colour_of,
    matches,
    points_of,
    wilds_of,
)
from gupai_env.messages import say

ENOUGH = 13  # numbers of pips of the colour, from 0; no tile has the last one
TRIPLE_PIPS = 3 * ENOUGH
NAMES = ("single", "pair", "triple")
MOST_PIPS = (11, 22, 32)  # of a colour on one, two and three tiles
# The effective number of groups from which a seat chooses, if they were drawn one by one from all that the unseen tiles
# form: fitted to the groups of players who match what they can.
TRIES = (2.5, 3.5, 17.5)

FEATURES = (
    Feature("stakes", "stakes of the groups that match", "chips", 0, 25),
    Feature("pips", "pips of the colour in the groups that match", "pips", 0, 60),
    Feature("stake_pips", "the stake of each group that matches, times its pips of the colour", "chips", 0, 900),
    yes_or_no("absolute", "all three groups match"),
    *(
        Feature(
            f"{name}_pips", say("pips of the colour in the {group}, if it matches", group=say(name)), "pips", 0, most
        )
        for name, most in zip(NAMES, MOST_PIPS, strict=True)
    ),
    *(
        Feature(
            f"{name}_probability",
            say(
                "about how likely no other {group} matches with as many pips, given the unseen tiles; "
                "0 if your own does not match",
                group=say(name),
            ),
            "probability",
            0,
            1,
        )
        for name in NAMES
    ),
    Feature("stake_probability", "the stake of each group that matches, times this probability", "chips", 0, 25),
)
AT = indices(FEATURES)
# Of a kind, and of NO_TILE: points, if wild counted low; whether it is wild; and, [2, kinds], pips of black and red.
KIND_POINTS, KIND_WILDS = points_of(VALUE).astype(np.int8), wilds_of(VALUE).astype(np.int8)
KIND_PIPS = np.array([colour_of(VALUE, False), colour_of(VALUE, True)], np.int8)


def fitting_tiles(wilds: int, lacks: int) -> np.ndarray:
    """Return all tiles, as sets, that bring the points that a group lacks, modulo ten, int64 [2, ENOUGH].

    By colour, and by the pips of the colour that the tile has at least. Each of the group's wild tiles, and the tile
    itself if it is one, may count more.
    """
    matching = [bool(matches(int(KIND_POINTS[kind]), wilds + KIND_WILDS[kind], lacks)) for kind in range(KINDS)]
    enough = KIND_PIPS[:, :KINDS, None] >= np.arange(ENOUGH)
    return np.where(np.array(matching)[:, None] & enough, 7 * ONE[:, None], 0).sum(1)


FITTING = np.array(
    [[fitting_tiles(wilds, lacks) for lacks in range(10)] for wilds in range(len(WILD) + 1)]
)  # int64 [3, 10, 2, ENOUGH]


def triples_with() -> np.ndarray:
    """Return how many triples of all tiles hold one of a kind and match a target with as many pips of a colour."""
    one, two, target, red, pips = np.ogrid[:KINDS, :KINDS, :10, :2, :TRIPLE_PIPS]
    lacks = (target - KIND_POINTS[one] - KIND_POINTS[two]) % 10
    missing = (pips - KIND_PIPS[red, one] - KIND_PIPS[red, two]).clip(0, ENOUGH - 1)
    wilds = (KIND_WILDS[one] + KIND_WILDS[two]).clip(max=len(WILD))
    third = np.bitwise_count(bit_each(FITTING[wilds, lacks, red, missing] & (FULL_SET - ONE[one] - ONE[two])))
    counts: np.ndarray = (third * (COPIES[two] - (one == two))).sum(1) // 2  # each is met in two orders
    return counts


TRIPLES_WITH = triples_with().astype(np.int16)  # [KINDS, 10, 2, TRIPLE_PIPS], by kind, target, colour and pips
TRIPLES = (np.tensordot(COPIES, TRIPLES_WITH.astype(np.int64), 1) // 3).astype(np.int16)  # of all kinds
SIZES = ((1, 2, 3), (1, 1, 1))  # tiles of each group, by deck
# How many groups the unseen tiles form, [2, GROUPS] by deck; and how many of them can be as strong as one in hand.
ALL = [[comb(len(DECKS[deck]) - TABLE - HANDS[deck], size) for size in SIZES[deck]] for deck in range(len(DECKS))]
AS_STRONG = np.minimum(ALL, int(TRIPLES.max()))
# How likely no other seat has as strong a group, by the number of groups as strong, behind each other by deck and
# group, and by the number of other seats, from 1. A table, because a power is rounded as the system's library likes.
PROBABILITIES = np.array(
    [
        [(1 - strong / ALL[deck][group]) ** (TRIES[group] * others) for others in range(1, SEATS)]
        for (deck, group), most in np.ndenumerate(AS_STRONG)
        for strong in range(most + 1)
    ]
)  # float64 [entries, SEATS - 1]
FIRST = (AS_STRONG + 1).cumsum().reshape(AS_STRONG.shape) - AS_STRONG - 1  # entry of a deck and group
SIZE = np.bitwise_count(np.arange(1 << HAND)).astype(np.int8)  # of a group, by its places as bits
LITTLE = 1 / 1024  # of a chip, so that pips only break ties
HEURISTICS: dict[str, dict[str, float]] = {
    "greedy": {"stakes": 1, "pips": LITTLE},  # the most stakes; among equals the most pips of the colour
    "colour": {"stakes": 1, "pips": LITTLE, "stake_pips": 1, "absolute": 1e9},  # all three, or else strong groups
}


@rule
def prepare(view, weights, spare):
    """Fill `spare` with what it weighs that each group that matches is likely the strongest, by its places as bits."""
    for places in range(1, len(SIZE)):
        pips, group = view.strength[places], SIZE[places] - 1
        if pips != NO_MATCH:
            weight = weights[AT.single_probability + group] + weights[AT.stake_probability] * view.stakes[group]
            spare[places] = weight * probability(view, group, pips) if weight != 0 else 0.0
    return 0


@rule
def score_with(view, action, weights, common, spare):
    """Return the weighted sum of the features of a split."""
    total, matches = 0.0, 0
    for group in range(GROUPS):
        places = SPLITS[action, group]
        pips = view.strength[places]
        if pips != NO_MATCH:
            stake = view.stakes[group]
            total += weights[AT.single_pips + group] * pips
            total += spare[places]
            total += weights[AT.stakes] * stake + weights[AT.pips] * pips + weights[AT.stake_pips] * stake * pips
            matches += 1
    return total + weights[AT.absolute] if matches == GROUPS else total


score = prepared(prepare, score_with)


@rule
def probability(view, group, pips):
    """Return about how likely no other seat has as strong a group."""
    deck = int(view.tiles[HAND - 1] == NO_TILE)
    strong = groups_as_strong(view, SIZES[deck][group], pips)
    return PROBABILITIES[FIRST[deck, group] + strong, view.players - 2]


@long_rule
def groups_as_strong(view, tiles, pips):
    """Return how many of the groups that so many unseen tiles form match with as many pips."""
    if tiles == 1:
        return third_tiles(view.unseen, NO_TILE, NO_TILE, view, pips)
    return strong_pairs(view, pips) if tiles == 2 else strong_triples(view, pips)


@rule
def third_tiles(tiles, one, two, view, pips):
    """Return how many of some tiles make a group of kinds `one` and `two`, which may be NO_TILE, match with as many
    pips of the colour.
    """
    wilds = KIND_WILDS[one] + KIND_WILDS[two]
    lacks = np.uint8(view.target + MOST_POINTS - KIND_POINTS[one] - KIND_POINTS[two]) % np.uint8(10)
    pips -= KIND_PIPS[view.red, one] + KIND_PIPS[view.red, two]
    return ones(bit_each(tiles & FITTING[wilds, lacks, view.red, min(max(pips, 0), ENOUGH - 1)]))


@rule
def strong_pairs(view, pips):
    """Return how many pairs of unseen tiles match with as many pips of the colour."""
    count, remaining = 0, view.unseen
    while remaining:
        kind = first_kind(remaining)
        remaining -= ONE[kind]
        count += third_tiles(remaining, kind, NO_TILE, view, pips)
    return count


@rule
def strong_triples(view, pips):
    """Return how many triples of unseen tiles match with as many pips of the colour.

    There are fewer tiles that are seen, so that it is quicker to count all triples of the deck, without those of one
    such tile, and again with those of two of them, and without those of three.
    """
    count, remaining = TRIPLES[view.target, view.red, pips], FULL_SET - view.unseen
    while remaining:
        one = first_kind(remaining)
        remaining -= ONE[one]
        count -= TRIPLES_WITH[one, view.target, view.red, pips]
        rest = remaining
        while rest:
            two = first_kind(rest)
            rest -= ONE[two]
            count += third_tiles(FULL_SET - ONE[one] - ONE[two], one, two, view, pips)
            count -= third_tiles(rest, one, two, view, pips)
    return count
