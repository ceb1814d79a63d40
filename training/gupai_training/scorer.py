"""Networks as players whose scores torch computes, which may be on a GPU."""

import copy
import itertools
from collections.abc import Sequence

import numpy as np
import torch

from gupai_agents.agent import Agent
from gupai_agents.networks.network import Layer, Linear, NetworkAgent, forward
from gupai_agents.play.playouts import ASKED, numbered
from gupai_env.core.game import Game

BLOCK = 128  # rows: on processors, bfloat16 products of a new size are first compiled, for 2 ms


class Scorer:
    """A player's network in torch, which may be on a GPU, in the number format that multiplies fastest."""

    def __init__(self, player: NetworkAgent, device: torch.device, dtype: torch.dtype) -> None:
        """Copy a network.

        Args:
            player: Whose it is.
            device: Where it is to be computed.
            dtype: Of its products.
        """
        self.device: torch.device = device
        self.dtype: torch.dtype = dtype
        self.layers: list[Layer] = [
            layer.converted(lambda linear: Linear(*map(self._tensor, linear))) for layer in player.layers
        ]

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.tensor(array, device=self.device).to(self.dtype)  # a copy: arrays of environments can only be read

    def scores(self, observations: np.ndarray) -> np.ndarray:
        """Return the score of every action, float32 [N, num_actions], for observations int8 [N, layout.size]."""
        return self.logits(torch.tensor(observations, device=self.device)).cpu().numpy()

    @torch.inference_mode()
    def logits(self, observations: torch.Tensor) -> torch.Tensor:
        """Return these scores as a tensor on the device, for observations that are one."""
        filler = observations.new_zeros(-len(observations) % BLOCK, observations.shape[1])
        rows = torch.cat([observations, filler]).to(self.dtype)
        return forward(self.layers, rows).float()[: len(observations)]

    def player(self, agent: NetworkAgent) -> NetworkAgent:
        """Return a player like `agent`, whose network this is, that plays by these scores: the same up to rounding."""
        player = copy.copy(agent)
        player.score = self.scores
        return player


def scorer_of(agent: Agent) -> Scorer | None:
    """Return what scores actions for an agent that plays by a `Scorer` alone, else None."""
    scorer = getattr(getattr(agent, "score", None), "__self__", None)
    return scorer if isinstance(scorer, Scorer) and not getattr(agent, "ahead", None) else None


def kernels_can_play(game: Game, agents: Sequence[Agent]) -> bool:
    """Return whether a GPU plays all agents: heuristics, random players and those of a `Scorer` alone."""
    return all(map(scorer_of, itertools.compress(agents, numbered(game, agents).numbers >= ASKED)))


def scored_by_torch(agent: Agent, device: torch.device, dtype: torch.dtype) -> Agent:
    """Return an agent, if it is a network, as a player of its `Scorer` on a device; any other as it is.

    Args:
        agent: The agent.
        device: Where a network is to be computed.
        dtype: Of its products.
    """
    return Scorer(agent, device, dtype).player(agent) if isinstance(agent, NetworkAgent) else agent
