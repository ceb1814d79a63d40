"""Checkpoints of a small network: its weights, its header, and how it is refused."""

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_agents.networks.checkpoint import CheckpointError, identity
from gupai_agents.networks.network import tensor_shapes
from gupai_env.games import get_game
from gupai_env.vector import VectorEnv

GAME = get_game("jie-long")
NET = {"type": "mlp", "hidden": [16, 8], "activation": "relu"}


def weights(seed=0):
    rng = np.random.default_rng(seed)
    shapes = tensor_shapes(NET, GAME.encoder.layout.size, GAME.num_actions)
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def header(**variant):
    return {**identity(GAME, GAME.variant.make(**variant)), "kind": "player", "net": NET}


def refusal(path):
    """Return the line with which a checkpoint is refused as a player."""
    with pytest.raises(CheckpointError) as caught:
        make_agent(f"checkpoint:{path}")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500 + len(str(path))
    return str(caught.value)


def turns(seed=0, rows=200):
    envs = VectorEnv("jie-long", rows, seed=seed)
    for step in range(7):
        envs.step(envs.sample(step))
    views, rng_keys = envs.views()
    return DecisionBatch(views, envs.masks.copy(), rng_keys)
