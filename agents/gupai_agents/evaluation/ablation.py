"""How much each feature of a heuristic contributes: weights tuned with all features, and again without each.

For every seed a heuristic is tuned against fixed rivals (an evolution strategy, as in `gupai tune`). From there it is
tuned for a few more generations: with all features, and without each of them in turn, all in the same deals. What the
first of these wins more than another, in fresh deals that are the same for all, is what is lost when a feature is
missing and the others compensate for it as well as they can. The unit of the intervals is the seed: its search and its
deals.
"""

import contextlib
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np

from gupai_agents.agent import Agent
from gupai_agents.evaluation.matches.match import Progress
from gupai_agents.evaluation.statistics import Estimate, estimate, false_discovery, holm, t_test
from gupai_agents.play.workers import in_threads
from gupai_agents.players.heuristics import HeuristicAgent
from gupai_agents.players.tune import Contest, DecisionSample, Evolution, active_features, start_of
from gupai_agents.registry import heuristic_agent
from gupai_agents.shipped import heuristic_names
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key, derive, in_json
from gupai_env.core.variant import Variant
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import whole_number
from gupai_env.options import Options

SPREAD, AGAIN_SPREAD = 0.25, 0.1  # of the first generation, in units: of a search, and of one from tuned weights
SELECTING = 8  # times the deals of a candidate, to choose between the start of a search and its result
# Numbers of streams of deals and searches, below the key of a seed: to tune, to tune on, to choose, and fresh ones.
TUNE, AGAIN, SELECT, FRESH = range(4)
MOST_SEEDS, MOST_DEALS = 1000, 1_000_000
LIMITS = {
    "seeds": (2, MOST_SEEDS),
    "generations": (0, 100_000),
    "again": (0, 100_000),
    "population": (4, 10_000),
    "deals": (2, MOST_DEALS),
    "fresh": (2, MOST_DEALS),
}
LEAST_SEEDS = 4  # two to state what is found, two to find it again
LEVEL = 0.05  # of what is found again
STATED = 0.2  # p of what is stated: a net with wide meshes, for the second half decides
Play = Callable[[np.ndarray, int, int], np.ndarray]  # heuristics, number of deals, key -> chips, [heuristics, deals]


@dataclass(frozen=True)
class Budget:
    """How many deals are played. seeds: searches, each with deals of its own. generations: to tune with all features,
    then
    again: to tune on with all and without each. population: candidates of a generation. deals: of a candidate.
    fresh: deals in which what has been found is compared.
    """

    seeds: int = 12
    generations: int = 60
    again: int = 6
    population: int = 24
    deals: int = 600
    fresh: int = 16_000

    def checked(self) -> "Budget":
        """Return the budget; raises ValueError for numbers out of range."""
        for name, limits in LIMITS.items():
            whole_number(name, getattr(self, name), *limits)
        return self

    def total(self, groups: int) -> int:
        """Return how many deals are played in all to leave out so many groups."""
        candidates = (self.generations + self.again * (1 + groups)) * self.population
        selecting = 2 * (1 + groups) * SELECTING
        return self.seeds * ((candidates + selecting) * self.deals + self.fresh * (1 + 2 * groups))


class Searched(NamedTuple):
    """The result of one seed.

    weights: tuned with all features and scaled, by feature. chips: that these win. dropped: by group and other, chips
    that these win more than the same weights with the group set to zero. lost: by group, than weights tuned without it.
    """

    seed: int
    weights: list[float]
    chips: float
    dropped: list[float]
    lost: list[float]


@dataclass(frozen=True)
class Contribution:
    """What some features contribute, over seeds.

    weight: of the first of them, scaled: in half of all decisions the best action stands 1 or more from the next.
    dropped: chips per deal that are lost if their weights become zero and the others stay. lost: that are lost by
    weights tuned without them. q: that nothing is lost, as a false discovery rate over all that were tried.
    stated: in the first half of the seeds something is lost by the interval. again: what is lost in the second half,
    and p, that this is nothing, adjusted by Holm over all that were stated. holds: stated, and confirmed there.
    """

    features: tuple[str, ...]
    weight: Estimate
    dropped: Estimate
    lost: Estimate
    q: float
    stated: bool
    again: Estimate
    p: float | None

    @property
    def holds(self) -> bool:
        return self.p is not None and self.p < LEVEL and self.again.mean > 0

    def as_numbers(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        figures = {name: getattr(self, name).as_numbers() for name in ("weight", "dropped", "lost", "again")}
        verdict = {"q": self.q, "stated": self.stated, "p": self.p, "found": self.holds}
        return {"features": list(self.features), **figures, **verdict}


@dataclass(frozen=True)
class Ablation:
    """What a game's features contribute. chips: per deal, of the tuned heuristic. contributions: the largest loss
    first.
    idle: features in which legal actions never differ.
    """

    game: Game
    variant: Variant
    start: str
    rivals: tuple[str, ...]
    budget: Budget
    seed: int
    chips: Estimate
    contributions: tuple[Contribution, ...]
    idle: tuple[str, ...]

    def as_numbers(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {
            "game": self.game.id,
            "version": self.game.version,
            "variant": self.variant.changed(),
            "start": self.start,
            "rivals": list(self.rivals),
            "seed": in_json(self.seed),
            "budget": asdict(self.budget),
            "unit": "chips per deal; low and high are the ends of the 95% interval over n searches; weights are scaled "
            "so that in half of all decisions the best action stands 1 or more from the next",
            "chips": self.chips.as_numbers(),
            "features": [contribution.as_numbers() for contribution in self.contributions],
            "idle": list(self.idle),
        }


class Problem(NamedTuple):
    """What is tuned: `base` is the heuristic to begin with, `chosen` the numbers of features that may change and
    `units` theirs, `groups` those that are left out in turn. play: lets heuristics play for their chips.
    """

    game: Game
    base: np.ndarray
    chosen: Sequence[int]
    units: np.ndarray
    groups: Sequence[Sequence[int]]
    sample: DecisionSample
    play: Play

    def left_out(self, weights: np.ndarray) -> np.ndarray:
        """Return weights, then the same without each group, float64 [1 + groups, features + 1]."""
        rows = np.repeat(weights[None], 1 + len(self.groups), 0)
        for row, group in zip(rows[1:], self.groups, strict=True):
            row[list(group)] = 0
        return rows


def rivals_of(game: Game, variant: Variant) -> list[HeuristicAgent]:
    """Return the default rivals in tuning: all rule-based players of a game except `random`."""
    return [heuristic_agent(name, game, variant) for name in heuristic_names(game)]


def among(game: Game, variant: Variant, rivals: Sequence[Agent], progress: Progress | None = None) -> Play:
    """Return a function that plays heuristics, one per deal, among equal rivals, with another rival in every deal.

    Args:
        game, variant: What is played.
        rivals: Agents, of which each deal has one at all other seats.
        progress: Called with the number of deals just played.
    """

    def play(heuristics: np.ndarray, deals: int, key: int) -> np.ndarray:
        values = Contest(game, variant.changed()).values(heuristics, rivals, deals, key)
        if progress:
            progress(values.size)
        return values

    return play


def evolved(play: Play, evolution: Evolution, generations: int, deals: int, key: int) -> np.ndarray:
    """Return what a search finds in some generations, each of which plays its own deals.

    It is the mean of the search over the second half of the generations, which is less noisy than its end.

    Args:
        play: Returns what candidates win in each deal, float64 [candidates, deals], for weights, deals and an RNG key.
        evolution: The search, which continues from where it is.
        generations: How many.
        deals: How many each generation plays.
        key: The RNG key of the deals.
    """
    stood = [evolution.mean]
    for generation in range(generations):
        evolution.tell(play(evolution.ask(), deals, derive(key, generation)).mean(1))
        stood.append(evolution.mean)
    return np.mean(stood[(generations + 1) // 2 :], 0)


def search_seed(problem: Problem, budget: Budget, seed: int, number: int) -> Searched:
    """Tune with all features and without each group, with one seed, and compare them in fresh deals.

    Args:
        problem: What is searched.
        budget: How long.
        seed: Of all searches.
        number: Of this search, from 0.
    """
    key, (play, base, units) = derive(seed, number), (problem.play, problem.base, problem.units)
    evolution = Evolution(base, units, problem.chosen, budget.population, derive(key, TUNE), SPREAD)
    tuned = evolved(play, evolution, budget.generations, budget.deals, derive(key, TUNE))
    begun = problem.left_out(tuned)
    optima = begun.copy()
    for row, group in zip(optima, ((), *problem.groups), strict=True):
        if remaining := [index for index in problem.chosen if index not in group]:
            evolution = Evolution(row, units, remaining, budget.population, derive(key, AGAIN), AGAIN_SPREAD)
            row[:] = evolved(play, evolution, budget.again, budget.deals, derive(key, AGAIN))
    chips = play(np.concatenate([begun, optima]), SELECTING * budget.deals, derive(key, SELECT)).mean(1)
    worse = chips[len(begun) :] < chips[: len(begun)]
    optima[worse] = begun[worse]
    chips = play(np.concatenate([problem.left_out(optima[0]), optima[1:]]), budget.fresh, derive(key, FRESH)).mean(1)
    less, only = chips[0] - chips[1:], len(problem.groups)
    scaled = optima[0, :-1] / problem.sample.apart(optima[0])
    return Searched(number, scaled.tolist(), float(chips[0]), less[:only].tolist(), less[only:].tolist())


def search_seeds(
    problem: Problem,
    budget: Budget,
    seed: int,
    threads: int | None = None,
    saved: Mapping[int, Searched] | None = None,
    keep: Callable[[Searched], Any] | None = None,
) -> list[Searched]:
    """Return the results of all seeds of a budget; those in `saved` are reused, the others are passed to `keep`.

    Threads share the seeds, by default one per core; the results do not depend on them.

    Args:
        problem: What is searched.
        budget: How long, and with how many seeds.
        seed: Of all searches.
        threads: How many share the seeds, None for one per core.
        saved: Results of seeds that were searched before, by their numbers.
        keep: Called with each new result.
    """
    saved = saved or {}
    todo = [number for number in range(budget.seeds) if number not in saved]
    by_seed = dict(saved)
    search = functools.partial(search_seed, problem, budget, seed)
    with contextlib.closing(in_threads(search, todo, threads)) as searches:
        for searched in searches:
            by_seed[searched.seed] = searched
            if keep:
                keep(searched)
    return [by_seed[number] for number in range(budget.seeds)]


def contributions_over(problem: Problem, searches: Sequence[Searched]) -> tuple[Contribution, ...]:
    """Return what each group contributes over seeds, the largest loss first."""
    names = [feature.name for feature in problem.game.features]
    columns = {
        name: np.array([getattr(search, name) for search in searches]) for name in ("weights", "dropped", "lost")
    }
    lost = columns["lost"]
    p = [t_test(lost[:, index], runs=True) for index in range(len(problem.groups))]
    replications = replicated(lost)
    contributions = [
        Contribution(
            tuple(names[feature] for feature in group),
            estimate(columns["weights"][:, group[0]], runs=True),
            estimate(columns["dropped"][:, index], runs=True),
            estimate(lost[:, index], runs=True),
            rate,
            index in replications,
            estimate(lost[len(lost) // 2 :, index], runs=True),
            replications.get(index),
        )
        for index, (group, rate) in enumerate(zip(problem.groups, false_discovery(p), strict=True))
    ]
    return tuple(sorted(contributions, key=lambda contribution: -contribution.lost.mean))


def replicated(lost: np.ndarray) -> dict[int, float]:
    """Return what is stated in the first half of the seeds, by its number, with the p of the second half.

    Args:
        lost: Chips lost without each group, float64 [seeds, groups]. p is one-sided, that nothing is lost, adjusted by
            Holm over all that are stated.
    """
    half = len(lost) // 2
    first, second = lost[:half], lost[half:]
    stated = [
        index
        for index in range(lost.shape[1])
        if np.mean(first[:, index]) > 0 and t_test(first[:, index], runs=True) < STATED
    ]
    p = []
    for index in stated:
        both = t_test(second[:, index], runs=True)
        p.append(both / 2 if np.mean(second[:, index]) > 0 else 1 - both / 2)
    return dict(zip(stated, holm(p), strict=True))


def discover(
    game: str | Game,
    /,
    *,
    budget: Budget | None = None,
    start: str | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    kept: Mapping[int, Searched] | None = None,
    keep: Callable[[Searched], Any] | None = None,
    **variant: Unpack[Options],
) -> Ablation:
    """Tune a heuristic with every feature and again without each, over seeds, and return what is lost without it.

    What is stated in the first half of the seeds is tested in the second, see `Contribution`. The rivals are all
    rule-based players of the game. The same seed and budget give the same result.

    Args:
        game: Its id, or the game itself.
        budget: How many seeds, generations, candidates and deals, default `Budget()`.
        start: The heuristic to begin with, default the game's last.
        seed: 0..2**63 - 1.
        threads: Share the seeds, default one per core; the result does not depend on them.
        progress: Called with the number of deals just played, of `planned_deals` in all.
        kept, keep: See `search_seeds`.

    Raises:
        ValueError: For an unknown heuristic or numbers out of range.
        ImportError: Without `cmaes`.
    """
    game, budget, seed = get_game(game), (budget or Budget()).checked(), as_key(seed)
    whole_number("seeds", budget.seeds, LEAST_SEEDS, MOST_SEEDS)
    made, start = variant_from(game, variant, discover), start_of(get_game(game), start)
    rivals = rivals_of(game, made)
    problem = problem_of(game, made, start, among(game, made, rivals, progress))
    searches = search_seeds(problem, budget, seed, threads, kept, keep)
    chips = estimate(np.array([search.chips for search in searches]), runs=True)
    names = [feature.name for feature in game.features]
    idle = tuple(name for index, name in enumerate(names) if index not in problem.chosen)
    return Ablation(
        game,
        made,
        start,
        tuple(rival.name for rival in rivals),
        budget,
        seed,
        chips,
        contributions_over(problem, searches),
        idle,
    )


def planned_deals(game: str | Game, budget: Budget, start: str | None = None, /, **variant: Unpack[Options]) -> int:
    """Return how many deals `discover` plays; raises ValueError as it does.

    Args:
        game: Its id, or the game itself.
        budget: Of the search.
        start: The heuristic whose features are searched, None for the strongest.
        variant: Options of the rules.
    """
    game = get_game(game)
    made = game.variant.make(**variant)
    problem = problem_of(game, made, start_of(game, start), lambda *_: np.zeros((0, 0)))
    return budget.total(len(problem.groups))


def problem_of(game: Game, variant: Variant, start: str, play: Play) -> Problem:
    """Return the problem of a game's variant in which every feature is left out in turn.

    Args:
        game, variant: What is played.
        start: The name of the heuristic where the search begins.
        play: As of `among`.
    """
    sample, base = DecisionSample(game, variant.changed()), game.heuristic(start)
    units = sample.units(base)
    chosen = active_features(units)
    groups = [(index,) for index in chosen]
    return Problem(game, base, chosen, units, [*groups, *families(game, chosen)], sample, play)


def families(game: Game, chosen: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the families of features that differ only in a number, such as `leave_1` to `leave_6`."""
    groups: dict[str, list[int]] = {}
    for index in chosen:
        stem, _, number = game.features[index].name.rpartition("_")
        if stem and number.isdigit():
            groups.setdefault(stem, []).append(index)
    return [tuple(members) for members in groups.values() if len(members) > 1]
