"""The stage in which a network learns from search targets: its loop, and what it saves to resume exactly."""

import contextlib
import copy
import itertools
import json
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import functional as F

from gupai_agents.agent import Agent
from gupai_agents.networks.checkpoint import part, read_checkpoint, under, write_checkpoint
from gupai_agents.networks.network import NetworkAgent
from gupai_agents.play.workers import Answer, Thread, Workers
from gupai_env.core.streams import TARGETS_STREAM
from gupai_env.messages.checks import whole_number
from gupai_training.config import SEARCH_STAGE, Config, ExpertIterationConfig
from gupai_training.network import FORBIDDEN, Network, relative, threads_of
from gupai_training.search_targets import Kind, TargetMaker, Window, target
from gupai_training.stage import Saved, Spent, Stage, checkpoint_errors, counted, measured

TARGETS = "targets-{}.safetensors"  # of a chunk, while this stage is under way


class Asked(NamedTuple):
    """A chunk whose targets are to be computed. player: plays its deals, None for the heuristic."""

    player: Agent | None
    kind: Kind
    targets: Answer


class SearchStage(Stage):
    """Learns from search targets; `step` computes a chunk of targets and takes the gradient steps.

    The deals of a chunk are played by the player that had learned from all chunks before it except the last
    `expert_iteration.ahead`, so that this many chunks can be computed while others are learned from: by workers, or
    without workers by half of the cores.

    Attributes:
        threads: The threads of torch during this stage.
        target_threads: The threads that compute targets.
        average: The average of the network's weights, to which self-rollouts with a magnet draw it; None before. It is
            then the player, and draws its actions.
    """

    name = SEARCH_STAGE
    unit = "targets"
    pauses = True

    def __init__(self, config: Config, network: Network, workers: Workers | None = None) -> None:
        """Make a stage that has learned nothing.

        Args:
            config: The configuration of the run.
            network: What learns.
            workers: Compute the targets, instead of threads of this process.
        """
        self.expert_iteration: ExpertIterationConfig = config.expert_iteration
        optimizer = torch.optim.Adam(network.parameters(), self.expert_iteration.learning_rate, eps=1e-5, fused=True)
        super().__init__(config, network, optimizer, self.expert_iteration.targets, self.expert_iteration.max_minutes)
        self.workers: Workers | None = workers
        self.threads: int = config.threads or torch.get_num_threads()
        self.target_threads: int = self.threads
        self.local_workers: Workers = Workers()  # without threads, a chunk is computed when it is needed
        if workers is None and self.expert_iteration.ahead and self.threads > 1:
            self.local_workers, self.target_threads = Thread(), self.threads // 2
            self.threads -= self.target_threads
        self.requests: deque[Asked] = deque()  # chunks after those of `ends`
        self.target_maker: TargetMaker = TargetMaker(config, self.target_threads, network.device)
        self.ends: list[int] = []  # targets in each chunk and all before it
        self.written: int = 0  # chunks that are in files
        self.window: Window = Window(config.window, config.played[0])
        self.average: Network | None = None
        self.waited: float = 0.0  # seconds of this process, for targets
        self.worked: float = 0.0  # and in all
        self.rng: np.random.Generator = np.random.default_rng([config.seed, TARGETS_STREAM])
        self.rows: np.ndarray = np.zeros(0, np.int64)  # of the window, of the last gradient step

    @property
    def mixes(self) -> bool:  # type: ignore[override]
        return self.average is not None

    @property
    def spent(self) -> Spent:
        return Spent(0.0, self.count, self.seconds)

    def weights(self) -> dict[str, np.ndarray]:
        return (self.average or self.network).tensors()

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        # It may still be computing targets that are no longer needed.
        with threads_of(self.threads, self.target_threads), contextlib.closing(self.local_workers):
            yield

    def step(self) -> dict[str, float]:
        progress, settings = self.progress(), self.expert_iteration
        clock = time.perf_counter()
        while len(self.requests) <= settings.ahead:
            kind = self.kind(progress)
            by_player = kind != Kind.SEARCHED or progress >= settings.heuristic_share
            self.ask(self.player() if by_player else None, kind)
        found_targets = self.requests[0].targets()
        self.waited += time.perf_counter() - clock
        places = self.window.add(found_targets)
        kind = self.requests.popleft().kind
        dealt = kind != Kind.SEARCHED
        if kind == Kind.OWN and settings.magnet and self.average is None:
            self.average = copy.deepcopy(self.network).requires_grad_(False)
        self.count, begun = self.window.made, self.count
        self.ends.append(self.count)
        self.updates = len(self.ends)
        epochs = 1 if dealt else settings.epochs
        batches = max(round(epochs * (self.count - begun) / settings.batch_size), 1)
        self.optimizer.param_groups[0]["lr"] = settings.learning_rate * (1 - progress)
        if dealt:
            # Whole batches: a product of a new size is compiled first, which takes as long as two steps.
            whole = np.resize(self.rng.permutation(places), (batches, settings.batch_size))
            rows = [*whole] if len(places) else []
        else:
            rows = [self.rng.integers(0, len(self.window), settings.batch_size) for _ in range(batches)]
        losses = [self._learn(batch) for batch in rows]
        self.worked += time.perf_counter() - clock
        names = losses[0] if losses else ()  # with few tables there may be no decision with a choice
        means = {f"train/{name}": float(np.mean([float(loss[name]) for loss in losses])) for name in names}
        return {**means, "time/share_of_waiting": self.waited / self.worked}

    def kind(self, progress: float) -> Kind:
        """Return the kind of targets to compute at some progress of the stage."""
        if progress >= 1 - self.expert_iteration.self_rollouts:
            return Kind.OWN
        return Kind.TRUE_HANDS if progress >= 1 - self.expert_iteration.true_hands else Kind.SEARCHED

    def ask(self, player: Agent | None, kind: Kind = Kind.SEARCHED) -> None:
        """Have the next chunk computed, with deals of a player or the heuristic."""
        number = self.updates + len(self.requests)
        if self.workers is None:
            answer = self.local_workers.ask(
                self.target_maker.targets, player or self.target_maker.heuristic, number, kind
            )
        else:
            answer = self.workers.ask(target, self.config.model_dump_json(), player, number, kind)
        self.requests.append(Asked(player, kind, answer))

    def _learn(self, rows: np.ndarray) -> dict[str, torch.Tensor]:
        """Learn from the targets at these rows of the window."""
        self.rows = rows
        device, scale = self.network.device, self.config.payoff_scale
        values = torch.as_tensor(self.window.values[rows], device=device).float()
        means = torch.as_tensor(self.window.means[rows], device=device)
        observations = torch.as_tensor(self.window.observations[rows], device=device)
        logits, judged = self.network(observations, values_move_trunk=False)  # they are so noisy
        legal = ~values.isnan()
        values, means = values.nan_to_num() / self.expert_iteration.temperature, means / scale
        logits = relative(logits, legal)
        goals = values
        if self.average is not None:
            with torch.no_grad():
                goals = values + self.expert_iteration.magnet * relative(self.average(observations)[0], legal)
        policy_loss = ((logits - goals).square() * legal).sum(1).mean()
        with torch.no_grad():
            probabilities = F.softmax(logits.masked_fill(~legal, FORBIDDEN), 1)
            won = (probabilities * values).sum(1) * self.expert_iteration.temperature
        value_loss = F.mse_loss(judged, means + won / scale)
        loss = policy_loss + value_loss
        if not torch.isfinite(loss):
            raise FloatingPointError(
                f"the loss is not finite after {self.count:,} search targets; training stopped, the last "
                "saved checkpoint is intact"
            )
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        if self.average is not None:
            self.average.move_towards(self.network, self.expert_iteration.average_rate)
        return {"policy_loss": policy_loss.detach(), "value_loss": value_loss.detach(), "won": won.mean()}

    @property
    def batch(self) -> dict[str, np.ndarray]:
        """Return what the last gradient step learned from, for inspection."""
        window = self.window
        return {name: getattr(window, name)[self.rows] for name in ("observations", "values", "means")}

    def chunks(self, first: int) -> Iterator[tuple[int, int, int]]:
        """Yield number, first and last target of the chunks from number `first` on that may be learned from again."""
        coming = [*(request.kind for request in self.requests), self.kind(self.progress())]
        if self.progress() >= 1 or Kind.SEARCHED not in coming:  # true-hand targets are learned from once
            return
        for number, (begin, end) in enumerate(itertools.pairwise([0, *self.ends])):
            if number >= first and end > self.count - len(self.window):
                yield number, begin, end

    def save(self, folder: Path) -> None:
        """Write everything that the next step depends on; new targets go into files of their own.

        Targets that will not be learned from again are removed.
        """
        for number, first, end in self.chunks(self.written):
            first = max(first, self.count - len(self.window))
            header = {"kind": "targets", "config": self.config.model_dump(), "first": first, "end": end}
            write_checkpoint(folder / TARGETS.format(number), header, self.window.saved(first, end))
        self.written = len(self.ends)
        super().save(folder)
        current = {TARGETS.format(number) for number, *_ in self.chunks(0)}
        for file in folder.glob(TARGETS.format("*")):
            if file.name not in current:
                file.unlink()

    def saved(self) -> Saved:
        rng_state = json.dumps(self.rng.bit_generator.state)
        requests = [[request.player is None, request.kind] for request in self.requests]
        tensors: dict[str, np.ndarray] = under("average.", self.average.tensors()) if self.average else {}
        for number, request in enumerate(self.requests):
            if isinstance(request.player, NetworkAgent):
                tensors |= under(f"asked.{number}.", request.player.tensors)
        return {"ends": self.ends, "chance": rng_state, "seconds": self.seconds, "asked": requests}, tensors

    def put_back(self, header: dict[str, Any], tensors: dict[str, np.ndarray]) -> None:
        game, variant = self.config.played
        most = self.expert_iteration.tables * game.max_decisions * variant.deals
        ends = [counted("ends", end) for end in header["ends"]]
        for begin, end in itertools.pairwise([0, *ends]):
            whole_number("targets of a chunk", end - begin, 0, most)
        self.rng.bit_generator.state = json.loads(header["chance"])
        self.seconds = measured("seconds", header["seconds"])
        self.ends, self.written, self.updates = ends, len(ends), len(ends)
        if average := part(tensors, "average."):
            self.average = copy.deepcopy(self.network).requires_grad_(False)
            self.average.take(average)
        self.count = self.window.made = ends[-1] if ends else 0
        whole_number("chunks asked for", len(header["asked"]), 0, self.expert_iteration.ahead + 1)
        for number, (by_heuristic, kind) in enumerate(header["asked"]):
            player = None if by_heuristic else self.network_player("now", part(tensors, f"asked.{number}."))
            self.ask(player, Kind(kind))

    def restore(self, folder: Path) -> None:
        """Restore what `save` wrote of a stage with the same configuration.

        Raises:
            CheckpointError: If a file is damaged, missing or belongs to another configuration.
        """
        super().restore(folder)
        for number, first, end in list(self.chunks(0)):
            path = folder / TARGETS.format(number)
            header, tensors = read_checkpoint(path)
            with checkpoint_errors(path):
                if header["kind"] != "targets" or header["config"] != self.config.model_dump() or header["end"] != end:
                    raise ValueError("other targets")
                if not first <= counted("first", header["first"]) < end:
                    raise ValueError(f"targets from {header['first']} to {end}")
                self.window.put_back(tensors, header["first"], end)
