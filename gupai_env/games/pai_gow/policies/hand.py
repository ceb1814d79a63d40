"""What published ways of splitting a hand speak of: tiles by pips and rank, points, and the splits of a hand.

Tiles are named as the sources do: "12" and "2" are [6:6] and [1:1], "G" is [4:2] or [2:1], and the others are named by
their pips, "11". H and L are the higher and the lower tile of as many pips: H4 [3:1], L4 [2:2], H6 [3:3], L6 [5:1],
H7 [6:1], H8 [4:4], H10 [5:5], L10 [6:4], L7 and L8 the military tiles; "8" is either. "12|2" is one or the other, "*"
any tile.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from gupai_env.core.tiles import KINDS, NO_TILE, parse_tiles
from gupai_env.games.pai_gow.groups import CLASS, DAY, GONG, MILITARY_PAIR, RANK, TEEN, VALUE, WONG
from gupai_env.games.pai_gow.rules import SPLITS, groups_of, is_distinct

NINE = 9
_BY_NAME = {
    **{"12": "66", "2": "11", "H8": "44", "H4": "31", "H10": "55", "H6": "33", "L4": "22", "11": "65", "L10": "64"},
    **{"L6": "51", "9": "63 54", "L8": "62 53", "H7": "61", "L7": "52 43", "5": "41 32", "G": "42 21"},
}
TILES = {name: frozenset(parse_tiles(tiles)) for name, tiles in _BY_NAME.items()}
TILES |= {pips: TILES[f"H{pips}"] | TILES[f"L{pips}"] for pips in ("4", "6", "7", "8", "10")}
TILES["*"] = frozenset(range(KINDS))


def kinds(names: str) -> frozenset[int]:
    """Return the kinds of tiles of some names, as "12|2"."""
    return frozenset().union(*(TILES[name] for name in names.split("|")))


def are(tiles: Sequence[int], names: str) -> bool:
    """True if tiles, in some order, are those of as many names, "H8 9"."""
    wanted = [kinds(name) for name in names.split()]
    return any(all(map(frozenset.__contains__, wanted, order)) for order in permutations(tiles))


class Group(NamedTuple):
    """Two tiles: their kinds, what they make, and the rank of the higher one."""

    tiles: tuple[int, int]
    kind: int  # points below GONG, or one of the classes from there
    value: int
    rank: int

    @property
    def points(self) -> int:
        """Points; 10 for a gong, 11 for a wong, 12 for a pair."""
        return min(self.kind, MILITARY_PAIR)

    @property
    def is_pair(self) -> bool:
        return self.kind >= MILITARY_PAIR

    @property
    def is_high_nine(self) -> bool:
        """True for nine points with [6:6] or [1:1]."""
        return self.kind == NINE and self.rank >= RANK[DAY]

    @property
    def is_strong(self) -> bool:
        """True for a high nine, a gong and a wong."""
        return self.is_high_nine or self.kind in (GONG, WONG)

    def at_least(self, points: int, tile: str = "G") -> bool:
        """True if the group has more points, or as many and no lower tile than the lowest of a name."""
        return (self.points, self.rank) >= (points, min(int(RANK[kind]) for kind in TILES[tile]))


class Split(NamedTuple):
    """An action, and the groups that it makes."""

    action: int
    high: Group
    low: Group

    @property
    def total(self) -> int:
        """The points of both groups."""
        return self.high.points + self.low.points

    def beats(self, other: "Split") -> bool:
        """True if each group is worth as much as the other's or more."""
        return self.high.value >= other.high.value and self.low.value >= other.low.value


class Hand:
    """Four tiles, sorted kinds, with every different split of theirs under a table of values."""

    def __init__(self, table: int, tiles: Sequence[int]) -> None:
        self.tiles = tuple(tiles)
        self.splits: list[Split] = []
        for action in range(len(SPLITS)):
            if is_distinct(self.tiles, action):
                groups = [_group(table, *group) for group in groups_of(action, self.tiles)]
                self.splits.append(Split(action, *sorted(groups, key=lambda group: group[1:], reverse=True)))

    def has(self, names: str) -> bool:
        """True if one tile is of a name."""
        return not kinds(names).isdisjoint(self.tiles)

    def find(self, groups: str) -> Split | None:
        """Return the split into two groups, "H8 9 / L8 L10", if the hand has those tiles."""
        one, other = groups.split("/")
        for split in self.splits:
            for first, second in ((split.high, split.low), (split.low, split.high)):
                if are(first.tiles, one) and are(second.tiles, other):
                    return split
        return None

    def first(self, *groups: str) -> Split | None:
        """Return the first split of a list that `find` finds; None if there is none."""
        return next(filter(None, map(self.find, groups)), None)

    @property
    def obvious(self) -> Split | None:
        """The split that is as good as every other in both groups, if there is one."""
        return next((split for split in self.splits if all(map(split.beats, self.splits))), None)

    @functools.cached_property
    def pair(self) -> Split | None:
        """The split that keeps a pair together, the highest if there are two; None without a pair."""
        together = [split for split in self.splits if split.high.is_pair]
        return best_high(together) if together else None

    def has_pair(self, names: str) -> bool:
        """True if the pair, the highest, is of tiles of a name."""
        return self.pair is not None and self.pair.high.tiles[0] in kinds(names)

    @property
    def without_pair(self) -> list[Split]:
        """The splits that keep no pair together."""
        return [split for split in self.splits if not split.high.is_pair]

    @property
    def strong(self) -> list[Split]:
        """The splits with a high nine, gong or wong; of those with [6:6] and with [1:1] only the first."""
        splits = [split for split in self.splits if split.high.is_strong]
        return [split for split in splits if split.high.rank == RANK[TEEN]] or splits


def _group(table: int, first: int, second: int) -> Group:
    kind, value = int(CLASS[table, first, second]), int(VALUE[table, first, second])
    return Group((first, second), kind, value, int(max(RANK[first], RANK[second])))


def best_high(splits: Iterable[Split]) -> Split:
    """Return the split with the highest high group; of several the one with the highest low group."""
    return max(splits, key=lambda split: (split.high.value, split.low.value))


def best_low(splits: Iterable[Split]) -> Split:
    """Return the split with the highest low group; of several the one with the highest high group."""
    return max(splits, key=lambda split: (split.low.value, split.high.value))


def with_same_points(splits: Iterable[Split], chosen: Split) -> list[Split]:
    """Return the splits whose groups have the same points as those of one."""
    points = (chosen.high.points, chosen.low.points)
    return [split for split in splits if (split.high.points, split.low.points) == points]


def policy_of(split: Callable[[Hand], Split]) -> Callable[[np.record], int]:
    """Return a policy, from views to actions, that splits every hand as a function says."""

    @functools.cache
    def action(table: int, *tiles: int) -> int:
        return split(Hand(table, tiles)).action

    def policy(view: np.record) -> int:
        tiles = view.tiles.tolist()
        return action(int(view.table), *tiles) if tiles[-1] != NO_TILE else 0  # with two tiles there is no choice

    return policy
