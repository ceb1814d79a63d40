"""A trained network as a player, in numpy: no torch is needed to play."""

from pathlib import Path
from typing import Any

import numpy as np

from gupai_agents.agent import Turns, certain
from gupai_agents.checkpoint import CheckpointError, check_identity, read_checkpoint
from gupai_agents.observing import ROUND, ObservationAgent, best_legal
from gupai_env.core.compiling import compiled
from gupai_env.core.game import Game
from gupai_env.core.rng import KEYS, derive
from gupai_env.core.variant import Variant


def tensor_shapes(net: dict[str, Any], inputs: int, actions: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes that a network of this description has; raises ValueError for a bad one."""
    hidden = net.get("hidden")
    if net.get("type") != "mlp" or not isinstance(hidden, list) or not hidden:
        raise ValueError(
            f"{net} describes no network known here; the type is 'mlp' with a list of hidden widths"
        )
    if not all(isinstance(width, int) and 0 < width <= 65536 for width in hidden):
        raise ValueError(f"hidden widths are whole numbers from 1 to 65536, not {hidden}")
    shapes: dict[str, tuple[int, ...]] = {}
    for layer, (before, after) in enumerate(zip([inputs, *hidden[:-1]], hidden, strict=True)):
        shapes[f"trunk.{layer}.weight"], shapes[f"trunk.{layer}.bias"] = (after, before), (after,)
    shapes["policy.weight"], shapes["policy.bias"] = (actions, hidden[-1]), (actions,)
    shapes["value.weight"], shapes["value.bias"] = (1, hidden[-1]), (1,)
    return shapes


class NetworkAgent(ObservationAgent):
    """A multilayer perceptron (ReLU) over the observation, which scores the actions.

    It takes the best action, or with `sample` draws from its policy with the chance of each decision's key.
    `tensors` holds the float32 weights under their names in a checkpoint.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        net: dict[str, Any],
        tensors: dict[str, np.ndarray],
        sample: bool,
        variant: Variant | None = None,
    ) -> None:
        """Args: variant: the only one that it plays, but for FREE_OPTIONS; any without.

        Raises: ValueError if the tensors are not just those that `net` describes."""
        layout = game.encoder.layout
        shapes = tensor_shapes(net, layout.size, game.num_actions)
        found = {key: tensor.shape for key, tensor in tensors.items()}
        if found != shapes:
            odd = sorted(set(found.items()) ^ set(shapes.items()))[0]
            raise ValueError(f"tensor {odd[0]} {list(odd[1])} does not fit the network {net}")
        super().__init__(name, game, self.logits, variant)
        self.sample = sample
        self.tensors = weights = {key: tensor.astype(np.float32) for key, tensor in tensors.items()}
        self._layers = [
            (weights[f"trunk.{i}.weight"].T.copy(), weights[f"trunk.{i}.bias"])
            for i in range(len(net["hidden"]))
        ]
        first, bias = self._layers[0]
        self._layers[0] = np.divide(first, layout.high[:, None], dtype=np.float32), bias
        self._policy = weights["policy.weight"].T.copy(), weights["policy.bias"]

    @classmethod
    def load(cls, path: str | Path, game: Game, variant: Variant, *, sample: bool = False) -> "NetworkAgent":
        """Read a checkpoint (a file, or a run's folder); raises CheckpointError naming what does not fit."""
        header, tensors = read_checkpoint(path)
        check_identity(path, header, game, variant)
        try:
            return cls(
                f"{'sample' if sample else 'checkpoint'}:{path}",
                game,
                header["net"],
                tensors,
                sample,
                variant,
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
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
