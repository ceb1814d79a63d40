"""The triplets of Small Mahjong, and what a hand lacks of two of them, in tables made from the definition.

Source: the rulebook, "Small Mahjong", "Combinations".
"""

from itertools import combinations_with_replacement, permutations

import numpy as np

from gupai_env.core.memory import scratch
from gupai_env.core.rule import long_rule, rule
from gupai_env.core.tiles import (
    ALL_KINDS,
    COPIES,
    HIGHEST,
    KINDS,
    NO_TILE,
    ONE,
    PIPS,
    first_kind,
    kinds_in,
    list_hand,
    size,
    tile_set,
)

DOUBLE_STRAIGHT, SET_AND_STRAIGHT, DOUBLE_SET = 1, 2, 3  # their points
_SETS = [(number,) * 3 for number in range(1, HIGHEST + 1)]
_STRAIGHTS = [(number, number + 1, number + 2) for number in range(1, HIGHEST - 1)]


def _readings() -> dict[tuple[int, ...], int]:
    """Return the points of every six sorted numbers that split into two groups."""
    readings: dict[tuple[int, ...], int] = {}
    for one, other in combinations_with_replacement(_SETS + _STRAIGHTS, 2):
        if one not in _SETS:
            points = DOUBLE_STRAIGHT
        elif other in _SETS:
            points = DOUBLE_SET
        elif one[0] not in other:
            points = SET_AND_STRAIGHT
        else:
            continue
        numbers = tuple(sorted(one + other))
        readings[numbers] = max(points, readings.get(numbers, 0))
    return readings


def _triplets() -> list[tuple[int, tuple[int, int, int]]]:
    """Return all triplets that a set of tiles can form, as points and sorted kinds, the cheapest first."""
    readings = _readings()
    triplets = []
    for kinds in combinations_with_replacement(range(KINDS), 3):
        numbers = tuple(sorted(int(pip) for kind in kinds for pip in PIPS[kind]))
        if numbers in readings and all(kinds.count(kind) <= COPIES[kind] for kind in kinds):
            triplets.append((readings[numbers], kinds))
    return sorted(triplets)


TRIPLETS = _triplets()
POINTS = np.array([0] + [points for points, _ in TRIPLETS], np.int8)  # by number of the triplet, from 1
TILES = np.array([0] + [tile_set(kinds) for _, kinds in TRIPLETS])  # by number, int64 tile sets
TRIPLET = np.zeros((KINDS, KINDS, KINDS), np.int16)  # the number of the triplet that three tiles are; 0: none
# [a, b]: the kinds that make a triplet with tiles of the kinds a and b, or NO_TILE: of the three bits of a kind the
# lowest is set for any triplet, the next for one of two points or more, the highest for one of three. One word for all
# three: a table of 4 KB stays in the cache that is nearest to the processor.
COMPLETING = np.zeros((KINDS + 1, KINDS + 1), np.int64)  # the last one empty: four are found sooner
for _number, (_points, _kinds) in enumerate(TRIPLETS, 1):
    for _a, _b, _c in permutations(_kinds):
        TRIPLET[_a, _b, _c] = _number
        COMPLETING[_a, _b] |= ONE[_c] * ((1 << _points) - 1)

MOST_HELD = 6  # tiles in a hand
# The pairs of six tiles that have others before them, by their places.
PAIRS = np.array([(place, later) for place in range(1, MOST_HELD) for later in range(place + 1, MOST_HELD)], np.uint8)


@rule
def triplet_of(tiles):
    """Return the number of the triplet that a set of three tiles is; 0: none."""
    one = first_kind(tiles)
    tiles -= ONE[one]
    two = first_kind(tiles)
    return TRIPLET[one, two, first_kind(tiles - ONE[two])]


@rule
def with_third(completing, third, other):
    """Return `other` if a tile is among the kinds that complete two tiles to a triplet, else no kinds."""
    return other if completing >> (3 * third) & 1 else 0


@long_rule
def prospects(hand):
    """Return what a hand of five, or of two besides a triplet laid out, may be completed by.

    These are the kinds that complete a win, and those that it may claim: of the three bits of a kind the lowest is set
    if it may from one seat away, the next from two, the highest from three.
    """
    tiles = scratch(5, np.uint8)
    list_hand(hand, tiles)
    if tiles[2] == NO_TILE:
        completing = COMPLETING[tiles[0], tiles[1]]
        return completing & ALL_KINDS, 7 * (completing & ALL_KINDS)
    # Written out: in a loop over the pairs they would be read twice, and wait for each other.
    a, b, c, d, e = tiles[0], tiles[1], tiles[2], tiles[3], tiles[4]
    ab, ac, ad, ae = COMPLETING[a, b], COMPLETING[a, c], COMPLETING[a, d], COMPLETING[a, e]
    bc, bd, be = COMPLETING[b, c], COMPLETING[b, d], COMPLETING[b, e]
    cd, ce, de = COMPLETING[c, d], COMPLETING[c, e], COMPLETING[d, e]
    waits = with_third(cd, e, ab) | with_third(bd, e, ac) | with_third(bc, e, ad) | with_third(bc, d, ae)
    waits |= with_third(ad, e, bc) | with_third(ac, e, bd) | with_third(ac, d, be)
    waits |= with_third(ab, e, cd) | with_third(ab, d, ce) | with_third(ab, c, de)
    waits &= ALL_KINDS
    return waits, ab | ac | ad | ae | bc | bd | be | cd | ce | de | 7 * waits


@long_rule
def best_split(hand, laid_out):
    """Return the most points of two triplets: of a hand of six, or of three or none and what is laid out.

    laid_out: points of the triplets laid out. 0 if the tiles are not two triplets.
    """
    tiles = size(hand)
    if tiles == 0:
        return laid_out
    if tiles == 3:
        number = triplet_of(hand)
        return laid_out + POINTS[number] if number else 0
    best = 0
    one = first_kind(hand)  # some triplet has this tile
    remaining = hand - ONE[one]
    while remaining:
        two = first_kind(remaining)
        remaining -= ONE[two]
        thirds = COMPLETING[one, two] & kinds_in(remaining)
        while thirds:
            three = first_kind(thirds)
            thirds &= thirds - 1
            other = triplet_of(hand - ONE[one] - ONE[two] - ONE[three])
            if other:
                best = max(best, POINTS[TRIPLET[one, two, three]] + POINTS[other])
    return best
