"""What an optimiser does with the trait of a claim: the heuristic is tuned with its weight free, and again without it.

The claim compares a trait on and off and leaves all other weights alone. Here they may all change, in deals of the
claim's population and against its panel: so a trait that only stands in for another one is seen to be no use.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gupai_agents.evaluation.ablation import Budget, Play, Problem, moving, search_seeds
from gupai_agents.evaluation.claims.check import variant_of
from gupai_agents.evaluation.claims.doses import population_at
from gupai_agents.evaluation.claims.players import player
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import Claim, Policy
from gupai_agents.evaluation.claims.tables import Table, at_their_sides
from gupai_agents.evaluation.match import Progress
from gupai_agents.evaluation.statistics import Estimate, estimate
from gupai_agents.heuristics import RANDOM, HeuristicAgent
from gupai_agents.playouts import playouts
from gupai_agents.tune import DecisionSample, parts_of
from gupai_agents.workers import pause
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key, derive, in_json
from gupai_env.core.streams import TUNING_STREAM
from gupai_env.core.variant import Variant
from gupai_env.games import get_game

USED, TURNED, NOT_NEEDED, OPEN = "used", "the opposite is used", "not needed", "open"
DEFAULT = Budget(seeds=8, again=15)
NAMED = 3  # features that are named as what the optimiser leans on


@dataclass(frozen=True)
class Trait:
    """The trait of a reading. features: whose weights differ between the treated player and the baseline, `signs` to
    which side. rivals: the rule-based players of the panel; `left_out`: the others, who cannot be tuned against.
    """

    reading: Policy
    features: tuple[str, ...]
    signs: tuple[int, ...]
    base: HeuristicAgent
    rivals: tuple[HeuristicAgent, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class Optimised:
    """What an optimiser did with the trait of a reading; figures are means over seeds with their 95% intervals.

    weights: of the trait's features, scaled: in half of all decisions the best action stands 1 or more from the next.
    dropped: chips per deal, in deals of the population, that are lost if these become zero and all else stays.
    lost: that are lost by weights that were tuned without the trait. leans: the other features whose loss costs most,
    by name, with what is lost if they become zero.
    """

    trait: Trait
    game: Game
    variant: Variant
    verdict: str
    weights: dict[str, Estimate]
    chips: Estimate
    dropped: Estimate
    lost: Estimate
    leans: dict[str, Estimate]
    budget: Budget
    seed: int

    @property
    def sentence(self) -> str:
        """What came out, in words."""
        weighed = " and ".join(f"{name} {found}" for name, found in self.weights.items())
        said = {
            USED: "the optimiser uses it",
            TURNED: "the optimiser uses its opposite",
            NOT_NEEDED: "the optimiser can do without it",
            OPEN: "that leaves it open",
        }[self.verdict]
        meanings = {feature.name: feature.meaning for feature in self.game.features}
        leaning = "; ".join(f"{meanings[name]} ({name}, {found} chips)" for name, found in self.leans.items())
        return (
            f"Tuned freely over {self.budget.seeds} seeds the trait weighs {weighed}; set to zero it costs "
            f"{self.dropped} chips per deal, tuned again without it {self.lost}: {said}."
            + (f" What it leans on: {leaning}." if leaning else "")
        )

    def as_numbers(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "name": self.trait.reading.name,
            "variant": self.variant.changed(),
            "features": list(self.trait.features),
            "start": self.trait.base.name,
            "rivals": [rival.name for rival in self.trait.rivals],
            **({"left_out": list(self.trait.left_out)} if self.trait.left_out else {}),
            "verdict": self.verdict,
            "sentence": self.sentence,
            "unit": "chips per deal of the population; low and high are the ends of the 95% interval over n seeds; "
            "weights are scaled so that in half of all decisions the best action stands 1 or more from the next",
            "weights": {name: found.as_numbers() for name, found in self.weights.items()},
            "chips": self.chips.as_numbers(),
            "dropped": self.dropped.as_numbers(),
            "lost": self.lost.as_numbers(),
            "leans": {name: found.as_numbers() for name, found in self.leans.items()},
            "margin": self.trait.reading.margin,
            "budget": asdict(self.budget),
            "seed": in_json(self.seed),
        }


def traits(claim: Claim) -> list[Trait]:
    """Return the traits of a claim's policy readings that are weights of a heuristic; other readings have none."""
    game, found = get_game(claim.game), []
    for reading in claim.readings:
        if isinstance(reading, Policy):
            trait = trait_of(game, reading)
            if trait is not None:
                found.append(trait)
    return found


def trait_of(game: Game, reading: Policy) -> Trait | None:
    """Return the trait of a reading, or None if it is no difference of weights or nobody of the panel has weights."""
    variant = variant_of(game, reading.variant)
    members = [player(spec, game, variant) for spec in reading.panel]
    rivals = tuple(each for each in members if isinstance(each, HeuristicAgent))
    if not rivals:
        return None
    base = player(reading.baseline, game, variant, rivals[0].name)
    named = reading.baseline if isinstance(reading.baseline, str) else ""
    treated = player(reading.treated, game, variant, rivals[0].name, named)
    if not isinstance(base, HeuristicAgent) or not isinstance(treated, HeuristicAgent):
        return None
    more = treated.weights[:-1] - base.weights[:-1]
    if not more.any():
        return None
    places = np.flatnonzero(more).tolist()
    return Trait(
        reading,
        tuple(game.features[at].name for at in places),
        tuple(int(np.sign(more[at])) for at in places),
        base,
        rivals,
        tuple(each.name for each in members if each not in rivals),
    )


def optimise(
    claim: Claim,
    trait: Trait,
    *,
    budget: Budget | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Optimised:
    """Tune a heuristic with the trait's weights free, and without the trait, over seeds; see `Optimised`.

    The same seed and budget find the same, however many threads share the seeds.

    Args: progress: called with the number of deals just played, of `planned_deals`.
    Raises: ValueError for numbers out of range; ImportError without `cmaes`.
    """
    game, budget, seed = get_game(claim.game), (budget or DEFAULT).checked(), as_key(seed)
    variant = variant_of(game, trait.reading.variant)
    problem = _problem(game, variant, trait, _among(game, variant, trait, progress))
    found = search_seeds(problem, budget, seed, threads)
    names = [feature.name for feature in game.features]
    weights = np.array([each.weights for each in found])
    dropped = np.array([each.dropped for each in found])
    lost = estimate(np.array([each.lost[0] for each in found]), runs=True)
    weighed = {name: estimate(weights[:, names.index(name)], runs=True) for name in trait.features}
    others = {names[at]: estimate(dropped[:, 1 + place], runs=True) for place, (at,) in enumerate(problem.others)}
    leans = sorted((name for name in others if others[name].low > 0), key=lambda name: -others[name].mean)
    return Optimised(
        trait,
        game,
        variant,
        judged(trait, weighed, lost),
        weighed,
        estimate(np.array([each.chips for each in found]), runs=True),
        estimate(dropped[:, 0], runs=True),
        lost,
        {name: others[name] for name in leans[:NAMED]},
        budget,
        seed,
    )


def planned_deals(claim: Claim, trait: Trait, budget: Budget | None = None) -> int:
    """Return how many deals `optimise` plays."""
    game = get_game(claim.game)
    variant = variant_of(game, trait.reading.variant)
    problem = _problem(game, variant, trait, lambda *_: np.zeros((0, 0)))
    return (budget or DEFAULT).total(len(problem.groups), len(problem.others))


def judged(trait: Trait, weights: dict[str, Estimate], lost: Estimate) -> str:
    """Return what an optimiser does with a trait.

    USED, TURNED: without it something is clearly lost, and the first weight is clearly on the claimed side, or on the
    other. NOT_NEEDED: what is lost is clearly less than the claim's margin.
    """
    first = next(iter(weights.values()))
    low, high = sorted((trait.signs[0] * first.low, trait.signs[0] * first.high))
    if lost.high < trait.reading.margin:
        return NOT_NEEDED
    if lost.low > 0 and low > 0:
        return USED
    return TURNED if lost.low > 0 and high < 0 else OPEN


def _problem(game: Game, variant: Variant, trait: Trait, play: Play) -> Problem:
    sample, base = DecisionSample(game, variant.changed()), trait.base.weights.copy()
    base[-1] = 0
    units = sample.units(base)
    chosen = moving(units)
    names = [feature.name for feature in game.features]
    group = tuple(names.index(name) for name in trait.features)
    others = [(at,) for at in chosen if at not in group]
    return Problem(game, base, chosen, units, [group], sample, play, others)


def _among(game: Game, variant: Variant, trait: Trait, progress: Progress | None) -> Play:
    """Return what lets heuristics play in deals of the population, at the seats in question among one of the rivals."""
    sampler = Sampler(game, variant, population_at(trait.reading, game, None))
    rivals = np.array([rival.weights for rival in trait.rivals])

    def play(heuristics: np.ndarray, deals: int, key: int) -> np.ndarray:
        table, parts = Table(sampler, derive(key, TUNING_STREAM)), []
        players = np.concatenate([rivals, heuristics])
        first = 0
        for block in table.blocks(0, deals):
            number = len(block.states)
            rival = RANDOM + 1 + np.arange(first, first + number) % len(rivals)
            seating = np.repeat(rival[:, None], variant.players, 1).astype(np.int16)
            won = [
                _won(game, sampler.rules, players, block, seating, RANDOM + 1 + len(rivals) + some)
                for some in parts_of(len(heuristics), number)
            ]
            parts.append(np.concatenate(won))
            first += number
        if progress:
            progress(deals * len(heuristics))
        return np.concatenate(parts, 1)

    return play


def _won(
    game: Game, rules: Any, players: np.ndarray, block: Any, seating: np.ndarray, heroes: np.ndarray
) -> np.ndarray:
    """Return the chips of the seats in question with each of some heroes there, float64 [heroes, deals]."""
    pause()
    number, seats = len(block.states), np.tile(block.seats, (len(heroes), 1))
    states = np.tile(block.states, len(heroes)).view(np.recarray)
    line_ups = np.tile(seating, (len(heroes), 1))
    mine = at_their_sides(game, seating.shape[1], seats)
    line_ups = np.where(mine, np.repeat(heroes, number)[:, None], line_ups).astype(np.int16)
    playouts(game).finish(rules, players, states, line_ups)
    won: np.ndarray = np.take_along_axis(states.total.astype(np.float64), seats, 1).sum(1)
    return won.reshape(len(heroes), number)
