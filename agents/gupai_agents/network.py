"""A trained network as a player, in numpy: no torch is needed to play."""

import itertools
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

import numpy as np

from gupai_agents.agent import Turns, certain
from gupai_agents.checkpoint import CheckpointError, check_identity, read_checkpoint
from gupai_agents.observing import ROUND, ObservationAgent, best_legal
from gupai_env.core.compiling import compiled
from gupai_env.core.game import Game
from gupai_env.core.rng import KEYS, derive
from gupai_env.core.variant import Variant

MAX_LAYERS, MAX_WIDTH = 64, 16384
HIGHEST_SCORE = 1e30  # far from the end of float32, 3e38


def tensor_shapes(net: Any, inputs: int, actions: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes that a network of this description has; raises ValueError for a bad one."""
    if not isinstance(net, dict) or net.get("type") != "mlp" or net.get("activation") != "relu":
        raise ValueError(
            f"{shortened(net)} describes no network known here; the type is 'mlp', its activation 'relu'"
        )
    hidden = net.get("hidden")
    if not isinstance(hidden, list) or not 0 < len(hidden) <= MAX_LAYERS:
        raise ValueError(f"hidden widths are a list of 1 to {MAX_LAYERS}, not {shortened(hidden)}")
    if not all(type(width) is int and 0 < width <= MAX_WIDTH for width in hidden):
        raise ValueError(f"hidden widths are whole numbers from 1 to {MAX_WIDTH}, not {shortened(hidden)}")
    shapes: dict[str, tuple[int, ...]] = {}
    for layer, (before, after) in enumerate(itertools.pairwise([inputs, *hidden])):
        shapes[f"trunk.{layer}.weight"], shapes[f"trunk.{layer}.bias"] = (after, before), (after,)
    shapes["policy.weight"], shapes["policy.bias"] = (actions, hidden[-1]), (actions,)
    shapes["value.weight"], shapes["value.bias"] = (1, hidden[-1]), (1,)
    return shapes


def as_single(tensor: np.ndarray) -> np.ndarray:
    """Return a tensor that was written in half precision, as players that ship are, in float32; others as they are."""
    return tensor.astype(np.float32) if tensor.dtype == np.float16 else tensor


def require_tensors(tensors: dict[str, np.ndarray], shapes: dict[str, tuple[int, ...]]) -> None:
    """Raise ValueError, naming one of them, unless the tensors are just those of these shapes, in float32."""
    for name in sorted(tensors.keys() | shapes.keys()):
        if name not in tensors:
            raise ValueError(f"the tensor {name} {list(shapes[name])} of its network is missing")
        tensor, shown = tensors[name], f"tensor {shortened(name)} {list(tensors[name].shape)}"
        if tensor.shape != shapes.get(name):
            wanted = f"wants {list(shapes[name])}" if name in shapes else "has no such tensor"
            raise ValueError(f"{shown} does not fit its network, which {wanted}")
        if tensor.dtype != np.float32:
            raise ValueError(f"{shown} holds {tensor.dtype}, not float32")


def highest_score(layers: list[tuple[np.ndarray, np.ndarray]], inputs: np.ndarray) -> float:
    """Return what no score, and no number on the way to it, exceeds; inputs: the largest size of each input."""
    most = reach = inputs.astype(np.float64)
    for weight, bias in layers:
        reach = reach @ np.abs(weight.astype(np.float64)) + np.abs(bias.astype(np.float64))
        most = np.maximum(most.max(), reach)
    return float(np.max(most))


class NetworkAgent(ObservationAgent):
    """A multilayer perceptron (ReLU) over the observation, which scores the actions.

    It takes the best action, or with `sample` draws from its policy with the chance of each decision's key.
    `tensors` holds the float32 weights under their names in a checkpoint.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        net: Any,
        tensors: dict[str, np.ndarray],
        sample: bool,
        variant: Variant | None = None,
    ) -> None:
        """Args: variant: the only one that it plays, but for FREE_OPTIONS; any without.

        Raises: ValueError if the tensors are not just those that `net` describes, float32, or if scores of
            such weights might be too large for float32.
        """
        layout = game.encoder.layout
        require_tensors(tensors, tensor_shapes(net, layout.size, game.num_actions))
        super().__init__(name, game, self.logits, variant)
        self.sample = sample
        self.tensors = weights = {key: tensor.copy() for key, tensor in tensors.items()}
        self._layers = [
            (weights[f"trunk.{i}.weight"].T.copy(), weights[f"trunk.{i}.bias"])
            for i in range(len(net["hidden"]))
        ]
        first, bias = self._layers[0]
        self._layers[0] = np.divide(first, layout.high[:, None], dtype=np.float32), bias
        self._policy = weights["policy.weight"].T.copy(), weights["policy.bias"]
        highest = highest_score(
            [*self._layers, self._policy], np.maximum(np.abs(layout.low), np.abs(layout.high))
        )
        if not highest < HIGHEST_SCORE:
            raise ValueError(f"its weights are so large that scores may reach {highest:.0e}")

    @classmethod
    def load(cls, path: str | Path, game: Game, variant: Variant, *, sample: bool = False) -> "NetworkAgent":
        """Read a checkpoint (a file, or a run's folder); raises CheckpointError naming what does not fit."""
        header, tensors = read_checkpoint(path)
        check_identity(path, header, game, variant)
        tensors = {key: as_single(tensor) for key, tensor in tensors.items()}
        name = f"{'sample' if sample else 'checkpoint'}:{path}"
        try:
            return cls(name, game, header.get("net"), tensors, sample, variant)
        except ValueError as error:
            raise CheckpointError(f"{path}: {error}") from None

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """Return the score of every action, float32 [N, num_actions], for observations int8 [N, layout.size]."""
        x = observations.astype(np.float32)
        for weight, bias in self._layers:
            x = x @ weight
            x += bias
            np.maximum(x, 0, out=x)
        return x @ self._policy[0] + self._policy[1]

    def act(self, turns: Turns) -> np.ndarray:
        """Return one legal action a row, int16 [N]."""
        scores = self.scores(turns)
        if self.sample:
            scores = scores + gumbel(turns.keys, scores.shape[1])
        return best_legal(scores, turns.masks)

    def probabilities(self, turns: Turns) -> np.ndarray:
        """Return the probability of every action, float64 [N, num_actions]: the softmax, or 1 for the best action.

        The softmax differs from the frequencies of `act` by less than its rounding, 10**-ROUND.
        """
        if not self.sample:
            return certain(self.act(turns), self.game.num_actions)
        scores = np.where(turns.masks, np.round(self.scores(turns).astype(np.float64), ROUND), -np.inf)
        chances = np.exp(scores - scores.max(1, keepdims=True))
        return chances / chances.sum(1, keepdims=True)


def gumbel(keys: np.ndarray, width: int) -> np.ndarray:
    """Return standard Gumbel noise, float32 [N, width], fixed by each row's key: the largest sum is a softmax draw."""
    bits = np.empty((len(keys), width), np.int64)
    derive_rows(keys, bits)
    uniform = (bits.astype(np.float64) + 0.5) / KEYS
    return -np.log(-np.log(uniform)).astype(np.float32)


def _derive_rows(keys, bits):
    for row in range(len(keys)):
        for counter in range(bits.shape[1]):
            bits[row, counter] = derive(keys[row], counter)


derive_rows = compiled(_derive_rows)
