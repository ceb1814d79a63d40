"""`SelfPlayPPO`: sb3-contrib's MaskablePPO, fed by vectorised lanes and learning from every seat it plays.

SB3's policy, optimiser, schedules, callbacks, loggers and `learn` stay; rollout and update are replaced by lean
ones on preallocated tensors, with one trajectory for each seat (`gupai_training.returns`).
"""

import copy
import functools
import time
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

from gupai_env.core.episode import NOBODY
from gupai_training.network import FORBIDDEN, Network, precision_on
from gupai_training.opponents import LEARNER
from gupai_training.returns import advantages_by_seat
from gupai_training.selfplay import SelfPlayVecEnv


class NetworkFeatures(BaseFeaturesExtractor):
    """What policy and value of a `Network` share, for SB3."""

    def __init__(self, observation_space: spaces.Box, net: dict[str, Any], actions: int) -> None:
        super().__init__(observation_space, net["hidden"][-1])
        self.network: Network = Network(net, observation_space.high, actions)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return features [N, hidden[-1]] of observations [N, layout.size]."""
        return self.network.features(observations)


class NetworkPolicy(MaskableActorCriticPolicy):
    """The policy of MaskablePPO around a `Network`; SB3 knows its heads as `action_net` and `value_net`."""

    network: Network
    action_net: nn.Linear
    value_net: nn.Linear
    optimizer: torch.optim.Optimizer

    def __init__(
        self, observation_space: spaces.Space[Any], action_space: spaces.Discrete, lr_schedule: Any, net: dict[str, Any]
    ) -> None:
        """Make the learner of a network.

        Args:
            net: The description of the network.
        """
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            net_arch=[],
            features_extractor_class=NetworkFeatures,
            features_extractor_kwargs={"net": net, "actions": int(action_space.n)},
            normalize_images=False,
        )

    def _build(self, lr_schedule: Any) -> None:
        assert isinstance(self.features_extractor, NetworkFeatures)
        self.network = self.features_extractor.network
        self._build_mlp_extractor()  # which has no layers of its own
        self.action_net, self.value_net = self.network.policy, self.network.value
        self.optimizer = self.optimizer_class(
            self.network.parameters(),
            lr=lr_schedule(1),  # type: ignore[call-arg]
            **self.optimizer_kwargs,
        )


class Rollout:
    """The decisions of one update in tensors [T, B] on the learner's device, filled in order."""

    def __init__(self, steps: int, envs: int, inputs: int, actions: int, players: int, device: torch.device) -> None:
        zeros = functools.partial(torch.zeros, device=device)
        self.observations: torch.Tensor = zeros(steps, envs, inputs, dtype=torch.int8)
        self.masks: torch.Tensor = zeros(steps, envs, actions, dtype=torch.bool)
        self.actions: torch.Tensor = zeros(steps, envs, dtype=torch.int64)
        self.log_probs: torch.Tensor = zeros(steps, envs)
        self.values: torch.Tensor = zeros(steps, envs)
        self.seats: torch.Tensor = zeros(steps, envs, dtype=torch.int8)
        self.rewards: torch.Tensor = zeros(steps, envs, players)
        self.terminated: torch.Tensor = zeros(steps, envs, dtype=torch.bool)
        self.totals: torch.Tensor = zeros(steps, envs, players)  # chips of the episodes that ended
        self.advantages: torch.Tensor = zeros(steps, envs)
        self.weights: torch.Tensor = zeros(steps, envs, dtype=torch.bool)

    @property
    def batch(self) -> dict[str, np.ndarray]:
        """Return what is learned from, for inspection."""
        return {name: tensor.cpu().numpy() for name, tensor in vars(self).items()}


class SelfPlayPPO(MaskablePPO):
    """PPO by self-play in a `SelfPlayVecEnv`.

    Args beyond MaskablePPO's: ent_coef_end: the entropy bonus at the end, reached in a straight line.
        average_rate: share of the new weights in `average`, the policy that is saved, evaluated and pooled.
        precision: "float32", "bfloat16" or "auto", of matrix products; weights, gradients and sums stay float32.
    """

    env: Any  # a SelfPlayVecEnv, or CudaSelfPlay around one
    policy: NetworkPolicy
    average: Network
    rollout: Rollout
    noise: torch.Generator
    rollout_buffer: Any
    num_timesteps: int

    def __init__(
        self,
        policy: Any,
        env: Any,
        *,
        average_rate: float,
        ent_coef_end: float | None = None,
        precision: str = "auto",
        **options: Any,
    ) -> None:
        self.ent_coef_end = ent_coef_end
        self.average_rate = average_rate
        self.precision: str = precision
        self.updates: int = 0
        # play: the network waits for the lanes; learn: it decides or learns
        self.seconds: dict[str, float] = {"play": 0.0, "learn": 0.0}
        super().__init__(policy, env, **options)

    def _setup_model(self) -> None:
        super()._setup_model()
        if not isinstance(self.env.unwrapped, SelfPlayVecEnv):
            raise ValueError(f"SelfPlayPPO learns in a SelfPlayVecEnv, not in {type(self.env).__name__}")
        self.precision = precision_on(self.device, self.precision)
        self.network.precision = self.precision
        self.average = copy.deepcopy(self.network).requires_grad_(False)
        inputs, actions = self.env.envs.layout.size, self.env.envs.game.num_actions
        self.rollout = Rollout(self.n_steps, self.n_envs, inputs, actions, self.env.players, self.device)
        self.noise = torch.Generator(device=self.device).manual_seed(int(self.seed or 0))
        self.rollout_buffer = None  # SB3's own is not used

    @property
    def network(self) -> Network:
        """The network that learns."""
        return self.policy.network

    @torch.no_grad()
    def collect_rollouts(
        self, env: Any, callback: BaseCallback, rollout_buffer: Any, n_rollout_steps: int, use_masking: bool = True
    ) -> bool:
        """Play `n_rollout_steps` decisions per lane and compute their advantages."""
        begun = time.perf_counter()
        env, rollout = self.env, self.rollout
        callback.on_rollout_start()
        deciding = 0.0
        for step in range(n_rollout_steps):
            self._note(step, "observations", "masks", "seats")
            start = time.perf_counter()
            self._decide(step)
            actions = rollout.actions[step].to(env.device)
            if self.device.type == "cuda":
                torch.cuda.synchronize(self.device)  # lanes on a GPU would wait for the network in its place
            deciding += time.perf_counter() - start
            env.play(actions)
            self._note(step, "rewards", "terminated", "totals")
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        self.num_timesteps += int((rollout.seats != NOBODY).sum())
        rollout.rewards /= env.payoff_scale
        played = rollout.seats, rollout.values, rollout.rewards, rollout.terminated
        rollout.advantages, rollout.weights = advantages_by_seat(*played, self.gamma, self.gae_lambda)
        self._require_finite(rollout)
        callback.update_locals(locals())
        callback.on_rollout_end()
        self.seconds["play"] += time.perf_counter() - begun - deciding
        self.seconds["learn"] += deciding
        return True

    def _note(self, step: int, *names: str) -> None:
        """Copy what the lanes show into a step of the rollout."""
        for name in names:
            values = getattr(self.env, name)
            # A copy of arrays: they can only be read.
            getattr(self.rollout, name)[step] = values if isinstance(values, torch.Tensor) else torch.tensor(values)

    def _decide(self, step: int) -> None:
        """Draw the actions of a step of the rollout; note their log probabilities and the values."""
        rollout = self.rollout
        logits, rollout.values[step] = self.network(rollout.observations[step])
        log_probs = F.log_softmax(logits.masked_fill(~rollout.masks[step], FORBIDDEN), 1)
        noise = torch.empty_like(log_probs).exponential_(generator=self.noise)
        actions = (log_probs - noise.log()).argmax(1, keepdim=True)  # the Gumbel trick
        rollout.actions[step], rollout.log_probs[step] = actions[:, 0], log_probs.gather(1, actions)[:, 0]

    def _require_finite(self, rollout: Rollout) -> None:
        for name in ("log_probs", "values", "rewards", "advantages"):
            if not torch.isfinite(getattr(rollout, name)).all():
                raise FloatingPointError(
                    f"{name} of update {self.updates + 1} hold values that are not finite; training stopped, the last "
                    "saved checkpoint is intact"
                )

    def entropy_coef(self) -> float:
        """Return the entropy bonus at the current progress."""
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
        rows = rollout.weights.flatten().nonzero()[:, 0]
        names = "observations", "masks", "actions", "log_probs", "values", "advantages"
        data = {name: getattr(rollout, name).flatten(0, 1)[rows] for name in names}
        data["returns"] = data["advantages"] + data["values"]
        data["actions"].unsqueeze_(1)
        losses: dict[str, list[torch.Tensor]] = {}
        stopped = False
        for _ in range(self.n_epochs):
            for batch in self._permutation(len(rows)).split(self.batch_size):
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

    def _permutation(self, number: int) -> torch.Tensor:
        if self.device.type == "cuda":  # where millions are shuffled
            return torch.randperm(number, generator=self.noise, device=self.device)
        return torch.as_tensor(self.env.pool.rng.permutation(number))

    def _gradient_step(
        self, batch: dict[str, torch.Tensor], clip: float, entropy_coef: float
    ) -> dict[str, torch.Tensor]:
        logits, values = self.network(batch["observations"])
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
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), self.max_grad_norm)
        if not torch.isfinite(norm):
            raise FloatingPointError(f"the gradient of update {self.updates + 1} is not finite; training stopped")
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

    def _move_average(self) -> None:
        self.average.move_towards(self.network, max(self.average_rate, 1 / self.updates))  # a plain mean at first

    def _record(self, losses: dict, data: dict[str, torch.Tensor], clip: float, entropy_coef: float) -> None:
        for name, values in losses.items():
            self.logger.record(f"train/{name}", torch.stack(values).mean().item())
        returns, residual = data["returns"], data["advantages"]
        explained = 1 - residual.var() / returns.var().clamp_min(1e-12)
        self.logger.record("train/explained_variance", explained.item())
        self.logger.record("train/learning_rate", self.policy.optimizer.param_groups[0]["lr"])
        self.logger.record("train/entropy_coef", entropy_coef)
        self.logger.record("train/clip_range", clip)
        self.logger.record("train/decisions", len(returns))
        self.logger.record("train/updates", self.updates, exclude="tensorboard")
        won = self.rollout.totals[self.rollout.terminated]  # chips [N, players] of the episodes that ended
        if len(won):
            for seat, chips in enumerate(won.mean(0).tolist()):
                self.logger.record(f"rollout/chips_seat_{seat}", chips)
            self.logger.record("rollout/chips_sum", won.sum(1).mean().item())
        self.logger.record("rollout/self_tables", float((self.env.seating == LEARNER).all(1).sum()) / self.env.num_envs)
        seconds = max(sum(self.seconds.values()), 1e-9)
        steps = self.env.num_envs * self.n_steps * self.updates
        self.logger.record("time/decisions_per_second", self.num_timesteps / seconds)
        self.logger.record("time/lanes_per_second", steps / seconds)
        self.logger.record("time/share_of_waiting", self.seconds["play"] / seconds)

    def weights(self, average: bool = True) -> dict[str, np.ndarray]:
        """Return the network's tensors under the names of a checkpoint, of the average or the current policy."""
        return (self.average if average else self.network).tensors()
