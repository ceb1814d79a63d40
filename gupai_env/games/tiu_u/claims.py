"""What claims can name of Tiu-U."""

import numpy as np

from gupai_env.core.tiles import WEIGHT
from gupai_env.games.claims import ExactQuestion, Facts, Metric, Outcome, Vocabulary, counts_of, points, ratio
from gupai_env.games.fishing.claims import ACTIONS, METRICS, endings, variance_metric
from gupai_env.games.tiu_u.rules import BIG_POINTS, DECK, SMALL_RED


def big_share(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], points of big fish that the seat with most points caught, and all its points."""
    rows, best = np.arange(len(outcome.states)), points(outcome).argmax(1)
    catch = counts_of(outcome.states.catches[rows, best])
    return np.stack([catch @ BIG_POINTS, points(outcome)[rows, best]], 1)


def big_points(outcome: Outcome) -> np.ndarray:
    """Return what big fish count in each catch, [N, players]."""
    catches = outcome.states.catches[:, : outcome.variant.players]
    return np.stack([counts_of(catch) @ BIG_POINTS for catch in catches.T], 1)


def fish_points() -> Facts:
    """Return the mean points that a big and a small fish add, small ones by their red pips, and the ratio."""
    big, small = DECK[WEIGHT[DECK] >= 8], DECK[WEIGHT[DECK] < 8]
    of_big, of_small = float(BIG_POINTS[big].mean()), float(SMALL_RED[small].mean())
    return {
        "points of a big fish": of_big,
        "red pips of a small fish": of_small,
        "ratio": of_big / of_small,
        "big fish": len(big),
        "small fish": len(small),
    }


CLAIMS = Vocabulary(
    actions=ACTIONS,
    endings=endings,
    metrics={
        **METRICS,
        "big_variance": variance_metric(big_points),
        "big_share": Metric("share of the winner's points that big fish count", "share", big_share, statistic=ratio),
    },
    questions={
        "fish_points": ExactQuestion(
            "mean points that a big and a small fish add, small ones by their red pips, and the ratio", fish_points
        )
    },
)
