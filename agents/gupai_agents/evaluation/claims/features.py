"""Features of hands, positions and actions, and metrics of deals: those of every game, and those that a game offers.

A metric gives one value per deal, [N], or several, [N, k], of whose means over all deals a statistic is taken.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gupai_agents.agent import observations_of
from gupai_agents.evaluation.claims.schema import Condition, Named
from gupai_agents.evaluation.records.games import action_types_of
from gupai_agents.play.decisions import resume_lanes
from gupai_env.core.game import Game
from gupai_env.core.layout import Section
from gupai_env.core.tiles import HIGHEST, KINDS, PIPS, WEIGHT
from gupai_env.games.claims import (
    CHIPS,
    SHARE,
    ActionFeature,
    HandFeature,
    Metric,
    Outcome,
    PositionFeature,
    Positions,
    carries,
    carrying,
    chips,
    counts_of,
    of_moves,
    of_seats,
    plays_double,
    vocabulary_of,
)

NUMBERS = (HIGHEST, HIGHEST + 1)  # sizes of an axis of numbers: from 1, or from 0 for none


@dataclass(frozen=True)
class SectionFeature:
    """A section of what the seat to act sees, as a whole number.

    Of an entry for each kind of tile it is their sum, or that of the kinds with the number; of one for each
    number their sum or that of the number. Of one-hot entries it is the place of the one that is set, -1
    if none is; of other entries for each seat that of the seat to act. Further axes are added up.
    """

    what: str
    section: Section

    @property
    def of_kinds(self) -> bool:
        return self.section.shape[-1] == KINDS

    @property
    def of_numbers(self) -> bool:
        return self.section.shape[-1] in NUMBERS

    @property
    def number(self) -> bool | None:
        """Whether it takes a number; None: it may."""
        return None if self.of_kinds or self.of_numbers else False

    def values(self, positions: Positions, number: int) -> np.ndarray:
        """Return its values, int [N]; number: 0 for none."""
        shape = self.section.shape
        seen = observed(positions)[self.section.name].astype(int)
        entries = seen.reshape(len(seen), -1, shape[-1])
        if self.of_kinds:
            entries = entries.sum(1)
            return entries @ (carrying(number) if number else np.ones(KINDS, int))
        if self.of_numbers and number:
            return entries.sum(1)[:, number - HIGHEST - 1]
        if self.section.high == 1 and len(shape) == 1 and shape[0] > 1 and not self.of_numbers:
            one = entries[:, 0]
            return np.where(one.any(1), one.argmax(1), -1)
        if shape == (positions.game.max_seats,):
            return entries[:, 0, 0]
        return entries.sum((1, 2))


Feature = HandFeature | PositionFeature | SectionFeature | ActionFeature


def observed(positions: Positions) -> dict[str, np.ndarray]:
    """Return what the seats to act see, by the names of its sections, [N, ...]; it is worked out once a position."""
    sections: dict[str, np.ndarray] | None = vars(positions).get("observed")
    if sections is None:
        game = positions.game
        seen = observations_of(game, resume_lanes(game, positions.variant, positions.states).views()[0])
        sections = vars(positions)["observed"] = game.encoder.layout.split(seen)
    return sections


HAND: dict[str, HandFeature] = {
    "carrying": HandFeature("tiles with the number", carrying, True),
    "double_of": HandFeature("doubles of the number", lambda number: np.equal(PIPS, number).all(1).astype(int), True),
    "doubles": HandFeature("doubles", lambda _: (PIPS[:, 0] == PIPS[:, 1]).astype(int)),
    "pips": HandFeature("pips", lambda _: WEIGHT.astype(int)),
}
POSITIONS = {
    "own": PositionFeature(
        "tiles with the number in your hand",
        lambda positions, number: counts_of(positions.hands) @ carrying(number),
        True,
    ),
    "place": PositionFeature(
        "the seat's turn in the order of the deal, 0 for who leads",
        lambda positions, _: (positions.states.to_act - positions.states.leader) % positions.variant.players,
    ),
}


@functools.cache
def _pips(game: Game) -> np.ndarray:
    return np.array([WEIGHT[list(move.tiles)].sum() for move in game.moves], int)


def _heaviest(positions: Positions, number: int) -> np.ndarray:
    types, pips = action_types_of(positions.game)[1], _pips(positions.game)
    among = [np.where(positions.masks & (types == action_type), pips, -1) for action_type in range(types.max() + 1)]
    return np.any([(group >= 0) & (group == group.max(1, keepdims=True)) for group in among], 0)


MOVES = {
    "tiles": of_moves("so many tiles are played", lambda move, number: len(move.tiles) == number, True),
    "plays": of_moves("a tile with the number is played", lambda move, number: carries(move.tiles, number), True),
    "double": of_moves("a double is played, or that of the number", plays_double, None),
    "takes": of_moves("a tile with the number is taken", lambda move, number: carries(move.takes, number), True),
    "leaves": of_moves("the number is left open", lambda move, number: move.leaves == number, True),
    "heaviest": ActionFeature("no other action of its verb plays more pips", _heaviest),
}


def hand_features_of(game: Game) -> dict[str, HandFeature]:
    """Return the features of a hand as dealt."""
    return {**HAND, **vocabulary_of(game).hand}


def position_features_of(game: Game) -> dict[str, PositionFeature | SectionFeature]:
    """Return the features of a position."""
    seen = {section.name: SectionFeature(section.meaning, section) for section in game.encoder.layout.sections}
    return {**seen, **POSITIONS, **vocabulary_of(game).positions}


@functools.cache
def action_features_of(game: Game) -> dict[str, ActionFeature]:
    """Return the features of an action."""
    if game.move_of is not None:  # what is played the hand decides
        return dict(vocabulary_of(game).actions)
    verbs = {
        verb: of_moves(f"the action is: {verb}", lambda move, _, verb=verb: move.verb == verb)  # type: ignore[misc]
        for verb in action_types_of(game)[0]
    }
    return {**verbs, **MOVES, **vocabulary_of(game).actions}


def action_pips(game: Game) -> np.ndarray:
    """Return the pips of the tile that each action plays, int [num_actions]; -100 where there is none.

    Raises:
        ValueError: If the actions of the game do not play single tiles.
    """
    if game.move_of is not None:
        raise ValueError(f"the actions of {game.id} do not play single tiles, whose pips could be compared")
    return np.array([WEIGHT[move.tiles[0]] if len(move.tiles) == 1 else -100 for move in game.moves], int)


def values_of(positions: Positions, condition: Named) -> np.ndarray:
    """Return the values of the feature that a condition is about, int [N]."""
    feature = position_features_of(positions.game)[condition.feature]
    return feature.values(positions, condition.number or 0).astype(int)


def meets(positions: Positions, conditions: Sequence[Condition]) -> np.ndarray:
    """Return which positions meet all conditions, bool [N]."""
    met = np.ones(len(positions.states), bool)
    for condition in conditions:
        values = values_of(positions, condition)
        met &= (values >= condition.least) & (values <= condition.most)
    return met


def actions_with(positions: Positions, conditions: Sequence[Condition]) -> np.ndarray:
    """Return which legal actions have all features (or, with `exactly: 0`, have not), bool [N, num_actions]."""
    actions = positions.masks.copy()
    for condition in conditions:
        has = action_features_of(positions.game)[condition.feature].has(positions, condition.number or 0)
        actions &= has if condition.least >= 1 else ~has
    return actions


def check_feature(condition: Named, known: Mapping[str, Feature], subject: str) -> None:
    """Raise ValueError in one line for a feature that is not among those known, and for a number amiss.

    Args:
        condition: The name of a feature, and its number.
        known: The features that there are, by name.
        subject: What they are features of, for the error.
    """
    if condition.feature not in known:
        raise ValueError(f"{condition.feature!r} is not a feature of {subject}; they are {', '.join(known) or 'none'}")
    takes = known[condition.feature].number
    if takes is not None and takes != (condition.number is not None):
        raise ValueError(f"{condition.feature} {'needs a' if takes else 'takes no'} number")


# --- metrics of deals that are over ---------------------------------------------------------------

MOST_DRAWN = 8  # players of a field


def by_player(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2 MOST_DRAWN + 1], chips of every player and how many seats it has, and the sum of their squares."""
    assert outcome.seating is not None
    who = outcome.seating[:, :, None] == np.arange(MOST_DRAWN)
    return np.concatenate(
        [(who * outcome.chips[:, :, None]).sum(1), who.sum(1), (outcome.chips**2).sum(1, keepdims=True)], 1
    )


def skill_share(means: np.ndarray) -> float:
    """Return the variance of players' mean chips, each weighed by its seats, over that of the chips of a seat."""
    won, seats, squares = means[:MOST_DRAWN], means[MOST_DRAWN:-1], means[-1]
    own = np.divide(won, seats, out=np.zeros_like(won), where=seats > 0)
    mean = won.sum() / seats.sum()
    return float((seats * (own - mean) ** 2).sum() / (squares - seats.sum() * mean**2))


def _rate_of(action_type: int, name: str) -> Metric:
    def often(outcome: Outcome, number: int) -> np.ndarray:
        assert outcome.acted is not None
        return of_seats(outcome, outcome.acted[:, :, action_type])

    return Metric(f"how often the seat in question takes the action {name}", "times per deal", often, acted=True)


METRICS = {
    "chips": Metric("chips of the seat in question (and its partner)", CHIPS, chips),
    "wins": Metric("the seat in question (with its partner) wins chips", SHARE, lambda outcome, _: chips(outcome) > 0),
    "skill_share": Metric(
        "share of the variance of a seat's chips that who sits there explains",
        "share",
        by_player,
        statistic=skill_share,
        drawn=True,
    ),
}


def metrics_of(game: Game) -> dict[str, Metric]:
    """Return the metrics of a game: chips, rates of every type of action, and those that the game offers."""
    rates = {f"rate of {name}": _rate_of(index, name) for index, name in enumerate(action_types_of(game)[0])}
    return {**METRICS, **rates, **vocabulary_of(game).metrics}
