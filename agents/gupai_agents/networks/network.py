"""A trained network as a player, in numpy: no torch is needed to play. `save_network` writes one of your own."""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.agent import observations_of
from gupai_agents.failure import in_one_line
from gupai_agents.look_ahead import look_ahead_of
from gupai_agents.networks.checkpoint import (
    CheckpointError,
    check_identity,
    identity,
    read_checkpoint,
    write_checkpoint,
)
from gupai_agents.networks.network_agent import ObservationAgent
from gupai_env.core.game import Game
from gupai_env.core.heuristic import MAX_SCORE
from gupai_env.core.variant import Variant
from gupai_env.games import get_game
from gupai_env.messages.checks import key_context, short_repr
from gupai_env.storage.files import check_target
from gupai_env.vector import VectorEnv

MLP, RESIDUAL, GATED = TYPES = "mlp", "residual", "gated"
GATE_LIMIT = 2.0  # largest factor of a gate, and of its opposite
MAX_LAYERS, MAX_WIDTH = 64, 16384
INT8_MOST = 127
HALF = "trunk.0.", "policy.", "value."  # layers that `packed` writes in half precision
SCALE = "_scale"  # after the name of a weight in whole numbers: the factor of each row


def tensor_shapes(net: Any, inputs: int, actions: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes that a network of this description has; raises ValueError for a bad one.

    Args:
        net: The description of a network: `type` (one of TYPES), `hidden` (the widths of its layers) and `activation`,
            "relu".
        inputs: The size of an observation.
        actions: The number of actions, which have a score each.
    """
    if not isinstance(net, dict) or net.get("type") not in TYPES or net.get("activation") != "relu":
        raise ValueError(
            f"{short_repr(net)} is not a known network; the type is '{MLP}', '{RESIDUAL}' or '{GATED}', its "
            "activation 'relu'"
        )
    hidden = net.get("hidden")
    if not isinstance(hidden, list) or not 0 < len(hidden) <= MAX_LAYERS:
        raise ValueError(f"hidden widths are a list of 1 to {MAX_LAYERS}, not {short_repr(hidden)}")
    if not all(type(width) is int and 0 < width <= MAX_WIDTH for width in hidden):
        raise ValueError(f"hidden widths are whole numbers from 1 to {MAX_WIDTH}, not {short_repr(hidden)}")
    shapes: dict[str, tuple[int, ...]] = {}
    for n, layer in enumerate(wiring(net, inputs)):
        for part in ("trunk", "gate")[: 1 + layer.gated]:
            shapes[f"{part}.{n}.weight"], shapes[f"{part}.{n}.bias"] = ((layer.outputs, layer.inputs), (layer.outputs,))
    shapes["policy.weight"], shapes["policy.bias"] = (actions, hidden[-1]), (actions,)
    shapes["value.weight"], shapes["value.bias"] = (1, hidden[-1]), (1,)
    return shapes


def alike(hidden: Sequence[int]) -> list[bool]:
    """Return which layers are as wide as the one before, so that their input can be added to their result."""
    return [False, *(before == after for before, after in itertools.pairwise(hidden))]


class Wiring(NamedTuple):
    """The structure of a layer below the heads: its widths, whether it is `added` to its input, and whether gated."""

    inputs: int
    outputs: int
    added: bool
    gated: bool


def wiring(net: Any, inputs: int) -> list[Wiring]:
    """Return the structure of the layers below the heads; the only place that interprets a network's description.

    In a residual network a layer that is as wide as the one before is added to its input, before the ReLU. In a gated
    one it is first multiplied by its gate: a linear map of the input, clipped to +-GATE_LIMIT.
    """
    hidden, kind = net["hidden"], net["type"]
    widths = zip(itertools.pairwise([inputs, *hidden]), alike(hidden), strict=True)
    return [Wiring(*width, same and kind != MLP, same and kind == GATED) for width, same in widths]


class Linear(NamedTuple):
    """A linear map: weight, float32 [outputs, inputs], or [inputs, outputs] once `turned`; bias, float32 [outputs]."""

    weight: Any
    bias: Any

    def __call__(self, x: Any) -> Any:
        """Apply the map, turned, to inputs [N, inputs]: numpy arrays, or torch tensors if all are."""
        x = x @ self.weight
        x += self.bias
        return x

    def turned(self) -> "Linear":
        """Return the map with its weight as [inputs, outputs]."""
        return Linear(self.weight.T.copy(), self.bias)


class Layer(NamedTuple):
    """A layer of a network: a linear map, and how its result is combined with its input.

    `added`: whether the input is added to the result, which is first multiplied by the gate if there is one. Maps are
    `Linear` or torch's own.
    """

    linear: Any
    added: bool = False
    gate: Any = None

    def converted(self, convert: Callable[..., Any]) -> "Layer":
        """Return the layer with each of its maps converted."""
        return Layer(convert(self.linear), self.added, self.gate and convert(self.gate))


def relu(x: Any) -> Any:
    """Return the inputs, clipped at zero from below."""
    return x.clip(min=0)


def forward(layers: Sequence[Layer], x: Any, relu: Callable[..., Any] = relu) -> Any:
    """Apply layers to inputs [N, inputs]: the one definition of the network, in numpy and in torch.

    There is a ReLU before each layer except the first.

    Args:
        layers: Those of the trunk and the one that scores the actions, in this order.
        x: Observations, float32 [N, inputs].
        relu: The ReLU of the library whose arrays these are.

    Returns:
        The scores of actions, float32 [N, num_actions].
    """
    first, *others = layers
    x = first.linear(x)
    for linear, added, gate in others:
        step = linear(relu(x))
        if gate:
            step *= gate(x).clip(-GATE_LIMIT, GATE_LIMIT)
        if added:
            step += x
        x = step
    return x


def trunk_of(net: Any, linear: Callable[[str], Any]) -> list[Layer]:
    """Return the layers below the heads for `forward`, of linear maps asked for by their names."""
    return [
        Layer(linear(f"trunk.{n}"), layer.added, linear(f"gate.{n}") if layer.gated else None)
        for n, layer in enumerate(wiring(net, 0))
    ]


def linear_of(tensors: dict[str, np.ndarray]) -> Callable[[str], Linear]:
    """Return a function that finds linear maps by their names in the tensors of a checkpoint."""
    return lambda name: Linear(tensors[f"{name}.weight"], tensors[f"{name}.bias"])


def packed(tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return a network's tensors in about a quarter of the bytes, as players that ship are written.

    The weight of a hidden layer is int8 [outputs, inputs]; each row is multiplied by its factor in `NAME_scale`,
    float32 [outputs]. The rest is in half precision: biases, and the first and last weights, which are small and where
    rounding costs most.
    """
    small: dict[str, np.ndarray] = {}
    for name, tensor in tensors.items():
        if tensor.ndim == 2 and not name.startswith(HALF):
            largest = np.abs(tensor).max(1)
            scale = np.where(largest > 0, largest / INT8_MOST, 1).astype(np.float32)
            small[name] = np.rint(tensor / scale[:, None]).astype(np.int8)
            small[name + SCALE] = scale
        else:
            small[name] = tensor.astype(np.float16)
    return small


def unpacked(tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return tensors in float32 that were written in half precision or as `packed` does; others as they are."""
    large = {}
    for name, tensor in tensors.items():
        scale = tensors.get(name + SCALE)
        whole = tensor.ndim == 2 and tensor.dtype == np.int8
        if whole and scale is not None and scale.shape == tensor.shape[:1]:
            with np.errstate(over="ignore"):  # numbers that are too large are refused as scores that might be
                large[name] = tensor * scale.astype(np.float32)[:, None]
        elif not name.endswith(SCALE):
            large[name] = tensor.astype(np.float32) if tensor.dtype == np.float16 else tensor
    return large


def require_tensors(tensors: dict[str, np.ndarray], shapes: dict[str, tuple[int, ...]]) -> None:
    """Raise ValueError, naming one of them, unless the tensors are exactly those of these shapes, in float32."""
    for name in sorted(tensors.keys() | shapes.keys()):
        if name not in tensors:
            raise ValueError(f"the tensor {name} {list(shapes[name])} of its network is missing")
        tensor, label = tensors[name], f"tensor {short_repr(name)} {list(tensors[name].shape)}"
        if tensor.shape != shapes.get(name):
            wanted = f"needs {list(shapes[name])}" if name in shapes else "has no such tensor"
            raise ValueError(f"{label} does not fit its network, which {wanted}")
        if tensor.dtype != np.float32:
            raise ValueError(f"{label} holds {tensor.dtype}, not float32")


def highest_score(layers: list[Layer], inputs: np.ndarray) -> float:
    """Return a bound on all scores and intermediate values; inputs: the largest absolute value of each input."""
    most = reach = inputs.astype(np.float64)
    for linear, added, gate in layers:
        step = np.abs(linear.weight.astype(np.float64)) @ reach + np.abs(linear.bias.astype(np.float64))
        if gate:
            opened = np.abs(gate.weight.astype(np.float64)) @ reach + np.abs(gate.bias.astype(np.float64))
            most = np.maximum(most.max(), opened)  # before it is clipped
            step *= GATE_LIMIT
        reach = step + reach if added else step
        most = np.maximum(most.max(), reach)
    return float(np.max(most))


def scoring_layers(net: Any, tensors: dict[str, np.ndarray], high: np.ndarray) -> list[Layer]:
    """Return the layers from inputs as they are to scores, which `forward` takes.

    Args:
        net, tensors: A network, as in a checkpoint; its first layer takes inputs that are divided by `high`.
        high: The largest absolute value of each input.

    Raises:
        ValueError: If scores of such weights might be too large for float32.
    """
    linear = linear_of(tensors)
    (first, *_), *others = trunk_of(net, linear)
    scaled = Linear(np.divide(first.weight, high, dtype=np.float32), first.bias)
    layers = [Layer(scaled), *others, Layer(linear("policy"))]
    if not (highest := highest_score(layers, high)) < MAX_SCORE:
        raise ValueError(f"its weights are so large that scores may reach {highest:.0e}")
    return [layer.converted(Linear.turned) for layer in layers]


class NetworkAgent(ObservationAgent):
    """A multilayer perceptron (ReLU) over the observation, plain, residual or gated, which scores the actions.

    `net` describes the network as a checkpoint does, `tensors` holds its float32 weights under their names there,
    `layers` is what `forward` takes.
    """

    tensors: dict[str, np.ndarray]

    def __init__(
        self,
        name: str,
        game: Game,
        net: Any,
        tensors: dict[str, np.ndarray],
        sample: bool,
        variant: Variant | None = None,
    ) -> None:
        """Make the player of some tensors.

        Args:
            variant: The only one that it plays, apart from FREE_OPTIONS (default any).

        Raises:
            ValueError: If the tensors are not just those that `net` describes, float32, or if scores of such weights
                might be too large for float32.
        """
        layout = game.encoder.layout
        require_tensors(tensors, tensor_shapes(net, layout.size, game.num_actions))
        super().__init__(name, game, self.logits, variant, sample=sample)
        self.net = net
        self.tensors = weights = {key: tensor.copy() for key, tensor in tensors.items()}
        self.layers: list[Layer] = scoring_layers(net, weights, layout.high)

    @classmethod
    def load(cls, path: str | Path, game: Game, variant: Variant, *, sample: bool = False) -> "NetworkAgent":
        """Read a checkpoint (a file, or a run's folder); raises CheckpointError naming what does not fit.

        Args:
            sample: Draw actions from its policy, as players do in any case that were trained to mix their actions.
        """
        header, tensors = read_checkpoint(path)
        player = check_identity(path, header, game, variant)
        sample = sample or player.mixes
        name = f"{'sample' if sample else 'checkpoint'}:{path}"
        with key_context(path, CheckpointError):
            agent = cls(name, game, player.net, unpacked(tensors), sample, variant)
            agent.ahead = look_ahead_of(header, game, variant)
            return agent

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """Return the score of every action, float32 [N, num_actions], for observations int8 [N, layout.size]."""
        return forward(self.layers, observations.astype(np.float32))


# --- networks of your own --------------------------------------------------------------------------

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
            "hidden": [256, 256], "activation": "relu"}`; its inputs are scaled. See `gupai_agents.networks.network`.
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
