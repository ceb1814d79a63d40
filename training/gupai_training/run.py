"""A training run from its configuration to the table of results, in a folder of its own.

runs/NAME-1/  config.yaml           the resolved configuration
              agent.safetensors     the player: averaged weights, see `gupai_agents.checkpoint`
              resume.safetensors    everything needed to go on exactly
              metrics.jsonl         a row for each look at the baselines
              lock                  held by the process that trains
              events.out.tfevents.* the same and more for TensorBoard
"""

import contextlib
import itertools
import json
import math
import platform
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import yaml
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

from gupai_agents.agent import Agent
from gupai_agents.checkpoint import PART, identity, write_atomic, write_checkpoint
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.match import DuplicateResult
from gupai_agents.network import NetworkAgent
from gupai_agents.registry import agent_names, make_agent
from gupai_env.games import get_game
from gupai_training import resume
from gupai_training.config import CONFIG_FILE, RESUME_FILE, Config
from gupai_training.learner import SelfPlayPPO, Trunk
from gupai_training.lock import locked
from gupai_training.opponents import OpponentPool
from gupai_training.selfplay import SelfPlayVecEnv

FINAL_SEED = 1_000_003  # the deals of the final table are not those of the looks during the run


def require_device(device: str) -> None:
    """Raise ValueError for a GPU that is not there; SB3 would take the CPU without a word."""
    name, _, number = device.partition(":")
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if name == "cuda" and int(number or 0) >= found:
        raise ValueError(f'device={device}: torch finds {found or "no"} GPU here; choose "cpu" or "auto"')


def next_folder(runs: Path, name: str) -> Path:
    """Make and return the first of `NAME-1`, `NAME-2`, ... below `runs` that nobody has made before."""
    runs.mkdir(parents=True, exist_ok=True)
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


class Run:
    """A training run. `learn` trains to the end, `results` plays the final table."""

    def __init__(self, config: Config, folder: Path) -> None:
        self.config, self.folder = config, folder
        self.game = get_game(config.game)
        self.variant = self.game.variant.make(**config.variant)
        self.net = {"type": "mlp", "hidden": list(config.network.hidden), "activation": "relu"}
        require_device(config.device)
        torch.set_num_threads(config.threads or torch.get_num_threads())
        self.learner = self._build_learner()
        self.seconds = 0.0  # trained before this process
        baselines = config.evaluation.baselines
        named = agent_names(self.game) if baselines is None else baselines
        self.baselines = {name: self.player(name) for name in named}

    @classmethod
    def begin(cls, config: Config, runs: Path = Path("runs")) -> "Run":
        """Build a run, then open the next free folder below `runs` for it and write the configuration there."""
        run = cls(config, runs)
        run.folder = next_folder(runs, config.name or run.game.id)
        text = yaml.safe_dump(config.model_dump(), sort_keys=False)
        write_atomic(run.folder / CONFIG_FILE, text.encode())
        return run

    @property
    def agent_file(self) -> Path:
        """The checkpoint of the player."""
        return self.folder / "agent.safetensors"

    def player(self, spec: str) -> Agent:
        """Return a player of this run's game and variant."""
        return make_agent(spec, self.game, **self.config.variant)

    def _build_learner(self) -> SelfPlayPPO:
        config, ppo = self.config, self.config.ppo
        rng = np.random.default_rng(config.seed)
        chosen = config.pool
        self.pool = pool = OpponentPool(
            self.variant.players, rng, chosen.self_share, chosen.size, chosen.rule_share
        )
        for name in self.game.styles if chosen.rules is None else chosen.rules:
            pool.add(self.player(name), born=0, scripted=True)
        env = SelfPlayVecEnv(
            self.game.id, ppo.lanes, pool, seed=config.seed, payoff_scale=ppo.payoff_scale, **config.variant
        )
        learner = SelfPlayPPO(
            "MlpPolicy",
            env,
            n_steps=ppo.steps,
            batch_size=ppo.batch_size,
            n_epochs=ppo.epochs,
            learning_rate=lambda progress: ppo.learning_rate * progress,
            gamma=ppo.gamma,
            gae_lambda=ppo.gae_lambda,
            clip_range=ppo.clip_range,
            ent_coef=ppo.entropy,
            ent_coef_end=ppo.entropy_end,
            vf_coef=ppo.value_coef,
            max_grad_norm=ppo.max_grad_norm,
            target_kl=ppo.target_kl,
            average_rate=ppo.average_rate,
            policy_kwargs={
                "features_extractor_class": Trunk,
                "features_extractor_kwargs": {"hidden": list(config.network.hidden)},
                "net_arch": [],
                "normalize_images": False,
            },
            seed=config.seed,
            device=config.device,
        )
        return learner

    def learn(
        self,
        *,
        go_on: bool = False,
        reporter: "Reporter | None" = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Train to the end of the configuration, or, with `go_on`, from where the run was saved last.

        `stop` is asked between two updates; once it is true, the run is saved. Returns whether the end was reached.
        Raises: ValueError if another process trains this run; CheckpointError if what was saved does not fit it.
        """
        with locked(self.folder):
            for left in self.folder.glob(f"*{PART}"):  # by a process that was killed while it wrote
                left.unlink()
            self.learner.set_logger(configure(str(self.folder), ["tensorboard"]))
            callback = RunCallback(self, go_on, reporter or Reporter(), stop)
            try:
                self.learner.learn(
                    self.config.decisions,
                    callback=callback,
                    log_interval=None,  # type: ignore[arg-type]  # the callback dumps the logs
                    reset_num_timesteps=not go_on,
                )
            finally:
                callback.reporter.close()
                self.learner.logger.close()
        return not self.learner.stopping

    def current_agent(self, name: str) -> NetworkAgent:
        """Return the averaged policy as a player."""
        return NetworkAgent(name, self.game, self.net, self.learner.weights(), False, self.variant)

    def save_agent(self, evaluation: dict[str, Any] | None = None) -> None:
        """Write the player's checkpoint."""
        header = {
            **identity(self.game, self.variant),
            "kind": "player",
            "net": self.net,
            "weights": "averaged",
            "payoff_scale": self.config.ppo.payoff_scale,
            "gamma": self.config.ppo.gamma,
            "decisions": self.learner.num_timesteps,
            "updates": self.learner.updates,
            "seed": self.config.seed,
            "evaluation": evaluation,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {name: version(name) for name in ("gupai", "numpy", "torch", "numba", "sb3-contrib")}
            | {"python": platform.python_version()},
            "licence": "MIT",
        }
        write_checkpoint(self.agent_file, header, self.learner.weights())

    def results(self, reporter: "Reporter | None" = None) -> Iterator[Row]:
        """Load the saved player and duel it with every baseline, as hero and as the other seats."""
        reporter = reporter or Reporter()
        deals, seed = self.config.evaluation.final_deals, self.config.seed + FINAL_SEED
        trained = self.player(f"checkpoint:{self.agent_file}")
        for name, baseline in self.baselines.items():
            yield Row("trained", name, self._duel(trained, baseline, deals, seed, reporter))
            yield Row(name, "trained", self._duel(baseline, trained, deals, seed, reporter))

    def _duel(
        self, hero: Agent, villain: Agent, deals: int, seed: int, reporter: "Reporter"
    ) -> DuplicateResult:
        return duel(
            self.game, hero, villain, deals, seed=seed, progress=reporter.dealt, **self.config.variant
        )

    def evaluate(self) -> dict[str, Any]:
        """Compare the present averaged policy with the baselines; returns a row for `metrics.jsonl`."""
        evaluation = self.config.evaluation
        row: dict[str, Any] = {"decisions": self.learner.num_timesteps, "updates": self.learner.updates}
        player = self.current_agent("now")
        for name, baseline in self.baselines.items():
            found = duel(
                self.game, player, baseline, evaluation.deals, seed=self.config.seed, **self.config.variant
            )
            mean = found.mean(0)
            row[name] = {"mean": mean.mean, "low": mean.low, "high": mean.high, "deals": mean.samples}
        return row


class Reporter:
    """Told about the progress of a run; this one is silent."""

    def begin(self, total: int, done: int) -> None:
        """The run is to make `total` decisions and has made `done`."""

    def learned(self, progress: float, decisions: int, seconds: float) -> None:
        """An update is done; progress is 0..1."""

    def evaluated(self, row: dict[str, Any]) -> None:
        """The baselines were looked at."""

    def dealt(self, deals: int) -> None:
        """Deals of the final table were played."""

    def close(self) -> None:
        """The run stops."""


class RunCallback(BaseCallback):
    """Between updates: snapshots for the pool, looks at the baselines, saves, and the progress of a timed run."""

    def __init__(self, run: Run, go_on: bool, reporter: Reporter, stop: Callable[[], bool]) -> None:
        super().__init__()
        self.run_, self.go_on, self.reporter, self.stop = run, go_on, reporter, stop
        self.config = run.config
        self.saved_config = run.config.model_dump()

    def _on_training_start(self) -> None:
        self.begun = time.monotonic()
        learner = self.run_.learner
        if self.go_on:
            path = self.run_.folder / RESUME_FILE
            self.run_.seconds = resume.restore(path, learner, self.saved_config, self.run_.net)
        self.begun_at = learner.updates
        self.next_snapshot = self._snapshot_due()
        self.reporter.begin(self.config.decisions, learner.num_timesteps)
        learner.progress = self.progress
        learner._update_current_progress_remaining(learner.num_timesteps, self.config.decisions)

    @property
    def seconds(self) -> float:
        """Seconds trained so far, in this process and before."""
        return self.run_.seconds + time.monotonic() - self.begun

    def progress(self) -> float:
        """Return how much of the run is done, 0..1, by decisions or by time, whichever is further."""
        done = self.run_.learner.num_timesteps / self.config.decisions
        if self.config.max_minutes:
            done = max(done, self.seconds / (60 * self.config.max_minutes))
        return min(1.0, done)

    def _snapshot_due(self) -> float:
        intervals = self.config.pool.snapshots + 1
        return (math.floor(self.progress() * intervals) + 1) / intervals

    def _on_step(self) -> bool:
        return not self.config.max_minutes or self.seconds < 60 * self.config.max_minutes

    def _on_rollout_start(self) -> None:
        learner = self.run_.learner
        if learner.updates > self.begun_at:
            self._on_update()
        learner.stopping = self.stop()

    def _on_update(self) -> None:
        learner, run = self.run_.learner, self.run_
        self.reporter.learned(self.progress(), learner.num_timesteps, self.seconds)
        if self.config.pool.snapshots and self.progress() >= self.next_snapshot:
            leaving = run.pool.add(run.current_agent(f"update {learner.updates}"), learner.updates)
            if leaving is not None:
                learner.env.forget(leaving)
            self.next_snapshot = self._snapshot_due()
        if learner.updates % self.config.evaluation.every == 0:
            self._evaluate()
        learner.logger.dump(learner.num_timesteps)
        if learner.updates % self.config.save_every == 0:
            self.save()

    def _evaluate(self) -> None:
        row = self.run_.evaluate()
        for name in self.run_.baselines:
            for part in ("mean", "low", "high"):
                self.logger.record(f"eval/{name}_{part}", row[name][part])
        with (self.run_.folder / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        self.reporter.evaluated(row)

    def save(self) -> None:
        """Write the player and what is needed to go on."""
        self.run_.save_agent()
        resume.save(self.run_.folder / RESUME_FILE, self.run_.learner, self.saved_config, self.seconds)

    def _on_training_end(self) -> None:
        if not self.run_.learner.stopping:
            self._evaluate()
            self.logger.dump(self.run_.learner.num_timesteps)
        self.save()
