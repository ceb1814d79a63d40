"""Net2Net: larger networks that compute what smaller ones do, so that training continues with more capacity."""

import itertools
from typing import Any

import numpy as np

from gupai_agents.networks.network import GATED, MLP, alike, tensor_shapes
from gupai_env.core.game import Game


def can_widen(net: dict[str, Any], larger: dict[str, Any]) -> bool:
    """Return whether a network can be widened to another: wider layers, more layers that are added to their input, and
    gates for a residual network.
    """
    before, after = net["hidden"], larger["hidden"]
    wider = all(now <= then for now, then in itertools.zip_longest(before, after, fillvalue=0))
    if MLP in (net["type"], larger["type"]):
        return wider and net["type"] == larger["type"] and len(before) == len(after)
    added = alike(after)
    return (
        wider
        and (net["type"] == larger["type"] or larger["type"] == GATED)
        and added[: len(before)] == alike(before)
        and all(added[len(before) :])
    )


def widened(
    tensors: dict[str, np.ndarray], larger: dict[str, Any], game: Game, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Return the tensors of a larger network that computes the same.

    Args:
        tensors: Those of the network.
        larger: The description of the larger one, see `can_widen`.
        game: Whose observations and actions both have.
        rng: Draws new weights.

    New weights are initialised as torch initialises its layers, but nothing uses their results yet: a new layer adds
    nothing, and a new gate passes its input through unchanged.
    """
    shapes = tensor_shapes(larger, game.encoder.layout.size, game.num_actions)
    enlarged = {}
    for name, shape in shapes.items():
        layer, _, part = name.rpartition(".")
        before, gate = tensors.get(name), layer.startswith("gate")
        tensor = np.zeros(shape, np.float32)
        if before is None and gate and layer.replace("gate", "trunk") + ".weight" in tensors:
            tensor[:] = part == "bias"  # a gate of 1 for a layer that had none
        elif part == "weight" and (gate or (layer.startswith("trunk") and before is not None)):
            tensor[:] = rng.uniform(-1, 1, shape) / np.sqrt(shape[1])
        if before is not None:
            tensor[: len(before)] = 0
            tensor[tuple(map(slice, before.shape))] = before
        enlarged[name] = tensor
    return enlarged
