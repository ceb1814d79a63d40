"""A training run from Python: `train` makes one, `load_run` opens one, and a `TrainedRun` is what there is to see.

Opening a run needs no torch.
"""

import functools
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gupai_agents.agent import Agent
from gupai_agents.evaluation.tournaments.folder import csv_text
from gupai_agents.networks.checkpoint import AGENT_FILE, CheckpointError, part, read_checkpoint
from gupai_agents.networks.network import NetworkAgent
from gupai_agents.registry import agent_of_data
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.storage.files import write_file
from gupai_env.storage.models import DamagedError
from gupai_training.config import REPORT_FILE, RESUME_FILE, Config, config_of, load, parse
from gupai_training.curves import baselines_of, evaluations_of

if TYPE_CHECKING:
    from gupai_training.run import Reporter

MINUTES, ROUNDED = "minutes", 0.1  # seconds of evaluations are rounded to as much
CHIPS, EXPLOITABILITY = "chips_per_deal", "exploitability"  # what is measured
METRICS = (
    *("run", "game", "seed", "targets", "decisions", "updates", "seconds"),
    *("measure", "against", "mean", "low", "high", "n"),
)


class TrainedRun:
    """The folder of a training run, finished or not.

    Attributes:
        folder: Where it is.
        config: Its configuration.
    """

    def __init__(self, folder: Path, config: Config) -> None:
        self.folder: Path = folder
        self.config: Config = config
        self.game: Game = config.played[0]
        self.variant: Variant = config.played[1]

    def __repr__(self) -> str:
        return f"TrainedRun({str(self.folder)!r})"

    @property
    def player(self) -> Agent:
        """The player as it was saved last: averaged weights, the best action of the policy.

        Raises:
            CheckpointError: Nothing was saved yet, or the file is damaged.
        """
        return agent_of_data(f"checkpoint:{self.folder / AGENT_FILE}", self.game, self.variant)

    @functools.cached_property
    def checkpoints(self) -> dict[str, Agent]:
        """The player and its past selves that the pool of opponents still holds, by name, the oldest first.

        Past selves are called by the update at which they were taken, "update 20"; the player is "last".

        Raises:
            CheckpointError: Nothing was saved yet, or a file is damaged.
        """
        file = self.folder / RESUME_FILE
        header, tensors = read_checkpoint(file) if file.exists() else ({}, {})
        players: dict[str, Agent] = {}
        try:
            for number, (name, _, scripted, *_) in enumerate(header.get("members", ())):
                if not scripted:
                    own = part(tensors, f"member.{number}.")
                    players[name] = NetworkAgent(name, self.game, self.config.net, own, False, self.variant)
        except (ValueError, TypeError, KeyError) as error:
            raise CheckpointError(f"{file}: signed, but no pool of opponents is in it ({error})") from None
        return {**players, "last": self.player}

    @functools.cached_property
    def evaluations(self) -> list[dict[str, Any]]:
        """The evaluations against the baselines, in order; raises DamagedError if their file is damaged."""
        try:
            return evaluations_of(self.folder)
        except DamagedError as error:  # of several runs, it is the one in this folder
            raise DamagedError(str(self.folder / error.name), error.problem) from None

    @property
    def finished(self) -> bool:
        """Whether the run reached the end of its configuration, by its report or by its last evaluation."""
        if (self.folder / REPORT_FILE).is_file():
            return True
        return bool(self.evaluations) and any(reached >= goal for reached, goal, _ in self._goals())

    @property
    def progress(self) -> str:
        """How far the last evaluation is, in words: "98,304 of 400,000 decisions"."""
        reached, goal, unit = max(self._goals(), key=lambda goal: goal[0] / goal[1])
        return f"{reached:,} of {goal:,} {unit}" if unit != MINUTES else f"{reached:,.1f} of {goal:,g} {unit}"

    def _goals(self) -> list[tuple[float, float, str]]:
        """Return what the last stage counts at the last evaluation, and what ends it."""
        last, search = self.evaluations[-1], self.config.expert_iteration
        if not self.config.decisions:
            counted, minutes, before = (last["targets"], search.targets, "targets"), search.max_minutes, 0.0
        else:
            counted, minutes = (last["decisions"], self.config.decisions, "decisions"), self.config.max_minutes
            before = max((row["seconds"] for row in self.evaluations if not row["decisions"]), default=0.0)
        spent = (last["seconds"] - before + ROUNDED) / 60
        return [counted, *([(spent, minutes, MINUTES)] if minutes else [])]

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of what the run measured, apart from its times, and of the weights of its player, if one was saved.

        Runs with the same settings, seed and digest are one run: a copy, or the same training done again.

        Raises:
            CheckpointError: The player is damaged.
        """
        timeless = [{key: value for key, value in row.items() if key != "seconds"} for row in self.evaluations]
        digest = hashlib.sha256(json.dumps(timeless, sort_keys=True).encode())
        if (self.folder / AGENT_FILE).is_file():
            for name, tensor in sorted(read_checkpoint(self.folder / AGENT_FILE)[1].items()):
                digest.update(f"{name} {tensor.dtype} {tensor.shape}".encode() + tensor.tobytes())
        return digest.hexdigest()

    @property
    def baselines(self) -> list[str]:
        """The players that the evaluations compare with."""
        return baselines_of(self.evaluations)

    def metrics(self) -> list[dict[str, Any]]:
        """Return the evaluations as tidy rows, one for each figure, with the keys METRICS: `pandas.DataFrame` takes it.

        measure: "chips_per_deal", mean with its 95% interval over n deals against a player, or "exploitability" in
            chips per deal, against a best response to the "best" actions or to the policy "drawn" from (no interval).
        """
        rows = []
        for evaluation in self.evaluations:
            head = {"run": str(self.folder), "game": self.game.id, "seed": self.config.seed}
            head |= {key: evaluation[key] for key in ("targets", "decisions", "updates", "seconds")}
            for name in self.baselines:
                rows.append({**head, "measure": CHIPS, "against": name, **evaluation[name]})
            for name, chips in (evaluation.get("exploitability") or {}).items():
                rows.append({**head, "measure": EXPLOITABILITY, "against": name, "mean": chips})
        return [{key: row.get(key) for key in METRICS} for row in rows]

    def write_metrics(self, path: str | Path, *, force: bool = False) -> None:
        """Write `metrics` as CSV.

        Args:
            path: The file.
            force: Whether an existing file may be replaced.

        Raises:
            ValueError: The file may not be written; in one line.
        """
        write_file(path, as_csv(METRICS, self.metrics()), force=force)


def as_csv(heads: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV with a line of heads; what is None is left empty."""
    return csv_text([heads, *([row[head] for head in heads] for row in rows)])


def load_run(folder: str | Path) -> TrainedRun:
    """Return a run, finished or not, by its folder.

    Raises:
        ValueError: This is not the folder of a run, or its configuration is wrong; in one line.
    """
    return TrainedRun(Path(folder), config_of(Path(folder)))


def train(
    config: Config | Mapping[str, Any] | str | Path, *, runs: str | Path = "runs", reporter: "Reporter | None" = None
) -> TrainedRun:
    """Train to the end of a configuration as `gupai train` does, with final table and report; return the run.

    Args:
        config: A configuration, its settings as a mapping, a file, or a game or recipe by name.
        runs: The folder in which the run gets a new folder of its own.
        reporter: Is notified of the progress; nobody is by default.

    Raises:
        ValueError: The configuration is wrong; in one line. Nothing has been written then.
        FloatingPointError: Numbers were not finite; the last save is intact.
    """
    if isinstance(config, Mapping):
        config = parse(dict(config), "config")
    elif not isinstance(config, Config):
        config = load(config)
    from gupai_training.report import finish
    from gupai_training.run import Run  # torch takes seconds to import

    run = Run.begin(config, Path(runs))
    run.learn(reporter=reporter)
    finish(run, reporter)
    return TrainedRun(run.folder, config)
