"""Networks as other people's programs have them, and the graphs of them."""

import importlib.util

import numpy as np
import pytest
import torch
from torch import nn

from gupai_agents import DecisionBatch
from gupai_env.games import get_game
from gupai_env.vector import VectorEnv

GAME = get_game("jie-long")
SIZE, ACTIONS = GAME.encoder.layout.size, GAME.num_actions
with_onnx = pytest.mark.skipif(
    not (importlib.util.find_spec("onnx") and importlib.util.find_spec("onnxruntime")), reason="needs gupai[onnx]"
)


def network(*widths, activation=nn.ReLU, seed=1):
    """A perceptron with ordinary weights, as somebody's own program has it."""
    torch.manual_seed(seed)
    layers = []
    for before, after in zip((SIZE, *widths), (*widths, ACTIONS), strict=True):
        layers += [nn.Linear(before, after), activation()]
    return nn.Sequential(*layers[:-1])


class Masked(nn.Module):
    """A policy and a value in one module, as actor and critic are written."""

    def __init__(self, seed=1):
        super().__init__()
        self.actor, self.critic = network(24, 16, activation=nn.Tanh, seed=seed), network(8)

    def forward(self, observations):
        return self.actor(observations.float()), self.critic(observations.float()).sum(1)


def exported(module, path, *, rows="N", names=("logits", "values"), size=SIZE, dtype=torch.int8):
    shown = torch.zeros((2, size), dtype=dtype)
    axes = {name: {0: rows} for name in ("seen", *names)} if rows else None
    torch.onnx.export(
        module, (shown,), path, dynamo=False, input_names=["seen"], output_names=list(names), dynamic_axes=axes
    )
    return path


def all_decisions():
    """Decisions of all moments, and the observations there."""
    envs, parts, seen = VectorEnv("jie-long", 25, seed=1, forced_play=True), [], []
    for step in range(24):
        views, rng_keys = envs.views()
        parts.append(DecisionBatch(views, envs.masks.copy(), rng_keys))
        seen.append(envs.observations.copy())
        envs.step(envs.sample(step))
    joined = DecisionBatch(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    views = np.ascontiguousarray(joined.views).view(GAME.view, np.recarray)
    return joined._replace(views=views), np.concatenate(seen)


def logits_of(module, observations):
    with torch.no_grad():
        answer = module(torch.as_tensor(observations, dtype=torch.float32))
    return (answer[0] if isinstance(answer, tuple) else answer).numpy()


def best(logits, masks):
    return np.where(masks, logits.round(4), -np.inf).argmax(1)


class Odd(nn.Module):
    def __init__(self, change):
        super().__init__()
        self.body, self.change = network(8), change

    def forward(self, observations):
        return self.change(self.body(observations.float()))
