"""Search targets: the values of the legal actions of a position, which a network learns to predict.

Positions come from whole deals, some of whose moves are random. In each position search tries every legal action in the
same few determinizations, so that the luck of a deal, which is most of the noise, cancels when actions are compared.
Many cheap noisy targets are better than few good ones. The newest targets are kept in a window, and each is learned
from a few times.

Search ignores what the choices of the others reveal. In the last part of the stage, `expert_iteration.true_hands`,
every action is therefore tried with the hands that were really dealt. There the choices and hands of the others belong
together, and a network that learns from many such deals learns what a choice reveals. These targets are so cheap that
each is learned from only once. The rollout policy is the heuristic, and at the very end of the stage,
`expert_iteration.self_rollouts`, the network itself or a smaller one that plays like it
(`expert_iteration.rollout_policy`).

Networks of several seeds make different errors: their mean scores, `expert_iteration.ensemble`, are better true-hand
targets.
"""

import functools
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import torch

from gupai_agents.agent import Agent
from gupai_agents.evaluation.exact.all_hands import Equilibrium, at_two_seats, build_hand_tree
from gupai_agents.networks.network import NetworkAgent
from gupai_agents.play.decisions import decisions
from gupai_agents.play.workers import pause
from gupai_agents.players.heuristics import HeuristicAgent
from gupai_agents.players.search import Plan, SearchAgent
from gupai_agents.registry import agent_of_data, heuristic_agent
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key, derive
from gupai_env.core.streams import TARGETS_STREAM
from gupai_env.vector import VectorEnv
from gupai_training.config import Config
from gupai_training.network import precision_on
from gupai_training.scorer import Scorer, scored_by_torch
from gupai_training.true_hand_targets import CPU, chips_in_deals, chips_played_out


class Kind(IntEnum):
    """How targets are computed: by search; with the true hands; with the true hands and self-rollouts."""

    SEARCHED = 0
    TRUE_HANDS = 1
    OWN = 2


class Targets(NamedTuple):
    """Positions and the values of their actions.

    observations: int8 [N, layout.size], of the seat to act. values: float32 [N, num_actions], chips by which an action
    is better than the mean of the legal ones; NaN where it is not legal. means: float32 [N], that mean.
    """

    observations: np.ndarray
    values: np.ndarray
    means: np.ndarray


class TargetMaker:
    """Computes targets; those of a number and a player are always the same."""

    def __init__(self, config: Config, threads: int, device: torch.device = CPU) -> None:
        """Make what a configuration asks for.

        Args:
            config: The configuration of the run.
            threads: Of the processor.
            device: The device on which a network plays out; a GPU with `gupai[cuda]` also plays out by heuristics.
        """
        game, variant = config.played
        plan = Plan(playouts=config.expert_iteration.playouts, threads=threads)
        self.config: Config = config
        self.threads: int = threads
        self.device: torch.device = device
        self.sample = config.expert_iteration.magnet > 0
        self.dtype: Any = getattr(torch, precision_on(device, config.precision))
        self.heuristic: HeuristicAgent = heuristic_agent(config.rollout_heuristic, game, variant)
        self.search: SearchAgent = SearchAgent(game, variant, "search", self.heuristic.weights, plan=plan)
        others = [agent_of_data(name, game, variant) for name in config.rules]
        self.others: list[Agent] = [scored_by_torch(agent, device, self.dtype) for agent in others]
        rounds = config.expert_iteration.equilibrium
        self.equilibrium: Equilibrium | None = (
            Equilibrium(build_hand_tree(game, **at_two_seats(variant).changed()), rounds) if rounds else None
        )
        self.ensemble: list[Scorer] = [self._scorer(spec) for spec in config.expert_iteration.ensemble]
        self.rollout_policy: Scorer | None = (
            self._scorer(config.expert_iteration.rollout_policy) if config.expert_iteration.rollout_policy else None
        )
        policies = [who if isinstance(who, HeuristicAgent) else self.heuristic for who in self.others]
        self.heuristics: np.ndarray = np.array(
            [[self.heuristic.weights, who.weights] for who in (self.heuristic, *policies)]
        )

    def targets(self, player: Agent, number: int, kind: Kind = Kind.SEARCHED) -> Targets:
        """Return targets for all of a player's decisions with a choice in whole deals.

        The player has every seat. With true hands it meets each rule-based player, who then has all other seats, at as
        many tables as itself; there a network draws from its policy, so that it does not learn to rely on what it
        always does itself.

        Args:
            player: Who plays the deals.
            number: Of the chunk, which with the seed names the deals.
            kind: How targets are computed.
        """
        true_hands = kind != Kind.SEARCHED
        expert_iteration, (game, variant) = self.config.expert_iteration, self.config.played
        seed = derive(derive(as_key(self.config.seed), TARGETS_STREAM), number)
        envs = VectorEnv(game, expert_iteration.tables, seed=seed, renew=False, skip_forced=True, **variant.changed())
        rng = np.random.default_rng([self.config.seed, number])
        villains = (
            self._villains(envs, rng) if true_hands else np.zeros((expert_iteration.tables, game.max_seats), np.int64)
        )
        wild, own = 0.0 if true_hands else expert_iteration.random_moves, None
        if isinstance(player, NetworkAgent):
            scorer = Scorer(player, self.device, self.dtype)
            own = (self.rollout_policy or scorer) if kind == Kind.OWN else None
            player = scorer.player(player.drawing() if true_hands else player)
        parts = []
        for rows, batch, actions in decisions(envs, [player, *self.others], villains):
            pause()
            places = np.flatnonzero((villains[rows, envs.seats[rows]] == 0) & (batch.masks.sum(1) > 1))
            lanes, few = rows[places], batch.at(places)
            if true_hands:
                chips = self._in_deals(envs, few.masks, lanes, villains[lanes].max(1), own).astype(np.float32)
            elif self.equilibrium:
                chips = self.equilibrium.chips(few).astype(np.float32)
            else:
                chips = self.search.values(few, halving=False).means.astype(np.float32)
            means = np.nanmean(chips, 1)
            parts.append(Targets(envs.observations[lanes], chips - means[:, None], means))
            drawn = rng.random(len(rows)) < wild
            actions[drawn] = envs.sample(int(rng.integers(1 << 40)))[rows[drawn]]
        return Targets(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _in_deals(
        self, envs: VectorEnv, masks: np.ndarray, lanes: np.ndarray, played_by: np.ndarray, own: Scorer | None
    ) -> np.ndarray:
        """Return what every legal action wins with the true hands, float64 [N, num_actions]; NaN where not legal.

        The heuristic is the rollout policy, also of opponents other than heuristics; where a network is, everybody
        plays on for itself. With an ensemble the networks give the differences between actions, and the playouts only
        their mean.

        Args:
            envs: The deals.
            masks: The legal actions of the decisions, bool [N, num_actions].
            lanes: Their lanes, int [N].
            played_by: The number of the players who have the other seats, int [N].
            own: The network that is the rollout policy instead, if one is.
        """
        states = envs.states[lanes]
        if own is not None:
            return chips_played_out(envs.game, envs.variant, own, self.others, played_by, states, masks, self.sample)
        devices = self.threads, self.device
        chips = chips_in_deals(envs.game, envs.rules, self.heuristics, played_by, states, masks, *devices)
        if not self.ensemble:
            return chips
        scores, weight = np.zeros(masks.shape), self.config.expert_iteration.temperature / len(self.ensemble)
        for scorer in self.ensemble:
            scores += scorer.scores(envs.observations[lanes]) * weight
        scores[~masks] = np.nan
        return scores + (np.nanmean(chips, 1) - np.nanmean(scores, 1))[:, None]

    def _scorer(self, spec: str) -> Scorer:
        """Return the network that a configuration names."""
        player = agent_of_data(spec, self.heuristic.game, self.search.variant)
        assert isinstance(player, NetworkAgent), spec  # a configuration was checked
        return Scorer(player, self.device, self.dtype)

    def _villains(self, envs: VectorEnv, rng: np.random.Generator) -> np.ndarray:
        """Draw who has each seat, int64 [tables, max_seats]: 0 for the player, else the number of one of the others."""
        tables, sides = envs.num_envs, self.heuristic.game.sides(self.heuristic.game.max_seats)
        mine = sides[rng.integers(0, envs.variant.players, tables)]
        villains: np.ndarray = np.arange(tables)[:, None] % (1 + len(self.others))
        return np.where(sides == mine[:, None], 0, villains)


@functools.lru_cache(maxsize=1)
def _target_maker(config: str) -> TargetMaker:
    return TargetMaker(Config.model_validate_json(config), threads=1)  # a worker is one core


def target(config: str, player: Agent | None, number: int, kind: Kind) -> Targets:
    """Return what `TargetMaker.targets` does, as a task for workers.

    Args:
        config: The configuration, as JSON.
        player: Who plays the deals, None for the heuristic.
        number: Of the chunk.
        kind: How targets are computed.
    """
    target_maker = _target_maker(config)
    return target_maker.targets(player or target_maker.heuristic, number, kind)


class Window:
    """The newest targets, in the order in which they were computed; a full window drops the oldest."""

    def __init__(self, size: int, game: Game) -> None:
        layout = game.encoder.layout
        self.bounds: tuple[np.ndarray, np.ndarray] = layout.low, layout.high
        self.observations: np.ndarray = np.zeros((size, layout.size), np.int8)
        self.values: np.ndarray = np.zeros((size, game.num_actions), np.float16)
        self.means: np.ndarray = np.zeros(size, np.float32)
        self.made: int = 0  # in all

    def __len__(self) -> int:
        return min(self.made, len(self.means))

    def add(self, targets: Targets) -> np.ndarray:
        """Add targets, only the newest if there are more than fit; return their rows. Raises: ValueError."""
        most = float(np.finfo(self.values.dtype).max)
        if np.fmax.reduce(np.abs(targets.values), None, initial=0) > most:
            raise ValueError(f"targets of more than {most:,.0f} chips do not fit; play for smaller stakes")
        size = len(self.means)
        rows = (self.made + np.arange(len(targets.means)))[-size:] % size
        arrays: list[np.ndarray] = [self.observations, self.values, self.means]
        for array, new in zip(arrays, targets, strict=True):
            array[rows] = new[-size:]
        self.made += len(targets.means)
        return rows

    def saved(self, first: int, end: int) -> dict[str, np.ndarray]:
        """Return targets `first` to `end`, counted from the first that was ever computed, for `put_back`."""
        rows = np.arange(first, end) % len(self.means)
        values = self.values[rows]
        return {
            "observations": self.observations[rows],
            "legal": ~np.isnan(values),
            "values": np.nan_to_num(values),
            "means": self.means[rows],
        }

    def put_back(self, tensors: dict[str, np.ndarray], first: int, end: int) -> None:
        """Restore what `saved` returned.

        Args:
            tensors: What it returned.
            first: The number of the first target, counted from the first that was ever computed.
            end: That of the last one, plus one.

        Raises:
            ValueError, KeyError: The targets do not fit.
        """
        values = np.where(tensors["legal"], tensors["values"], np.nan).astype(np.float32)
        targets = Targets(tensors["observations"], values, tensors["means"])
        shapes = ((self.observations.shape[1],), (self.values.shape[1],), ())
        for name, array, shape in zip(Targets._fields, targets, shapes, strict=True):
            if array.shape != (end - first, *shape):
                raise ValueError(f"{name} {list(array.shape)} of {end - first} targets")
        if not tensors["legal"].any(1).all():
            raise ValueError("targets without a legal action")
        low, high = self.bounds
        if not ((targets.observations >= low) & (targets.observations <= high)).all():
            raise ValueError("observations out of range")
        self.made = first
        self.add(targets)
