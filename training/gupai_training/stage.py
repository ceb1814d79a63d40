"""What a run learns by: a `Stage` says what one step is and what the next one depends on; `Run` does all else.

A stage is saved so that it resumes exactly where it stopped, bit for bit: tensors and JSON, nothing else.
"""

import abc
import contextlib
import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch

from gupai_agents.networks.checkpoint import CheckpointError, identity, part, read_checkpoint, under, write_checkpoint
from gupai_agents.networks.network import NetworkAgent
from gupai_env.core.rng import KEYS
from gupai_env.messages.checks import real_number, whole_number
from gupai_env.storage.models import Written, differences
from gupai_training.config import RESUME_FILE, Config
from gupai_training.network import Network

MOST_NAMED = 3  # differences that an error names
MOST_SECONDS = 1e12
ADAM = ("step", "exp_avg", "exp_avg_sq")
# What numpy, torch and Python may raise for a file that is signed but does not hold what `Stage.save` writes:
UNFIT = (ValueError, LookupError, TypeError, AttributeError, RuntimeError, ArithmeticError, MemoryError)

Saved = tuple[dict[str, Any], dict[str, np.ndarray]]  # header, which is JSON, and tensors


class Spent(NamedTuple):
    """What a run has used: seconds of self-play; targets and seconds of the search stage before it."""

    seconds: float = 0.0
    targets: int = 0
    search_seconds: float = 0.0


class Stage(abc.ABC):
    """A way for a network to learn: a run calls `step` until `progress` is 1, and evaluates, logs, saves and resumes.

    A learner of your own derives from this class, or from `SelfPlay`, and takes a configuration and a network; see
    docs/training.md. What `step` depends on, besides the configuration, is in the network, in the Adam that moves
    it and in what `saved` returns, so that a run which is resumed continues to the same bits.

    Attributes:
        name: Of the stage, in the files of a run.
        unit: What `count` counts: "targets" or "decisions".
        Settings: The model of `config.learner_settings`.
        mixes: Whether its player draws its actions, rather than takes the best one.
        pauses: Whether `step` and `restore` may end by StoppedError, with nothing changed, once the run is to stop.
        goal: How much it learns from in all.
        max_minutes: When it ends earlier.
        count: How much it has learned from so far.
        updates: How many steps it has learned in.
        seconds: What it took so far.
        before: What the run had spent when this stage began.
    """

    name: ClassVar[str]
    unit: ClassVar[str]
    Settings: ClassVar[type[Written]] = Written
    mixes: bool = False
    pauses: bool = False

    def __init__(
        self,
        config: Config,
        network: Network,
        optimizer: torch.optim.Optimizer,
        goal: int,
        max_minutes: float | None = None,
    ) -> None:
        """Make a stage that has learned nothing.

        Args:
            config: The configuration of the run.
            network: What learns; a stage before this one may have changed it when `running` begins.
            optimizer: The Adam that moves it.
            goal: How much the stage learns from, at least 1.
            max_minutes: When it ends even so.
        """
        self.config: Config = config
        self.network: Network = network
        self.optimizer: torch.optim.Optimizer = optimizer
        self.goal: int = goal
        self.max_minutes: float | None = max_minutes
        self.count: int = 0
        self.updates: int = 0
        self.seconds: float = 0.0
        self.before: Spent = Spent()
        self.ticked: float = 0.0  # when `seconds` was right

    @abc.abstractmethod
    def step(self) -> dict[str, float]:
        """Learn once and add to `count` and `updates`; return what is to be logged, by TensorBoard's names.

        Where time ends before there is enough to learn from, nothing is added.

        Raises:
            FloatingPointError: Numbers are not finite; `batch` then holds what was learned from.
        """

    def weights(self) -> dict[str, np.ndarray]:
        """Return the tensors of the player, under the names of a checkpoint; by default the network's."""
        return self.network.tensors()

    @property
    def batch(self) -> dict[str, np.ndarray]:
        """What the last step learned from, for inspection."""
        return {}

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Hold what steps need; entered once, before the stage begins or is restored."""
        yield

    def saved(self) -> Saved:
        """Return what the next step depends on besides network, Adam and counts: what JSON holds, and tensors."""
        return {}, {}

    def put_back(self, header: dict[str, Any], tensors: dict[str, np.ndarray]) -> None:  # noqa: B027
        """Restore a new stage to what `saved` returned; may raise any of UNFIT where that does not fit.

        Args:
            header: What was saved as JSON, among other keys.
            tensors: The arrays that `saved` returned.
        """

    @property
    def spent(self) -> Spent:
        """What the run has used so far."""
        return self.before._replace(seconds=self.seconds)

    def progress(self) -> float:
        """Return how much of the stage is done, 0..1, by what it counts or by time, whichever is further."""
        timed = self.seconds / (60 * self.max_minutes) if self.max_minutes else 0.0
        return min(1.0, max(self.count / self.goal, timed))

    def tick(self) -> None:
        """Add the time since the last call to `seconds`; a long step calls it to end in time."""
        now = time.monotonic()
        self.seconds, self.ticked = self.seconds + now - self.ticked, now

    def player(self, name: str = "now") -> NetworkAgent:
        """Return what has been learned so far as a player, under a name."""
        agent = self.network_player(name, self.weights())
        return agent.drawing() if self.mixes else agent

    def network_player(self, name: str, tensors: dict[str, np.ndarray]) -> NetworkAgent:
        """Return the player that takes the best actions of a network with the configured shape."""
        game, variant = self.config.played
        return NetworkAgent(name, game, self.config.net, tensors, False, variant)

    def save(self, folder: Path) -> None:
        """Write everything that the next step depends on; call it between two steps."""
        header, tensors = self.saved()
        tensors = under("network.", self.network.tensors()) | tensors
        for number, state in self.optimizer.state_dict()["state"].items():
            tensors |= {f"adam.{number}.{name}": np.asarray(state[name].cpu().numpy()) for name in ADAM}
        counts = {"decisions": self.count, "updates": self.updates, "spent": self.spent._asdict()}
        header = {"kind": "resume", "stage": self.name, **run_identity(self.config), **counts, **header}
        write_checkpoint(folder / RESUME_FILE, header, tensors)

    def restore(self, folder: Path) -> None:
        """Restore a new stage to what `save` wrote.

        Raises:
            CheckpointError: If the file is damaged or belongs to another configuration, or if it is signed but its
                content makes the stage raise an error.
        """
        path = folder / RESUME_FILE
        header, tensors = read_checkpoint(path)
        wanted = run_identity(self.config)
        there = {name: header.get(name) for name in wanted}
        odd = list(itertools.islice(differences(there, wanted, typed=False), MOST_NAMED))
        if odd:
            raise CheckpointError(f"{path}: saved under another configuration or version; {'; '.join(map(str, odd))}")
        with checkpoint_errors(path):
            self.network.take(part(tensors, "network."))
            known = self.optimizer.state_dict()
            for number, parameter in enumerate(self.network.parameters()):
                if state := part(tensors, f"adam.{number}."):
                    for name in ADAM[1:]:
                        if state[name].shape != parameter.shape:
                            raise ValueError(f"{name} {list(state[name].shape)} of a parameter {list(parameter.shape)}")
                    known["state"][number] = {name: torch.as_tensor(state[name]) for name in ADAM}
            self.optimizer.load_state_dict(known)
            self.count, self.updates = counted("decisions", header["decisions"]), counted("updates", header["updates"])
            self.before = Spent(**header["spent"])
            self.seconds = measured("seconds", self.before.seconds)
            measured("seconds", self.before.search_seconds), counted("targets", self.before.targets)
            learned = ("network.", "adam.")  # which are back by now
            self.put_back(header, {name: own for name, own in tensors.items() if not name.startswith(learned)})


def run_identity(config: Config) -> dict[str, Any]:
    """Return what a saved run has in common with those that may resume it, as in its header."""
    return {"config": config.model_dump(), **identity(*config.played)}


@contextlib.contextmanager
def checkpoint_errors(path: Path) -> Iterator[None]:
    """Turn whatever a signed file with other content can raise into a CheckpointError."""
    try:
        yield
    except UNFIT as error:
        message = " ".join(str(error).split())
        raise CheckpointError(f"{path}: it does not fit this run ({type(error).__name__}: {message})") from None


def counted(name: str, number: Any) -> int:
    """Return a count; raises ValueError for anything else."""
    return whole_number(name, number, 0, KEYS - 1)


def measured(name: str, seconds: Any) -> float:
    """Return seconds; raises ValueError for anything else."""
    return real_number(name, seconds, 0, MOST_SECONDS)
