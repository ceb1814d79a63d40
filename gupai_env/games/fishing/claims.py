"""What claims can name of all fishing games."""

import numpy as np

from gupai_env.core.claims import SHARE, ActionFeature, Metric, Outcome, Positions, counts_of
from gupai_env.games.fishing.rules import CATCH


def lays(at: Positions, number: int) -> np.ndarray:
    """Return which actions lay a tile in the lake."""
    return np.arange(at.masks.shape[1])[None] < CATCH


def third(at: Positions, number: int) -> np.ndarray:
    """Return which actions lay the third tile of a kind in the lake."""
    found = np.zeros(at.masks.shape, bool)
    found[:, :CATCH] = counts_of(at.states.lake) == 2
    return found


def lake_left(outcome: Outcome, number: int) -> np.ndarray:
    """Return the tiles left in the lake."""
    return counts_of(outcome.states.lake).sum(1).astype(float)


ACTIONS = {
    "lays": ActionFeature("a tile is laid, not used to catch", lays),
    "third": ActionFeature("the tile is laid as the third of its kind in the lake", third),
}
METRICS = {
    "lake_left": Metric("tiles left in the lake", "tiles", lake_left),
    "lake_not_empty": Metric("tiles are left in the lake", SHARE, lambda o, n: (lake_left(o, n) > 0).astype(float)),
}
