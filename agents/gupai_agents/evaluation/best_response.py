"""Approximate best responses: what a player who studies a frozen agent wins from it.

An exact best response can only be computed in small games (`gupai_agents.evaluation.exact`). Here one is approximated,
either by tuning a heuristic or by searching every decision in deals that are played out as the agent would; or a
network has learned one (`gupai_training.best_response`). Whatever is found, the true best response gains at least as
much: the gain is a lower bound. It is measured in deals that were not used to find the response.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Unpack

import numpy as np

from gupai_agents.agent import Agent
from gupai_agents.evaluation.ablation import SPREAD, among, evolved, rivals_of
from gupai_agents.evaluation.matches.match import MOST_FIGURES, Progress, key_of, one_among, play_some
from gupai_agents.evaluation.statistics import Estimate, estimate
from gupai_agents.play.decisions import chips_won, new_lanes, play_out
from gupai_agents.players.heuristics import HeuristicAgent, RandomAgent
from gupai_agents.players.tune import DecisionSample, Evolution, active_features
from gupai_agents.registry import agents_of, make_agent
from gupai_agents.shipped import best_heuristic, heuristic_names
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key, derive, in_json
from gupai_env.core.variant import Variant
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import one_of, real_number, whole_number
from gupai_env.options import Options

TUNING, SEARCH, NETWORK = METHODS = "tuning", "search", "network"
QUICK_DEALS, ASKED_DEALS = 1000, 200  # of a candidate: among players of the compiled loops, among others
DIGITS = 6  # of a tuned weight
LIMITS = {
    "generations": (0, 100_000),
    "population": (4, 10_000),
    "playouts": (1, 1_000_000),
    "candidate_deals": (2, 1_000_000),
}
SELECTING = 4  # times as many deals to choose between what has been tuned and the players by name
FIND, SELECT = range(2)  # numbers of streams of deals


@dataclass(frozen=True)
class Effort:
    """How much work goes into finding a best response.

    method: TUNING, of a heuristic's weights in some generations of `population` candidates, each in so many deals (by
    default QUICK_DEALS, of an agent that is asked outside the compiled loops ASKED_DEALS); or SEARCH, of every decision
    by so many playouts, which needs no preparation; or NETWORK, which learns for so many minutes of processor time, and
    did so from so many targets. deals: in which the gain is measured, each from every seat.
    """

    method: str = TUNING
    generations: int = 60
    population: int = 24
    candidate_deals: int | None = None
    playouts: int = 200
    deals: int = 5000
    minutes: float = 10.0
    targets: int = 0

    def checked(self, agent: Agent, seats: int) -> "Effort":
        """Return it with what is left open filled in; raises ValueError for numbers that cannot be."""
        one_of("method", self.method, METHODS)
        real_number("minutes", self.minutes, 0, 1e6)
        usual = QUICK_DEALS if isinstance(agent, (HeuristicAgent, RandomAgent)) else ASKED_DEALS
        filled = {**asdict(self), "candidate_deals": self.candidate_deals or usual}
        for name, limits in {**LIMITS, "deals": (2, MOST_FIGURES // seats**2)}.items():
            whole_number(name, filled[name], *limits)
        return Effort(**filled)

    def total(self, game: Game) -> int:
        """Return how many deals are played in all, once `checked`."""
        finding = 0
        if self.method == TUNING:
            chosen_from = len(heuristic_names(game)) + 1  # those by name, and the tuned one
            candidates = self.generations * self.population + chosen_from * SELECTING
            finding = candidates * (self.candidate_deals or 0)
        return finding + self.deals


@dataclass(frozen=True)
class BestResponse:
    """The best response that was found to a frozen agent, and what it gains.

    agent, response: their specs, as `make_agent` takes them. gain: chips per deal of one response among agents, minus
    what the agent itself wins at the same seat in the same deals: a lower bound on what a best response gains.
    """

    game: Game
    variant: Variant
    agent: str
    response: str
    gain: Estimate
    effort: Effort
    seed: int
    note: str = field(default="")

    def as_numbers(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "game": self.game.id,
            "version": self.game.version,
            "variant": self.variant.changed(),
            "agent": self.agent,
            "best_response": self.response,
            "unit": "chips per deal of one best response among agents, more than the agent itself wins in the same "
            "deals; a lower bound on what a best response gains; low and high are the ends of the 95% interval over n "
            "deals",
            "gain": self.gain.as_numbers(),
            **asdict(self.effort),
            "seed": in_json(self.seed),
            **({"note": self.note} if self.note else {}),
        }


def find_best_response(
    game: str | Game,
    agent: str | Agent,
    /,
    *,
    effort: Effort | None = None,
    seed: int = 0,
    learned: str | Agent | None = None,
    progress: Progress | None = None,
    **variant: Unpack[Options],
) -> BestResponse:
    """Find a best response to a frozen agent, as good as the effort allows, and measure its gain in new deals.

    The same seed and effort give the same result.

    Args:
        game: Its id, or the game itself.
        agent: The frozen agent, by name (see `make_agent`) or itself.
        effort: The method, and how many deals it may play, default `Effort()`.
        seed: Of all deals, 0..2**63 - 1.
        learned: With NETWORK, and only then, the response, as `gupai_training.best_response.learn_response` finds it.
        progress: Called with the number of deals just played.

    Raises:
        ValueError: For an agent of another game or variant, answers that are not legal, and numbers out of range.
        ImportError: For tuning without `cmaes`.
    """
    game, seed = get_game(game), as_key(seed)
    made = variant_from(game, variant, find_best_response)
    (agent,) = agents_of(game, made, [agent])
    effort, note = (effort or Effort()).checked(agent, made.players), ""
    if (effort.method == NETWORK) != (learned is not None):
        raise ValueError(f"learned={learned!r} is not allowed with method={effort.method!r}; {NETWORK} alone needs it")
    if learned is not None:
        (response,) = agents_of(game, made, [learned])
        spec = response.name
    else:
        if effort.method == TUNING:
            spec = tuned_against(game, made, agent, effort, seed, progress)
        else:
            spec, note = searching_against(game, made, agent, effort)
        response = make_agent(spec, game, **variant)
    gain = gain_of(game, made, response, agent, effort.deals, seed, progress)
    return BestResponse(game, made, agent.name, spec, gain, effort, seed, note)


def gain_of(
    game: Game, variant: Variant, hero: Agent, agent: Agent, deals: int, seed: int, progress: Progress | None = None
) -> Estimate:
    """Return the chips per deal that one `hero` wins among agents, more than one of these in the same deals and seats.

    Where payoffs sum to zero that is what the hero wins, for equal players win nothing over all seats.

    Args:
        game, variant: What is played.
        hero: Who tries to win from the agents.
        agent: At all other seats.
        deals: How many.
        seed: Of the deals.
        progress: Called with the number of deals just played.
    """
    more = []
    players = one_among(game, variant, hero, agent)
    for first, chips in play_some(game, variant, players, seed, deals, progress=progress):
        envs = new_lanes(game, variant, len(chips))
        envs.reset(seeds=[key_of(seed, first + deal) for deal in range(len(chips))])
        play_out(envs, [agent])
        more.append(chips[:, :, 0].mean(1) - chips_won(envs).mean(1))
    return estimate(np.concatenate(more))


def tuned_against(
    game: Game, variant: Variant, agent: Agent, effort: Effort, seed: int, progress: Progress | None = None
) -> str:
    """Return the text of the heuristic that wins most from an agent: one tuned for that, or a player by name.

    Args:
        game, variant: What is played.
        agent: Whom it plays against.
        effort: How long to search.
        seed: Of the search.
        progress: Called with the number of deals just played.
    """
    names = [feature.name for feature in game.features]
    heuristics = rivals_of(game, variant)
    play = among(game, variant, [agent], progress)
    deals = effort.candidate_deals or 0
    base = (agent if isinstance(agent, HeuristicAgent) else heuristics[-1]).weights.copy()
    base[-1] = 0  # who draws its actions wins no more
    sample, key = DecisionSample(game, variant.changed()), derive(seed, FIND)
    units = sample.units(base)
    evolution = Evolution(base, units, active_features(units), effort.population, key, SPREAD)
    weights = evolved(play, evolution, effort.generations, deals, key)
    candidates = np.array([weights, *(heuristic.weights for heuristic in heuristics)])
    won = play(candidates, SELECTING * deals, derive(seed, SELECT)).mean(1)
    best = candidates[int(won.argmax())]
    scaled = best / sample.apart(best)
    return spec_of(names, np.array([float(f"{weight:.{DIGITS}g}") for weight in scaled]))


def searching_against(game: Game, variant: Variant, agent: Agent, effort: Effort) -> tuple[str, str]:
    """Return the text of a search that plays others out as an agent would, and a note on whom it takes it for.

    Args:
        game, variant: What is played.
        agent: Whom it plays against.
        effort: Its `playouts` are those of the search.
    """
    names = [feature.name for feature in game.features]
    others, note = best_heuristic(game), ""
    if isinstance(agent, HeuristicAgent):
        others = spec_of(names, agent.weights)
    elif isinstance(agent, RandomAgent):
        others = spec_of(names, game.heuristic({}, 1.0))  # all actions are worth the same
    else:
        note = f"{agent.name} is not a rule-based player: in playouts {others} stands in for it"
    return f"search:playouts={effort.playouts},others={others}", note


def spec_of(names: Sequence[str], weights: np.ndarray) -> str:
    """Return the text that makes a heuristic of weights again, exactly."""
    weighed = [(name, weight) for name, weight in zip(names, weights[:-1].tolist(), strict=True) if weight]
    listed = ",".join(f"{name}={repr(weight).removesuffix('.0')}" for name, weight in weighed)
    temperature = f"@{float(weights[-1])!r}" if weights[-1] else ""
    return f"heuristic:{listed or f'{names[0]}=0'}{temperature}"
