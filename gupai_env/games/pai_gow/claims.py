"""What claims can name of Pai Gow."""

from functools import cache

import numpy as np

from gupai_env.core.tiles import DECK, KINDS
from gupai_env.games.claims import (
    CHIPS,
    PLAYER,
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
    house_income,
    leader_chips,
)
from gupai_env.games.pai_gow.exact import QUESTIONS, TABLE, splits_by
from gupai_env.games.pai_gow.groups import DAY, NO_VALUE, SUPREME, TEEN
from gupai_env.games.pai_gow.hands import chips_between, groups_by_split
from gupai_env.games.pai_gow.policies import house_way
from gupai_env.games.pai_gow.rules import HAND, SPLITS, table_of


def undominated(groups: np.ndarray) -> np.ndarray:
    """Return how many splits of each hand are as good as any other in one group and not worse in both, int [N].

    groups: values of the high and the low group of each split, int [N, splits, 2]. Splits of the same values count
        once.
    """
    # [N, splits, splits]: whether the other one is as good in both groups
    as_good = np.asarray((groups[:, None] >= groups[:, :, None]).all(3))
    better = as_good & ~(as_good.transpose(0, 2, 1) & np.tri(groups.shape[1], dtype=bool).T)
    return (~better.any(2)).sum(1)


def groups_held(positions: Positions) -> np.ndarray:
    """Return the values of the groups of each split of the seats to act, int [N, splits, 2]."""
    tiles = positions.states.tiles[positions.rows, positions.states.to_act]
    table = int(table_of(positions.variant.as_rules()))
    return groups_by_split(table, tiles).astype(int)


def highest(group: int, positions: Positions) -> np.ndarray:
    """Return which splits have the highest high (0) or low (1) group that is legal."""
    values = np.where(positions.masks, groups_held(positions)[:, :, group], -1)
    return (values == values.max(1, keepdims=True)) & positions.masks


def pushed(outcome: Outcome, number: int) -> np.ndarray:
    """Return the share of players who neither win nor lose."""
    player = np.arange(outcome.variant.players) != outcome.states.leader[:, None]
    return ((outcome.chips == 0) & player).sum(1) / (outcome.variant.players - 1)


@cache
def house_hands(table: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all hands, sorted kinds, int8 [H, 4], and the values of the groups that the house makes, int8 [H, 2]."""
    hands, _ = hands_of(DECK, HAND)
    return hands, groups_by_split(table, hands)[np.arange(len(hands)), splits_by(house_way.split, table)(hands)]


def shares_held(hands: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return how likely each of all hands, sorted kinds, int8 [H, 4], is held by a seat if some tiles are not there."""
    copies = np.bincount(DECK, minlength=KINDS) - np.bincount(seen.ravel(), minlength=KINDS)
    is_second = np.diff(hands, axis=1, prepend=-1) == 0  # the second tile of two equal ones
    ways = (copies[hands] - is_second).prod(1) / 2.0 ** is_second.sum(1)
    return ways / ways.sum()


def open_hands(outcome: Outcome, number: int) -> np.ndarray:
    """Return what the player after the banker gains by seeing the hands of the next players, as many as there are.

    It is the mean over all hands that the banker, who splits the house way, may hold. Nothing with nobody to see.
    """
    states, players, rules = outcome.states, outcome.variant.players, outcome.variant.as_rules()
    gains = np.zeros(len(states))
    if rules.small or players == 2:
        return gains
    table, chips = int(table_of(rules)), chips_between(rules)[PLAYER]
    hands, bankers = house_hands(table)
    seats = (states.leader[:, None].astype(int) + states.direction[:, None] * np.arange(1, players)) % players
    tiles = states.tiles[np.arange(len(states))[:, None], seats]
    groups = groups_by_split(table, tiles[:, 0])
    for row in np.flatnonzero(undominated(groups) > 1):
        own = groups[row][:, None]
        came_of = np.where((own == NO_VALUE) & (bankers == NO_VALUE), 0, np.sign(own - bankers) + 1)
        wins = chips[came_of[:, :, 0], came_of[:, :, 1]]  # [splits, H]
        blind, seeing = (wins @ shares_held(hands, tiles[row, : 1 + seen]) for seen in (0, number))
        gains[row] = seeing.max() - seeing[blind.argmax()]
    return gains


def share_of_choices() -> Facts:
    """Return the shares of all hands that have one, two and three splits which no other one dominates."""
    hands, times = hands_of(DECK, HAND)
    choices = undominated(groups_by_split(TABLE, hands).astype(int))
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
    positions={
        "choices": PositionFeature(
            "splits that no other one dominates", lambda positions, _: undominated(groups_held(positions))
        )
    },
    actions={
        "highest_high": ActionFeature("has the highest high group", lambda positions, _: highest(0, positions)),
        "highest_low": ActionFeature("has the highest low group", lambda positions, _: highest(1, positions)),
    },
    metrics={
        "banker_chips": Metric(
            "chips that the banker wins per player",
            CHIPS,
            lambda outcome, _: leader_chips(outcome) / (outcome.variant.players - 1),
        ),
        "pushed": Metric("players who neither win nor lose", SHARE, pushed),
        "open_hands": Metric(
            "chips that a player gains by seeing hands of other players, against the house way",
            CHIPS,
            open_hands,
            number=True,
        ),
        "house_income": Metric("chips that the house takes", CHIPS, house_income),
    },
    questions={
        "share_of_choices": ExactQuestion(
            "share of all hands with one, two and three splits that no other one dominates", share_of_choices
        ),
        **QUESTIONS,
    },
    endings=endings,
)
