"""Saving a run so that it goes on exactly where it stopped, bit for bit: tensors and JSON, nothing else."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gupai_agents.checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from gupai_agents.network import NetworkAgent
from gupai_agents.registry import agent_of_data
from gupai_env.core.numbers import told, whole_number
from gupai_env.core.rng import KEYS
from gupai_training.learner import SelfPlayPPO
from gupai_training.opponents import Member, OpponentPool

ADAM = ("step", "exp_avg", "exp_avg_sq")
# What a file can make numpy, torch and Python raise that was signed but does not hold what `save` writes:
UNFIT = (
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    RuntimeError,
    ArithmeticError,
    MemoryError,
)


def save(path: Path, learner: SelfPlayPPO, config: dict[str, Any], seconds: float) -> None:
    """Write everything that the next update depends on; call it between two updates."""
    env, pool = learner.env, pool_of(learner)
    tensors = {f"policy.{k}": v.cpu().numpy() for k, v in learner.policy.state_dict().items()}
    tensors |= {f"average.{k}": v.cpu().numpy() for k, v in learner.average.state_dict().items()}
    for number, state in learner.policy.optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{number}.{name}": np.asarray(state[name].cpu().numpy()) for name in ADAM}
    tensors["noise"] = learner.noise.get_state().numpy()
    tensors |= {f"env.{name}": array for name, array in env.saved().items()}
    members = []
    for number, member in enumerate(pool.members):
        agent = member.agent
        if isinstance(agent, NetworkAgent):
            tensors |= {f"member.{number}.{name}": tensor for name, tensor in agent.tensors.items()}
        members.append([agent.name, member.born, member.scripted, member.beaten, member.deals])
    header = {
        "kind": "resume",
        "config": config,
        "members": members,
        "chance": json.dumps(pool.rng.bit_generator.state),
        "decisions": learner.num_timesteps,
        "updates": learner.updates,
        "played": env.decisions,
        "seconds": seconds,
        "shares": learner.seconds,
    }
    write_checkpoint(path, header, tensors)


def restore(path: Path, learner: SelfPlayPPO, config: dict[str, Any], net: dict[str, Any]) -> float:
    """Put a learner just built from the same configuration where `save` left it; returns the seconds trained.

    Raises: CheckpointError if the file is damaged or belongs to another configuration.
    """
    header, tensors = read_checkpoint(path)
    if header.get("kind") != "resume":
        raise CheckpointError(f"{path}: a player, not a run to go on with")
    saved = header.get("config")
    if saved != config:
        known = saved if isinstance(saved, dict) else {}
        odd = sorted(key for key in config if config[key] != known.get(key))
        raise CheckpointError(f"{path}: saved under another configuration, {', '.join(odd)} differ")
    try:
        _put_back(header, tensors, learner, net)
        return measured("seconds", header["seconds"])
    except UNFIT as error:
        said = " ".join(str(error).split())
        raise CheckpointError(f"{path}: it does not fit this run ({type(error).__name__}: {said})") from None


def _put_back(
    header: dict[str, Any], tensors: dict[str, np.ndarray], learner: SelfPlayPPO, net: dict[str, Any]
) -> None:
    """Put what was saved into a learner."""
    env, pool, lanes = learner.env, pool_of(learner), learner.env.lanes

    def part(prefix: str) -> dict[str, torch.Tensor]:
        start = len(prefix)
        return {key[start:]: torch.as_tensor(t) for key, t in tensors.items() if key.startswith(prefix)}

    learner.policy.load_state_dict(part("policy."))
    learner.average.load_state_dict(part("average."))
    optimizer = learner.policy.optimizer.state_dict()
    parameters = optimizer["param_groups"][0]["params"]
    optimizer["state"] = {
        number: adam_state(part(f"adam.{number}."), parameter)
        for number, parameter in zip(parameters, learner.policy.parameters(), strict=True)
        if part(f"adam.{number}.")
    }
    learner.policy.optimizer.load_state_dict(optimizer)
    learner.noise.set_state(torch.as_tensor(tensors["noise"]))
    pool.members = []
    for number, (name, born, scripted, beaten, deals) in enumerate(header["members"]):
        counted("born", born), counted("deals", deals), measured("beaten", beaten)
        if scripted:
            agent = agent_of_data(name, lanes.game, lanes.variant)
        else:
            weights = {key: tensor.numpy() for key, tensor in part(f"member.{number}.").items()}
            agent = NetworkAgent(name, lanes.game, net, weights, False, lanes.variant)
        pool.members.append(Member(agent, born, scripted, beaten, deals))
    pool.rng.bit_generator.state = json.loads(header["chance"])
    env.put_back({name[len("env.") :]: array for name, array in tensors.items() if name.startswith("env.")})
    for name in ("played", "decisions", "updates"):
        counted(name, header[name])
    if learner.seconds.keys() != header["shares"].keys():
        raise ValueError(f"shares are of {', '.join(learner.seconds)}")
    for name, seconds in header["shares"].items():
        measured(name, seconds)
    env.decisions = header["played"]
    learner.num_timesteps, learner.updates = header["decisions"], header["updates"]
    learner.seconds = header["shares"]


def counted(what: str, number: Any) -> int:
    """Return a count; raises ValueError for what is none."""
    return whole_number(what, number, 0, KEYS - 1)


def measured(what: str, number: Any) -> float:
    """Return a number from 0; raises ValueError for what is none."""
    if type(number) not in (int, float) or not 0 <= number < math.inf:
        raise ValueError(f"{what}={told(number)} is not allowed; it must be a number from 0")
    return float(number)


def adam_state(state: dict[str, torch.Tensor], parameter: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return what the optimiser knows of a parameter; raises KeyError or ValueError if it is of another one."""
    for name in ADAM[1:]:
        if state[name].shape != parameter.shape:
            raise ValueError(f"{name} {list(state[name].shape)} of a parameter {list(parameter.shape)}")
    return {name: state[name] for name in ADAM}


def pool_of(learner: SelfPlayPPO) -> OpponentPool:
    """Return the learner's opponent pool; only self-play against one can be saved."""
    assert isinstance(learner.env.pool, OpponentPool)
    return learner.env.pool
