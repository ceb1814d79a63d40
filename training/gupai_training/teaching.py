"""Teaching by search: a network learns what every legal action is worth in deals that its seat's view allows.

Positions come from whole deals, some of whose moves are random; in each of them search tries every legal action in the
same few deals, so that the luck of a deal, most of the noise, cancels where actions are compared. Many cheap noisy
labels teach more than few good ones. The newest labels are kept in a window, and each is learned from a few times.

Search makes nothing of what the others chose to do. So in the last part of the stage, `teach.dealt`, every action is
tried in the deal that lies on the table instead: there the others' choices and hands belong together, and who learns
from many such deals learns what a choice tells. These labels are so cheap that each is learned from once.
There the style plays on for the network too, and at the very end, `teach.own_playouts`, the network itself, or one
that plays like it and is smaller (`teach.plays_on`).

Networks of several seeds err in different ways: what they think on average, `teach.ensemble`, is a better label there.
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
from gupai_agents.network import NetworkAgent
from gupai_agents.registry import agent_of_data, style_agent
from gupai_agents.search import Plan, SearchAgent
from gupai_agents.styles import StyleAgent
from gupai_agents.workers import Answer, Thread, Workers, pause
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key, derive
from gupai_env.core.streams import TEACHING_STREAM
from gupai_env.games import get_game
from gupai_env.vector import Lanes
from gupai_training.config import Config
from gupai_training.dealt import Scorer, chips_in_deals, chips_played_out
from gupai_training.network import FORBIDDEN, Network, precision_on

CPU = torch.device("cpu")


class Kind(IntEnum):
    """How labels are made: by search; in the deal that lies on the table; there, played out by the network itself."""

    SEARCHED = 0
    DEALT = 1
    OWN = 2


class Labels(NamedTuple):
    """Positions and what search found. observations: int8 [N, layout.size], of the seat to act.

    values: float32 [N, num_actions], chips by which an action is better than the mean of all that are legal; NaN where
    it is not. means: float32 [N], that mean.
    """

    observations: np.ndarray
    values: np.ndarray
    means: np.ndarray


class Teacher:
    """Makes labels; those of a number and a player are always the same."""

    def __init__(self, config: Config, threads: int, device: torch.device = CPU) -> None:
        """Args: device: where a network plays out."""
        game = get_game(config.game)
        variant = game.variant.make(**config.variant)
        plan = Plan(playouts=config.teach.playouts, threads=threads)
        self.config, self.threads, self.device = config, threads, device
        self.dtype = getattr(torch, precision_on(device, config.precision))
        self.style = style_agent(config.playing_style, game, variant)
        self.search = SearchAgent(game, variant, "teacher", self.style.weights, plan=plan)
        self.others = [agent_of_data(name, game, variant) for name in config.rules]
        self.ensemble = [self._scorer(spec) for spec in config.teach.ensemble]
        self.plays_on = self._scorer(config.teach.plays_on) if config.teach.plays_on else None
        self.playing = [who if isinstance(who, StyleAgent) else self.style for who in self.others]  # on
        self.styles = np.array([[self.style.weights, who.weights] for who in (self.style, *self.playing)])

    def labels(self, player: Agent, number: int, kind: Kind = Kind.SEARCHED) -> Labels:
        """Return labels of all of a player's decisions with a choice in whole deals.

        It has every seat; where they are not searched only at as many tables as each of the rule-based players has all
        others at. There a network draws from its policy, so that it does not learn to trust in what it always does
        itself.
        """
        dealt = kind != Kind.SEARCHED
        teach, game = self.config.teach, self.style.game
        seed = derive(derive(as_key(self.config.seed), TEACHING_STREAM), number)
        lanes = Lanes(game, teach.tables, seed=seed, renew=False, skip_forced=True, **self.config.variant)
        chance = np.random.default_rng([self.config.seed, number])
        villains = (
            self._villains(lanes, chance) if dealt else np.zeros((teach.tables, game.max_seats), np.int64)
        )
        wild, own = 0.0 if dealt else teach.random_moves, None
        if dealt and isinstance(player, NetworkAgent):
            scorer = Scorer(player, self.device, self.dtype)
            own = (self.plays_on or scorer) if kind == Kind.OWN else None
            player = player.drawing()
            player.score = scorer.scores  # the same, faster
        parts = []
        for rows, turns, actions in decisions(lanes, [player, *self.others], villains):
            pause()
            asked = np.flatnonzero((villains[rows, lanes.seats[rows]] == 0) & (turns.masks.sum(1) > 1))
            at, few = rows[asked], turns.at(asked)
            if dealt:
                chips = self._in_deals(lanes, few.masks, at, villains[at].max(1), own).astype(np.float32)
            else:
                chips = self.search.values(few, halving=False).means.astype(np.float32)
            means = np.nanmean(chips, 1)
            parts.append(Labels(lanes.observations[at], chips - means[:, None], means))
            drawn = chance.random(len(rows)) < wild
            actions[drawn] = lanes.sample(int(chance.integers(1 << 40)))[rows[drawn]]
        return Labels(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _in_deals(
        self, lanes: Lanes, masks: np.ndarray, at: np.ndarray, styled: np.ndarray, own: Scorer | None
    ) -> np.ndarray:
        """Return what every legal action wins in the deals themselves, float64 [N, num_actions]; NaN where not legal.

        The style goes on for the player; of an ensemble, networks tell how much actions differ, and playouts only what
        they win on average.

        Args:
            lanes: The deals.
            masks: The legal actions of the decisions, bool [N, num_actions].
            at: Their lanes, int [N].
            styled: The number of the players who have the other seats, int [N].
            own: The network that goes on for the player instead, if one does.
        """
        states = lanes.states[at]
        if own is not None:
            return chips_played_out(lanes.game, lanes.variant, own, self.playing, styled, states, masks)
        chips = chips_in_deals(lanes.game, lanes.rules, self.styles, styled, states, masks, self.threads)
        if not self.ensemble:
            return chips
        scores, weight = np.zeros(masks.shape), self.config.teach.temperature / len(self.ensemble)
        for each in self.ensemble:
            scores += each.scores(lanes.observations[at]) * weight
        scores[~masks] = np.nan
        return scores + (np.nanmean(chips, 1) - np.nanmean(scores, 1))[:, None]

    def _scorer(self, spec: str) -> Scorer:
        """Return the network that a configuration names."""
        player = agent_of_data(spec, self.style.game, self.search.variant)
        assert isinstance(player, NetworkAgent), spec  # a configuration was checked
        return Scorer(player, self.device, self.dtype)

    def _villains(self, lanes: Lanes, chance: np.random.Generator) -> np.ndarray:
        """Return who has each seat, int64 [tables, max_seats]: 0 the player, else the number of one of the others."""
        tables, seats = lanes.num_lanes, self.style.game.max_seats
        villains = np.repeat(np.arange(tables)[:, None] % (1 + len(self.others)), seats, 1)
        villains[np.arange(tables), chance.integers(0, lanes.variant.players, tables)] = 0
        return villains


class Asked(NamedTuple):
    """A chunk that is to be labelled. player: who plays its deals, None for the style."""

    player: Agent | None
    kind: Kind
    labels: Answer


@functools.lru_cache(maxsize=1)
def _teacher(config: str) -> Teacher:
    return Teacher(Config.model_validate_json(config), threads=1)  # a worker is one core


def label(config: str, player: Agent | None, number: int, kind: Kind) -> Labels:
    """Return what `Teacher.labels` does, as a task for workers; config: as JSON."""
    teacher = _teacher(config)
    return teacher.labels(player or teacher.style, number, kind)


class Window:
    """The newest labels, in the order in which they were made; a full one forgets the oldest."""

    def __init__(self, size: int, game: Game) -> None:
        layout = game.encoder.layout
        self.bounds = layout.low, layout.high
        self.observations = np.zeros((size, layout.size), np.int8)
        self.values = np.zeros((size, game.num_actions), np.float16)
        self.means = np.zeros(size, np.float32)
        self.made = 0  # in all

    def __len__(self) -> int:
        return min(self.made, len(self.means))

    def add(self, labels: Labels) -> np.ndarray:
        """Take labels in, the newest of them if they are more than fit; return their places. Raises: ValueError."""
        most = float(np.finfo(self.values.dtype).max)
        if np.fmax.reduce(np.abs(labels.values), None, initial=0) > most:
            raise ValueError(f"labels of more than {most:,.0f} chips do not fit; play for smaller stakes")
        size = len(self.means)
        places = (self.made + np.arange(len(labels.means)))[-size:] % size
        kept: list[np.ndarray] = [self.observations, self.values, self.means]
        for array, new in zip(kept, labels, strict=True):
            array[places] = new[-size:]
        self.made += len(labels.means)
        return places

    def saved(self, first: int, end: int) -> dict[str, np.ndarray]:
        """Return labels `first` to `end`, counted from the first that was ever made, for `put_back`."""
        places = np.arange(first, end) % len(self.means)
        values = self.values[places]
        return {
            "observations": self.observations[places],
            "legal": ~np.isnan(values),
            "values": np.nan_to_num(values),
            "means": self.means[places],
        }

    def put_back(self, tensors: dict[str, np.ndarray], first: int, end: int) -> None:
        """Take in what `saved` returned; raises ValueError or KeyError for labels that do not fit."""
        values = np.where(tensors["legal"], tensors["values"], np.nan).astype(np.float32)
        labels = Labels(tensors["observations"], values, tensors["means"])
        shapes = ((self.observations.shape[1],), (self.values.shape[1],), ())
        for name, array, shape in zip(Labels._fields, labels, shapes, strict=True):
            if array.shape != (end - first, *shape):
                raise ValueError(f"{name} {list(array.shape)} of {end - first} labels")
        if not tensors["legal"].any(1).all():
            raise ValueError("labels without a legal action")
        low, high = self.bounds
        if not ((labels.observations >= low) & (labels.observations <= high)).all():
            raise ValueError("observations out of range")
        self.made = first
        self.add(labels)


class Teaching:
    """The stage in which search teaches a network: `step` makes labels and learns from them, until `progress` is 1.

    A chunk is labelled with the player that had learned from all chunks but the last `teach.ahead` before it, so that
    that many chunks can be labelled while others are learned from: by workers, or without them by half of the cores.

    Attributes: threads: of torch, while this stage lasts. labelling: cores that label.
    """

    def __init__(self, config: Config, network: Network, workers: Workers | None = None) -> None:
        self.config, self.teach, self.network = config, config.teach, network
        self.workers = workers
        self.threads = self.labelling = config.threads or torch.get_num_threads()
        self.beside = Workers()  # which does what it is asked for when that is needed
        if workers is None and self.teach.ahead and self.threads > 1:
            self.beside, self.labelling = Thread(), self.threads // 2
            self.threads -= self.labelling
        self.asked: deque[Asked] = deque()  # chunks after those of `ends`
        self.teacher = Teacher(config, self.labelling, network.device)
        self.ends: list[int] = []  # labels made with each chunk and before it
        self.written = 0  # chunks that are in files
        self.window = Window(config.window, self.teacher.style.game)
        self.optimizer = torch.optim.Adam(network.parameters(), lr=self.teach.learning_rate, eps=1e-5)
        self.seconds = 0.0  # as the run has told
        self.chance = np.random.default_rng([config.seed, TEACHING_STREAM])
        self.rows = np.zeros(0, np.int64)  # of the window, of the last gradient step

    @property
    def most_labels(self) -> int:
        """No chunk has more."""
        return self.teach.tables * self.teacher.style.game.max_decisions * self.teacher.search.variant.deals

    @property
    def labels(self) -> int:
        """How many were made."""
        return self.window.made

    def progress(self) -> float:
        """Return how much of the stage is done, 0..1, by labels or by time, whichever is further."""
        done = self.labels / self.teach.labels
        if self.teach.max_minutes:
            done = max(done, self.seconds / (60 * self.teach.max_minutes))
        return min(1.0, done)

    def step(self, player: Agent) -> dict[str, float]:
        """Label a chunk of positions of a player's games, then learn; returns what is to be logged."""
        begun, progress = self.labels, self.progress()
        while len(self.asked) <= self.teach.ahead:
            kind = self.kind(progress)
            by_player = kind != Kind.SEARCHED or progress >= self.teach.style_games
            self.ask(player if by_player else None, kind)
        places = self.window.add(self.asked[0].labels())
        dealt = self.asked.popleft().kind != Kind.SEARCHED
        self.ends.append(self.labels)
        passes = 1 if dealt else self.teach.passes
        batches = max(round(passes * (self.labels - begun) / self.teach.batch_size), 1)
        self.optimizer.param_groups[0]["lr"] = self.teach.learning_rate * (1 - progress)
        if dealt:
            rows = np.array_split(self.chance.permutation(places), batches) if len(places) else []
        else:
            size = self.teach.batch_size
            rows = [self.chance.integers(0, len(self.window), size) for _ in range(batches)]
        found = [self._learn(each) for each in rows]
        names = found[0] if found else ()  # at a few tables nobody may have had a choice
        return {name: float(np.mean([float(each[name]) for each in found])) for name in names}

    def kind(self, progress: float) -> Kind:
        """Return how labels are made that are asked for when so much of the stage is done."""
        if progress >= 1 - self.teach.own_playouts:
            return Kind.OWN
        return Kind.DEALT if progress >= 1 - self.teach.dealt else Kind.SEARCHED

    def looks_back(self) -> bool:
        """Return whether labels of the window may be learned from again: those of deals as they are dealt are not."""
        coming = [*(asked.kind for asked in self.asked), self.kind(self.progress())]
        return self.progress() < 1 and Kind.SEARCHED in coming

    def ask(self, player: Agent | None, kind: Kind = Kind.SEARCHED) -> None:
        """Have the next chunk labelled that was not asked for, with a player or the style."""
        number = len(self.ends) + len(self.asked)
        if self.workers is None:
            answer = self.beside.ask(self.teacher.labels, player or self.teacher.style, number, kind)
        else:
            answer = self.workers.ask(label, self.config.model_dump_json(), player, number, kind)
        self.asked.append(Asked(player, kind, answer))

    def _learn(self, rows: np.ndarray) -> dict[str, torch.Tensor]:
        """Learn from labels in these places of the window."""
        self.rows = rows
        device, scale = self.network.device, self.config.ppo.payoff_scale
        values = torch.as_tensor(self.window.values[rows], device=device).float()
        means = torch.as_tensor(self.window.means[rows], device=device)
        observations = torch.as_tensor(self.window.observations[rows], device=device)
        logits, judged = self.network(observations, values_move_trunk=False)  # they are so noisy
        legal = ~values.isnan()
        values, means = values.nan_to_num() / self.teach.temperature, means / scale
        logits = logits - (logits * legal).sum(1, keepdim=True) / legal.sum(1, keepdim=True)
        policy_loss = ((logits - values).square() * legal).sum(1).mean()
        with torch.no_grad():
            chances = F.softmax(logits.masked_fill(~legal, FORBIDDEN), 1)
            won = (chances * values).sum(1) * self.teach.temperature
        value_loss = F.mse_loss(judged, means + won / scale)
        loss = policy_loss + value_loss
        if not torch.isfinite(loss):
            raise FloatingPointError(
                f"the loss of teaching is not finite after {self.labels:,} labels; training stopped, the last saved "
                "checkpoint is intact"
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
        """Yield number, first and last label of the chunks from number `first` on of which labels are still kept."""
        for number, (begin, end) in enumerate(itertools.pairwise([0, *self.ends])):
            if number >= first and end > self.labels - len(self.window):
                yield number, begin, end
