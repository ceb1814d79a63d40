"""Self-play on a CUDA GPU: rules, opponents and what the learner reads stay there.

Experimental: what is assembled for a GPU plays the same where a processor runs it; no GPU has run it yet. This is
imported only when a GPU is used.
"""

import numpy as np
import torch

from gupai_agents.agent import Agent
from gupai_env.core.cuda import run
from gupai_env.core.episode import NOBODY
from gupai_env.core.memory import bytes_of
from gupai_env.cuda_vector import CudaVectorEnv
from gupai_training.cuda_targets import decisions, networks_of, playout_kernels
from gupai_training.opponents import LEARNER, vacate
from gupai_training.scorer import scored_by_torch
from gupai_training.selfplay import SelfPlayEnv


class CudaSelfPlay:
    """The lanes of a `SelfPlayEnv` on a GPU, for `SelfPlay` alone, which reads their tensors.

    Every call of `play` takes one decision in every lane, whoever is to decide: the learner by its action, networks of
    the pool in batches, and then rule-based players, in the kernel, up to the next decision of another or to a payment.
    Where it is not the learner's turn, `seats` is NOBODY. What a seat is paid before its first decision of an episode
    counts for nothing.

    The processor's lanes begin the deals, and save and restore what is played, as the actions of each lane.
    """

    seating: torch.Tensor
    totals: torch.Tensor
    chips: torch.Tensor
    moves: torch.Tensor
    played: torch.Tensor
    SHARED = ("_seating", "_totals", "_chips", "_moves", "_played")  # arrays of the processor's lanes, here tensors

    def __init__(self, lanes: SelfPlayEnv, device: torch.device, dtype: torch.dtype) -> None:
        """Take over some lanes.

        Args:
            lanes: Those of the processor.
            device: The GPU.
            dtype: Of the numbers in which networks of the pool play.
        """
        self.lanes, self.num_envs, self.payoff_scale = lanes, lanes.num_envs, lanes.payoff_scale
        self.device, self.dtype, self.pool = device, dtype, lanes.pool
        game, options = lanes.envs.game, lanes.envs.variant.changed()
        self.envs: CudaVectorEnv = CudaVectorEnv(
            game, lanes.num_envs, skip_forced=lanes.envs.skip_forced, device=str(device), **options
        )
        self._kernel = playout_kernels(game)["converse"]
        self._lanes = torch.arange(lanes.num_envs, device=device)
        self._rounds = torch.zeros_like(self._lanes)  # decisions of all seats since `saved`
        self._why = torch.zeros_like(self._lanes, dtype=torch.int8)
        self._agents: list[Agent] | None = None

    @property
    def observations(self) -> torch.Tensor:
        """What the seats to decide observe, int8 [B, layout.size]; the next step overwrites it."""
        return self.envs.observations

    @property
    def masks(self) -> torch.Tensor:
        """Their legal actions, bool [B, num_actions]; the next step overwrites it."""
        return self.envs.masks

    @property
    def movers(self) -> torch.Tensor:
        """Who is to decide in every lane, int64 [B]: LEARNER or the number of a member of the pool."""
        return self.seating.gather(1, self.envs.seats.long()[:, None])[:, 0].long()

    @property
    def seats(self) -> torch.Tensor:
        """The seat for which the learner is to decide, int8 [B], or NOBODY."""
        return torch.where(self.movers == LEARNER, self.envs.seats, NOBODY)

    def reset(self) -> np.ndarray:
        """Deal in every lane, as the processor's lanes do, and return what they observe."""
        observations = self.lanes.reset()
        self._upload()
        return observations

    def play(self, actions: torch.Tensor) -> None:
        """Play a decision in every lane, the given one, int64 [B], where it is the learner's; sets what it paid.

        Raises:
            IllegalActionError: A ValueError, and nothing has changed.
        """
        envs, movers = self.envs, self.movers
        self._number_opponents()
        actions = torch.where(movers == LEARNER, actions, decisions(envs, self._networks, movers))
        envs.check(actions)
        if int(self.moves.max()) == self.played.shape[1]:
            self.played = torch.cat([self.played, torch.zeros_like(self.played)], 1)
        opponents = self._heuristics, len(self._heuristics), self._numbers, len(self._numbers)
        turns = torch.stack((self._lanes, actions, self._rounds, self.moves))
        tables = self.seating, self.seating.shape[1], turns, self.played, self.played.shape[1], self._why
        run(self._kernel, self.envs.device, self.num_envs, envs.table, *opponents, *tables)
        self._rounds, self.moves = turns[2:]
        self.rewards, self.terminated = envs.rewards[:, : self.seating.shape[1]], envs.terminated
        self.chips += self.rewards
        ended = self.terminated.nonzero()[:, 0]
        if len(ended):
            self.totals[ended] = self.chips[ended]
            self.pool.record(self.seating[ended].cpu().numpy(), self.totals[ended].cpu().numpy())
            self.chips[ended], self.moves[ended] = 0, 0
            self.seating[ended] = torch.as_tensor(self.pool.line_ups(len(ended)), device=self.device)

    def _number_opponents(self) -> None:
        """Copy the opponents to the GPU, where others are in the pool than before."""
        lanes = self.lanes
        lanes._number_opponents()
        if self._agents is not lanes._numbered:
            self._agents = lanes._numbered
            self._numbers, self._heuristics = (
                torch.as_tensor(array, device=self.device) for array in (lanes._numbers, lanes._heuristics)
            )
            self._networks = networks_of([scored_by_torch(agent, self.device, self.dtype) for agent in self._agents])

    def forget(self, member: int) -> None:
        """Do what the processor's lanes do."""
        vacate(self.seating, member)

    def saved(self) -> dict[str, np.ndarray]:
        """Return what the next step depends on besides the pool, as the processor's lanes do."""
        lanes = self.lanes
        lanes.envs.seeds[:], lanes.envs.episodes[:] = self.envs.seeds.cpu(), self.envs.episodes.cpu()
        for name in self.SHARED:
            setattr(lanes, name, getattr(self, name.lstrip("_")).cpu().numpy())
        self.decisions += int(self._rounds.sum())
        self._rounds.zero_()
        return lanes.saved()

    def put_back(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore what `saved` returned; raises as the processor's lanes do."""
        self.lanes._replay(arrays)
        self._upload()

    def _upload(self) -> None:
        """Copy the processor's lanes to the GPU."""
        lanes, envs = self.lanes, self.envs
        envs.states.copy_(torch.as_tensor(bytes_of(lanes.envs.states)))
        envs.seeds.copy_(torch.as_tensor(lanes.envs.seeds))
        envs.episodes.copy_(torch.as_tensor(lanes.envs.episodes))
        envs.refresh()
        for name in self.SHARED:
            setattr(self, name.lstrip("_"), torch.tensor(getattr(lanes, name), device=self.device))
        self.decisions: int = lanes.decisions
