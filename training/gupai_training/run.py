"""A training run from its configuration to the player: one loop for all stages, and the folder that it writes.

runs/NAME-1/  config.yaml           the resolved configuration
              agent.safetensors     the player: averaged weights, see `gupai_agents.networks.checkpoint`
              resume.safetensors    everything needed to resume exactly
              targets-*.safetensors  search targets that are still learned from; removed when that stage ends
              metrics.jsonl         a row for each evaluation against the baselines
              lock                  held by the process that trains
              events.out.tfevents.* the same and more for TensorBoard
"""

import contextlib
import itertools
import json
import platform
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat, configure
from tensorboard.compat.proto.event_pb2 import Event, SessionLog

from gupai_agents.agent import Agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.exact.all_hands import HandTree, offers_hands
from gupai_agents.evaluation.exact.tree import GameTree, build_tree
from gupai_agents.evaluation.matches.match import DuplicateResult
from gupai_agents.networks.checkpoint import AGENT_FILE, CheckpointError, identity, read_header, write_checkpoint
from gupai_agents.networks.network import NetworkAgent, require_tensors, tensor_shapes
from gupai_agents.play.workers import LostError, StoppedError, Workers, cores, installed, stoppable
from gupai_agents.registry import agent_names, agent_of_data
from gupai_env.core.game import Game
from gupai_env.core.variant import TINY, Variant
from gupai_env.messages.checks import key_context, short_repr
from gupai_env.storage.files import PART, json_text, locked, make_folder, mend_lines, naming, write_file
from gupai_env.storage.models import to_yaml
from gupai_training.config import (
    CONFIG_FILE,
    METRICS_FILE,
    PPO,
    RESUME_FILE,
    SEARCH_STAGE,
    SELF_PLAY,
    Config,
    learner_of,
    register_learner,
)
from gupai_training.curves import LOSSES
from gupai_training.learner import SelfPlay
from gupai_training.net2net import can_widen, widened
from gupai_training.network import Network, build_network
from gupai_training.search_stage import SearchStage
from gupai_training.stage import Spent, Stage

BATCH_FILE = "batch.safetensors"  # next to a run that met numbers that are not finite
FINAL_SEED = 1_000_003  # the deals of the final table are not those of the evaluations during the run

register_learner(PPO, SelfPlay)


def next_folder(runs: Path, name: str) -> Path:
    """Make and return the first of `NAME-1`, `NAME-2`, ... below `runs` that does not exist yet."""
    make_folder(runs)
    for number in itertools.count(1):
        with contextlib.suppress(FileExistsError):
            (runs / f"{name}-{number}").mkdir()
            return runs / f"{name}-{number}"
    raise AssertionError


class Row(NamedTuple):
    """One line of the table of results: a duel of `hero` against `villain` in all other seats."""

    hero: str
    villain: str
    result: DuplicateResult


class Reporter:
    """Is notified of the progress of a run; this one is silent."""

    def note(self, line: str) -> None:
        """There is a message about the run's folder."""

    def begin(self, stage: str, progress: float) -> None:
        """A stage begins, or is resumed; progress is 0..1."""

    def moved(self, progress: float, number: int, unit: str, seconds: float) -> None:
        """A stage has learned in a step.

        Args:
            progress: How much of the stage is done, 0..1.
            number: Targets or decisions that it has learned from so far.
            unit: Which of the two: "targets" or "decisions".
            seconds: What it took so far.
        """

    def evaluated(self, row: dict[str, Any]) -> None:
        """The player was evaluated against the baselines."""

    def dealt(self, deals: int) -> None:
        """Deals of the final table were played."""

    def close(self) -> None:
        """A stage ends, or the run stops."""


class Run:
    """A training run. `learn` trains to the end, `results` plays the final table.

    Attributes:
        network: The network that learns, in all stages.
        search_stage: The stage that learns from search targets, None without one.
        learner: The stage of self-play, None without one.
        stages: Those that there are, in order.
        stage: The one that learns, or learned last.
        tree: The game tree, on a deck that is small enough.
    """

    def __init__(self, config: Config, folder: Path, workers: Workers | None = None) -> None:
        """Make a run in its folder.

        Args:
            config: What it does.
            folder: Where it writes.
            workers: Compute targets while this process learns; without them it does both in turn.

        Raises:
            ValueError: The device is not there.
        """
        self.network: Network = build_network(config)  # a GPU that is not there is refused before anything is begun
        self.config: Config = config
        self.folder: Path = folder
        self.game: Game = config.played[0]
        self.variant: Variant = config.played[1]
        self.logger: Logger = Logger(None, [])  # until the run learns
        self.reporter: Reporter = Reporter()
        baselines = config.evaluation.baselines
        named = agent_names(self.game, self.variant) if baselines is None else baselines
        self.baselines: dict[str, Agent] = {name: self.player(name) for name in named}
        self.tree: GameTree | HandTree | None = None
        if self.variant.deck == TINY or offers_hands(self.game, self.variant):
            with contextlib.suppress(ValueError):  # with some options it is too large
                self.tree = build_tree(self.game, **self.variant.changed())
        torch.set_num_threads(config.threads or min(torch.get_num_threads(), cores()))
        search = config.expert_iteration.targets
        self.search_stage: SearchStage | None = SearchStage(config, self.network, workers) if search else None
        self.learner: Stage | None = learner_of(config.learner)(config, self.network) if config.decisions else None
        self.stages: list[Stage] = [stage for stage in (self.search_stage, self.learner) if stage]
        self.stage: Stage = self.stages[0]

    @classmethod
    def begin(cls, config: Config, runs: Path = Path("runs"), workers: Workers | None = None) -> "Run":
        """Build a run, then make the next free folder for it and write the configuration there.

        Args:
            config: What it does.
            runs: The folder below which it gets its own.
            workers: As of `Run`.

        Raises:
            ValueError: If it cannot start as `config.start` says.
        """
        run = cls(config, runs, workers)
        if config.start is not None:
            run._start_from(config.start)
        run.folder = next_folder(runs, config.name or run.game.id)
        write_file(run.folder / CONFIG_FILE, to_yaml(config.model_dump()), force=True)
        return run

    def _start_from(self, spec: str) -> None:
        agent = self.player(spec)
        if not isinstance(agent, NetworkAgent):
            raise ValueError(f"start={spec}: not a network, but a player of another kind")
        net, tensors = self.config.net, agent.tensors
        if can_widen(agent.net, net):
            tensors = widened(tensors, net, self.game, np.random.default_rng(self.config.seed))
        with key_context(f"start={spec}"):
            require_tensors(tensors, tensor_shapes(net, self.game.encoder.layout.size, self.game.num_actions))
        self.network.take(tensors)

    @property
    def agent_file(self) -> Path:
        """The checkpoint of the player."""
        return self.folder / AGENT_FILE

    @property
    def spent(self) -> Spent:
        """What the run has used so far."""
        return self.stage.spent

    @property
    def decisions(self) -> int:
        """Decisions of self-play that were learned from."""
        return self.learner.count if self.learner else 0

    @property
    def updates(self) -> int:
        """Updates of self-play."""
        return self.learner.updates if self.learner else 0

    @property
    def source(self) -> Stage:
        """The stage whose player is the run's: the last one that has learned."""
        return next((stage for stage in reversed(self.stages) if stage.updates), self.stages[0])

    def player(self, spec: str) -> Agent:
        """Return a player of this run's game and variant, but none of a factory: names in a file must not run code."""
        return agent_of_data(spec, self.game, self.variant)

    def learn(
        self, *, go_on: bool = False, reporter: Reporter | None = None, stop: Callable[[], bool] = lambda: False
    ) -> bool:
        """Train to the end of the configuration; return whether it was reached.

        Args:
            go_on: Whether to resume from the last save.
            reporter: Is notified of the progress.
            stop: Asked between two steps; once it is true, the run is saved.

        Raises:
            ValueError: If another process trains this run.
            CheckpointError: If what was saved does not fit it.
            FloatingPointError: For numbers that are not finite: BATCH_FILE then holds what was learned from.
        """
        self.reporter = reporter or Reporter()
        with locked(self.folder, "training this run"):
            first = self._saved_stage() if go_on else 0
            self._mend()
            self.logger = configure(str(self.folder), ["tensorboard"])
            try:
                for number, stage in enumerate(self.stages[first:]):
                    stage.before, self.stage = self.spent, stage
                    with stage.running(), stoppable(stop if stage.pauses else lambda: False):
                        if not self._learn(stage, go_on and not number, stop):
                            return False
                    self.reporter.close()
            except FloatingPointError:
                write_checkpoint(self.folder / BATCH_FILE, {"kind": "batch"}, self.stage.batch)
                raise
            finally:
                self.reporter.close()
                self.logger.close()
        return True

    def _learn(self, stage: Stage, go_on: bool, stop: Callable[[], bool]) -> bool:
        """Run a stage to its end; return whether it was reached."""
        if go_on:
            stage.restore(self.folder)
            self._forget_what_comes_again()
        else:
            self._save()  # what is logged from now on can be resumed
        stage.ticked = time.monotonic()
        self.reporter.begin(stage.name, stage.progress())
        while stage.progress() < 1:
            try:
                if stop():
                    raise StoppedError
                count, figures = stage.count, stage.step()
            except (LostError, StoppedError) as error:  # before anything was learned in this step
                stage.tick()
                self._save()
                if isinstance(error, LostError):
                    raise
                return False
            stage.tick()
            ended = stage.progress() >= 1
            if not ended and stage.count == count:
                raise ValueError(f"{type(stage).__name__}.step() added nothing to count, so it would never end")
            self.reporter.moved(stage.progress(), stage.count, stage.unit, stage.seconds)
            for name, value in figures.items():
                self.logger.record(name, value)
            if ended or stage.updates % self.config.evaluation.every == 0:
                self._report_evaluation(figures)
            self.logger.dump(self.spent.targets + self.decisions)
            if ended or stage.updates % self.config.save_every == 0:
                self._save()
        return True

    def _mend(self) -> None:
        """Remove what a killed process left half written."""
        for leftover in self.folder.glob(f"*{PART}"):
            leftover.unlink()
        metrics = self.folder / METRICS_FILE
        if cut := mend_lines(metrics):
            self.reporter.note(
                f"{metrics} ended within a row, as a killed process leaves it; these {cut:,} bytes are cut off"
            )

    def _saved_stage(self) -> int:
        """Return the number of the stage in which the run was saved last; raises CheckpointError without one."""
        path = self.folder / RESUME_FILE
        header = read_header(path)
        if header.get("kind") != "resume":
            raise CheckpointError(f"{path}: a player, not a run to resume")
        name, there = header.get("stage"), [stage.name for stage in self.stages]
        if name not in (SEARCH_STAGE, SELF_PLAY, *there):
            raise CheckpointError(f"{path}: saved in a stage that is unknown here, {short_repr(name)}")
        if name not in there:
            raise CheckpointError(f"{path}: saved in the stage {name}, which this run does not have")
        return there.index(name)

    def _save(self) -> None:
        """Write the player and everything that the next step depends on."""
        self.save_agent()
        self.stage.save(self.folder)

    def save_agent(self) -> None:
        """Write the player's checkpoint: the same bytes after the same training, so nothing that a clock says."""
        header = {
            **identity(self.game, self.variant),
            "kind": "player",
            "net": self.config.net,
            "weights": "averaged",
            "mixes": self.source.mixes,
            "precision": self.network.precision,
            "payoff_scale": self.config.payoff_scale,
            "gamma": self.config.ppo.gamma,
            "targets": self.spent.targets,
            "decisions": self.decisions,
            "updates": self.updates,
            "seed": self.config.seed,
            "versions": installed("gupai", "numpy", "torch", "numba", "sb3-contrib")
            | {"python": platform.python_version()},
            "licence": "MIT",
        }
        write_checkpoint(self.agent_file, header, self.source.weights())

    def results(self, reporter: Reporter | None = None) -> Iterator[Row]:
        """Load the saved player and duel it with every baseline, as hero and as the other seats."""
        deals, seed = self.config.evaluation.final_deals, self.config.seed + FINAL_SEED
        options = {"seed": seed, "progress": (reporter or Reporter()).dealt, **self.variant.changed()}
        trained = self.player(f"checkpoint:{self.agent_file}")
        for name, baseline in self.baselines.items():
            yield Row("trained", name, duel(self.game, trained, baseline, deals, **options))
            yield Row(name, "trained", duel(self.game, baseline, trained, deals, **options))

    def _report_evaluation(self, figures: dict[str, float]) -> None:
        """Evaluate the player into the logs and a row of `metrics.jsonl`, with the losses of the last step."""
        row = self.evaluate() | {"seconds": round(self.spent.seconds + self.spent.search_seconds, 1)}
        if losses := {name: figures[f"train/{name}"] for name in LOSSES if f"train/{name}" in figures}:
            row["losses"] = losses
        for name in self.baselines:
            for part in ("mean", "low", "high"):
                if row[name][part] is not None:
                    self.logger.record(f"eval/{name}_{part}", row[name][part])
        for how, chips in row.get("exploitability", {}).items():
            self.logger.record(f"eval/exploitability_{how}", chips)
        path = self.folder / METRICS_FILE
        with naming(path), path.open("a", encoding="utf-8") as file:
            file.write(json_text(row) + "\n")
        self.reporter.evaluated(row)

    def evaluate(self) -> dict[str, Any]:
        """Evaluate the current player against the baselines.

        On a tiny deck also its exploitability in chips per deal, when it plays its best actions and when it draws.
        """
        deals, seed = self.config.evaluation.deals, self.config.seed
        row: dict[str, Any] = {"targets": self.spent.targets, "decisions": self.decisions, "updates": self.updates}
        player = self.source.player()
        for name, baseline in self.baselines.items():
            mean = duel(self.game, player, baseline, deals, seed=seed, **self.variant.changed()).mean(0)
            row[name] = mean.as_numbers()
        if self.tree:
            best = self.source.network_player("best", player.tensors)
            row["exploitability"] = {
                how: self.tree.exploitability(self.tree.policy([agent] * self.tree.players))
                for how, agent in (("best", best), ("drawn", player.drawing()))
            }
        return row

    def _forget_what_comes_again(self) -> None:
        """Drop what a killed process has logged after the last save, from which this one resumes.

        Its evaluations are removed from `metrics.jsonl`; TensorBoard ignores the later steps of older files.
        """
        targets, decisions = self.spent.targets, self.decisions
        file = self.folder / METRICS_FILE
        if file.exists():
            lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
            remaining = [line for line in lines if _covered_by(line, targets, decisions)]
            if remaining != lines:
                write_file(file, "".join(remaining), force=True)
        for output in self.logger.output_formats:
            if isinstance(output, TensorBoardOutputFormat):
                start = Event(session_log=SessionLog(status=SessionLog.START))
                output.writer._get_file_writer().add_event(start, targets + decisions + 1)


def _covered_by(line: str, targets: int, decisions: int) -> bool:
    """True unless a row of `metrics.jsonl` is from a later point than this."""
    try:
        row = json.loads(line)
        return bool(row["targets"] <= targets and row["decisions"] <= decisions)
    except (ValueError, KeyError, TypeError):
        return True  # whoever reads it says that it is damaged
