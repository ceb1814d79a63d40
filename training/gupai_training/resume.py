"""Saving a run so that it goes on exactly where it stopped, bit for bit: tensors and JSON, nothing else."""

import contextlib
import itertools
import json
import math
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from gupai_agents.agent import Agent
from gupai_agents.checkpoint import CheckpointError, identity, read_checkpoint, read_header, write_checkpoint
from gupai_agents.network import NetworkAgent
from gupai_agents.registry import agent_of_data
from gupai_env.core.numbers import refused, told, whole_number
from gupai_env.core.rng import KEYS
from gupai_env.games import get_game
from gupai_training.config import RESUME_FILE, SELF_PLAY, TEACHING
from gupai_training.learner import SelfPlayPPO
from gupai_training.network import Network
from gupai_training.opponents import Member, OpponentPool
from gupai_training.teaching import Kind, Teaching

LABELS = "labels-{}.safetensors"  # of a chunk, while teaching is under way
MOST_TOLD = 3  # differences that an error tells
ADAM = ("step", "exp_avg", "exp_avg_sq")
# Names of layers in runs that were saved before the network had names of its own, and what SB3 kept beside them:
OLD_NAMES = {
    "features_extractor.layers.": "trunk.",
    "features_extractor.gates.": "gate.",
    "action_net.": "policy.",
    "value_net.": "value.",
}
SB3_COPIES = "features_extractor.", "pi_features_extractor.", "vf_features_extractor."
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


class Spent(NamedTuple):
    """What went into a run: seconds of self-play; labels and seconds of teaching before it."""

    seconds: float = 0.0
    labels: int = 0
    teaching_seconds: float = 0.0


def save(path: Path, learner: SelfPlayPPO, config: dict[str, Any], spent: Spent) -> None:
    """Write everything that the next update of self-play depends on; call it between two updates."""
    env, pool = learner.env, pool_of(learner)
    tensors = tensors_of(learner.network, learner.policy.optimizer)
    tensors |= {f"average.{name}": tensor for name, tensor in learner.average.tensors().items()}
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
        "stage": SELF_PLAY,
        **belonging(config),
        "members": members,
        "chance": json.dumps(pool.rng.bit_generator.state),
        "decisions": learner.num_timesteps,
        "updates": learner.updates,
        "played": env.decisions,
        "spent": spent._asdict(),
        "shares": learner.seconds,
    }
    write_checkpoint(path, header, tensors)


def restore(path: Path, learner: SelfPlayPPO, config: dict[str, Any], net: dict[str, Any]) -> Spent:
    """Put a learner just built from the same configuration where `save` left it; returns what had gone into it.

    Raises: CheckpointError if the file is damaged or belongs to another configuration.
    """
    header, tensors = _read(path, config, SELF_PLAY)
    with fitting(path):
        _put_back(header, tensors, learner, net)
        spent = Spent(**header["spent"])
        counted("labels", spent.labels), measured("seconds", spent.teaching_seconds)
        return spent._replace(seconds=measured("seconds", spent.seconds))


def save_teaching(folder: Path, teaching: Teaching, config: dict[str, Any]) -> None:
    """Write everything that the next step of teaching depends on: labels that are new in files of their own.

    Where none of them will be learned from again the labels go.
    """
    window, more = teaching.window, teaching.looks_back()
    for number, first, end in teaching.chunks(teaching.written) if more else ():
        first = max(first, window.made - len(window))
        header = {"kind": "labels", "config": config, "first": first, "end": end}
        write_checkpoint(folder / LABELS.format(number), header, window.saved(first, end))
    teaching.written = len(teaching.ends)
    header = {
        "kind": "resume",
        "stage": TEACHING,
        **belonging(config),
        "ends": teaching.ends,
        "chance": json.dumps(teaching.chance.bit_generator.state),
        "seconds": teaching.seconds,
    }
    tensors = tensors_of(teaching.network, teaching.optimizer)
    if teaching.teach.ahead:
        header["asked"] = [[asked.player is None, asked.kind] for asked in teaching.asked]
        for number, asked in enumerate(teaching.asked):
            if isinstance(asked.player, NetworkAgent):
                tensors |= {f"asked.{number}.{name}": tensor for name, tensor in asked.player.tensors.items()}
    write_checkpoint(folder / RESUME_FILE, header, tensors)
    drop_labels(folder, keep={LABELS.format(number) for number, *_ in teaching.chunks(0)} if more else ())


def restore_teaching(
    folder: Path,
    teaching: Teaching,
    config: dict[str, Any],
    player_of: Callable[[dict[str, np.ndarray]], Agent],
) -> None:
    """Put teaching just built from the same configuration where `save_teaching` left it.

    Args: player_of: makes a player of a network's tensors.
    Raises: CheckpointError if a file is damaged, missing or belongs to another configuration.
    """
    path = folder / RESUME_FILE
    header, tensors = _read(path, config, TEACHING)
    with fitting(path):
        network_back(tensors, teaching.network, teaching.optimizer)
        ends = [counted("ends", end) for end in header["ends"]]
        for begin, end in itertools.pairwise([0, *ends]):
            whole_number("labels of a chunk", end - begin, 0, teaching.most_labels)
        teaching.chance.bit_generator.state = json.loads(header["chance"])
        teaching.seconds = measured("seconds", header["seconds"])
        teaching.ends, teaching.written = ends, len(ends)
        teaching.window.made = ends[-1] if ends else 0
        chunks = header["asked"] if teaching.teach.ahead else ()
        whole_number("chunks asked for", len(chunks), 0, teaching.teach.ahead + 1)
        for number, (by_style, kind) in enumerate(chunks):
            weights = {key: tensor.numpy() for key, tensor in part(tensors, f"asked.{number}.").items()}
            teaching.ask(None if by_style else player_of(weights), Kind(kind))
    for number, first, end in list(teaching.chunks(0)) if teaching.looks_back() else ():
        path = folder / LABELS.format(number)
        header, tensors = read_checkpoint(path)
        with fitting(path):
            if header["kind"] != "labels" or header["config"] != config or header["end"] != end:
                raise ValueError("other labels")
            if not first <= counted("first", header["first"]) < end:
                raise ValueError(f"labels from {header['first']} to {end}")
            teaching.window.put_back(tensors, header["first"], end)


def drop_labels(folder: Path, keep: Collection[str] = ()) -> None:
    """Delete the labels in a run's folder, but for files of these names."""
    for file in folder.glob(LABELS.format("*")):
        if file.name not in keep:
            file.unlink()


def stage_of(path: Path) -> str:
    """Return in which stage a run was saved last; raises CheckpointError if the file is none of a run."""
    return _stage_in(path, read_header(path))


def _stage_in(path: Path, header: dict[str, Any]) -> str:
    if header.get("kind") != "resume":
        raise CheckpointError(f"{path}: a player, not a run to go on with")
    if header.get("stage") not in (TEACHING, SELF_PLAY):
        raise CheckpointError(f"{path}: saved in a stage that is unknown here, {told(header.get('stage'))}")
    return str(header["stage"])


def _read(path: Path, config: dict[str, Any], stage: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return header and tensors of a run of this configuration, saved in this stage."""
    header, tensors = read_checkpoint(path)
    tensors = _named_as_now(tensors)
    if (found := _stage_in(path, header)) != stage:
        raise CheckpointError(f"{path}: saved in the stage {found}, not {stage}")
    wanted = belonging(config)
    odd = list(itertools.islice(differences({name: header.get(name) for name in wanted}, wanted), MOST_TOLD))
    if odd:
        raise CheckpointError(f"{path}: saved under another configuration or version; {'; '.join(odd)}")
    return header, tensors


def _named_as_now(tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the tensors of a saved run, whose networks may have the names that they had under SB3's policy."""
    named = {}
    for name, tensor in tensors.items():
        whose, _, rest = name.partition(".")
        old = next((old for old in OLD_NAMES if rest.startswith(old)), None)
        if whose in ("policy", "average") and old is not None:
            name = f"{whose.replace('policy', 'network')}.{OLD_NAMES[old]}{rest.removeprefix(old)}"
        elif whose == "policy" or rest.startswith(SB3_COPIES):
            continue
        named[name] = tensor
    return named


def belonging(config: dict[str, Any]) -> dict[str, Any]:
    """Return what a saved run has in common with those that may go on from it, as it stands in its header."""
    game = get_game(config["game"])
    return {"config": config, **identity(game, game.variant.make(**config["variant"]))}


def differences(there: Any, here: Any, name: str = "") -> Iterator[str]:
    """Yield in words what differs between two contents of JSON, down to the single values.

    Args:
        there: What was saved.
        here: What is wanted.
        name: Of both, "" for the whole.
    """
    if isinstance(there, dict) and isinstance(here, dict):
        for key in [*here, *(key for key in there if key not in here)]:
            inner = f"{name}.{key}" if name else key
            if key not in there:
                yield f"{inner} is not told there, {told(here[key])} here"
            elif key not in here:
                yield f"{inner} is {told(there[key])} there, not known here"
            else:
                yield from differences(there[key], here[key], inner)
    elif there != here:
        values = f"is {told(there)} there, {told(here)} here"
        yield f"{name} {values if told(there) != told(here) else 'differs, though it begins alike'}"


@contextlib.contextmanager
def fitting(path: Path) -> Iterator[None]:
    """Turn whatever a signed file of other content can raise into a CheckpointError."""
    try:
        yield
    except UNFIT as error:
        said = " ".join(str(error).split())
        raise CheckpointError(f"{path}: it does not fit this run ({type(error).__name__}: {said})") from None


def tensors_of(network: Network, optimizer: torch.optim.Optimizer) -> dict[str, np.ndarray]:
    """Return the tensors of a network and of the Adam that moves it, for `network_back`."""
    tensors = {f"network.{name}": tensor for name, tensor in network.tensors().items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{number}.{name}": np.asarray(state[name].cpu().numpy()) for name in ADAM}
    return tensors


def part(tensors: dict[str, np.ndarray], prefix: str) -> dict[str, torch.Tensor]:
    """Return the tensors whose names begin so, under the rest of their names."""
    start = len(prefix)
    return {key[start:]: torch.as_tensor(t) for key, t in tensors.items() if key.startswith(prefix)}


def network_back(tensors: dict[str, np.ndarray], network: Network, optimizer: torch.optim.Optimizer) -> None:
    """Put a network and its Adam back."""
    network.load_state_dict(part(tensors, "network."))
    known = optimizer.state_dict()
    known["state"] = {
        number: adam_state(part(tensors, f"adam.{number}."), parameter)
        for number, parameter in zip(known["param_groups"][0]["params"], network.parameters(), strict=True)
        if part(tensors, f"adam.{number}.")
    }
    optimizer.load_state_dict(known)


def _put_back(
    header: dict[str, Any], tensors: dict[str, np.ndarray], learner: SelfPlayPPO, net: dict[str, Any]
) -> None:
    """Put what was saved into a learner."""
    env, pool, lanes = learner.env, pool_of(learner), learner.env.lanes

    network_back(tensors, learner.network, learner.policy.optimizer)
    learner.average.load_state_dict(part(tensors, "average."))
    learner.noise.set_state(torch.as_tensor(tensors["noise"]))
    pool.members = []
    for number, (name, born, scripted, beaten, deals) in enumerate(header["members"]):
        counted("born", born), counted("deals", deals), measured("beaten", beaten)
        if scripted:
            agent = agent_of_data(name, lanes.game, lanes.variant)
        else:
            weights = {key: tensor.numpy() for key, tensor in part(tensors, f"member.{number}.").items()}
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
        raise refused(what, number, "it must be a number from 0")
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
