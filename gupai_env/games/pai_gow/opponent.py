"""A seat that splits every hand in one way, and what others win and lose against it, exactly."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gupai_env.games.claims import PLAYER, Chances
from gupai_env.games.pai_gow.policies.hand import Hand, Split

COMMISSION = 0.05  # of what a seat wins
TABLE = 2 + 4  # of the default options
Way = Callable[[Hand], Split]


class Figures(NamedTuple):
    """Percent of deals that a seat wins, loses and pushes, and the house edge: percent of the stake that it loses."""

    win: float
    lose: float
    push: float
    edge: float


class Opponent:
    """The seat, with the chances of the splits of all hands against it."""

    def __init__(self, chances: Chances) -> None:
        self.hands = [Hand(TABLE, tiles) for tiles in chances.hands.tolist()]
        self.times, self.won, self.lost = chances.times, chances.won, chances.lost

    def splits(self, way: Way) -> np.ndarray:
        """Return how a way splits each hand, int [H]."""
        return np.array([way(hand).action for hand in self.hands])

    def best(self, role: int, commission: float = COMMISSION) -> np.ndarray:
        """Return a best response of a role, the split of each hand, int [H]."""
        return ((1 - commission) * self.won[role] - self.lost[role]).argmax(1)

    def figures(self, role: int, splits: np.ndarray) -> Figures:
        """Return what the splits of a role, int [H], come to."""
        rows = np.arange(len(splits))
        win, lose = (100 * float(shares[role, rows, splits].sum()) for shares in (self.won, self.lost))
        return Figures(win, lose, 100 - win - lose, lose - (1 - COMMISSION) * win)

    @cached_property
    def chips(self) -> np.ndarray:
        """What a player's splits win after commission, chips per 100 hands of that worth, float64 [H, splits]."""
        share = self.times / self.times.sum()
        return 100 * ((1 - COMMISSION) * self.won[PLAYER] - self.lost[PLAYER]) / share[:, None]

    def loss(self, way: Way, rows: Iterable[int]) -> float:
        """Return what a player loses who splits some hands by a way and not as well as possible, in chips per 100."""
        rows = list(rows)
        chosen = [self.chips[row, way(self.hands[row]).action] for row in rows]
        return float(np.average(self.chips[rows].max(1) - chosen, weights=self.times[rows]))


def splits_by(way: Way, table: int = TABLE) -> Callable[[np.ndarray], np.ndarray]:
    """Return how a way splits hands, sorted kinds, int8 [H, 4] to int [H]."""
    return lambda hands: np.array([way(Hand(table, tiles)).action for tiles in hands.tolist()])
