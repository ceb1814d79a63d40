"""Heuristic policies: players given as data, a weight for each of the features of an action that a game defines.

A heuristic plays the legal action with the highest score, the weighted sum of its features; of equals the first. With a
temperature it draws instead from the softmax of the scores over the temperature, by the decision's RNG key. The loops
take a table of heuristics, float64 [heuristics, features + 1]: a row holds the weights and, last, the temperature.
"""

import math
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gupai_env.core.bits import first_one
from gupai_env.core.byte_rows import MARKS, marks_from
from gupai_env.core.memory import scratch
from gupai_env.core.rng import KEYS, derive
from gupai_env.core.rule import rule
from gupai_env.messages.checks import nearest, short_repr

WEIGHT = np.dtype(np.float64)
NUMBERS = (int, float, np.integer, np.floating)
MAX_SCORE = 1e30  # of an action by a heuristic or a network: sums stay far below the limit of float32, 3e38
COLDEST = 1 / MAX_SCORE  # smallest temperature above 0; scores are divided by it
SPARE = 64  # floats that the scores of the actions of a decision may share


@dataclass(frozen=True)
class Feature:
    """One number about an action, as the seat to act sees it: `low` to `high` in a unit."""

    name: str
    meaning: str
    unit: str
    low: float
    high: float


def yes_or_no(name: str, meaning: str) -> Feature:
    """Return a feature that is 1 or 0."""
    return Feature(name, meaning, "1 if so", 0, 1)


def indices(features: Sequence[Feature]) -> Any:
    """Return the index of each feature in a row of weights by its name, as compiled rules can read it: `AT.pips`."""
    names = [feature.name for feature in features]
    return namedtuple("Indices", names)(*range(len(names)))


def weights_row(features: Sequence[Feature], weights: Mapping[str, float], temperature: float = 0.0) -> np.ndarray:
    """Return a heuristic as the loops take it, float64 [features + 1]; features that are not named weigh nothing.

    Args:
        features: Those of the game.
        weights: Chips, or points of a score, per unit of a feature, by its name.
        temperature: Of the noise with which actions are drawn, 0 for none: the best is played, of equals the first.

    Raises:
        ValueError: For an unknown feature, naming the nearest, for a weight or a temperature that is not a number, and
            for weights so large that a score may exceed MAX_SCORE.
    """
    names = [feature.name for feature in features]
    if not isinstance(weights, Mapping):
        raise ValueError(f"weights are a mapping of features to numbers, not {short_repr(weights)}")
    row = np.zeros(len(names) + 1)
    for name, weight in weights.items():
        if name not in names:
            hint = nearest(str(name), names, 3)
            raise ValueError(f"{short_repr(name)} is not a feature; {hint}the features are {', '.join(names)}")
        row[names.index(name)] = _number(f"the weight of {name}", weight)
    row[-1] = _number("the temperature", temperature)
    if row[-1] < 0:
        raise ValueError(f"the temperature must be 0 or more, not {short_repr(temperature)}")
    if not (row[-1] == 0 or COLDEST <= row[-1] <= MAX_SCORE):
        raise ValueError(
            f"the temperature must be 0, or from {COLDEST:g} to {MAX_SCORE:g}, not {short_repr(temperature)}"
        )
    if not (highest := highest_score(features, row)) <= MAX_SCORE:
        raise ValueError(
            f"the weights are so large that an action may be worth {highest:.0e}; at most {MAX_SCORE:g} is allowed"
        )
    return row


def highest_score(features: Sequence[Feature], row: np.ndarray) -> float:
    """Return the largest absolute score that a heuristic, float64 [features + 1], can give to an action."""
    weights = zip(features, row[:-1].tolist(), strict=True)
    return float(sum(abs(weight) * max(abs(feature.low), abs(feature.high)) for feature, weight in weights))


def _number(name: str, value: float) -> float:
    try:
        number = float(value) if isinstance(value, NUMBERS) and not isinstance(value, bool) else math.nan
    except OverflowError:  # an integer of more than 308 digits
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a number, not {short_repr(value)}")
    return number


def prepared(prepare: Callable[..., Any], score_with: Callable[..., Any]) -> Callable[..., Any]:
    """Return `score` of a game whose scores share work: where all actions of a decision are scored, it is done once.

    Args:
        prepare: prepare(view, weights, spare) fills `spare`, float64 [SPARE], as it likes, and returns a number or a
            tuple of numbers.
        score_with: score_with(view, action, weights, common, spare) returns the score of an action; `common` is what
            `prepare` returned.
    """

    @rule
    def score(view, action, weights):
        spare = scratch(SPARE, WEIGHT)
        return score_with(view, action, weights, prepare(view, weights, spare), spare)

    vars(score).update(prepare=prepare, score_with=score_with)
    return score


def parts_of(score: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return `prepare` and `score_with` of a game's `score`; if nothing was given to `prepared`, there is no work."""

    @rule
    def score_alone(view, action, weights, common, spare):
        return score(view, action, weights)

    return getattr(score, "prepare", no_work), getattr(score, "score_with", score_alone)


@rule
def no_work(view, weights, spare):
    """Prepare nothing."""
    return 0


@rule
def score_all(game, weights, view, mask, scores):
    """Write the score of every legal action; the others stay as they are.

    Args:
        game: The module of a game.
        weights: float64 [features + 1].
        view: What the seat to act knows.
        mask: Its legal actions, bool [num_actions].
        scores: Is written, float64 [num_actions].
    """
    spare = scratch(SPARE, WEIGHT)
    common = game.prepare(view, weights, spare)
    for action in range(len(mask)):
        if mask[action]:
            scores[action] = game.score_with(view, action, weights, common, spare)


@rule
def gumbel(key, action):
    """Return noise for an action, by the key of a decision: the largest sum with it is a draw from the softmax."""
    return -math.log(-math.log((derive(key, action) + 0.5) / KEYS))


@rule
def heuristic_action(game, weights, view, mask, key):
    """Return the action that a heuristic plays; in compiled loops `game` is a game's module.

    Args:
        game: The module of a game.
        weights: float64 [features + 1], the last the temperature.
        view: What the seat to act knows.
        mask: Its legal actions, bool [num_actions].
        key: The RNG key of the decision.
    """
    best, best_score, temperature = -1, -np.inf, weights[len(weights) - 1]
    spare = scratch(SPARE, WEIGHT)
    common = game.prepare(view, weights, spare)
    for start in range(0, len(mask), 2 * MARKS):
        legal = marks_from(mask, start)
        while legal:
            action = start + first_one(legal)
            legal &= legal - 1
            score = game.score_with(view, action, weights, common, spare)
            if temperature > 0:
                score += temperature * gumbel(key, action)
            if score > best_score:
                best, best_score = action, score
    return best
