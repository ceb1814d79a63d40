"""What a group of two tiles is worth in Pai Gow: one table of small numbers, made once for every set of options."""

from itertools import product

import numpy as np

from gupai_env.core.bits import as_index
from gupai_env.core.rule import rule
from gupai_env.core.tiles import COPIES, KINDS, NO_TILE, WEIGHT, kind_of, parse_tiles
from gupai_env.messages import say

# The single ranks, 15 for [6:6] down to 1; [4:2] and [2:1] have none.
_BY_RANK = "41 32|52 43|62 53|63 54|51|61|64|65|22|33|55|31|44|11|66"
RANK = np.zeros(KINDS, np.int8)
for _rank, _tiles in enumerate(_BY_RANK.split("|"), 1):
    RANK[parse_tiles(_tiles)] = _rank
_RANKS, _COPIES, _WEIGHTS = RANK.tolist(), COPIES.tolist(), WEIGHT.tolist()  # read 30,000 times, faster than arrays
DAY, TEEN = (kind_of(1, 1), kind_of(6, 6))
SUPREME = (kind_of(2, 1), kind_of(4, 2))
FOURS = kind_of(4, 4)

# What a group is, from low to high; below GONG it is its points.
GONG, WONG, MILITARY_PAIR, CIVIL_PAIR, SUPREME_PAIR = CLASSES = range(10, 15)
POINTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
CLASS_NAMES = tuple(map(say, (*POINTS, "gong", "wong", "pair", "pair", "supreme pair")))
NO_VALUE = 0  # of a group of no points where all of these are equal; and of a group that lacks a tile


def points_of(first: int, second: int, wild: bool) -> int:
    """Return the points of two tiles, by kind; with `wild` [4:2] and [2:1] count 3 or 6, whichever gives more.

    Args:
        first, second: Kinds.
        wild: Whether [4:2] and [2:1] may count otherwise.
    """
    counts = [(3, 6) if wild and kind in SUPREME else (_WEIGHTS[kind],) for kind in (first, second)]
    return max(sum(pips) % 10 for pips in product(*counts))


def class_of(first: int, second: int, gong_four: bool, wild: bool) -> int:
    """Return what two tiles, by kind, make: points, or one of CLASSES.

    Args:
        first, second: Kinds.
        gong_four: Whether [4:4] makes a gong with [6:6] or [1:1].
        wild: As of `points_of`.
    """
    if {first, second} == set(SUPREME):
        return SUPREME_PAIR
    if _RANKS[first] == _RANKS[second]:
        return CIVIL_PAIR if first == second else MILITARY_PAIR
    low, high = sorted((first, second), key=_RANKS.__getitem__)
    if high in (DAY, TEEN):
        if _COPIES[low] == 1 and _WEIGHTS[low] == 9:
            return WONG
        if (_COPIES[low] == 1 and _WEIGHTS[low] == 8) or (gong_four and low == FOURS):
            return GONG
    return points_of(first, second, wild)


def tables(zero_by_tile: bool, gong_four: bool, wild: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the class and the value of every two kinds, int8 [KINDS + 1, KINDS + 1].

    Values count the different ones from below. The lowest is NO_VALUE if no group of no points beats another one.

    Args:
        zero_by_tile: Whether groups of no points are compared by their tiles.
        gong_four, wild: As of `class_of`.
    """
    classes, order = np.zeros((KINDS + 1, KINDS + 1), np.int8), {}
    for first, second in product(range(KINDS), repeat=2):
        if first == second and _COPIES[first] == 1:
            continue
        group_class = class_of(first, second, gong_four, wild)
        classes[first, second] = group_class
        equal = group_class == SUPREME_PAIR or (group_class == 0 and not zero_by_tile)
        order[first, second] = (group_class, 0 if equal else max(_RANKS[first], _RANKS[second]))
    ranked = {key: value for value, key in enumerate(sorted(set(order.values())), int(zero_by_tile))}
    values = np.full((NO_TILE + 1, NO_TILE + 1), NO_VALUE, np.int8)
    for pair, key in order.items():
        values[pair] = ranked[key]
    return classes, values


# One of each set of options: 1 for zero_by_tile, 2 for gong_four and 4 for wild, added up.
_TABLES = [tables(bool(n & 1), bool(n & 2), bool(n & 4)) for n in range(8)]
CLASS = np.array([classes for classes, _ in _TABLES])  # int8 [tables, KINDS + 1, KINDS + 1]
VALUE = np.array([values for _, values in _TABLES])
MOST_VALUE = int(VALUE.max())


@rule
def value_of(table, first, second):
    """Return the value of a group of two kinds.

    Args:
        table: The number of a table of `tables`.
        first, second: Kinds.
    """
    return VALUE[as_index(table), as_index(first), as_index(second)]


@rule
def classify(table, first, second):
    """Return the class of a group of two kinds.

    Args:
        table: The number of a table of `tables`.
        first, second: Kinds.
    """
    return CLASS[as_index(table), as_index(first), as_index(second)]


def group_name(table: int, first: int, second: int) -> str:
    """Return what a group of two kinds is called: "seven", "gong", "pair".

    Args:
        table: The number of a table of `tables`.
        first, second: Kinds.
    """
    return CLASS_NAMES[CLASS[table, first, second]]
