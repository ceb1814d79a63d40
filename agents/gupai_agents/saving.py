"""`save_network`: the weights of a network of your own as a checkpoint, a player wherever one is named."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gupai_agents.agent import observations_of
from gupai_agents.checkpoint import identity, write_checkpoint
from gupai_agents.failure import in_one_line
from gupai_agents.network import MLP, NetworkAgent
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games import get_game
from gupai_env.storage.files import check_target
from gupai_env.vector import VectorEnv
from gupai_env.words.checks import short_repr

KERNEL = "kernel"  # what JAX calls a weight, [inputs, outputs]
PARTS = ("weight", "bias", KERNEL)
MOST_LISTED = 24  # tensors in an error
DEALS, MOVES, CLOSE = 32, 4, 1e-3  # observations at which a module is compared with the file, and how closely


def save_network(
    network: Any,
    game: str | Game,
    variant: Variant | Mapping[str, Any],
    path: str | Path,
    *,
    layers: Sequence[str] | None = None,
    net: Mapping[str, Any] | None = None,
    scaled: bool = False,
    force: bool = False,
) -> None:
    """Write a network as a checkpoint, which `checkpoint:FILE` and `sample:FILE` make players of.

    It is a multilayer perceptron from observations to the logits of all actions: linear layers with a ReLU between
    each two. Networks of any other kind are players as ONNX graphs, `onnx:FILE`. A torch module is asked too, and
    must answer as the file does.

    Args:
        network: A torch module that maps observations to logits, or a mapping of names to arrays or tensors, which may
            be nested: a state dict, or parameters of Flax. A linear layer is a `weight` [outputs, inputs] or a
            `kernel` [inputs, outputs], with a `bias` [outputs] or none.
        game: The game that it plays.
        variant: The variant, or its options, that it was trained for; its file is refused elsewhere.
        path: The file to write.
        layers: The names of the linear layers from the first to the last; default all, in the order of a state dict,
            kernels by the numbers in their names. It leaves out a value network, say.
        net: The description of a network whose tensors have a checkpoint's names, such as `{"type": "gated",
            "hidden": [256, 256], "activation": "relu"}`; its inputs are scaled. See `gupai_agents.network`.
        scaled: Whether the network takes observations divided by `layout.high`; default as environments show them.
        force: Whether a file that exists may be replaced.

    Raises:
        ValueError: Tensors that do not fit, listed with what is expected, or a module that is none of these networks.
        OSError: The file cannot be written.
    """
    game = get_game(game)
    variant = variant if isinstance(variant, Variant) else game.variant.make(**variant)
    path = check_target(path, force=force)
    tensors = dict(_tensors_in(network))
    described = net is not None
    if net is None:
        net, tensors = _perceptron(tensors, game, layers)
        if not scaled:
            tensors["trunk.0.weight"] *= game.encoder.layout.high.astype(np.float32)
    net = dict(net)
    player = NetworkAgent(path.name, game, net, tensors, False, variant)
    if callable(network) and not described:
        _compare(network, player, scaled)
    write_checkpoint(path, {**identity(game, variant), "kind": "player", "net": net}, tensors, force=force)


def _tensors_in(network: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the names and tensors of a module or mapping, float32; raises ValueError for anything else."""
    if hasattr(network, "state_dict"):
        network = network.state_dict()
    if not isinstance(network, Mapping):
        raise ValueError(f"{short_repr(network)} is neither a torch module nor a mapping of names to tensors")
    for name, value in network.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{inner}", tensor) for inner, tensor in _tensors_in(value))
            continue
        if hasattr(value, "detach"):
            value = value.detach().cpu().float()
        try:
            yield str(name), np.array(value, np.float32)
        except (TypeError, ValueError):
            raise ValueError(f"{name} is {short_repr(value)}, not a tensor") from None


def _perceptron(
    named_tensors: Mapping[str, np.ndarray], game: Game, layers: Sequence[str] | None
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the description of a perceptron, and its tensors under a checkpoint's names; raises ValueError.

    Its value, of which players make no use, is zero.
    """
    size, actions = game.encoder.layout.size, game.num_actions

    def refused(problem: str) -> ValueError:
        listed = [f"{name} {list(tensor.shape)}" for name, tensor in named_tensors.items()]
        listed[MOST_LISTED:] = ["..."] if len(listed) > MOST_LISTED else []
        wanted = f"weights [width, {size}], [width, width before], ..., [{actions}, last width], each with its bias"
        return ValueError(
            f"{problem}; the tensors are {', '.join(listed) or 'none'}; expected for {game.id} are {wanted} "
            "(layers=[...] names those of the policy in their order)"
        )

    names = _layers_in(named_tensors) if layers is None else list(layers)
    linear: list[tuple[np.ndarray, np.ndarray]] = []
    for name in names:
        weight = named_tensors.get(f"{name}.weight")
        if weight is None and (kernel := named_tensors.get(f"{name}.{KERNEL}")) is not None:
            weight = kernel.T
        if weight is None or weight.ndim != 2:
            raise refused(f"{name} is not a linear layer")
        bias = named_tensors.get(f"{name}.bias", np.zeros(len(weight), np.float32))
        inputs = linear[-1][0].shape[0] if linear else size
        if weight.shape[1] != inputs or bias.shape != weight.shape[:1]:
            raise refused(f"{name} takes {weight.shape[1]} inputs and has a bias {list(bias.shape)}, not {inputs}")
        linear.append((weight, bias))
    if len(linear) < 2 or len(linear[-1][0]) != actions:
        last = f"{names[-1]} has {len(linear[-1][0])} outputs" if linear else "there are none"
        raise refused(f"two linear layers or more lead to {actions} actions, but {last}")
    used = {f"{name}.{part}" for name in names for part in PARTS}
    if layers is None and (others := named_tensors.keys() - used):
        raise refused(f"{min(others)} does not belong to a linear layer")
    *trunk, policy = linear
    hidden = [len(bias) for _, bias in trunk]
    named = {f"trunk.{number}": layer for number, layer in enumerate(trunk)}
    named |= {"policy": policy, "value": (np.zeros((1, hidden[-1]), np.float32), np.zeros(1, np.float32))}
    tensors = {
        f"{name}.{part}": array for name, pair in named.items() for part, array in zip(PARTS, pair, strict=False)
    }
    return {"type": MLP, "hidden": hidden, "activation": "relu"}, {k: v.copy() for k, v in tensors.items()}


def _layers_in(tensors: Mapping[str, np.ndarray]) -> list[str]:
    """Return the names of all linear layers: in their order, or by their numbers if they are JAX's, which sorts."""
    kernels = [name.rpartition(".")[0] for name in tensors if name.rpartition(".")[2] == KERNEL]
    if kernels:
        return sorted(
            kernels, key=lambda name: [int(part) if part.isdigit() else 0 for part in re.split(r"(\d+)", name)]
        )
    return [name.rpartition(".")[0] for name in tensors if name.rpartition(".")[2] == "weight"]


def _compare(network: Any, player: NetworkAgent, scaled: bool) -> None:
    """Raise ValueError if a torch module that maps observations to logits does not answer as its player does."""
    import torch

    game, variant = player.game, player.variant
    assert variant is not None
    envs = VectorEnv(game, DEALS, seed=0, **variant.changed())
    for move in range(MOVES):
        envs.step(envs.sample(move))
    observations = observations_of(game, envs.views()[0])
    inputs = torch.as_tensor(observations / game.encoder.layout.high if scaled else observations, dtype=torch.float32)
    wanted = player.logits(observations)
    try:
        with torch.no_grad():
            answer = network(inputs.to(next(network.parameters()).device)).cpu().float().numpy()
    except Exception as error:  # whatever the module raises
        answer, outcome = np.empty(0), in_one_line(error)
    else:
        outcome = f"it returns {list(answer.shape)}, not {list(wanted.shape)}"
    if answer.shape != wanted.shape:
        raise ValueError(
            f"the module does not map observations to logits, so it cannot be compared with the file ({outcome}); give "
            "the part of it that does, such as torch.nn.Sequential(body, head), or its state dict"
        )
    if not np.allclose(answer, wanted, rtol=CLOSE, atol=CLOSE * np.abs(wanted).max()):
        raise ValueError(
            "the module computes something other than a checkpoint does: linear layers with a ReLU between each two, "
            "of observations as they are (scaled=True: divided by layout.high) and without dropout; write an ONNX graph"
        )
