"""Larger networks that compute what smaller ones do, so that a player goes on with more room to learn in."""

import itertools
from typing import Any

import numpy as np

from gupai_agents.network import GATED, MLP, alike, tensor_shapes
from gupai_env.core.game import Game


def grows_into(net: dict[str, Any], larger: dict[str, Any]) -> bool:
    """Return whether a network can grow into another: wider layers, more of those that are added to what comes in,
    and a residual one gates.
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

    What is new begins as random as torch's layers do, but nothing that was there takes anything from it yet: a new
    layer adds nothing, and a new gate lets through what came before it was there.
    """
    shapes = tensor_shapes(larger, game.encoder.layout.size, game.num_actions)
    found = {}
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
        found[name] = tensor
    return found
