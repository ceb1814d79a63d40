"""Saving a stage of a run so that it resumes exactly where it stopped, bit for bit: tensors and JSON, nothing else.

Each stage saves what it depends on besides its network and its optimiser: `search_stage`, `self_play_stage`.
"""

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gupai_agents.networks.checkpoint import (
    CheckpointError,
    identity,
    part,
    read_checkpoint,
    read_header,
    under,
    write_checkpoint,
)
from gupai_env.core.rng import KEYS
from gupai_env.messages.checks import real_number, short_repr, whole_number
from gupai_env.storage.models import differences
from gupai_training.config import RESUME_FILE, SEARCH_STAGE, SELF_PLAY, Config
from gupai_training.network import Network

MOST_NAMED = 3  # differences that an error names
MOST_SECONDS = 1e12
ADAM = ("step", "exp_avg", "exp_avg_sq")
# What numpy, torch and Python may raise for a file that is signed but does not hold what `save` writes:
UNFIT = (ValueError, LookupError, TypeError, AttributeError, RuntimeError, ArithmeticError, MemoryError)

Saved = tuple[dict[str, Any], dict[str, np.ndarray]]  # header and tensors


def save(
    folder: Path, stage: str, config: Config, network: Network, optimizer: torch.optim.Optimizer, more: Saved
) -> None:
    """Write everything that the next step of a stage depends on; call it between two steps.

    Args:
        folder: The run's.
        stage: Its name.
        config: The configuration of the run.
        network: What learns.
        optimizer: The Adam that moves it.
        more: What the stage depends on besides.
    """
    header, tensors = more
    tensors = tensors_of(network, optimizer) | tensors
    header = {"kind": "resume", "stage": stage, **run_identity(config), **header}
    write_checkpoint(folder / RESUME_FILE, header, tensors)


@contextlib.contextmanager
def restored(folder: Path, config: Config, network: Network, optimizer: torch.optim.Optimizer) -> Iterator[Saved]:
    """Restore a network and its Adam, and yield what the stage has to restore itself.

    Raises:
        CheckpointError: If the file is damaged or belongs to another configuration, or if it is signed but its content
            makes the stage raise an error.
    """
    path = folder / RESUME_FILE
    header, tensors = read_checkpoint(path)
    wanted = run_identity(config)
    there = {name: header.get(name) for name in wanted}
    odd = list(itertools.islice(differences(there, wanted, typed=False), MOST_NAMED))
    if odd:
        raise CheckpointError(f"{path}: saved under another configuration or version; {'; '.join(map(str, odd))}")
    with checkpoint_errors(path):
        network_back(tensors, network, optimizer)
        yield header, tensors


def stage_of(path: Path) -> str:
    """Return in which stage a run was saved last; raises CheckpointError if the file is not that of a run."""
    header = read_header(path)
    if header.get("kind") != "resume":
        raise CheckpointError(f"{path}: a player, not a run to resume")
    if header.get("stage") not in (SEARCH_STAGE, SELF_PLAY):
        raise CheckpointError(f"{path}: saved in a stage that is unknown here, {short_repr(header.get('stage'))}")
    return str(header["stage"])


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


def tensors_of(network: Network, optimizer: torch.optim.Optimizer) -> dict[str, np.ndarray]:
    """Return the tensors of a network and of the Adam that moves it, for `network_back`."""
    tensors = under("network.", network.tensors())
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{number}.{name}": np.asarray(state[name].cpu().numpy()) for name in ADAM}
    return tensors


def network_back(tensors: dict[str, np.ndarray], network: Network, optimizer: torch.optim.Optimizer) -> None:
    """Restore a network and its Adam; raises KeyError, RuntimeError or ValueError for tensors of another one."""
    network.take(part(tensors, "network."))
    known = optimizer.state_dict()
    for number, parameter in enumerate(network.parameters()):
        if state := part(tensors, f"adam.{number}."):
            for name in ADAM[1:]:
                if state[name].shape != parameter.shape:
                    raise ValueError(f"{name} {list(state[name].shape)} of a parameter {list(parameter.shape)}")
            known["state"][number] = {name: torch.as_tensor(state[name]) for name in ADAM}
    optimizer.load_state_dict(known)


def counted(name: str, number: Any) -> int:
    """Return a count; raises ValueError for anything else."""
    return whole_number(name, number, 0, KEYS - 1)


def measured(name: str, seconds: Any) -> float:
    """Return seconds; raises ValueError for anything else."""
    return real_number(name, seconds, 0, MOST_SECONDS)
