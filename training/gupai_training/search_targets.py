"""Learning from search: a network learns what every legal action is worth in deals that its seat's view allows.

Positions come from whole deals, some of whose moves are random; in each of them search tries every legal action in the
same few deals, so that the luck of a deal, most of the noise, cancels where actions are compared. Many cheap noisy
targets teach more than few good ones. The newest targets are kept in a window, and each is learned from a few times.

Search makes nothing of what the others chose to do. So in the last part of the stage, `expert_iteration.true_hands`,
every action is tried in the deal that lies on the table instead: there the others' choices and hands belong together,
and who learns from many such deals learns what a choice tells. These targets are so cheap that each is learned from
once. There the heuristic plays on for the network too, and at the very end, `expert_iteration.self_rollouts`, the
network itself, or one that plays like it and is smaller (`expert_iteration.rollout_policy`).

Networks of several seeds err in different ways: what they think on average, `expert_iteration.ensemble`, is a better
target there.
"""

import functools
import itertools
from collections import deque
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional as F

from gupai_agents.agent import Agent
from gupai_agents.decisions import decisions
from gupai_agents.evaluation.all_hands import Equilibrium, build_hand_tree
from gupai_agents.heuristics import HeuristicAgent
from gupai_agents.network import NetworkAgent
from gupai_agents.registry import agent_of_data, heuristic_agent
from gupai_agents.search import Plan, SearchAgent
from gupai_agents.workers import Answer, Thread, Workers, pause
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key, derive
from gupai_env.core.streams import TARGETS_STREAM
from gupai_env.games import get_game
from gupai_env.vector import VectorEnv
from gupai_training.config import Config
from gupai_training.network import FORBIDDEN, Network, precision_on
from gupai_training.true_hand_targets import Scorer, chips_in_deals, chips_played_out

CPU = torch.device("cpu")


class Kind(IntEnum):
    """How targets are made: by search; in the deal that lies on the table; there, played out by the network itself."""

    SEARCHED = 0
    TRUE_HANDS = 1
    OWN = 2


class Targets(NamedTuple):
    """Positions and what search found. observations: int8 [N, layout.size], of the seat to act.

    values: float32 [N, num_actions], chips by which an action is better than the mean of all that are legal; NaN where
    it is not. means: float32 [N], that mean.
    """

    observations: np.ndarray
    values: np.ndarray
    means: np.ndarray


class TargetMaker:
    """Makes targets; those of a number and a player are always the same."""

    def __init__(self, config: Config, threads: int, device: torch.device = CPU) -> None:
        """Args: device: where a network plays out."""
        game = get_game(config.game)
        variant = game.variant.make(**config.variant)
        plan = Plan(playouts=config.expert_iteration.playouts, threads=threads)
        self.config, self.threads, self.device = config, threads, device
        self.dtype = getattr(torch, precision_on(device, config.precision))
        self.heuristic = heuristic_agent(config.rollout_heuristic, game, variant)
        self.search = SearchAgent(game, variant, "teacher", self.heuristic.weights, plan=plan)
        self.others = [agent_of_data(name, game, variant) for name in config.rules]
        rounds = config.expert_iteration.equilibrium
        self.equilibrium = Equilibrium(build_hand_tree(game, **config.variant), rounds) if rounds else None
        self.ensemble = [self._scorer(spec) for spec in config.expert_iteration.ensemble]
        self.rollout_policy = (
            self._scorer(config.expert_iteration.rollout_policy) if config.expert_iteration.rollout_policy else None
        )
        self.playing = [who if isinstance(who, HeuristicAgent) else self.heuristic for who in self.others]  # on
        self.heuristics = np.array([[self.heuristic.weights, who.weights] for who in (self.heuristic, *self.playing)])

    def targets(self, player: Agent, number: int, kind: Kind = Kind.SEARCHED) -> Targets:
        """Return targets of all of a player's decisions with a choice in whole deals.

        It has every seat; where they are not searched only at as many tables as each of the rule-based players has all
        others at. There a network draws from its policy, so that it does not learn to trust in what it always does
        itself.
        """
        dealt = kind != Kind.SEARCHED
        expert_iteration, game = self.config.expert_iteration, self.heuristic.game
        seed = derive(derive(as_key(self.config.seed), TARGETS_STREAM), number)
        envs = VectorEnv(game, expert_iteration.tables, seed=seed, renew=False, skip_forced=True, **self.config.variant)
        chance = np.random.default_rng([self.config.seed, number])
        villains = (
            self._villains(envs, chance) if dealt else np.zeros((expert_iteration.tables, game.max_seats), np.int64)
        )
        wild, own = 0.0 if dealt else expert_iteration.random_moves, None
        if dealt and isinstance(player, NetworkAgent):
            scorer = Scorer(player, self.device, self.dtype)
            own = (self.rollout_policy or scorer) if kind == Kind.OWN else None
            player = player.drawing()
            player.score = scorer.scores  # the same, faster
        parts = []
        for rows, turns, actions in decisions(envs, [player, *self.others], villains):
            pause()
            asked = np.flatnonzero((villains[rows, envs.seats[rows]] == 0) & (turns.masks.sum(1) > 1))
            at, few = rows[asked], turns.at(asked)
            if dealt:
                chips = self._in_deals(envs, few.masks, at, villains[at].max(1), own).astype(np.float32)
            elif self.equilibrium:
                chips = self.equilibrium.chips(few).astype(np.float32)
            else:
                chips = self.search.values(few, halving=False).means.astype(np.float32)
            means = np.nanmean(chips, 1)
            parts.append(Targets(envs.observations[at], chips - means[:, None], means))
            drawn = chance.random(len(rows)) < wild
            actions[drawn] = envs.sample(int(chance.integers(1 << 40)))[rows[drawn]]
        return Targets(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _in_deals(
        self, envs: VectorEnv, masks: np.ndarray, at: np.ndarray, played_by: np.ndarray, own: Scorer | None
    ) -> np.ndarray:
        """Return what every legal action wins in the deals themselves, float64 [N, num_actions]; NaN where not legal.

        The heuristic goes on for the player; of an ensemble, networks tell how much actions differ, and playouts only
        what they win on average.

        Args:
            envs: The deals.
            masks: The legal actions of the decisions, bool [N, num_actions].
            at: Their lanes, int [N].
            played_by: The number of the players who have the other seats, int [N].
            own: The network that goes on for the player instead, if one does.
        """
        states = envs.states[at]
        if own is not None:
            return chips_played_out(envs.game, envs.variant, own, self.playing, played_by, states, masks)
        chips = chips_in_deals(envs.game, envs.rules, self.heuristics, played_by, states, masks, self.threads)
        if not self.ensemble:
            return chips
        scores, weight = np.zeros(masks.shape), self.config.expert_iteration.temperature / len(self.ensemble)
        for each in self.ensemble:
            scores += each.scores(envs.observations[at]) * weight
        scores[~masks] = np.nan
        return scores + (np.nanmean(chips, 1) - np.nanmean(scores, 1))[:, None]

    def _scorer(self, spec: str) -> Scorer:
        """Return the network that a configuration names."""
        player = agent_of_data(spec, self.heuristic.game, self.search.variant)
        assert isinstance(player, NetworkAgent), spec  # a configuration was checked
        return Scorer(player, self.device, self.dtype)

    def _villains(self, envs: VectorEnv, chance: np.random.Generator) -> np.ndarray:
        """Return who has each seat, int64 [tables, max_seats]: 0 the player, else the number of one of the others."""
        tables, seats = envs.num_envs, self.heuristic.game.max_seats
        villains = np.repeat(np.arange(tables)[:, None] % (1 + len(self.others)), seats, 1)
        villains[np.arange(tables), chance.integers(0, envs.variant.players, tables)] = 0
        return villains


class Asked(NamedTuple):
    """A chunk that is to find targets for. player: who plays its deals, None for the heuristic."""

    player: Agent | None
    kind: Kind
    targets: Answer


@functools.lru_cache(maxsize=1)
def _target_maker(config: str) -> TargetMaker:
    return TargetMaker(Config.model_validate_json(config), threads=1)  # a worker is one core


def target(config: str, player: Agent | None, number: int, kind: Kind) -> Targets:
    """Return what `TargetMaker.targets` does, as a task for workers; config: as JSON."""
    target_maker = _target_maker(config)
    return target_maker.targets(player or target_maker.heuristic, number, kind)


class Window:
    """The newest targets, in the order in which they were made; a full one forgets the oldest."""

    def __init__(self, size: int, game: Game) -> None:
        layout = game.encoder.layout
        self.bounds = layout.low, layout.high
        self.observations = np.zeros((size, layout.size), np.int8)
        self.values = np.zeros((size, game.num_actions), np.float16)
        self.means = np.zeros(size, np.float32)
        self.made = 0  # in all

    def __len__(self) -> int:
        return min(self.made, len(self.means))

    def add(self, targets: Targets) -> np.ndarray:
        """Take targets in, the newest of them if they are more than fit; return their places. Raises: ValueError."""
        most = float(np.finfo(self.values.dtype).max)
        if np.fmax.reduce(np.abs(targets.values), None, initial=0) > most:
            raise ValueError(f"targets of more than {most:,.0f} chips do not fit; play for smaller stakes")
        size = len(self.means)
        places = (self.made + np.arange(len(targets.means)))[-size:] % size
        kept: list[np.ndarray] = [self.observations, self.values, self.means]
        for array, new in zip(kept, targets, strict=True):
            array[places] = new[-size:]
        self.made += len(targets.means)
        return places

    def saved(self, first: int, end: int) -> dict[str, np.ndarray]:
        """Return targets `first` to `end`, counted from the first that was ever made, for `put_back`."""
        places = np.arange(first, end) % len(self.means)
        values = self.values[places]
        return {
            "observations": self.observations[places],
            "legal": ~np.isnan(values),
            "values": np.nan_to_num(values),
            "means": self.means[places],
        }

    def put_back(self, tensors: dict[str, np.ndarray], first: int, end: int) -> None:
        """Take in what `saved` returned; raises ValueError or KeyError for targets that do not fit."""
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


class SearchStage:
    """The stage in which search teaches a network: `step` makes targets and learns from them, until `progress` is 1.

    A chunk is labelled with the player that had learned from all chunks but the last `expert_iteration.ahead` before
    it, so that
    that many chunks can be labelled while others are learned from: by workers, or without them by half of the cores.

    Attributes: threads: of torch, while this stage lasts. labelling: cores that label.
    """

    def __init__(self, config: Config, network: Network, workers: Workers | None = None) -> None:
        self.config, self.expert_iteration, self.network = config, config.expert_iteration, network
        self.workers = workers
        self.threads = self.labelling = config.threads or torch.get_num_threads()
        self.beside = Workers()  # which does what it is asked for when that is needed
        if workers is None and self.expert_iteration.ahead and self.threads > 1:
            self.beside, self.labelling = Thread(), self.threads // 2
            self.threads -= self.labelling
        self.asked: deque[Asked] = deque()  # chunks after those of `ends`
        self.target_maker = TargetMaker(config, self.labelling, network.device)
        self.ends: list[int] = []  # targets made with each chunk and before it
        self.written = 0  # chunks that are in files
        self.window = Window(config.window, self.target_maker.heuristic.game)
        self.optimizer = torch.optim.Adam(network.parameters(), lr=self.expert_iteration.learning_rate, eps=1e-5)
        self.seconds = 0.0  # as the run has told
        self.chance = np.random.default_rng([config.seed, TARGETS_STREAM])
        self.rows = np.zeros(0, np.int64)  # of the window, of the last gradient step

    @property
    def most_targets(self) -> int:
        """No chunk has more."""
        return (
            self.expert_iteration.tables
            * self.target_maker.heuristic.game.max_decisions
            * self.target_maker.search.variant.deals
        )

    @property
    def targets(self) -> int:
        """How many were made."""
        return self.window.made

    def progress(self) -> float:
        """Return how much of the stage is done, 0..1, by targets or by time, whichever is further."""
        done = self.targets / self.expert_iteration.targets
        if self.expert_iteration.max_minutes:
            done = max(done, self.seconds / (60 * self.expert_iteration.max_minutes))
        return min(1.0, done)

    def step(self, player: Agent) -> dict[str, float]:
        """Label a chunk of positions of a player's games, then learn; returns what is to be logged."""
        begun, progress = self.targets, self.progress()
        while len(self.asked) <= self.expert_iteration.ahead:
            kind = self.kind(progress)
            by_player = kind != Kind.SEARCHED or progress >= self.expert_iteration.heuristic_share
            self.ask(player if by_player else None, kind)
        places = self.window.add(self.asked[0].targets())
        dealt = self.asked.popleft().kind != Kind.SEARCHED
        self.ends.append(self.targets)
        epochs = 1 if dealt else self.expert_iteration.epochs
        batches = max(round(epochs * (self.targets - begun) / self.expert_iteration.batch_size), 1)
        self.optimizer.param_groups[0]["lr"] = self.expert_iteration.learning_rate * (1 - progress)
        if dealt:
            rows = np.array_split(self.chance.permutation(places), batches) if len(places) else []
        else:
            size = self.expert_iteration.batch_size
            rows = [self.chance.integers(0, len(self.window), size) for _ in range(batches)]
        found = [self._learn(each) for each in rows]
        names = found[0] if found else ()  # at a few tables nobody may have had a choice
        return {name: float(np.mean([float(each[name]) for each in found])) for name in names}

    def kind(self, progress: float) -> Kind:
        """Return how targets are made that are asked for when so much of the stage is done."""
        if progress >= 1 - self.expert_iteration.self_rollouts:
            return Kind.OWN
        return Kind.TRUE_HANDS if progress >= 1 - self.expert_iteration.true_hands else Kind.SEARCHED

    def looks_back(self) -> bool:
        """Return whether targets of the window may be learned from again: those of deals as they are dealt are not."""
        coming = [*(asked.kind for asked in self.asked), self.kind(self.progress())]
        return self.progress() < 1 and Kind.SEARCHED in coming

    def ask(self, player: Agent | None, kind: Kind = Kind.SEARCHED) -> None:
        """Have the next chunk labelled that was not asked for, with a player or the heuristic."""
        number = len(self.ends) + len(self.asked)
        if self.workers is None:
            answer = self.beside.ask(self.target_maker.targets, player or self.target_maker.heuristic, number, kind)
        else:
            answer = self.workers.ask(target, self.config.model_dump_json(), player, number, kind)
        self.asked.append(Asked(player, kind, answer))

    def _learn(self, rows: np.ndarray) -> dict[str, torch.Tensor]:
        """Learn from targets in these places of the window."""
        self.rows = rows
        device, scale = self.network.device, self.config.ppo.payoff_scale
        values = torch.as_tensor(self.window.values[rows], device=device).float()
        means = torch.as_tensor(self.window.means[rows], device=device)
        observations = torch.as_tensor(self.window.observations[rows], device=device)
        logits, judged = self.network(observations, values_move_trunk=False)  # they are so noisy
        legal = ~values.isnan()
        values, means = values.nan_to_num() / self.expert_iteration.temperature, means / scale
        logits = logits - (logits * legal).sum(1, keepdim=True) / legal.sum(1, keepdim=True)
        policy_loss = ((logits - values).square() * legal).sum(1).mean()
        with torch.no_grad():
            chances = F.softmax(logits.masked_fill(~legal, FORBIDDEN), 1)
            won = (chances * values).sum(1) * self.expert_iteration.temperature
        value_loss = F.mse_loss(judged, means + won / scale)
        loss = policy_loss + value_loss
        if not torch.isfinite(loss):
            raise FloatingPointError(
                f"the loss is not finite after {self.targets:,} search targets; training stopped, the last "
                "saved checkpoint is intact"
            )
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return {"policy_loss": policy_loss.detach(), "value_loss": value_loss.detach(), "won": won.mean()}

    @property
    def batch(self) -> dict[str, np.ndarray]:
        """What the last gradient step learned from, to be looked at."""
        window = self.window
        return {name: getattr(window, name)[self.rows] for name in ("observations", "values", "means")}

    def chunks(self, first: int) -> Iterator[tuple[int, int, int]]:
        """Yield number, first and last label of the chunks from number `first` on of which targets are still kept."""
        for number, (begin, end) in enumerate(itertools.pairwise([0, *self.ends])):
            if number >= first and end > self.targets - len(self.window):
                yield number, begin, end
