"""A trained network as a player, in numpy: no torch is needed to play."""

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.checkpoint import CheckpointError, check_identity, mixes_actions, read_checkpoint
from gupai_agents.look_ahead import look_ahead_of
from gupai_agents.network_agent import ObservationAgent
from gupai_env.core.game import Game
from gupai_env.core.heuristic import MAX_SCORE
from gupai_env.core.variant import Variant
from gupai_env.words.checks import short_repr

MLP, RESIDUAL, GATED = TYPES = "mlp", "residual", "gated"
GATE_LIMIT = 2.0  # largest factor of a gate, and of its opposite
MAX_LAYERS, MAX_WIDTH = 64, 16384
INT8_MOST = 127
HALF = "trunk.0.", "policy.", "value."  # layers that `packed` writes in half precision
SCALE = "_scale"  # after the name of a weight in whole numbers: the factor of each row


def tensor_shapes(net: Any, inputs: int, actions: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes that a network of this description has; raises ValueError for a bad one."""
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
        linear = linear_of(weights)
        (first, *_), *others = trunk_of(net, linear)
        scaled = Linear(np.divide(first.weight, layout.high, dtype=np.float32), first.bias)
        layers = [Layer(scaled), *others, Layer(linear("policy"))]
        highest = highest_score(layers, np.maximum(np.abs(layout.low), np.abs(layout.high)))
        if not highest < MAX_SCORE:
            raise ValueError(f"its weights are so large that scores may reach {highest:.0e}")
        self.layers: list[Layer] = [layer.converted(Linear.turned) for layer in layers]

    @classmethod
    def load(cls, path: str | Path, game: Game, variant: Variant, *, sample: bool = False) -> "NetworkAgent":
        """Read a checkpoint (a file, or a run's folder); raises CheckpointError naming what does not fit.

        Args:
            sample: Draw actions from its policy, as players do in any case that were trained to mix their actions.
        """
        header, tensors = read_checkpoint(path)
        check_identity(path, header, game, variant)
        sample = sample or mixes_actions(path, header)
        name = f"{'sample' if sample else 'checkpoint'}:{path}"
        try:
            agent = cls(name, game, header.get("net"), unpacked(tensors), sample, variant)
            agent.ahead = look_ahead_of(header, game, variant)
            return agent
        except ValueError as error:
            raise CheckpointError(f"{path}: {error}") from None

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """Return the score of every action, float32 [N, num_actions], for observations int8 [N, layout.size]."""
        return forward(self.layers, observations.astype(np.float32))
