"""A best response that learns: a network that finds out what wins from a frozen agent, who has all other seats.

In deals against the agent every legal action of the responder is tried with the hands that were really dealt. The agent
plays on for itself, and the responder by its own network, which sees no more than its seat may. A target is therefore a
sample of what an action wins by the policy that has been learned so far, over just those hands that the agent's own
play leaves possible, and learning from many of them improves that policy (approximate policy iteration).
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Unpack

import numpy as np
import torch

from gupai_agents.agent import Agent
from gupai_agents.networks.checkpoint import identity
from gupai_agents.networks.network import RESIDUAL, NetworkAgent
from gupai_agents.play.decisions import decisions
from gupai_agents.players.heuristics import HeuristicAgent, RandomAgent
from gupai_agents.registry import agents_of, best_agent
from gupai_agents.shipped import best_file
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key, derive, in_json
from gupai_env.core.streams import TARGETS_STREAM
from gupai_env.core.variant import Variant
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import real_number, whole_number
from gupai_env.options import Options
from gupai_env.vector import VectorEnv
from gupai_training.network import Network, device_of, relative, threads_of
from gupai_training.scorer import Scorer, scored_by_torch
from gupai_training.true_hand_targets import chips_played_out

# The network of a response where there is none to begin with.
NEW: dict[str, Any] = {"type": RESIDUAL, "hidden": [256, 256, 256], "activation": "relu"}
NEW_RATE, OLD_RATE = 1e-3, 2e-4  # learning rate of a new network, and of one that plays already; it falls to zero
TABLES, SLOW_TABLES = 256, 8  # deals of a chunk of targets, and of one against an agent that takes long to decide
BATCH = 512  # targets of a gradient step
LANES = 1 << 14  # actions that are tried side by side


class Learned(NamedTuple):
    """A learned best response.

    player: takes its best actions. begun_with: the player whose network it began with; None for a new network. targets:
    how many it learned from. minutes: of processor time, that of other threads of this process included. seed: as
    given.
    """

    player: NetworkAgent
    begun_with: str | None
    targets: int
    minutes: float
    seed: int

    def header(self) -> dict[str, Any]:
        """Return the header of its checkpoint: the same for the same network, whatever time it took."""
        assert self.player.variant is not None
        facts = {"begun_with": self.begun_with, "targets": self.targets, "seed": in_json(self.seed)}
        return {**identity(self.player.game, self.player.variant), "kind": "player", "net": self.player.net, **facts}


def learn_response(
    game: str | Game,
    agent: str | Agent,
    /,
    *,
    minutes: float,
    most_targets: int | None = None,
    seed: int = 0,
    device: str = "auto",
    progress: Callable[[float], Any] | None = None,
    **variant: Unpack[Options],
) -> Learned:
    """Learn a best response to a frozen agent, beginning with the agent's own network, else `best`, else a new one.

    Args:
        game: The game.
        agent: The frozen agent, by name (see `make_agent`) or itself.
        minutes: Of processor time, on one core; the last chunk of targets is finished.
        most_targets: Ends it earlier. If it is this that ends it, the same seed learns the same network on a CPU.
        seed: Names the deals.
        device: Where networks are computed, as in a configuration of training: "auto" is a GPU if there is one.
        progress: Called with the share that is done, 0..1.
        **variant: The options of the game.

    Raises:
        ValueError: For an agent of another game or variant, answers that are not legal, numbers out of range, and a
            device that is not there.
    """
    game, seed = get_game(game), as_key(seed)
    made = variant_from(game, variant, learn_response)
    (agent,) = agents_of(game, made, [agent])
    real_number("minutes", minutes, 0, 1e6)
    if most_targets is not None:
        whole_number("most_targets", most_targets, 1, 10**12)
    begun, done = time.process_time(), 0.0
    with threads_of(1, 1):
        learner = ResponseLearner(game, made, agent, seed, device)
        while done < 1:
            learner.step(done)
            spent = (time.process_time() - begun) / 60
            done = min(max(spent / minutes if minutes else 1, learner.targets / (most_targets or np.inf)), 1)
            if progress:
                progress(done)
    start = learner.start.name if learner.start else None
    return Learned(learner.player(), start, learner.targets, spent, seed)


class ResponseLearner:
    """Learns a response chunk by chunk.

    Attributes:
        start: The player whose network it begins with, None for a new network.
        targets: The number of targets that were learned from.
    """

    def __init__(self, game: Game, variant: Variant, agent: Agent, seed: int, device: str = "auto") -> None:
        """Make a learner that has learned nothing yet.

        Args:
            game: The game.
            variant: Its options.
            agent: The frozen agent.
            seed: Of the deals and of a new network.
            device: As of `learn_response`.

        Raises:
            ValueError: The device is not there.
        """
        self.game: Game = game
        self.variant: Variant = variant
        self.seed: int = seed
        self.device: torch.device = device_of(device)
        self.agent: Agent = scored_by_torch(agent, self.device, torch.float32)
        self.start: NetworkAgent | None = start_for(game, variant, agent)
        quick = isinstance(agent, (HeuristicAgent, RandomAgent, NetworkAgent))
        self.tables = TABLES if quick else SLOW_TABLES
        self.net: Mapping[str, Any] = self.start.net if self.start else NEW
        torch.manual_seed(seed)
        self.network: Network = Network(self.net, game.encoder.layout.high, game.num_actions)
        if self.start:
            self.network.take(self.start.tensors)
        self.network.to(self.device)
        self.rate: float = OLD_RATE if self.start else NEW_RATE
        self.optimizer: torch.optim.Adam = torch.optim.Adam(self.network.parameters(), lr=self.rate, eps=1e-5)
        self.rng: np.random.Generator = np.random.default_rng(seed)
        self.temperature: float | None = None  # chips per unit of the network's scores
        self.chunks: int = 0
        self.targets: int = 0

    def player(self) -> NetworkAgent:
        """Return what has been learned so far as a player that takes its best actions."""
        return NetworkAgent("network", self.game, self.net, self.network.tensors(), False, self.variant)

    def step(self, progress: float) -> None:
        """Learn from a chunk of targets; progress: the share of all that is done, 0..1."""
        player = self.player()
        scorer = Scorer(player, self.device, torch.float32)
        observations, states, masks = self.positions(player, scorer)
        self.chunks += 1
        if not len(masks):  # with few tables there may be no decision with a choice
            return
        blocks = np.array_split(np.arange(len(masks)), masks.sum() // LANES + 1)
        chips = np.concatenate([self.chips(scorer, states[rows], masks[rows]) for rows in blocks])
        values = (chips - np.nanmean(chips, 1, keepdims=True)).astype(np.float32)
        if self.temperature is None:
            self.temperature = self.chips_per_unit(scorer.scores(observations), values)
        self.targets += len(masks)
        self.optimizer.param_groups[0]["lr"] = self.rate * (1 - progress)
        for rows in np.array_split(self.rng.permutation(len(masks)), len(masks) // BATCH + 1):
            self.learn(observations[rows], values[rows] / self.temperature)

    def positions(self, player: NetworkAgent, scorer: Scorer) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the responder's decisions with a choice in new deals: observations, states and masks, a row each.

        It draws from its policy there, so that it also learns about what it would not play.
        """
        key = derive(derive(self.seed, TARGETS_STREAM), self.chunks)
        envs = VectorEnv(self.game, self.tables, seed=key, renew=False, skip_forced=True, **self.variant.changed())
        sides = self.game.sides(self.variant.players)
        own = sides[self.rng.integers(0, self.variant.players, self.tables)]
        seating = (sides != own[:, None]).astype(np.int64)  # 0 for the responder, who has all seats of its side
        parts = []
        for rows, batch, _ in decisions(envs, [scorer.player(player.drawing()), self.agent], seating, quick=True):
            has_choice = (seating[rows, envs.seats[rows]] == 0) & (batch.masks.sum(1) > 1)
            lanes = rows[has_choice]
            parts.append((envs.observations[lanes], np.asarray(envs.states)[lanes], batch.masks[has_choice]))
        observations, states, masks = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return observations, states, masks

    def chips(self, scorer: Scorer, states: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Return what every legal action wins, float64 [N, num_actions]; NaN where it is not legal.

        Args:
            scorer: The network by which the responder plays on.
            states: Of the deals, records [N].
            masks: The legal actions of the seats to act, bool [N, num_actions].
        """
        played_by = np.ones(len(masks), np.int64)
        return chips_played_out(self.game, self.variant, scorer, [self.agent], played_by, states, masks)

    def chips_per_unit(self, scores: np.ndarray, values: np.ndarray) -> float:
        """Return the unit of scores in which the network learns: that in which it scores already, by least squares."""
        if not self.start:
            return max(float(np.nanstd(values)), 1e-3)
        scores = np.where(np.isnan(values), np.nan, scores)
        scores -= np.nanmean(scores, 1, keepdims=True)
        return max(float(np.nansum(scores * values) / np.nansum(scores**2)), 1e-3)

    def learn(self, observations: np.ndarray, values: np.ndarray) -> None:
        """Take a gradient step towards the values of some positions, relative to the mean of each."""
        scores, _ = self.network(torch.as_tensor(observations, device=self.device))
        targets = torch.as_tensor(values, device=self.device)
        legal = ~targets.isnan()
        errors = (relative(scores, legal) - targets.nan_to_num()) * legal
        loss = errors.square().sum(1).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def start_for(game: Game, variant: Variant, agent: Agent) -> NetworkAgent | None:
    """Return the player whose network a response to an agent begins with: the agent itself, else `best`, else None.

    Args:
        game: The game.
        variant: Its options.
        agent: The agent.
    """
    player = agent if isinstance(agent, NetworkAgent) or not best_file(game, variant) else best_agent(game, variant)
    return player if isinstance(player, NetworkAgent) else None
