"""The ladder of a game: every player, one among equal others, against each of the quick ones, and its speed."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, ask, concatenated, first_memory, labels_of
from gupai_agents.evaluation.matches.match import MOST_FIGURES, Progress, duel
from gupai_agents.evaluation.statistics import Estimate, estimate
from gupai_agents.play.decisions import decisions, new_lanes
from gupai_agents.play.workers import Workers
from gupai_agents.players.heuristics import RandomAgent
from gupai_agents.players.search import SearchAgent
from gupai_agents.registry import agents_of
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key
from gupai_env.core.variant import Variant
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import whole_number
from gupai_env.options import Options

DECISIONS = 512  # asked at once to measure how fast a player is
FIRST_ASKED, LONG_ENOUGH = 8, 0.2  # decisions, doubled until asking for them takes so many seconds


@dataclass(frozen=True)
class Rung:
    """One player: chips per deal on each rival, deals of each duel, and its speed in decisions per second."""

    player: str
    chips: tuple[Estimate, ...]
    total: Estimate  # chips per deal, over all rivals except `random`, whose noise hides other differences
    deals: int
    speed: float


@dataclass(frozen=True)
class Ladder:
    """The rungs of a game's variant, the best first; `rivals` are the players whom all met."""

    game: Game
    variant: Variant
    rivals: tuple[str, ...]
    rungs: tuple[Rung, ...]
    seed: int


def play_ladder(
    game: str | Game,
    agents: Sequence[str | Agent],
    deals: int,
    few: int,
    /,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    workers: Workers | None = None,
    **variant: Unpack[Options],
) -> Ladder:
    """Let every agent play a duel with every rival, all in the same deals.

    Args:
        agents: Those that do not search are the rivals too.
        deals: Of a duel.
        few: Of one whose hero searches, at most `deals`.
        progress: Called with the number of deals just played.
        workers: Who plays, default this process; what is won is the same.

    Raises:
        ValueError: For fewer than two agents or without a rival, and as `duel`.
    """
    game = get_game(game)
    made = variant_from(game, variant, play_ladder)
    agents = agents_of(game, made, agents)
    quick = [agent for agent in agents if not isinstance(agent, SearchAgent)]
    if len(quick) < 2:
        raise ValueError("a ladder needs two or more agents that do not search, as opponents for all")
    deals = whole_number("deals", deals, 2, MOST_FIGURES // made.players**2)
    few, seed = whole_number("few", few, 2, deals), as_key(seed)
    batch = some_decisions(game, quick[-1], made)
    labels, rungs = labels_of(agents), []
    for label, agent in zip(labels, agents, strict=True):
        played = few if isinstance(agent, SearchAgent) else deals
        chips = np.zeros((len(quick), played))
        for number, rival in enumerate(quick):
            if rival is not agent:  # against itself it would win exactly zero
                how: dict[str, Any] = {"seed": seed, "progress": progress, "workers": workers}
                result = duel(game, agent, rival, played, **how, **variant)
                chips[number] = result.chips[:, :, 0].mean(1)
        others = [number for number, rival in enumerate(quick) if rival is not agent]
        others = [number for number in others if not isinstance(quick[number], RandomAgent)] or others
        on_each = tuple(map(estimate, chips))
        rungs.append(Rung(label, on_each, estimate(chips[others].mean(0)), played, speed(agent, game, made, batch)))
    rivals = [label for label, agent in zip(labels, agents, strict=True) if not isinstance(agent, SearchAgent)]
    rungs.sort(key=lambda rung: -rung.total.mean)
    return Ladder(game, made, tuple(rivals), tuple(rungs), seed)


def some_decisions(game: Game, agent: Agent, variant: Variant) -> DecisionBatch:
    """Return DECISIONS decisions from deals among copies of an agent, drawn from all moments of a deal.

    Args:
        game: The game.
        agent: It has all seats.
        variant: Options of the rules.
    """
    envs = new_lanes(game, variant, DECISIONS)
    together = concatenated([now.batch for now in decisions(envs, [agent])])
    return together.at(np.random.default_rng(0).choice(len(together.rng_keys), DECISIONS, replace=False))


def speed(
    agent: Agent, game: Game, variant: Variant, batch: DecisionBatch, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return how many decisions per second an agent makes when it is asked for many at once, a slow one for fewer.

    Args:
        agent: Who is asked.
        game, variant: What it plays.
        batch: Decisions, of which as many are asked as its speed allows.
        clock: Returns seconds.
    """
    ask(agent, game, variant, batch.at(slice(2)), memory=first_memory(agent, 2))  # compiles
    rows = FIRST_ASKED
    while True:
        some, memory = batch.at(slice(rows)), first_memory(agent, rows)
        begin = clock()
        ask(agent, game, variant, some, memory=memory)
        spent = clock() - begin
        if spent >= LONG_ENOUGH or (spent and rows == len(batch.rng_keys)):  # some clocks move in steps
            return rows / spent
        rows = min(2 * rows, len(batch.rng_keys))
