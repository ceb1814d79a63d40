"""The protocol of a player: it sees views, never states, and answers a whole batch at once."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np


class Turns(NamedTuple):
    """Decisions to be made, one a row.

    views: record array [N] of the game's view, what the seat to act knows.
    masks: bool [N, num_actions], its legal actions; at least one a row.
    keys: int64 [N], the key of all chance the player may use in this decision (see `gupai_env.core.rng`).
    """

    views: np.recarray
    masks: np.ndarray
    keys: np.ndarray


class Agent(Protocol):
    """A player of one variant. Equal views, masks and keys must give equal actions, whatever the batch."""

    name: str

    def act(self, turns: Turns) -> np.ndarray:
        """Return one legal action a row, int16 [N]."""
        ...


@runtime_checkable
class PolicyAgent(Agent, Protocol):
    """An agent that can tell its whole policy, as exact evaluation needs it of one that draws its actions."""

    def probabilities(self, turns: Turns) -> np.ndarray:
        """Return the probability of every action, float64 [N, num_actions]; the keys do not matter."""
        ...


KEYS_TRIED = range(6)  # enough that an agent which draws in more than a few decisions gives itself away


def certain(actions: np.ndarray, num_actions: int) -> np.ndarray:
    """Return the policy of who surely plays these actions, [N]: float64 [N, num_actions]."""
    return (np.arange(num_actions) == np.asarray(actions)[:, None]).astype(np.float64)


def probabilities(agent: Agent, turns: Turns) -> np.ndarray:
    """Return the policy of any agent, float64 [N, num_actions]: what it tells itself, or certainty of its answers.

    Raises: ValueError for an agent that does not tell its policy but lets the keys decide some of its answers, and for
        one whose probabilities are not a distribution over the legal actions.
    """
    if isinstance(agent, PolicyAgent):
        chances = np.asarray(agent.probabilities(turns), np.float64)
        legal = np.where(turns.masks, chances, 0)
        if chances.shape != turns.masks.shape or (legal != chances).any() or (legal < 0).any():
            raise ValueError(f"{agent.name}: its probabilities are not those of the legal actions")
        if not np.allclose(legal.sum(1), 1, rtol=0, atol=1e-6):
            raise ValueError(f"{agent.name}: its probabilities do not add up to 1")
        return legal / legal.sum(1, keepdims=True)
    answers = agent.act(turns)
    for key in KEYS_TRIED:
        if (agent.act(turns._replace(keys=np.full_like(turns.keys, key))) != answers).any():
            raise ValueError(
                f"{agent.name} draws its actions; give it a method `probabilities` (agents/agent.py)"
            )
    return certain(answers, turns.masks.shape[1])
