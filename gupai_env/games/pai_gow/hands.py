"""All hands of Pai Gow, for numbers that are exact: 8,130 of four tiles from the full deck."""

from itertools import combinations

import numpy as np

from gupai_env.games.pai_gow.groups import VALUE
from gupai_env.games.pai_gow.rules import SPLITS


def hands_of(deck: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the different hands of a deck, sorted kinds, int8 [H, size], and how often each is dealt, int64 [H]."""
    dealt = np.array(list(combinations(np.sort(deck), size)), np.int8)
    hands, times = np.unique(dealt, axis=0, return_counts=True)
    return hands, times


def groups_by_split(table: int, hands: np.ndarray) -> np.ndarray:
    """Return the values of the high and the low group of each split of some hands, int8 [H, splits, 2], high first."""
    values = VALUE[table]
    groups = [
        (values[hands[:, 0], hands[:, beside]], values[hands[:, second], hands[:, third]])
        for beside, second, third in SPLITS
    ]
    return -np.sort(-np.array(groups).transpose(2, 0, 1), axis=2)
