#!/usr/bin/env bash
# AgileRL 2.58.0's PPO credits a reward at the end of an episode to the last step alone.
#
# Its rollout buffer keeps for every step whether that step ended the episode, and computes generalised advantages (GAE,
# the default) as if it kept whether the step before did: the sum is cut one step before the end of an episode, and at
# the end the next episode's is added. Episodes of three steps that pay 1 at their end, with gamma = lambda = 1, have
# returns of 1 at every step, whatever the critic says; the buffer has 0, 0, 1. With `use_gae=False`, returns that are
# summed in the same function, it has 1, 1, 1. PPO learns little where rewards come at the end, as in most games.
#
# `agilerl.algorithms` also needs peft, which only some extras of AgileRL ask for, so it is installed here by name.
# About 2 GB are installed, more with torch's wheel for CUDA.
#
# Fails if the returns are other ones.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check agilerl==2.58.0 peft==0.21.2 torch==2.13.0
cat > "$folder/returns.py" <<'PYTHON'
from importlib.metadata import version

import gymnasium
import numpy as np
from agilerl.algorithms import PPO
from agilerl.rollouts.on_policy import collect_rollouts

STEPS = 3


class Corridor(gymnasium.Env):
    """Three steps, of which the last one pays 1."""

    observation_space = gymnasium.spaces.Box(0, 1, (STEPS,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def _seen(self):
        return np.eye(STEPS, dtype=np.float32)[self.at % STEPS]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        return self._seen(), {}

    def step(self, action):
        self.at += 1
        over = self.at == STEPS
        return self._seen(), float(over), over, False, {}


for buffer, expected in ({}, [0, 0, 1]), ({"use_gae": False}, [1, 1, 1]):
    env = gymnasium.vector.SyncVectorEnv([Corridor], autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP)
    settings = {"gamma": 1.0, "gae_lambda": 1.0, "learn_step": 4 * STEPS, "num_envs": 1, "batch_size": 4}
    spaces = env.single_observation_space, env.single_action_space
    learner = PPO(*spaces, **settings, rollout_buffer_config=buffer)
    collect_rollouts(learner, env, n_steps=4 * STEPS)
    returns = learner.rollout_buffer.buffer["returns"].flatten().tolist()[: 2 * STEPS]
    print(f"agilerl {version('agilerl')}, {buffer or 'default buffer'}: returns", np.round(returns, 4).tolist())
    assert np.allclose(returns, 2 * expected, atol=1e-6)
PYTHON
"$folder/venv/bin/python" -W ignore "$folder/returns.py"
