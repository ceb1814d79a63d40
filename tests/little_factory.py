"""Agents of one's own: a factory, as `package.module:factory` names them, and a player that discards."""

import numpy as np

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch

FACTORY = "little_factory:make"


def make(game, variant):
    """A player as anybody's own code may make one."""
    agent = make_agent("greedy", game, **variant.changed())
    agent.name = "mine"
    return agent


class Discarding:
    """Plays the last legal action, in Jie Long a discard wherever one is allowed."""

    name = "discarding"

    def act(self, batch: DecisionBatch) -> np.ndarray:
        return batch.masks.shape[1] - 1 - batch.masks[:, ::-1].argmax(1)
