"""Tuning: weights for a heuristic, found by an evolution strategy in duplicate deals against its own champions.

A candidate is judged by the chips it wins, one among equal others, in the same deals as all candidates of its
generation. The others are the game's named heuristics and past champions, a different one in every deal. Weights are
searched as changes to a heuristic, each in units in which it changes what is played about as often as any other. The
result is scaled: in half of all decisions the best action scores at least 1 more than the second best.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, concatenated
from gupai_agents.play.decisions import new_lanes, play_out
from gupai_agents.play.workers import Workers
from gupai_agents.players.heuristics import HeuristicAgent, scores_of
from gupai_env.core.game import Game
from gupai_env.core.keys import derive_each
from gupai_env.core.rng import as_key, derive
from gupai_env.core.streams import TUNING_STREAM
from gupai_env.games import get_game
from gupai_env.messages.checks import real_number, short_repr, whole_number
from gupai_env.vector import VectorEnv

MOST_CHAMPIONS = 8  # besides the named heuristics
SAMPLED, STEPS = 300, 16  # lanes, and decisions in each, by which features and heuristics are measured
BATCH = 1 << 14  # lanes
Rivals = Sequence[Agent] | np.ndarray


@dataclass
class Tuned:
    """What tuning has found. `weights`: by feature, those that are not zero. `gains`: chips per deal on each rival."""

    game: Game
    variant: dict[str, Any]
    weights: dict[str, float]
    generations: int
    deals: int  # played in all
    seconds: float
    seed: int
    gains: list[float] = field(default_factory=list)  # of the current mean on the last champion, each time it was tried


def tune(
    game: str | Game,
    /,
    *,
    start: str | None = None,
    features: Sequence[str] | None = None,
    seconds: float = 60.0,
    generations: int | None = None,
    population: int = 40,
    deals: int = 1500,
    seed: int = 0,
    progress: Callable[[float, int, float], Any] | None = None,
    workers: Workers | None = None,
    **variant: Any,
) -> Tuned:
    """Tune the weights of a heuristic for a variant.

    Args:
        start: The heuristic to begin with, default the game's last.
        features: Those whose weights may change, default all.
        seconds, generations: Limits of the search; the same seed and generations find the same weights.
        population: Candidates per generation.
        deals: Per candidate, each from one seat.
        workers: Play the deals, default this process; the result does not depend on them.
        progress: Called with the share that is done, the generations, and chips per deal on the previous champion.

    Raises:
        ValueError: For an unknown heuristic or feature, or numbers out of range.
        ImportError: Without `cmaes`.
    """
    game = get_game(game)
    population = whole_number("population", population, 4, 10_000)
    deals = whole_number("deals", deals, 2, 10_000_000)
    seconds, seed = real_number("seconds", seconds, 0, 1e9), as_key(seed)
    generations = None if generations is None else whole_number("generations", generations, 0, 1_000_000)
    named = [game.heuristic(name) for name in game.heuristics]
    base = game.heuristic(start_of(game, start))
    sample, contest = DecisionSample(game, variant), Contest(game, variant, workers or Workers())
    units = sample.units(base)
    chosen = active_features(np.where(_among(game, features), units, 0))
    contest.chips(base[None], base[None], 2, 0)  # compiles, which must not count
    evolution = Evolution(base, units, chosen, population, seed)
    champions = [base]
    begin, generation, gains = time.monotonic(), 0, []
    while (spent := time.monotonic() - begin) < seconds and generation != generations:
        rivals = np.array([*named, *champions[-MOST_CHAMPIONS:]])
        evolution.tell(contest.chips(evolution.ask(), rivals, deals, derive(seed, generation)))
        generation += 1
        if generation % 5 == 0:
            mean = evolution.mean
            won = contest.chips(mean[None], champions[-1][None], 8 * deals, derive(seed, -1 - generation & 0xFFFF))[0]
            gains.append(float(won))
            if won > 0:
                champions.append(mean)
        if progress:
            share = max(spent / seconds if seconds else 1.0, generation / (generations or np.inf))
            progress(min(share, 1.0), generation, gains[-1] if gains else 0.0)
    best = champions[-1] / sample.apart(champions[-1])  # so that a temperature means the same to every heuristic
    weights = {feature.name: float(weight) for feature, weight in zip(game.features, best, strict=False) if weight}
    return Tuned(game, variant, weights, generation, contest.played, time.monotonic() - begin, seed, gains)


def _among(game: Game, features: Sequence[str] | None) -> list[bool]:
    """Return for every feature of a game whether it is among those that are named; without names all are.

    Raises:
        ValueError: For the name of no feature.
    """
    names = [feature.name for feature in game.features]
    for name in features or ():
        if name not in names:
            raise ValueError(f"{short_repr(name)} is not a feature of {game.id}; they are {', '.join(names)}")
    return [features is None or name in features for name in names]


def start_of(game: Game, start: str | None) -> str:
    """Return the name of the heuristic to begin with, by default the game's last; raises ValueError."""
    if not game.heuristics:
        raise ValueError(f"{game.id} has no features to weigh: its module has no FEATURES, HEURISTICS and score")
    if start is not None and start not in game.heuristics:
        raise ValueError(f"{short_repr(start)} is not a heuristic of {game.id}; they are {', '.join(game.heuristics)}")
    return start or next(reversed(list(game.heuristics)))


def active_features(units: np.ndarray) -> list[int]:
    """Return the numbers of features in which legal actions differ; raises ValueError for none."""
    chosen = np.flatnonzero(units).tolist()
    if not chosen:
        raise ValueError("none of these features ever changes what is played")
    return chosen


class Evolution:
    """An evolution strategy (CMA-ES) over the weights of some features of a heuristic.

    It searches changes to the heuristic, each in units of its feature; heuristics are rows, float64 [features + 1].
    """

    base: np.ndarray
    units: np.ndarray
    chosen: list[int]

    def __init__(
        self,
        base: np.ndarray,
        units: np.ndarray,
        chosen: Sequence[int],
        population: int,
        seed: int,
        spread: float = 0.5,
    ) -> None:
        """Begin a search.

        Args:
            chosen: Numbers of the features that may change.
            spread: Of the first generation, in units.

        Raises:
            ImportError: Without `cmaes`.
        """
        from cmaes import CMA

        self.base, self.units, self.chosen = base, units, list(chosen)
        self._search = CMA(np.zeros(len(self.chosen)), spread, population_size=population, seed=seed % (1 << 32))
        self._asked: list[np.ndarray] = []

    def ask(self) -> np.ndarray:
        """Return the heuristics of a generation, float64 [population, features + 1]."""
        self._asked = [self._search.ask() for _ in range(self._search.population_size)]
        return np.array([self._heuristic(change) for change in self._asked])

    def tell(self, chips: np.ndarray) -> None:
        """Report what the heuristics that were asked for have won, [population]."""
        self._search.tell([(change, -float(won)) for change, won in zip(self._asked, chips, strict=True)])

    @property
    def mean(self) -> np.ndarray:
        """The heuristic in the middle of the search."""
        return self._heuristic(self._search.mean)

    def _heuristic(self, change: np.ndarray) -> np.ndarray:
        weights = self.base.copy()
        weights[self.chosen] += change * self.units[self.chosen]
        return weights


class DecisionSample:
    """Decisions on which features and heuristics are measured; those with one legal action are left out."""

    game: Game

    def __init__(self, game: Game, variant: dict[str, Any]) -> None:
        self.game, batches = game, []
        envs = VectorEnv(game, SAMPLED, seed=1, observe=False, **variant)
        for step in range(STEPS):
            views, rng_keys = envs.views()
            batches.append(DecisionBatch(views, envs.masks, rng_keys).at(envs.masks.sum(1) > 1))
            envs.step(envs.sample(step))
        self.batch: DecisionBatch = concatenated(batches)
        masks, counts = self.batch.masks, self.batch.masks.sum(1)
        # Where the legal actions stand among all scores, decisions with equally many actions together: int64 [N, count]
        self.legal: list[np.ndarray] = [
            np.flatnonzero(masks & (counts == count)[:, None]).reshape(-1, count) for count in np.unique(counts)
        ]

    def apart(self, weights: np.ndarray) -> float:
        """Return by how much a heuristic scores the best action above the second best, the median over decisions."""
        gaps = []
        for scores in self._scores(weights):
            best = scores.max(1)
            next_best = np.where(scores < best[:, None], scores, -np.inf).max(1)
            gaps.append((best - next_best)[np.isfinite(next_best)])
        distances = np.concatenate(gaps)
        return float(np.median(distances)) if len(distances) else 1.0

    def units(self, base: np.ndarray) -> np.ndarray:
        """Return for each feature the weight that separates actions about as far as a heuristic does.

        Float64 [features]; 0 for a feature in which legal actions never differ.
        """
        apart = self.apart(base)
        units = np.zeros(len(base) - 1)
        for index in range(len(units)):
            spreads = np.concatenate([scores.std(1) for scores in self._scores(np.eye(len(base))[index])])
            spreads = spreads[spreads > 0]
            units[index] = apart / float(np.median(spreads)) if len(spreads) else 0.0
        return units

    def _scores(self, weights: np.ndarray) -> list[np.ndarray]:
        """Return the scores of legal actions, decisions with equally many actions together: float64 [N, actions]."""
        scores = scores_of(self.game, weights, self.batch).ravel()
        return [scores[actions] for actions in self.legal]


@dataclass
class Contest:
    """Plays candidates, one per deal among rivals, all in the same deals.

    Attributes:
        game: The game.
        variant: Options that differ from their defaults.
        workers: They share the candidates; by default all are played in this process.
        played: How many games they have played.
    """

    game: Game
    variant: dict[str, Any]
    workers: Workers = field(default_factory=Workers)
    played: int = 0

    def chips(self, candidates: np.ndarray, rivals: Rivals, deals: int, key: int) -> np.ndarray:
        """Return the chips per deal that candidates win, float64 [candidates], see `values`.

        Args:
            candidates: Weights, float64 [candidates, features + 1].
            rivals: Agents, or rows of weights, of which each deal has one at all other seats.
            deals: How many each candidate plays; all play the same.
            key: The RNG key of the deals.
        """
        return self.values(candidates, rivals, deals, key).mean(1)

    def values(self, candidates: np.ndarray, rivals: Rivals, deals: int, key: int) -> np.ndarray:
        """Return what candidates win in each deal, float64 [candidates, deals]; candidates are rows of weights.

        Deal d has the candidate at seat d modulo seats (with teams at all of that side), one of the rivals, agents or
        rows of weights, at all others.

        Args:
            candidates, rivals, deals, key: As of `chips`.
        """
        parts = parts_of(len(candidates), deals, self.workers.count)
        tasks = ((self.game, self.variant, candidates[part], rivals, deals, key) for part in parts)
        won = np.concatenate(list(self.workers.in_order(won_by, tasks)))
        self.played += won.size
        return won


def parts_of(candidates: int, deals: int, workers: int = 1) -> list[np.ndarray]:
    """Return the numbers of candidates in parts that play in no more than BATCH lanes, one or more for each worker.

    Args:
        candidates: How many there are.
        deals: How many each plays.
        workers: That there are.
    """
    many = max(1, min(BATCH // deals, -(-candidates // workers)))
    return np.array_split(np.arange(candidates), -(-candidates // many))


def heuristics_of(game: Game, rows: np.ndarray) -> list[HeuristicAgent]:
    """Return heuristics given as rows of weights as players."""
    names = [feature.name for feature in game.features]
    weights = [(dict(zip(names, row, strict=False)), row[-1]) for row in rows.tolist()]
    return [HeuristicAgent(game, "candidate", *row) for row in weights]


def won_by(
    game: Game, variant: dict[str, Any], candidates: np.ndarray, rivals: Rivals, deals: int, key: int
) -> np.ndarray:
    """Return what candidates win in each deal, as `Contest.values`.

    Args:
        game: The game.
        variant: Options that differ from their defaults.
        candidates, rivals, deals, key: As of `Contest.values`.
    """
    envs = new_lanes(game, game.variant.make(**variant), len(candidates) * deals)
    seats, stream = envs.variant.players, derive(key, TUNING_STREAM)
    envs.reset(seeds=np.tile(derive_each(stream, 0, deals), len(candidates)))
    others = heuristics_of(game, rivals) if isinstance(rivals, np.ndarray) else rivals
    seat, rival = np.arange(deals) % seats, np.arange(deals) // seats % len(others)
    places = np.tile(seat, len(candidates))
    sides = game.sides(seats)
    mine = sides == sides[places, None]  # the candidate's seat, and its partners'
    candidate = len(others) + np.arange(len(candidates)).repeat(deals)
    seating = np.where(mine, candidate[:, None], np.tile(rival, len(candidates))[:, None])
    play_out(envs, [*others, *heuristics_of(game, candidates)], seating)
    return envs.states.total[np.arange(len(places)), places].reshape(len(candidates), deals).astype(np.float64)
