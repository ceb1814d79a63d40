"""Features of positions and actions: those of every game, and with them those that a game offers."""

from collections.abc import Mapping, Sequence

import numpy as np

from gupai_agents.evaluation.claims.schema import Condition
from gupai_env.core.claims import (
    ActionFeature,
    HandFeature,
    PositionFeature,
    Positions,
    carrying,
    counts_of,
    vocabulary_of,
)
from gupai_env.core.game import Game
from gupai_env.core.tiles import PIPS, WEIGHT

Feature = HandFeature | PositionFeature | ActionFeature

HAND = {
    "carrying": HandFeature("tiles with the number", carrying, True),
    "double_of": HandFeature("doubles of the number", lambda number: np.equal(PIPS, number).all(1).astype(int), True),
    "doubles": HandFeature("doubles", lambda _: (PIPS[:, 0] == PIPS[:, 1]).astype(int)),
    "pips": HandFeature("pips", lambda _: WEIGHT.astype(int)),
}
POSITIONS = {
    "own": PositionFeature(
        "tiles with the number in one's hand", lambda at, number: counts_of(at.hands) @ carrying(number), True
    ),
    "place": PositionFeature(
        "the seat's turn in the order of the deal, 0 for who leads",
        lambda at, _: (at.states.to_act - at.states.leader) % at.variant.players,
    ),
}


def hand_features_of(game: Game) -> dict[str, HandFeature]:
    """Return the features of a hand as dealt."""
    return {**HAND, **vocabulary_of(game).hand}


def position_features_of(game: Game) -> dict[str, PositionFeature]:
    """Return the features of a position."""
    return {**POSITIONS, **vocabulary_of(game).positions}


def action_features_of(game: Game) -> dict[str, ActionFeature]:
    """Return the features of an action."""
    return dict(vocabulary_of(game).actions)


def action_pips(game: Game) -> np.ndarray:
    """Return the pips of the tile that each action plays, int [num_actions]; -100 where there is none.

    Raises:
        ValueError: If the actions of the game do not play single tiles.
    """
    tiles = vocabulary_of(game).tile_of_action
    if tiles is None:
        raise ValueError(f"the actions of {game.id} do not play single tiles, whose pips could be compared")
    return np.append(WEIGHT.astype(int), -100)[tiles]


def values_of(at: Positions, condition: Condition) -> np.ndarray:
    """Return the values of the feature that a condition is about, int [N]."""
    return position_features_of(at.game)[condition.feature].values(at, condition.number or 0)


def meets(at: Positions, conditions: Sequence[Condition]) -> np.ndarray:
    """Return which positions meet all conditions, bool [N]."""
    met = np.ones(len(at.states), bool)
    for each in conditions:
        values = values_of(at, each)
        met &= (values >= each.least) & (values <= each.most)
    return met


def actions_with(at: Positions, conditions: Sequence[Condition]) -> np.ndarray:
    """Return which legal actions have all features (or, with `exactly: 0`, have not), bool [N, num_actions]."""
    found = at.masks.copy()
    for each in conditions:
        has = action_features_of(at.game)[each.feature].has(at, each.number or 0)
        found &= has if each.least >= 1 else ~has
    return found


def check_feature(condition: Condition, known: Mapping[str, Feature], what: str) -> None:
    """Raise ValueError in one line for a feature that is not among those known, and for a number amiss."""
    if condition.feature not in known:
        raise ValueError(f"{condition.feature!r} is no feature of {what}; they are {', '.join(known) or 'none'}")
    takes = known[condition.feature].number
    if takes is not None and takes != (condition.number is not None):
        raise ValueError(f"{condition.feature} {'needs a' if takes else 'takes no'} number")
