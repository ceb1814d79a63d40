"""The triplets of Small Mahjong, and what a hand lacks of two of them, in tables made from the definition.

Source: the rulebook, "Small Mahjong", "Combinations".
"""

from itertools import combinations, combinations_with_replacement, permutations

import numpy as np

from gupai_env.core.memory import scratch
from gupai_env.core.rule import long_rule, rule
from gupai_env.core.tiles import (
    ALL_KINDS,
    COPIES,
    HIGHEST,
    KINDS,
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

# The ten ways to part a hand of five into two tiles and three, by their places.
TWO_AND_THREE = np.array(
    [[*two, *(place for place in range(5) if place not in two)] for two in combinations(range(5), 2)], np.uint8
)
# The 15 pairs of six tiles, the later tile first, in five rows of three.
PAIRS = np.array([(later, place) for later in range(6) for place in range(later)], np.uint8).reshape(5, 3, 2)


@rule
def completing_two(tiles):
    """Return the kinds that form a triplet with a set of two tiles."""
    one = first_kind(tiles)
    return COMPLETING[one, first_kind(tiles - ONE[one])] & ALL_KINDS


@rule
def triplet_of(tiles):
    """Return the number of the triplet that a set of three tiles is; 0: none."""
    one = first_kind(tiles)
    tiles -= ONE[one]
    two = first_kind(tiles)
    return TRIPLET[one, two, first_kind(tiles - ONE[two])]


@long_rule
def prospects(hand):
    """Return what a hand of five, or of two besides a triplet laid out, may be completed by.

    These are four sets of kinds: those that complete a win, and those that it may claim, for the sake of a
    triplet alone, from one, two and three seats away.
    """
    tiles = scratch(5, np.uint8)
    list_hand(hand, tiles)
    waits = claims = 0
    for way in range(len(TWO_AND_THREE)):
        one, two = tiles[TWO_AND_THREE[way, 0]], tiles[TWO_AND_THREE[way, 1]]
        a, b, c = (tiles[TWO_AND_THREE[way, 2]], tiles[TWO_AND_THREE[way, 3]], tiles[TWO_AND_THREE[way, 4]])
        completing = COMPLETING[one, two]
        claims |= completing
        waits |= completing if COMPLETING[a, b] >> (3 * c) & 1 else 0
    near, middle, far = claims & ALL_KINDS, claims >> 1 & ALL_KINDS, claims >> 2 & ALL_KINDS
    return near if size(hand) == 2 else waits & ALL_KINDS, near, middle, far


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
