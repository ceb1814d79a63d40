"""The folder of a training run: its configuration, the player, and the logs.

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
import math
import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from tensorboard.compat.proto.event_pb2 import Event, SessionLog

from gupai_agents.agent import Agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.exact.all_hands import HandTree, offers_hands
from gupai_agents.evaluation.exact.tree import GameTree, build_tree
from gupai_agents.evaluation.matches.match import DuplicateResult
from gupai_agents.networks.checkpoint import AGENT_FILE, identity, write_checkpoint
from gupai_agents.networks.network import NetworkAgent
from gupai_agents.registry import agent_names, agent_of_data
from gupai_env.core.game import Game
from gupai_env.core.variant import TINY, Variant
from gupai_env.storage.files import json_text, make_folder, naming, write_file
from gupai_training.config import METRICS_FILE, Config
from gupai_training.curves import LOSSES
from gupai_training.learner import SelfPlayPPO
from gupai_training.network import Network

FINAL_SEED = 1_000_003  # the deals of the final table are not those of the evaluations during the run


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


class Spent(NamedTuple):
    """What a run has used: seconds of self-play; targets and seconds of the search stage before it."""

    seconds: float = 0.0
    targets: int = 0
    search_seconds: float = 0.0


def done(reached: float, goal: float, seconds: float, max_minutes: float | None) -> float:
    """Return how much of a stage is done, 0..1, by what it counts or by time, whichever is further."""
    return min(1.0, max(reached / goal, seconds / (60 * max_minutes) if max_minutes else 0.0))


class Reporter:
    """Is notified of the progress of a run; this one is silent."""

    def note(self, line: str) -> None:
        """There is a message about the run's folder."""

    def begin(self, stage: str, progress: float) -> None:
        """A stage begins, or is resumed; progress is 0..1."""

    def moved(self, progress: float, number: int, unit: str, seconds: float) -> None:
        """A chunk of targets was learned from, or an update of self-play is done; `number` of `what` so far."""

    def evaluated(self, row: dict[str, Any]) -> None:
        """The player was evaluated against the baselines."""

    def dealt(self, deals: int) -> None:
        """Deals of the final table were played."""

    def close(self) -> None:
        """A stage ends, or the run stops."""


class RunFolder:
    """What all stages of a run share: network, player, logs and evaluations.

    Attributes:
        network: The network that learns, in one stage or both.
        learner: The learner of self-play around it, None without that stage.
        spent: What the run has used so far.
        tree: The game tree, on a deck that is small enough.
    """

    network: Network
    learner: SelfPlayPPO | None
    config: Config
    game: Game
    variant: Variant
    folder: Path
    logger: Logger
    reporter: Reporter

    def __init__(self, config: Config, folder: Path) -> None:
        self.config, self.folder = config, folder
        self.game, self.variant = config.played
        self.logger, self.reporter = Logger(None, []), Reporter()  # until the run learns
        self.spent: Spent = Spent()
        baselines = config.evaluation.baselines
        named = agent_names(self.game, self.variant) if baselines is None else baselines
        self.baselines: dict[str, Agent] = {name: self.player(name) for name in named}
        self.tree: GameTree | HandTree | None = None
        if self.variant.deck == TINY or offers_hands(self.game, self.variant):
            with contextlib.suppress(ValueError):  # with some options it is too large
                self.tree = build_tree(self.game, **self.variant.changed())

    @property
    def agent_file(self) -> Path:
        """The checkpoint of the player."""
        return self.folder / AGENT_FILE

    @property
    def decisions(self) -> int:
        """Decisions of self-play that were learned from."""
        return self.learner.num_timesteps if self.learner else 0

    @property
    def updates(self) -> int:
        """Updates of self-play."""
        return self.learner.updates if self.learner else 0

    def player(self, spec: str) -> Agent:
        """Return a player of this run's game and variant, but none of a factory: names in a file must not run code."""
        return agent_of_data(spec, self.game, self.variant)

    def network_player(self, name: str, tensors: dict[str, np.ndarray]) -> NetworkAgent:
        """Return the player that takes the best actions of a network with the configured shape."""
        return NetworkAgent(name, self.game, self.config.net, tensors, False, self.variant)

    @property
    def average(self) -> Network | None:
        """The average that a magnet draws to, as long as it is the player: it then draws its actions, too."""
        return None

    def weights(self) -> dict[str, np.ndarray]:
        """Return the player's tensors: the averaged ones of self-play, before that stage those of a magnet's average if
        there is one, else those of the network.
        """
        if self.average:
            return self.average.tensors()
        return self.learner.weights() if self.learner and self.learner.updates else self.network.tensors()

    def current_agent(self, name: str) -> NetworkAgent:
        """Return the averaged policy as the player that it is to be."""
        player = self.network_player(name, self.weights())
        return player.drawing() if self.average else player

    def save_agent(self) -> None:
        """Write the player's checkpoint: the same bytes after the same training, so nothing that a clock says."""
        header = {
            **identity(self.game, self.variant),
            "kind": "player",
            "net": self.config.net,
            "weights": "averaged",
            "mixes": self.average is not None,
            "precision": self.network.precision,
            "payoff_scale": self.config.payoff_scale,
            "gamma": self.config.ppo.gamma,
            "targets": self.spent.targets,
            "decisions": self.decisions,
            "updates": self.updates,
            "seed": self.config.seed,
            "versions": {name: version(name) for name in ("gupai", "numpy", "torch", "numba", "sb3-contrib")}
            | {"python": platform.python_version()},
            "licence": "MIT",
        }
        write_checkpoint(self.agent_file, header, self.weights())

    def results(self, reporter: Reporter | None = None) -> Iterator[Row]:
        """Load the saved player and duel it with every baseline, as hero and as the other seats."""
        deals, seed = self.config.evaluation.final_deals, self.config.seed + FINAL_SEED
        options = {"seed": seed, "progress": (reporter or Reporter()).dealt, **self.variant.changed()}
        trained = self.player(f"checkpoint:{self.agent_file}")
        for name, baseline in self.baselines.items():
            yield Row("trained", name, duel(self.game, trained, baseline, deals, **options))
            yield Row(name, "trained", duel(self.game, baseline, trained, deals, **options))

    def report_evaluation(self) -> None:
        """Evaluate the current averaged policy against the baselines, into the logs and a row of `metrics.jsonl`."""
        seconds = self.spent.seconds + self.spent.search_seconds
        row = self.evaluate() | {"seconds": round(seconds, 1)}
        logged = self.logger.name_to_value  # since the last update
        losses = {name: float(logged.get(f"train/{name}", math.nan)) for name in LOSSES}
        if losses := {name: loss for name, loss in losses.items() if math.isfinite(loss)}:
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
        """Evaluate the current averaged policy against the baselines.

        On a tiny deck also its exploitability in chips per deal, when it plays its best actions and when it draws.
        """
        deals, seed = self.config.evaluation.deals, self.config.seed
        row: dict[str, Any] = {"targets": self.spent.targets, "decisions": self.decisions, "updates": self.updates}
        player = self.current_agent("now")
        for name, baseline in self.baselines.items():
            mean = duel(self.game, player, baseline, deals, seed=seed, **self.variant.changed()).mean(0)
            row[name] = mean.as_numbers()
        if self.tree:
            row["exploitability"] = {
                how: self.tree.exploitability(self.tree.policy([agent] * self.tree.players))
                for how, agent in (("best", self.network_player("best", player.tensors)), ("drawn", player.drawing()))
            }
        return row

    def forget_what_comes_again(self) -> None:
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
