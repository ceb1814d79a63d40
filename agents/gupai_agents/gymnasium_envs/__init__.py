"""Gymnasium environments: one learning seat at a table of agents, and thousands of such tables side by side.

`gymnasium.make("gupai/JieLong-v0", opponents="greedy")` and `gymnasium.make_vec(...)` make them; see docs/gymnasium.md.
"""

from gupai_agents.gymnasium_envs.seat_env import SeatEnv
from gupai_agents.gymnasium_envs.vector_env import SeatVectorEnv

__all__ = ["SeatEnv", "SeatVectorEnv"]
