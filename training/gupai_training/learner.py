"""`SelfPlayPPO`: sb3-contrib's MaskablePPO, fed by lanes and learning from every seat it plays.

SB3's policy, optimiser, schedules, callbacks, loggers and `learn` stay; rollout and update are replaced by lean
ones on preallocated tensors, with one trajectory for each seat (`gupai_training.returns`).
"""

import copy
import itertools
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn
from torch.nn import functional as F

from gupai_agents.network import GATE_LIMIT, GATED, MLP, alike
from gupai_training.opponents import LEARNER
from gupai_training.returns import advantages_by_seat
from gupai_training.selfplay import SelfPlayVecEnv

BFLOAT16 = "bfloat16"
FORBIDDEN = -1e9  # the logit of an action that is not legal


def native_bfloat16(device: torch.device) -> bool:
    """Tell whether a device has instructions for products in bfloat16 that take half the time there.

    No, where torch is too old to tell of a processor, and on Intel's without AMX (as a virtual machine may hide it),
    whose products in bfloat16 take twice the time of those in float32.
    """
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    has: Mapping[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    quick = has.get("amx_bf16") or (has.get("avx512_bf16") and "Intel" not in str(has.get("cpu_name")))
    return device.type == "cpu" and bool(quick)


def precision_on(device: torch.device, precision: str) -> str:
    """Return "float32" or "bfloat16" for one of them or "auto"."""
    if precision == "auto":
        return BFLOAT16 if native_bfloat16(device) else "float32"
    return precision


class Trunk(BaseFeaturesExtractor):
    """The layers that policy and value share: observations over their ranges, then linear layers with ReLU.

    `type`: of the network, see `gupai_agents.network.trunk_of`.
    """

    def __init__(self, observation_space: spaces.Box, hidden: list[int], type: str = MLP) -> None:
        super().__init__(observation_space, hidden[-1])
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.as_tensor(1.0 / observation_space.high.astype(np.float32)))
        widths = [int(np.prod(observation_space.shape)), *hidden]
        self.layers = nn.ModuleList(nn.Linear(before, after) for before, after in itertools.pairwise(widths))
        self.added = [type != MLP and same for same in alike(hidden)]
        gated = (number for number, added in enumerate(self.added) if added and type == GATED)
        self.gates = nn.ModuleDict({str(i): nn.Linear(hidden[i], hidden[i]) for i in gated})

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return features [N, hidden[-1]] of observations [N, layout.size]."""
        x = self.layers[0](observations * self.scale)
        for number, layer in enumerate(self.layers[1:], 1):
            step = layer(F.relu(x))
            if str(number) in self.gates:
                step = step * self.gates[str(number)](x).clamp(-GATE_LIMIT, GATE_LIMIT)
            x = step + x if self.added[number] else step
        return F.relu(x)


class Rollout:
    """The decisions of one update, [T, B] each: preallocated, filled in order."""

    def __init__(self, steps: int, lanes: int, inputs: int, actions: int, players: int) -> None:
        self.observations = np.zeros((steps, lanes, inputs), np.int8)
        self.masks = np.zeros((steps, lanes, actions), np.bool_)
        self.actions = np.zeros((steps, lanes), np.int16)
        self.log_probs = np.zeros((steps, lanes), np.float32)
        self.values = np.zeros((steps, lanes), np.float32)
        self.seats = np.zeros((steps, lanes), np.int8)
        self.learned = np.ones((steps, lanes), np.bool_)
        self.payoffs = np.zeros((steps, lanes, players), np.float32)
        self.over = np.zeros((steps, lanes), np.bool_)
        self.advantages = np.zeros((steps, lanes), np.float32)
        self.weights = np.zeros((steps, lanes), np.float32)
        self.won: list[np.ndarray] = []  # float32 [N, players], chips of the episodes that ended at each step

    @property
    def batch(self) -> dict[str, np.ndarray]:
        """What is learned from, to be looked at."""
        return {name: array for name, array in vars(self).items() if isinstance(array, np.ndarray)}


class SelfPlayPPO(MaskablePPO):
    """PPO by self-play in a `SelfPlayVecEnv`.

    Args beyond MaskablePPO's: ent_coef_end: the entropy bonus at the end, reached in a straight line.
        average_rate: share of the new weights in `average`, the policy that is saved, evaluated and pooled.
        precision: "float32", "bfloat16" or "auto", of products; weights, their gradients and sums stay float32.
    """

    env: SelfPlayVecEnv

    def __init__(
        self,
        policy: Any,
        env: Any,
        *,
        ent_coef_end: float | None = None,
        average_rate: float = 0.03,
        precision: str = "auto",
        **options: Any,
    ) -> None:
        self.ent_coef_end = ent_coef_end
        self.average_rate = average_rate
        self.precision = precision
        self.progress: Callable[[], float] | None = None  # 0..1, in place of the share of decisions made
        self.stopping = False  # a callback sets it between two updates: learn no more
        self.updates = 0
        self.seconds = {"play": 0.0, "learn": 0.0}
        super().__init__(policy, env, **options)

    def _setup_model(self) -> None:
        super()._setup_model()
        if not isinstance(self.env, SelfPlayVecEnv):
            raise ValueError(f"SelfPlayPPO learns in a SelfPlayVecEnv, not in {type(self.env).__name__}")
        self.precision = precision_on(self.device, self.precision)
        self.average = copy.deepcopy(self.policy).requires_grad_(False)
        inputs, actions = self.env.lanes.layout.size, self.env.lanes.game.num_actions
        self.rollout = Rollout(self.n_steps, self.n_envs, inputs, actions, self.env.players)
        self.noise = torch.Generator(device=self.device).manual_seed(int(self.seed or 0))
        self.rollout_buffer = None  # type: ignore[assignment]  # SB3's own is not used

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        super()._update_current_progress_remaining(num_timesteps, total_timesteps)
        if self.progress:
            self._current_progress_remaining = 1 - self.progress()

    def outputs(
        self, observations: torch.Tensor, *, values_move_trunk: bool = True
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits [N, actions] and values [N], float32, of int8 observations [N, layout.size].

        Args: values_move_trunk: whether gradients of the values reach the layers that the policy shares.
        """
        policy: MaskableActorCriticPolicy = self.policy
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == BFLOAT16):
            pi, vf = policy.mlp_extractor(policy.features_extractor(observations.float()))
            values = policy.value_net(vf if values_move_trunk else vf.detach())
            logits = policy.action_net(pi)
        return logits.float(), values.squeeze(1).float()

    @torch.no_grad()
    def collect_rollouts(
        self,
        env: Any,
        callback: BaseCallback,
        rollout_buffer: Any,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play `n_rollout_steps` decisions a lane and compute their advantages."""
        begun = time.perf_counter()
        env, rollout = self.env, self.rollout
        callback.on_rollout_start()
        if self.stopping:
            return False
        rollout.won.clear()
        learned = self.num_timesteps
        for step in range(n_rollout_steps):
            rollout.observations[step] = env.observations
            rollout.masks[step] = env.masks
            rollout.seats[step] = env.seats
            logits, values = self.outputs(torch.as_tensor(rollout.observations[step], device=self.device))
            masks = torch.as_tensor(rollout.masks[step], device=self.device)
            log_probs = F.log_softmax(logits.masked_fill(~masks, FORBIDDEN), 1)
            noise = torch.empty_like(log_probs).exponential_(generator=self.noise)
            actions = (log_probs - noise.log()).argmax(1, keepdim=True)  # the Gumbel trick
            rollout.log_probs[step] = log_probs.gather(1, actions).squeeze(1).cpu().numpy()
            rollout.values[step] = values.cpu().numpy()
            rollout.actions[step] = actions.squeeze(1).cpu().numpy()
            env.play(rollout.actions[step])
            rollout.payoffs[step] = env.payoffs
            rollout.over[step] = env.over
            rollout.won.append(env.totals[env.over])
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                self.num_timesteps = learned  # what is played by now teaches nothing
                return False
        rollout.payoffs /= env.payoff_scale
        advantages_by_seat(
            rollout.seats,
            rollout.values,
            rollout.payoffs,
            rollout.over,
            rollout.learned,
            np.float32(self.gamma),
            np.float32(self.gae_lambda),
            rollout.advantages,
            rollout.weights,
        )
        self._require_finite(rollout)
        callback.update_locals(locals())
        callback.on_rollout_end()
        self.seconds["play"] += time.perf_counter() - begun
        return True

    def _require_finite(self, rollout: Rollout) -> None:
        for name in ("log_probs", "values", "payoffs", "advantages"):
            if not np.isfinite(getattr(rollout, name)).all():
                raise FloatingPointError(
                    f"{name} of update {self.updates + 1} hold values that are not finite; training stopped, the last "
                    "saved checkpoint is intact"
                )

    def entropy_coef(self) -> float:
        """Return the entropy bonus at the present progress."""
        end = self.ent_coef if self.ent_coef_end is None else self.ent_coef_end
        return end + (self.ent_coef - end) * self._current_progress_remaining

    def train(self) -> None:
        """Learn from the rollout: clipped PPO with an entropy bonus, then move the average."""
        begun = time.perf_counter()
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        clip = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        entropy_coef = self.entropy_coef()
        rollout = self.rollout
        rows = np.flatnonzero(rollout.weights.reshape(-1))
        tensors = {
            name: torch.as_tensor(getattr(rollout, name).reshape(-1, *getattr(rollout, name).shape[2:])[rows])
            for name in ("observations", "masks", "actions", "log_probs", "values", "advantages")
        }
        data = {name: tensor.to(self.device) for name, tensor in tensors.items()}
        data["returns"] = data["advantages"] + data["values"]
        data["actions"] = data["actions"].long().unsqueeze(1)
        losses: dict[str, list[torch.Tensor]] = {}
        stopped = False
        for _ in range(self.n_epochs):
            order = torch.as_tensor(self.env.pool.rng.permutation(len(rows)), device=self.device)
            for batch in order.split(self.batch_size):
                if len(batch) < 2:
                    continue
                scalars = self._gradient_step({k: v[batch] for k, v in data.items()}, clip, entropy_coef)
                for name, value in scalars.items():
                    losses.setdefault(name, []).append(value)
                if self.target_kl is not None and scalars["approx_kl"] > 1.5 * self.target_kl:
                    stopped = True
                    break
            if stopped:
                break
        self.updates += 1
        self._n_updates += self.n_epochs
        self._move_average()
        self.seconds["learn"] += time.perf_counter() - begun
        self._record(losses, data, clip, entropy_coef)

    def _gradient_step(
        self, batch: dict[str, torch.Tensor], clip: float, entropy_coef: float
    ) -> dict[str, torch.Tensor]:
        logits, values = self.outputs(batch["observations"])
        all_log_probs = F.log_softmax(logits.masked_fill(~batch["masks"], FORBIDDEN), 1)
        log_probs = all_log_probs.gather(1, batch["actions"]).squeeze(1)
        advantages = batch["advantages"]
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        log_ratio = log_probs - batch["log_probs"]
        ratio = log_ratio.exp()
        policy_loss = -torch.min(advantages * ratio, advantages * ratio.clamp(1 - clip, 1 + clip)).mean()
        value_loss = F.mse_loss(values, batch["returns"])
        entropies = -(all_log_probs.exp() * all_log_probs).sum(1)
        loss = policy_loss - entropy_coef * entropies.mean() + self.vf_coef * value_loss
        self.policy.optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
        if not torch.isfinite(norm):
            raise FloatingPointError(
                f"the gradient of update {self.updates + 1} is not finite; training stopped"
            )
        self.policy.optimizer.step()
        with torch.no_grad():
            choices = batch["masks"].sum(1).float().log()
            return {
                "loss": loss.detach(),
                "policy_loss": policy_loss.detach(),
                "value_loss": value_loss.detach(),
                "entropy": entropies.mean(),
                "entropy_of_most": (entropies / choices).mean(),
                "approx_kl": ((ratio - 1) - log_ratio).mean(),
                "clip_fraction": ((ratio - 1).abs() > clip).float().mean(),
                "gradient_norm": norm,
            }

    @torch.no_grad()
    def _move_average(self) -> None:
        rate = max(self.average_rate, 1 / self.updates)  # a plain mean at first
        for slow, fast in zip(self.average.parameters(), self.policy.parameters(), strict=True):
            slow.lerp_(fast, rate)

    def _record(self, losses: dict, data: dict[str, torch.Tensor], clip: float, entropy_coef: float) -> None:
        for name, values in losses.items():
            self.logger.record(f"learn/{name}", torch.stack(values).mean().item())
        returns, residual = data["returns"], data["advantages"]
        explained = 1 - residual.var() / returns.var().clamp_min(1e-12)
        self.logger.record("learn/explained_variance", explained.item())
        self.logger.record("learn/learning_rate", self.policy.optimizer.param_groups[0]["lr"])
        self.logger.record("learn/entropy_coef", entropy_coef)
        self.logger.record("learn/clip_range", clip)
        self.logger.record("learn/decisions", len(returns))
        self.logger.record("learn/updates", self.updates, exclude="tensorboard")
        won = np.concatenate(self.rollout.won)
        if len(won):
            for seat, chips in enumerate(won.mean(0)):
                self.logger.record(f"selfplay/chips_seat_{seat}", float(chips))
            self.logger.record("selfplay/chips_sum", float(won.sum(1).mean()))
        self.logger.record("selfplay/self_tables", float((self.env.sitting == LEARNER).all(1).mean()))
        played = self.seconds["play"] + self.seconds["learn"]
        self.logger.record("time/decisions_per_second", self.num_timesteps / max(played, 1e-9))
        self.logger.record(
            "time/lanes_per_second", self.env.num_envs * self.n_steps * self.updates / max(played, 1e-9)
        )
        self.logger.record("time/share_of_play", self.seconds["play"] / max(played, 1e-9))

    def weights(self, average: bool = True) -> dict[str, np.ndarray]:
        """Return the network's tensors under the names of a checkpoint, of the average or the present policy."""
        named = _named(self.average if average else self.policy)
        return {name: weights.detach().cpu().numpy().copy() for name, weights in named.items()}

    @torch.no_grad()
    def take(self, tensors: dict[str, np.ndarray]) -> None:
        """Go on from a network's tensors, those of a checkpoint of the same shapes."""
        for policy in (self.policy, self.average):
            for name, weights in _named(policy).items():
                weights.copy_(torch.as_tensor(tensors[name]))


def _named(policy: Any) -> dict[str, torch.Tensor]:
    """Return the weights of a policy under the names of a checkpoint."""
    trunk: Trunk = policy.features_extractor
    named = {f"trunk.{i}": layer for i, layer in enumerate(trunk.layers)}
    named |= {f"gate.{i}": gate for i, gate in trunk.gates.items()}
    named |= {"policy": policy.action_net, "value": policy.value_net}
    return {f"{name}.{part}": getattr(named[name], part) for name in named for part in ("weight", "bias")}
