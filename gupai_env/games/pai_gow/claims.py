"""What claims can name of Pai Gow."""

import numpy as np

from gupai_env.core.tiles import DECK, KINDS
from gupai_env.games.claims import (
    CHIPS,
    SHARE,
    ActionFeature,
    Endings,
    ExactQuestion,
    Facts,
    HandFeature,
    Metric,
    Outcome,
    PositionFeature,
    Positions,
    Vocabulary,
    hands_of,
)
from gupai_env.games.pai_gow.groups import DAY, SUPREME, TEEN
from gupai_env.games.pai_gow.hands import groups_by_split
from gupai_env.games.pai_gow.rules import HAND, SPLITS, table_of


def undominated(groups: np.ndarray) -> np.ndarray:
    """Return how many splits of each hand are as good as any other in one group and not worse in both, int [N].

    groups: values of the high and the low group of each split, int [N, splits, 2]. Splits of the same values count
        once.
    """
    splits = groups.shape[1]
    best = np.ones(groups.shape[:2], bool)
    for one in range(splits):
        for other in range(splits):
            better = (groups[:, other] >= groups[:, one]).all(1)
            same = (groups[:, other] == groups[:, one]).all(1)
            if one != other:
                best[:, one] &= ~(better & (~same | (other < one)))
    counts: np.ndarray = best.sum(1)
    return counts


def groups_held(positions: Positions) -> np.ndarray:
    """Return the values of the groups of each split of the seats to act, int [N, splits, 2]."""
    tiles = positions.states.tiles[positions.rows, positions.states.to_act]
    table = int(table_of(positions.variant.as_rules()))
    return groups_by_split(table, tiles).astype(int)


def choices(positions: Positions, number: int) -> np.ndarray:
    """Return how many splits are not dominated by another one."""
    return undominated(groups_held(positions))


def highest(group: int, positions: Positions) -> np.ndarray:
    """Return which splits have the highest high (0) or low (1) group that is legal."""
    values = np.where(positions.masks, groups_held(positions)[:, :, group], -1)
    actions: np.ndarray = (values == values.max(1, keepdims=True)) & positions.masks
    return actions


def banker_chips(outcome: Outcome, number: int) -> np.ndarray:
    """Return what the bankers win for each of their opponents, one deal alone."""
    states = outcome.states
    chips: np.ndarray = states.total[np.arange(len(states)), banker_of(outcome)].astype(float)
    return chips / (outcome.variant.players - 1)


def banker_of(outcome: Outcome) -> np.ndarray:
    """Return the banker's seat of single deals, int [N]."""
    bankers: np.ndarray = outcome.states.leader.astype(int)
    return bankers


def pushed(outcome: Outcome, number: int) -> np.ndarray:
    """Return the share of players who neither win nor lose."""
    states, players = outcome.states, outcome.variant.players
    player = np.arange(players) != banker_of(outcome)[:, None]
    return ((states.total[:, :players] == 0) & player).sum(1) / (players - 1)


def house_income(outcome: Outcome, number: int) -> np.ndarray:
    """Return chips that no seat has: what the house took."""
    return -outcome.states.total[:, : outcome.variant.players].sum(1).astype(float)


def share_of_choices() -> Facts:
    """Return the shares of all hands that have one, two and three splits which no other one dominates."""
    hands, times = hands_of(DECK, HAND)
    choices = undominated(groups_by_split(2 + 4, hands).astype(int))  # the table of the default options
    shares = {ways: float(times[choices == ways].sum() / times.sum()) for ways in range(1, len(SPLITS) + 1)}
    return {"one": shares[1], "two": shares[2], "three": shares[3], "real choice": shares[2] + shares[3]}


def endings(outcome: Outcome) -> Endings:
    """Return whether the player after the banker wins."""
    states, players = outcome.states, outcome.variant.players
    chips = states.total[np.arange(len(states)), (states.leader + states.direction) % players]
    names = ("the player after the banker wins", "the player after the banker loses", "neither wins")
    return dict(zip(names, (chips > 0, chips < 0, chips == 0), strict=True))


CLAIMS = Vocabulary(
    hand={
        "teen_day": HandFeature("[6:6] and [1:1]", lambda _: np.isin(np.arange(KINDS), (TEEN, DAY)).astype(int)),
        "supreme": HandFeature("[4:2] and [2:1]", lambda _: np.isin(np.arange(KINDS), SUPREME).astype(int)),
    },
    positions={"choices": PositionFeature("splits that no other one dominates", choices)},
    actions={
        "highest_high": ActionFeature("has the highest high group", lambda positions, _: highest(0, positions)),
        "highest_low": ActionFeature("has the highest low group", lambda positions, _: highest(1, positions)),
    },
    metrics={
        "banker_chips": Metric("chips that the banker wins per player", CHIPS, banker_chips),
        "pushed": Metric("players who neither win nor lose", SHARE, pushed),
        "house_income": Metric("chips that the house takes", CHIPS, house_income),
    },
    questions={
        "share_of_choices": ExactQuestion(
            "share of all hands with one, two and three splits that no other one dominates", share_of_choices
        )
    },
    endings=endings,
)
