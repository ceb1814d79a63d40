"""Advantages, one trajectory for each seat.

The successor of a decision is the same seat's next decision of the episode, never the next mover's; its reward
is what that seat was paid in between. A seat's last decision of an episode has no successor. Nor, yet, has a seat's
last decision of a rollout whose episode continues: its value is only used for the decision before it, and it is not
trained on.
"""

from typing import TYPE_CHECKING

import numpy as np

from gupai_env.core.episode import NOBODY

if TYPE_CHECKING:
    import torch


def advantages_by_seat(
    seats: "torch.Tensor",
    values: "torch.Tensor",
    rewards: "torch.Tensor",
    terminated: "torch.Tensor",
    gamma: float,
    gae_lambda: float,
) -> "tuple[torch.Tensor, torch.Tensor]":
    """Return the advantage of every decision, float32 [T, B], and whether it can be trained on, bool [T, B].

    Args:
        seats: int8 [T, B], who decided; NOBODY where it was not the learner.
        values: float32 [T, B], the value estimate there, in units of return.
        rewards: float32 [T, B, S], what every seat was paid after that decision and before the lane's next one.
        terminated: bool [T, B], the episode ended in between.
        gamma: Discount per decision.
        gae_lambda: Lambda of generalised advantage estimation.
    """
    import torch  # a second: the package is imported before a configuration is checked

    (steps, envs, players), device = rewards.shape, seats.device
    fading = float(np.float32(gamma) * np.float32(gae_lambda))
    advantages, weights = torch.zeros_like(values), torch.zeros_like(terminated)
    # Seats lie above lanes, and products clear what is over: torch works on such rows with wide instructions.
    paid, going = rewards.transpose(1, 2).contiguous(), (~terminated).to(values.dtype)
    movers, learned = seats.long().remainder(players + 1)[:, None], seats != NOBODY  # who has the last row
    # Looking backwards, of every seat: what it was paid since its next decision, the value and the advantage of that.
    after = torch.zeros(3, players + 1, envs, device=device)
    known = torch.zeros(players + 1, envs, dtype=torch.bool, device=device)  # what follows its decision
    for step in reversed(range(steps)):
        after *= going[step]
        after[0, :players] += paid[step]
        known[:players] |= terminated[step]
        mover, value = movers[step], values[step]
        chips, next_value, next_advantage = after.gather(1, mover.expand(3, 1, envs))[:, 0]
        weights[step] = known.gather(0, mover)[0]
        advantages[step] = (chips + gamma * next_value - value + fading * next_advantage) * weights[step]
        latest = torch.stack((torch.zeros_like(value), value, advantages[step]))
        after.scatter_(1, mover.expand(3, 1, envs), latest[:, None])
        known.scatter_(0, mover, learned[step, None])
    return advantages, weights
