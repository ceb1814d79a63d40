"""What claims can name of all fishing games."""

from collections.abc import Callable

import numpy as np

from gupai_env.games.claims import (
    LEADER,
    SHARE,
    ActionFeature,
    Endings,
    Metric,
    Outcome,
    Positions,
    counts_of,
    explained,
    of_moves,
    points,
    with_products,
)
from gupai_env.games.fishing.rules import CATCH


def third(positions: Positions, number: int) -> np.ndarray:
    """Return which actions lay the third tile of a kind in the lake."""
    actions = np.zeros(positions.masks.shape, bool)
    actions[:, :CATCH] = counts_of(positions.states.lake) == 2
    return actions


def variance_metric(big_points: Callable[[Outcome], np.ndarray]) -> Metric:
    """Return how much of the variance of the difference between the first two seats their big tiles explain.

    `big_points` are what tiles of eight pips or more count in each catch, [N, players]. The share is the square of
    their difference's correlation with the whole one.
    """

    def values(outcome: Outcome, number: int) -> np.ndarray:
        return with_products(*(figures[:, 0] - figures[:, 1] for figures in (big_points(outcome), points(outcome))))

    meaning = "share of the variance of the difference of two seats' points that tiles of eight pips or more explain"
    return Metric(meaning, "share", values, statistic=explained)


def endings(outcome: Outcome) -> Endings:
    """Return whether tiles are left in the lake."""
    uncaught = outcome.states.lake != 0
    return {"every tile is caught": ~uncaught, "tiles are left in the lake": uncaught}


ACTIONS = {
    "lays": of_moves("a tile is laid, not used to catch", lambda move, _: move.verb == "lay"),
    "third": ActionFeature("the tile is laid as the third of its kind in the lake", third),
}
METRICS = {
    **LEADER,
    "lake_left": Metric("tiles left in the lake", "tiles", lambda outcome, _: counts_of(outcome.states.lake).sum(1)),
    "lake_not_empty": Metric("tiles are left in the lake", SHARE, lambda outcome, _: outcome.states.lake != 0),
}
