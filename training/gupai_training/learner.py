"""The stage of self-play: PPO in vectorised lanes, learning from every seat that the network plays.

Rollouts and updates work on preallocated tensors, with one trajectory for each seat (`gupai_training.returns`).
"""

import contextlib
import copy
import functools
import itertools
import json
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn
from torch.nn import functional as F

from gupai_agents.networks.checkpoint import part, under
from gupai_agents.networks.network import NetworkAgent
from gupai_agents.registry import agent_of_data
from gupai_env.core.episode import NOBODY
from gupai_env.cuda_vector import plays_on
from gupai_training.config import SELF_PLAY, Config
from gupai_training.network import FORBIDDEN, Network, precision_on
from gupai_training.opponents import LEARNER, Member, OpponentPool
from gupai_training.returns import advantages_by_seat
from gupai_training.scorer import kernels_can_play, scored_by_torch
from gupai_training.selfplay import SelfPlayEnv
from gupai_training.stage import Saved, Stage, counted, measured

LEARNED_FROM = "observations", "masks", "actions", "log_probs", "values", "advantages"  # of a rollout


class Rollout:
    """The decisions of one update in tensors [T, B] on the learner's device, filled in order."""

    def __init__(self, steps: int, envs: int, inputs: int, actions: int, players: int, device: torch.device) -> None:
        """Make an empty rollout.

        Args:
            steps: Decisions in every lane, T.
            envs: Lanes, B.
            inputs: Numbers of an observation.
            actions: Actions of the game.
            players: Seats that are paid.
            device: Where the network is.
        """
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


def lanes_on(device: torch.device, precision: str, lanes: SelfPlayEnv) -> Any:
    """Return lanes on a GPU where it can play them with all of their opponents, else those of the processor.

    Args:
        device: Where the network is.
        precision: Of its products, see `precision_on`.
        lanes: Those of the processor.
    """
    if not plays_on(str(device)):
        return lanes
    dtype = getattr(torch, precision_on(device, precision))
    if not kernels_can_play(lanes.envs.game, [scored_by_torch(agent, device, dtype) for agent in lanes.pool.agents]):
        return lanes
    from gupai_training.cuda_selfplay import CudaSelfPlay

    return CudaSelfPlay(lanes, device, dtype)


class SelfPlay(Stage):
    """PPO by self-play against a pool of opponents: `play` fills a rollout, `learn` takes the gradient steps.

    A learner that differs in what it minimises overrides `penalty` or `loss`.

    Attributes:
        env: The lanes, a `SelfPlayEnv` or a `CudaSelfPlay` around one.
        pool: The opponents, at first the rule-based players.
        average: The average of the network's weights, which is the player.
        rollout: What was played for the last update.
        noise: Draws the actions.
        shares: Seconds: play, in which the network waits for the lanes, and learn, in which it decides or learns.
    """

    name = SELF_PLAY
    unit = "decisions"

    def __init__(self, config: Config, network: Network) -> None:
        (game, variant), ppo, chosen = config.played, config.ppo, config.pool
        optimizer = torch.optim.Adam(network.parameters(), lr=ppo.learning_rate, eps=1e-5)
        super().__init__(config, network, optimizer, config.decisions, config.max_minutes)
        self.average: Network = copy.deepcopy(network).requires_grad_(False)
        rng, sides = np.random.default_rng(config.seed), game.sides(variant.players)
        own = chosen.self_share, chosen.size, chosen.rule_share
        self.pool: OpponentPool = OpponentPool(variant.players, rng, *own, sides)
        for name in config.rules:
            self.pool.add(agent_of_data(name, game, variant), born=0, scripted=True)
        options = {"seed": config.seed, "payoff_scale": config.payoff_scale, **variant.changed()}
        lanes = SelfPlayEnv(game, ppo.envs, self.pool, **options)
        self.env: Any = lanes_on(network.device, config.precision, lanes)
        sizes = ppo.steps, ppo.envs, game.encoder.layout.size, game.num_actions, variant.players
        self.rollout: Rollout = Rollout(*sizes, network.device)
        self.noise: torch.Generator = torch.Generator(network.device).manual_seed(config.seed)
        self.shares: dict[str, float] = {"play": 0.0, "learn": 0.0}

    def weights(self) -> dict[str, np.ndarray]:
        return self.average.tensors()

    @property
    def batch(self) -> dict[str, np.ndarray]:
        return {name: tensor.cpu().numpy() for name, tensor in vars(self.rollout).items()}

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        self.average.load_state_dict(self.network.state_dict())  # restarts from the network as it is now
        self.env.reset()
        yield

    def step(self) -> dict[str, float]:
        due = self._snapshot_due()
        if not self.play():
            return {}
        figures = self.learn()
        if self.config.pool.snapshots and due <= self.progress() < 1:
            name, tensors = f"update {self.updates}", self.average.tensors()
            leaving = self.pool.add(self.network_player(name, tensors), self.updates)
            if leaving is not None:
                self.env.forget(leaving)
        return figures

    def _snapshot_due(self) -> float:
        intervals = self.config.pool.snapshots + 1
        return (math.floor(self.progress() * intervals) + 1) / intervals

    @torch.no_grad()
    def play(self) -> bool:
        """Play the decisions of an update and compute their advantages; return False where time ends before."""
        begun, deciding = time.perf_counter(), 0.0
        env, rollout, ppo, device = self.env, self.rollout, self.config.ppo, self.network.device
        for step in range(ppo.steps):
            self._note(step, "observations", "masks", "seats")
            start = time.perf_counter()
            self._decide(step)
            actions = rollout.actions[step].to(env.device)
            if device.type == "cuda":
                torch.cuda.synchronize(device)  # lanes on a GPU would wait for the network in its place
            deciding += time.perf_counter() - start
            env.play(actions)
            self._note(step, "rewards", "terminated", "totals")
            self.tick()
            if self.progress() >= 1:
                return False
        self.count += int((rollout.seats != NOBODY).sum())
        rollout.rewards /= env.payoff_scale
        played = rollout.seats, rollout.values, rollout.rewards, rollout.terminated
        rollout.advantages, rollout.weights = advantages_by_seat(*played, ppo.gamma, ppo.gae_lambda)
        self._require_finite()
        self.shares["play"] += time.perf_counter() - begun - deciding
        self.shares["learn"] += deciding
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
        log_probs = log_softmax(logits, rollout.masks[step])
        noise = torch.empty_like(log_probs).exponential_(generator=self.noise)
        actions = (log_probs - noise.log()).argmax(1, keepdim=True)  # the Gumbel trick
        rollout.actions[step], rollout.log_probs[step] = actions[:, 0], log_probs.gather(1, actions)[:, 0]

    def _require_finite(self) -> None:
        for name in ("log_probs", "values", "rewards", "advantages"):
            if not torch.isfinite(getattr(self.rollout, name)).all():
                raise FloatingPointError(
                    f"{name} of update {self.updates + 1} hold values that are not finite; training stopped, the last "
                    "saved checkpoint is intact"
                )

    def entropy_coef(self) -> float:
        """Return the entropy bonus at the current progress."""
        ppo = self.config.ppo
        return ppo.entropy_end + (ppo.entropy - ppo.entropy_end) * (1 - self.progress())

    def learn(self) -> dict[str, float]:
        """Learn from the rollout, then move the average; return what is to be logged."""
        begun, ppo, rollout = time.perf_counter(), self.config.ppo, self.rollout
        self.optimizer.param_groups[0]["lr"] = ppo.learning_rate * (1 - self.progress())
        rows = rollout.weights.flatten().nonzero()[:, 0]
        data = {name: getattr(rollout, name).flatten(0, 1)[rows] for name in LEARNED_FROM}
        data["returns"] = data["advantages"] + data["values"]
        data["actions"].unsqueeze_(1)
        steps: list[dict[str, torch.Tensor]] = []
        epochs = (self._permutation(len(rows)).split(ppo.batch_size) for _ in range(ppo.epochs))  # each drawn in turn
        for batch in itertools.chain.from_iterable(epochs):
            if len(batch) > 1:
                steps.append(self.gradient_step({name: tensor[batch] for name, tensor in data.items()}))
                if ppo.target_kl is not None and steps[-1]["approx_kl"] > 1.5 * ppo.target_kl:
                    break
        self.updates += 1
        self._move_average()
        self.shares["learn"] += time.perf_counter() - begun
        return self._figures(steps, data)

    def _permutation(self, number: int) -> torch.Tensor:
        if self.network.device.type == "cuda":  # where millions are shuffled
            return torch.randperm(number, generator=self.noise, device=self.network.device)
        return torch.as_tensor(self.pool.rng.permutation(number))

    def gradient_step(self, batch: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Take a gradient step on the `loss` of N decisions; return its figures.

        Raises:
            FloatingPointError: The gradient is not finite; no step is taken.
        """
        loss, figures = self.loss(batch)
        self.optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), self.config.ppo.max_grad_norm)
        if not torch.isfinite(norm):
            raise FloatingPointError(f"the gradient of update {self.updates + 1} is not finite; training stopped")
        self.optimizer.step()
        return {"loss": loss.detach(), **figures, "gradient_norm": norm}

    def loss(self, batch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Return the loss of N decisions, clipped PPO with an entropy bonus, and figures to log, none with a gradient.

        Args:
            batch: observations int8 [N, layout.size], masks bool [N, num_actions], actions int64 [N, 1]; as they were
                played, log_probs, values and advantages float32 [N], and returns, advantages plus values: in units of
                `payoff_scale` chips.
        """
        clip = self.config.ppo.clip_range
        logits, values = self.network(batch["observations"])
        all_log_probs = log_softmax(logits, batch["masks"])
        log_probs = all_log_probs.gather(1, batch["actions"]).squeeze(1)
        advantages = batch["advantages"]
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        log_ratio = log_probs - batch["log_probs"]
        ratio = log_ratio.exp()
        policy_loss = -torch.min(advantages * ratio, advantages * ratio.clamp(1 - clip, 1 + clip)).mean()
        value_loss = F.mse_loss(values, batch["returns"])
        entropies = -(all_log_probs.exp() * all_log_probs).sum(1)
        loss = policy_loss + self.penalty(batch, all_log_probs) + self.config.ppo.value_coef * value_loss
        with torch.no_grad():
            return loss, {
                "policy_loss": policy_loss.detach(),
                "value_loss": value_loss.detach(),
                "entropy": entropies.mean(),
                "entropy_of_most": (entropies / batch["masks"].sum(1).float().log()).mean(),
                "approx_kl": ((ratio - 1) - log_ratio).mean(),
                "clip_fraction": ((ratio - 1).abs() > clip).float().mean(),
            }

    def penalty(self, batch: dict[str, torch.Tensor], log_probs: torch.Tensor) -> torch.Tensor:
        """Return what the loss adds so that the policy stays mixed, a scalar: minus an entropy bonus.

        Args:
            batch: As of `loss`.
            log_probs: The policy now, float32 [N, num_actions], see `log_softmax`.
        """
        return self.entropy_coef() * (log_probs.exp() * log_probs).sum(1).mean()

    def _move_average(self) -> None:
        rate = max(self.config.ppo.average_rate, 1 / self.updates)  # a plain mean at first
        self.average.move_towards(self.network, rate)

    def _figures(self, steps: list[dict[str, torch.Tensor]], data: dict[str, torch.Tensor]) -> dict[str, float]:
        """Return what is to be logged of an update: the means of its gradient steps, and how it was played."""
        ppo, rollout, returns = self.config.ppo, self.rollout, data["returns"]
        names = steps[0] if steps else ()
        means = {f"train/{name}": torch.stack([figures[name] for figures in steps]).mean().item() for name in names}
        explained = 1 - data["advantages"].var() / returns.var().clamp_min(1e-12)
        seconds = max(sum(self.shares.values()), 1e-9)
        won = rollout.totals[rollout.terminated]  # chips [N, players] of the episodes that ended
        by_seat = enumerate(won.mean(0).tolist() if len(won) else ())
        chips = {f"rollout/chips_seat_{seat}": mean for seat, mean in by_seat}
        return {
            **means,
            "train/explained_variance": explained.item(),
            "train/learning_rate": self.optimizer.param_groups[0]["lr"],
            "train/entropy_coef": self.entropy_coef(),
            "train/clip_range": ppo.clip_range,
            "train/decisions": len(returns),
            **chips,
            **({"rollout/chips_sum": won.sum(1).mean().item()} if chips else {}),
            "rollout/self_tables": float((self.env.seating == LEARNER).all(1).sum()) / ppo.envs,
            "time/decisions_per_second": self.count / seconds,
            "time/lanes_per_second": ppo.envs * ppo.steps * self.updates / seconds,
            "time/share_of_waiting": self.shares["play"] / seconds,
        }

    def saved(self) -> Saved:
        tensors = under("average.", self.average.tensors()) | under("env.", self.env.saved())
        tensors["noise"] = self.noise.get_state().numpy()
        members = []
        for number, member in enumerate(self.pool.members):
            if isinstance(member.agent, NetworkAgent):
                tensors |= under(f"member.{number}.", member.agent.tensors)
            members.append([member.agent.name, member.born, member.scripted, member.beaten, member.deals])
        header = {"members": members, "shares": self.shares, "played": self.env.decisions}
        return header | {"chance": json.dumps(self.pool.rng.bit_generator.state)}, tensors

    def put_back(self, header: dict[str, Any], tensors: dict[str, np.ndarray]) -> None:
        self.average.take(part(tensors, "average."))
        self.noise.set_state(torch.as_tensor(tensors["noise"]))
        self.pool.members, played = [], self.config.played
        for number, (name, born, scripted, beaten, deals) in enumerate(header["members"]):
            counted("born", born), counted("deals", deals), measured("beaten", beaten)
            own = part(tensors, f"member.{number}.")
            agent = agent_of_data(name, *played) if scripted else self.network_player(name, own)
            self.pool.members.append(Member(agent, born, scripted, beaten, deals))
        self.pool.rng.bit_generator.state = json.loads(header["chance"])
        self.env.put_back(part(tensors, "env."))
        if self.shares.keys() != header["shares"].keys():
            raise ValueError(f"shares are of {', '.join(self.shares)}")
        self.shares = {name: measured(name, seconds) for name, seconds in header["shares"].items()}
        self.env.decisions = counted("played", header["played"])


def log_softmax(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return the log probabilities of a policy, [N, actions], about -1e9 where masks, bool [N, actions], forbid."""
    return F.log_softmax(logits.masked_fill(~masks, FORBIDDEN), 1)


class NetworkFeatures(BaseFeaturesExtractor):
    """What policy and value of a `Network` share, for SB3."""

    def __init__(self, observation_space: spaces.Box, net: dict[str, Any], actions: int) -> None:
        super().__init__(observation_space, net["hidden"][-1])
        self.network: Network = Network(net, observation_space.high, actions)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return features [N, hidden[-1]] of observations [N, layout.size]."""
        return self.network.features(observations)


class NetworkPolicy(MaskableActorCriticPolicy):
    """A `Network` as the policy of a plain MaskablePPO, which knows its heads as `action_net` and `value_net`."""

    def __init__(
        self, observation_space: spaces.Space[Any], action_space: spaces.Discrete, lr_schedule: Any, net: dict[str, Any]
    ) -> None:
        """Make the policy of a network.

        Args:
            observation_space: Of the observations, a Box.
            action_space: Of the actions.
            lr_schedule: The learning rate by what is left, 1..0.
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
        self.network: Network = self.features_extractor.network
        self._build_mlp_extractor()  # which has no layers of its own
        self.action_net: nn.Linear = self.network.policy
        self.value_net: nn.Linear = self.network.value
        rate: Any = {"lr": lr_schedule(1), **self.optimizer_kwargs}
        self.optimizer: torch.optim.Optimizer = self.optimizer_class(self.network.parameters(), **rate)
