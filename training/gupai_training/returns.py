"""Advantages, one trajectory for each seat.

The successor of a decision is the same seat's next decision of the episode, never the next mover's; its reward
is what that seat was paid in between. A seat's last decision of an episode has no successor. Nor, yet, has a seat's
last decision of a rollout whose episode continues: its value is only used for the decision before it, and it is not
trained on.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gupai_env.core.compiling import compiled


def _advantages(seats, values, rewards, terminated, gamma, gae_lambda, advantages, weights):
    """Fill advantages and weights, float32 [T, B].

    seats: int8 [T, B], who decided. values: float32 [T, B], the value estimate there, in units of return.
    rewards: float32 [T, B, S], what every seat was paid after that decision and before the lane's next one.
    terminated: bool [T, B], the episode ended in between.
    """
    steps, envs = seats.shape
    players = rewards.shape[2]
    paid = np.zeros(players, np.float32)  # since the seat's next decision, looking backwards
    next_value = np.zeros(players, np.float32)
    next_advantage = np.zeros(players, np.float32)
    known = np.zeros(players, np.bool_)  # what follows the seat's decision is known
    for lane in range(envs):
        known[:] = False
        for step in range(steps - 1, -1, -1):
            for seat in range(players):
                if terminated[step, lane]:
                    paid[seat] = rewards[step, lane, seat]
                    next_value[seat] = next_advantage[seat] = 0
                    known[seat] = True
                else:
                    paid[seat] += rewards[step, lane, seat]
            seat = seats[step, lane]
            value = values[step, lane]
            if known[seat]:
                delta = paid[seat] + gamma * next_value[seat] - value
                advantage = delta + gamma * gae_lambda * next_advantage[seat]
            else:
                advantage = np.float32(0)
            advantages[step, lane] = advantage
            weights[step, lane] = known[seat]
            next_value[seat], next_advantage[seat] = value, advantage
            paid[seat] = 0
            known[seat] = True


advantages_by_seat: Callable[..., Any] = compiled(_advantages)
