"""What claims can name of Shi Wu Hu."""

import numpy as np

from gupai_env.core.claims import Metric, Outcome, Vocabulary, counts_of, points, ratio
from gupai_env.games.fishing.claims import ACTIONS, METRICS
from gupai_env.games.shi_wu_hu.rules import BAIT, VALUE


def big_share(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], points of tiles of [6:6], [6:3], [5:4], Supreme and tens in the best catch, and all its points.

    A tile counts what it counts at most, so groups that are not full count as well.
    """
    rows, best = np.arange(len(outcome.states)), points(outcome).argmax(1)
    catch = counts_of(outcome.states.catches[rows, best])
    return np.stack([catch @ np.where(VALUE == 30, VALUE, 0), catch @ VALUE], 1).astype(float)


def full_groups_of(outcome: Outcome, number: int) -> np.ndarray:
    """Return the groups that are full in the catches of all seats."""
    full = outcome.states.full[:, : outcome.variant.players].astype(int)
    return sum(full >> bit & 1 for bit in range(8)).sum(1).astype(float)


CLAIMS = Vocabulary(
    actions=ACTIONS,
    metrics={
        **METRICS,
        "big_share": Metric("share of the winner's points that big fish count", "share", big_share, statistic=ratio),
        "full_groups": Metric("groups that are full in some catch", "groups", full_groups_of),
    },
    tile_of_action=BAIT.astype(int),
)
