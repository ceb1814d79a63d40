"""What claims can name of Shi Wu Hu."""

import numpy as np

from gupai_env.core.tiles import KINDS, ONE, WEIGHT
from gupai_env.games.claims import SHARE, Metric, Outcome, Vocabulary, counts_of, points
from gupai_env.games.fishing.claims import ACTIONS, METRICS, endings, variance_metric
from gupai_env.games.shi_wu_hu.rules import BONUS, DECK_SETS, FOURS, GROUPS, HEAVEN, SUPREME, THOUSAND, VALUE


def full_groups_of(outcome: Outcome, number: int) -> np.ndarray:
    """Return the groups that are full in the catches of all seats."""
    full = outcome.states.full[:, : outcome.variant.players].astype(int)
    return sum(full >> bit & 1 for bit in range(8)).sum(1)


BIG = WEIGHT >= 8  # as in Tiu-U
GROUP_OF = np.array(
    [next((index for index, group in enumerate(GROUPS) if group & ONE[kind]), 8) for kind in range(KINDS)]
)


def big_points(outcome: Outcome) -> np.ndarray:
    """Return what tiles of eight pips or more count in each catch, without bonuses, [N, players]."""
    columns = []
    for seat in range(outcome.variant.players):
        full = (outcome.states.full[:, seat, None].astype(int) >> GROUP_OF & 1).astype(bool)
        counted = np.where(full, VALUE, 10)
        columns.append((counts_of(outcome.states.catches[:, seat]) * counted * BIG).sum(1))
    return np.stack(columns, 1)


def bonus_points(outcome: Outcome, number: int) -> np.ndarray:
    """Return the points of catches for all Supreme tiles (number 1), all of Heaven-nine (2) or all fours (3)."""
    rules, catches = outcome.variant.as_rules(), outcome.states.catches[:, : outcome.variant.players]
    if number not in (1, 2, 3):
        return np.zeros(len(catches))
    tiles = 7 * (SUPREME, HEAVEN, FOURS)[number - 1]
    held = (catches & tiles == DECK_SETS[rules.deck] & tiles).sum(1)
    return held * float(rules.supreme_bonus if number == 1 else BONUS)


CLAIMS = Vocabulary(
    actions=ACTIONS,
    endings=endings,
    metrics={
        **METRICS,
        "big_variance": variance_metric(big_points),
        "full_groups": Metric("groups that are full in some catch", "groups", full_groups_of),
        "bonus_points": Metric(
            "points for all Supreme tiles (1), all of Heaven-nine (2) or all fours (3)", "points", bonus_points, True
        ),
        "thousand": Metric(
            "some catch has 1,000 points or more", SHARE, lambda outcome, _: points(outcome).max(1) >= THOUSAND
        ),
    },
)
