"""A training run from its configuration to the table of results, in a folder of its own.

runs/NAME-1/  config.yaml           the resolved configuration
              agent.safetensors     the player: averaged weights, see `gupai_agents.checkpoint`
              resume.safetensors    everything needed to go on exactly
              labels-*.safetensors  beside it while search teaches; they go when that stage ends
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
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat, configure
from stable_baselines3.common.utils import get_device
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from threadpoolctl import threadpool_limits

from gupai_agents.agent import Agent
from gupai_agents.checkpoint import AGENT_FILE, CheckpointError, identity, write_checkpoint
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.exact import build_tree
from gupai_agents.evaluation.match import DuplicateResult
from gupai_agents.network import NetworkAgent, require_tensors, tensor_shapes
from gupai_agents.plain_yaml import to_yaml
from gupai_agents.registry import agent_names, agent_of_data
from gupai_agents.workers import LostError, StoppedError, Workers, stoppable
from gupai_env.core.files import PART, locked, mend_lines, naming, write_file
from gupai_env.core.variant import TINY
from gupai_env.games import get_game
from gupai_training import resume
from gupai_training.config import CONFIG_FILE, METRICS_FILE, RESUME_FILE, SELF_PLAY, TEACHING, Config
from gupai_training.growing import grown, grows_into
from gupai_training.learner import NetworkPolicy, Rollout, SelfPlayPPO
from gupai_training.network import Network, precision_on
from gupai_training.opponents import OpponentPool
from gupai_training.selfplay import SelfPlayVecEnv
from gupai_training.teaching import Teaching

BATCH_FILE = "batch.safetensors"  # beside a run that met numbers which are not finite
FINAL_SEED = 1_000_003  # the deals of the final table are not those of the looks during the run


def require_device(device: str) -> None:
    """Raise ValueError for a GPU that is not there; SB3 would take the CPU without a word."""
    name, _, number = device.partition(":")
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if name == "cuda" and int(number or 0) >= found:
        raise ValueError(f'device={device}: torch finds {found or "no"} GPU here; choose "cpu" or "auto"')


@contextlib.contextmanager
def threads_of(torch_threads: int, numpy_threads: int) -> Iterator[None]:
    """Have torch, which learns, and numpy, by which players decide, use so many threads for a while.

    Left to itself numpy takes all cores for each product, and waits for them while others use them.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(torch_threads)
    try:
        with threadpool_limits(numpy_threads, "blas"):
            yield
    finally:
        torch.set_num_threads(before)


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
    """A training run. `learn` trains to the end, `results` plays the final table.

    Attributes:
        network: What learns, in one stage or both.
        teaching: The stage in which search teaches it, None without one.
        learner: The stage of self-play around it, None without one.
    """

    def __init__(self, config: Config, folder: Path, workers: Workers | None = None) -> None:
        """Args: workers: who make labels while this process learns; without them it does both in turn."""
        self.config, self.folder = config, folder
        self.game = get_game(config.game)
        self.variant = self.game.variant.make(**config.variant)
        require_device(config.device)
        torch.set_num_threads(config.threads or torch.get_num_threads())
        self.learner = self._build_learner() if config.decisions else None
        self.network = self.learner.network if self.learner else self._build_network()
        self.teaching = Teaching(config, self.network, workers) if config.teach.labels else None
        self.logger = Logger(None, [])  # until the run learns
        self.spent = resume.Spent()  # before this process began with the present stage
        baselines = config.evaluation.baselines
        named = agent_names(self.game, self.variant) if baselines is None else baselines
        self.baselines = {name: self.player(name) for name in named}
        self.tree = None  # of all play, on a deck small enough
        if self.variant.deck == TINY:
            with contextlib.suppress(ValueError):  # with some options it is too large
                self.tree = build_tree(self.game, **config.variant)

    @classmethod
    def begin(cls, config: Config, runs: Path = Path("runs"), workers: Workers | None = None) -> "Run":
        """Build a run, then open the next free folder below `runs` for it and write the configuration there.

        Raises: ValueError if it cannot start as `config.start` says.
        """
        run = cls(config, runs, workers)
        if config.start is not None:
            run._start_from(config.start)
        run.folder = next_folder(runs, config.name or run.game.id)
        text = to_yaml(config.model_dump())
        write_file(run.folder / CONFIG_FILE, text, force=True)
        return run

    def _start_from(self, spec: str) -> None:
        agent = self.player(spec)
        if not isinstance(agent, NetworkAgent):
            raise ValueError(f"start={spec}: no network, but a player of another kind")
        net, tensors = self.config.net, agent.tensors
        if grows_into(agent.net, net):
            tensors = grown(tensors, net, self.game, np.random.default_rng(self.config.seed))
        try:
            require_tensors(tensors, tensor_shapes(net, self.game.encoder.layout.size, self.game.num_actions))
        except ValueError as error:
            raise ValueError(f"start={spec}: {error}") from None
        self.network.take(tensors)

    @property
    def agent_file(self) -> Path:
        """The checkpoint of the player."""
        return self.folder / AGENT_FILE

    def player(self, spec: str) -> Agent:
        """Return a player of this run's game and variant; the configuration, a file, names it, so no factory's."""
        return agent_of_data(spec, self.game, self.variant)

    @property
    def decisions(self) -> int:
        """Decisions of self-play that were learned from."""
        return self.learner.num_timesteps if self.learner else 0

    @property
    def updates(self) -> int:
        """Updates of self-play."""
        return self.learner.updates if self.learner else 0

    def weights(self) -> dict[str, np.ndarray]:
        """Return the player's tensors: of self-play the averaged ones, before it those of the network."""
        return self.learner.weights() if self.learner and self.learner.updates else self.network.tensors()

    def _build_network(self) -> Network:
        """Return a new network, the same that the learner of self-play begins with."""
        torch.manual_seed(self.config.seed)
        network = Network(self.config.net, self.game.encoder.layout.high, self.game.num_actions)
        network.to(get_device(self.config.device))
        network.precision = precision_on(network.device, self.config.precision)
        return network

    def _build_learner(self) -> SelfPlayPPO:
        config, ppo = self.config, self.config.ppo
        rng = np.random.default_rng(config.seed)
        chosen = config.pool
        self.pool = pool = OpponentPool(
            self.variant.players, rng, chosen.self_share, chosen.size, chosen.rule_share
        )
        for name in config.rules:
            pool.add(self.player(name), born=0, scripted=True)
        env = SelfPlayVecEnv(
            self.game.id, ppo.lanes, pool, seed=config.seed, payoff_scale=ppo.payoff_scale, **config.variant
        )
        learner = SelfPlayPPO(
            NetworkPolicy,
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
            precision=config.precision,
            policy_kwargs={"net": config.net},
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
        Raises: ValueError if another process trains this run; CheckpointError if what was saved does not fit it;
            FloatingPointError for numbers that are not finite: BATCH_FILE then holds what was learned from.
        """
        with locked(self.folder, "training this run"):
            for left in self.folder.glob(f"*{PART}"):  # by a process that was killed while it wrote
                left.unlink()
            stage = self._saved_stage() if go_on else None
            reporter = reporter or Reporter()
            if cut := mend_lines(self.folder / METRICS_FILE):
                reporter.said(
                    f"{self.folder / METRICS_FILE} ended within a row, as a killed process leaves it; these {cut:,} "
                    "bytes are cut off"
                )
            self.logger = configure(str(self.folder), ["tensorboard"])
            source: Teaching | Rollout  # of the numbers that are learned from
            finished = True
            try:
                if self.teaching and stage != SELF_PLAY:
                    source = self.teaching
                    limited = threads_of(self.teaching.threads, self.teaching.labelling)
                    with limited, contextlib.closing(self.teaching.beside):  # it was asked ahead of the end
                        finished = self._teach(self.teaching, stage is not None, reporter, stop)
                if self.learner and finished:
                    source = self.learner.rollout
                    finished = self._self_play(self.learner, stage == SELF_PLAY, reporter, stop)
            except FloatingPointError:
                write_checkpoint(self.folder / BATCH_FILE, {"kind": "batch"}, source.batch)
                raise
            finally:
                reporter.close()
                self.logger.close()
        return finished

    def _saved_stage(self) -> str:
        """Return in which stage the run was saved last."""
        stages = {TEACHING: self.config.teach.labels, SELF_PLAY: self.config.decisions}
        stage = resume.stage_of(self.folder / RESUME_FILE)
        if not stages[stage]:
            raise CheckpointError(
                f"{self.folder / RESUME_FILE}: saved in the stage {stage}, which this run has not"
            )
        return stage

    def _teach(self, teaching: Teaching, go_on: bool, reporter: "Reporter", stop: Callable[[], bool]) -> bool:
        """Do the stage of teaching, or what is left of it; return whether its end was reached."""
        config, saved_config = self.config, self.config.model_dump()
        if go_on:
            with stoppable(stop):
                resume.restore_teaching(self.folder, teaching, saved_config, self._player_of)
            self.spent = resume.Spent(0.0, teaching.labels, teaching.seconds)
            self.forget_what_comes_again()
        before, begun = teaching.seconds, time.monotonic()
        reporter.begin("teaching", teaching.progress())
        stopping = False
        while teaching.progress() < 1 and not stopping:
            try:
                with stoppable(stop):
                    scalars = teaching.step(self.current_agent("now"))
            except (LostError, StoppedError) as error:  # before anything was learned from the next chunk
                self.save_agent(self.spent)
                resume.save_teaching(self.folder, teaching, saved_config)
                if isinstance(error, LostError):
                    raise
                stopping = True
                break
            teaching.seconds = before + time.monotonic() - begun
            self.spent = resume.Spent(0.0, teaching.labels, teaching.seconds)
            reporter.taught(teaching.progress(), teaching.labels, teaching.seconds)
            for name, value in scalars.items():
                self.logger.record(f"train/{name}", value)
            steps = len(teaching.ends)
            if steps % config.evaluation.every == 0 or teaching.progress() >= 1:
                self.look(reporter, teaching.seconds)
            self.logger.dump(teaching.labels)
            stopping = stop()
            if steps % config.save_every == 0 or teaching.progress() >= 1 or stopping:
                self.save_agent(self.spent)
                resume.save_teaching(self.folder, teaching, saved_config)
        reporter.close()
        return not stopping

    def _self_play(
        self, learner: SelfPlayPPO, go_on: bool, reporter: "Reporter", stop: Callable[[], bool]
    ) -> bool:
        """Do the stage of self-play, or what is left of it; return whether its end was reached."""
        learner.set_logger(self.logger)
        learner.forget_average()
        learner.learn(
            self.config.decisions,
            callback=RunCallback(self, learner, go_on, reporter, stop),
            log_interval=None,  # type: ignore[arg-type]  # the callback dumps the logs
            reset_num_timesteps=not go_on,
        )
        return not learner.stopping

    def _player_of(self, tensors: dict[str, np.ndarray]) -> NetworkAgent:
        return NetworkAgent("now", self.game, self.config.net, tensors, False, self.variant)

    def current_agent(self, name: str) -> NetworkAgent:
        """Return the averaged policy as a player of its best actions."""
        return NetworkAgent(name, self.game, self.config.net, self.weights(), False, self.variant)

    def save_agent(self, spent: resume.Spent) -> None:
        """Write the player's checkpoint."""
        header = {
            **identity(self.game, self.variant),
            "kind": "player",
            "net": self.config.net,
            "weights": "averaged",
            "precision": self.network.precision,
            "payoff_scale": self.config.ppo.payoff_scale,
            "gamma": self.config.ppo.gamma,
            "labels": spent.labels,
            "decisions": self.decisions,
            "updates": self.updates,
            "seconds": round(spent.seconds + spent.teaching_seconds, 1),
            "seed": self.config.seed,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {name: version(name) for name in ("gupai", "numpy", "torch", "numba", "sb3-contrib")}
            | {"python": platform.python_version()},
            "licence": "MIT",
        }
        write_checkpoint(self.agent_file, header, self.weights())

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

    def look(self, reporter: "Reporter", seconds: float) -> None:
        """Compare the present averaged policy with the baselines, in the logs and a row of `metrics.jsonl`."""
        row = self.evaluate() | {"seconds": round(seconds, 1)}
        for name in self.baselines:
            for part in ("mean", "low", "high"):
                self.logger.record(f"eval/{name}_{part}", row[name][part])
        for how, chips in row.get("exploitability", {}).items():
            self.logger.record(f"eval/exploitability_{how}", chips)
        path = self.folder / METRICS_FILE
        with naming(path), path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        reporter.evaluated(row)

    def forget_what_comes_again(self) -> None:
        """Have what a process that was killed had told after the last save dropped, from where this one goes on.

        Its looks go from `metrics.jsonl`; TensorBoard leaves out the steps of older files from here on.
        """
        labels, decisions = self.spent.labels, self.decisions
        file = self.folder / METRICS_FILE
        if file.exists():
            lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
            kept = [line for line in lines if _told_by(line, labels, decisions)]
            if kept != lines:
                write_file(file, "".join(kept), force=True)
        for output in self.logger.output_formats:
            if isinstance(output, TensorBoardOutputFormat):
                start = Event(session_log=SessionLog(status=SessionLog.START))
                output.writer._get_file_writer().add_event(start, labels + decisions + 1)

    def evaluate(self) -> dict[str, Any]:
        """Compare the present averaged policy with the baselines.

        On a tiny deck also: what best responses win from it, chips a deal, if it plays its best actions or draws.
        """
        evaluation = self.config.evaluation
        row: dict[str, Any] = {
            "labels": self.spent.labels,
            "decisions": self.decisions,
            "updates": self.updates,
        }
        player = self.current_agent("now")
        for name, baseline in self.baselines.items():
            found = duel(
                self.game, player, baseline, evaluation.deals, seed=self.config.seed, **self.config.variant
            )
            mean = found.mean(0)
            row[name] = {"mean": mean.mean, "low": mean.low, "high": mean.high, "deals": mean.samples}
        if self.tree:
            row["exploitability"] = {
                how: self.tree.exploitability(self.tree.policy([agent] * self.tree.players))
                for how, agent in (("best", player), ("drawn", player.drawing()))
            }
        return row


def _told_by(line: str, labels: int, decisions: int) -> bool:
    """True unless a row of `metrics.jsonl` is of a later place than this, or was cut off."""
    if not line.endswith("\n"):
        return False
    try:
        row = json.loads(line)
        return bool(row["labels"] <= labels and row["decisions"] <= decisions)
    except (ValueError, KeyError, TypeError):
        return True  # whoever reads it says that it is damaged


class Reporter:
    """Told about the progress of a run; this one is silent."""

    def said(self, line: str) -> None:
        """There is something to be known about the run's folder."""

    def begin(self, stage: str, progress: float) -> None:
        """A stage begins, or goes on; progress is 0..1."""

    def taught(self, progress: float, labels: int, seconds: float) -> None:
        """A chunk of labels is learned from."""

    def learned(self, progress: float, decisions: int, seconds: float) -> None:
        """An update of self-play is done."""

    def evaluated(self, row: dict[str, Any]) -> None:
        """The baselines were looked at."""

    def dealt(self, deals: int) -> None:
        """Deals of the final table were played."""

    def close(self) -> None:
        """A stage ends, or the run stops."""


class RunCallback(BaseCallback):
    """Between updates: snapshots for the pool, looks at the baselines, saves, and the progress of a timed run."""

    def __init__(
        self, run: Run, learner: SelfPlayPPO, go_on: bool, reporter: Reporter, stop: Callable[[], bool]
    ) -> None:
        super().__init__()
        self.run_, self.learner, self.go_on, self.reporter, self.stop = run, learner, go_on, reporter, stop
        self.config = run.config
        self.saved_config = run.config.model_dump()

    def _on_training_start(self) -> None:
        self.begun = time.monotonic()
        learner = self.learner
        if self.go_on:
            path = self.run_.folder / RESUME_FILE
            self.run_.spent = resume.restore(path, learner, self.saved_config, self.run_.config.net)
            self.run_.forget_what_comes_again()
        self.begun_at = learner.updates
        self.next_snapshot = self._snapshot_due()
        learner.progress = self.progress
        self.reporter.begin("learning", self.progress())
        learner._update_current_progress_remaining(learner.num_timesteps, self.config.decisions)

    @property
    def seconds(self) -> float:
        """Seconds of self-play so far, in this process and before."""
        return self.run_.spent.seconds + time.monotonic() - self.begun

    def progress(self) -> float:
        """Return how much of the run is done, 0..1, by decisions or by time, whichever is further."""
        done = self.learner.num_timesteps / self.config.decisions
        if self.config.max_minutes:
            done = max(done, self.seconds / (60 * self.config.max_minutes))
        return min(1.0, done)

    def _snapshot_due(self) -> float:
        intervals = self.config.pool.snapshots + 1
        return (math.floor(self.progress() * intervals) + 1) / intervals

    def _on_step(self) -> bool:
        return not self.config.max_minutes or self.seconds < 60 * self.config.max_minutes

    def _on_rollout_start(self) -> None:
        learner = self.learner
        if learner.updates > self.begun_at:
            self._on_update()
        learner.stopping = self.stop()

    def _on_update(self) -> None:
        learner, run = self.learner, self.run_
        self.reporter.learned(self.progress(), learner.num_timesteps, self.seconds)
        if self.config.pool.snapshots and self.progress() >= self.next_snapshot:
            leaving = run.pool.add(run.current_agent(f"update {learner.updates}"), learner.updates)
            if leaving is not None:
                learner.env.forget(leaving)
            self.next_snapshot = self._snapshot_due()
        if learner.updates % self.config.evaluation.every == 0:
            self._look()
        self._dump()
        if learner.updates % self.config.save_every == 0:
            self.save()

    def _look(self) -> None:
        self.run_.look(self.reporter, self.seconds + self.run_.spent.teaching_seconds)

    def _dump(self) -> None:
        self.logger.dump(self.run_.spent.labels + self.learner.num_timesteps)

    def save(self) -> None:
        """Write the player and what is needed to go on."""
        spent = self.run_.spent._replace(seconds=self.seconds)
        self.run_.save_agent(spent)
        resume.save(self.run_.folder / RESUME_FILE, self.learner, self.saved_config, spent)

    def _on_training_end(self) -> None:
        if not self.learner.stopping:
            self._look()
            self._dump()
        self.save()
