"""All hands of Pai Gow, for numbers that are exact: 8,130 of four tiles from the full deck."""

from typing import Any

import numpy as np

from gupai_env.core.tiles import KINDS
from gupai_env.games.claims import hands_of as hands_of
from gupai_env.games.pai_gow.groups import NO_VALUE, VALUE
from gupai_env.games.pai_gow.rules import HAND as HAND
from gupai_env.games.pai_gow.rules import SPLITS, paid, settled
from gupai_env.games.pai_gow.rules import table_of as table_of

SOME_VALUE = NO_VALUE + 1  # of a group that another one of the same value copies


def alike(rules: Any) -> np.ndarray:
    """Return for each kind the lowest one that is worth the same in every group, int8 [KINDS]."""
    values, lowest = VALUE[table_of(rules)], np.arange(KINDS, dtype=np.int8)
    for kind in range(KINDS):
        for lower in range(kind):
            others = np.setdiff1d(np.arange(KINDS), (kind, lower))
            if (values[kind, others] == values[lower, others]).all():
                lowest[kind] = lowest[lower]
                break
    return lowest


def groups_by_split(table: int, hands: np.ndarray) -> np.ndarray:
    """Return the values of the high and the low group of each split of some hands, int8 [H, splits, 2], high first."""
    values = VALUE[table]
    groups = [
        (values[hands[:, 0], hands[:, beside]], values[hands[:, second], hands[:, third]])
        for beside, second, third in SPLITS
    ]
    return -np.sort(-np.array(groups).transpose(2, 0, 1), axis=2)


def chips_between(rules: Any) -> np.ndarray:
    """Return what a player, and what the banker, win if there is one player, float64 [2, 3, 3].

    By what comes of the player's high and of his low group: it is lower than the banker's, equal, higher.
    """
    bankers, results = SOME_VALUE + 1, np.zeros((2, 3, 3))
    came_of = [settled(rules, value, bankers) for value in (bankers - 1, bankers, bankers + 1)]
    for high in range(3):
        for low in range(3):
            chips = float(paid(rules, came_of[high], came_of[low]))
            results[:, high, low] = chips, -chips
    return np.where(results > 0, results * (1 - rules.commission / 100), results)
