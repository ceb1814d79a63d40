"""A training run from its configuration to the player: the stages in order."""

import contextlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from stable_baselines3.common.logger import Logger, configure

from gupai_agents.networks.checkpoint import CheckpointError, write_checkpoint
from gupai_agents.networks.network import NetworkAgent, require_tensors, tensor_shapes
from gupai_agents.play.workers import Workers, cores
from gupai_env.messages.checks import key_context
from gupai_env.storage.files import PART, locked, mend_lines, write_file
from gupai_env.storage.models import to_yaml
from gupai_training import resume
from gupai_training.config import CONFIG_FILE, METRICS_FILE, RESUME_FILE, SEARCH_STAGE, SELF_PLAY, Config
from gupai_training.learner import Rollout, SelfPlayPPO
from gupai_training.net2net import can_widen, widened
from gupai_training.network import Network, device_of, precision_on, threads_of
from gupai_training.run_folder import Reporter, RunFolder, next_folder
from gupai_training.search_stage import SearchStage
from gupai_training.self_play_stage import SelfPlayStage, build_learner

BATCH_FILE = "batch.safetensors"  # next to a run that met numbers that are not finite


class Run(RunFolder):
    """A training run. `learn` trains to the end, `results` plays the final table.

    Attributes:
        search_stage: The stage that learns from search targets, None without one.
    """

    reporter: Reporter
    logger: Logger

    def __init__(self, config: Config, folder: Path, workers: Workers | None = None) -> None:
        """Make a run in its folder.

        Args:
            workers: Compute targets while this process learns; without them it does both in turn.
        """
        device_of(config.device)  # a GPU that is not there is refused before anything is begun
        super().__init__(config, folder)
        torch.set_num_threads(config.threads or min(torch.get_num_threads(), cores()))
        self.learner: SelfPlayPPO | None = build_learner(config) if config.decisions else None
        self.network: Network = self.learner.network if self.learner else self._build_network()
        self.search_stage: SearchStage | None = (
            SearchStage(config, self.network, workers) if config.expert_iteration.targets else None
        )

    @classmethod
    def begin(cls, config: Config, runs: Path = Path("runs"), workers: Workers | None = None) -> "Run":
        """Build a run, then make the next free folder below `runs` for it and write the configuration there.

        Raises:
            ValueError: If it cannot start as `config.start` says.
        """
        run = cls(config, runs, workers)
        if config.start is not None:
            run._start_from(config.start)
        run.folder = next_folder(runs, config.name or run.game.id)
        text = to_yaml(config.model_dump())
        write_file(run.folder / CONFIG_FILE, text, force=True)
        return run

    @property
    def average(self) -> Network | None:
        return self.search_stage.average if self.search_stage and not self.updates else None

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

    def _build_network(self) -> Network:
        """Return a new network, the same that the learner of self-play starts with."""
        torch.manual_seed(self.config.seed)
        network = Network(self.config.net, self.game.encoder.layout.high, self.game.num_actions)
        network.to(device_of(self.config.device))
        network.precision = precision_on(network.device, self.config.precision)
        return network

    def learn(
        self, *, go_on: bool = False, reporter: Reporter | None = None, stop: Callable[[], bool] = lambda: False
    ) -> bool:
        """Train to the end of the configuration; with `go_on`, resume from the last save.

        `stop` is asked between two updates; once it is true, the run is saved. Returns whether the end was reached.

        Raises:
            ValueError: If another process trains this run.
            CheckpointError: If what was saved does not fit it.
            FloatingPointError: For numbers that are not finite: BATCH_FILE then holds what was learned from.
        """
        self.reporter = reporter or Reporter()
        with locked(self.folder, "training this run"):
            stage = self._saved_stage() if go_on else None
            self._mend()
            self.logger = configure(str(self.folder), ["tensorboard"])
            source: SearchStage | Rollout  # where the numbers that are learned from come from
            finished = True
            try:
                if self.search_stage and stage != SELF_PLAY:
                    source = self.search_stage
                    limited = threads_of(self.search_stage.threads, self.search_stage.target_threads)
                    # It may still be computing targets that are no longer needed.
                    with limited, contextlib.closing(self.search_stage.local_workers):
                        finished = self.search_stage.learn(self, stage == SEARCH_STAGE, stop)
                    self.reporter.close()
                if self.learner and finished:
                    source = self.learner.rollout
                    finished = SelfPlayStage(self, self.learner).learn(stage == SELF_PLAY, stop)
            except FloatingPointError:
                write_checkpoint(self.folder / BATCH_FILE, {"kind": "batch"}, source.batch)
                raise
            finally:
                self.reporter.close()
                self.logger.close()
        return finished

    def _mend(self) -> None:
        """Remove what a killed process left half written."""
        for leftover in self.folder.glob(f"*{PART}"):
            leftover.unlink()
        metrics = self.folder / METRICS_FILE
        if cut := mend_lines(metrics):
            self.reporter.note(
                f"{metrics} ended within a row, as a killed process leaves it; these {cut:,} bytes are cut off"
            )

    def _saved_stage(self) -> str:
        """Return in which stage the run was saved last."""
        stages = {SEARCH_STAGE: self.config.expert_iteration.targets, SELF_PLAY: self.config.decisions}
        stage = resume.stage_of(self.folder / RESUME_FILE)
        if not stages[stage]:
            raise CheckpointError(
                f"{self.folder / RESUME_FILE}: saved in the stage {stage}, which this run does not have"
            )
        return stage
