"""PPO self-play in a single file, in CleanRL's manner: one network plays all seats of Jie Long and learns from each.

    pip install -c constraints.txt torch
    pip install -c constraints.txt ".[train]"
    python examples/ppo_single_file.py

What differs from single-player PPO: the decision that follows a seat's decision is *the same seat's* next one, and its
reward is what that seat was paid in between, whoever moved (`advantages`); illegal actions are masked; nothing is
discounted, because a deal pays once, at its end. The player that is evaluated has the running average of the weights.
"""

import argparse
import copy
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from gupai_agents import ObservationAgent, make_agent
from gupai_agents.evaluation import duel
from gupai_env import VectorEnv, make_vec

GAME, VARIANT = "jie-long", {"forced_play": True}


class Network(nn.Module):
    """Policy and value upon shared layers. The viewer's seat comes first in an observation, so one serves all seats."""

    def __init__(self, envs: VectorEnv, hidden: int) -> None:
        super().__init__()
        inputs, actions = envs.layout.size, envs.game.num_actions
        self.register_buffer("high", torch.as_tensor(envs.layout.high).float())
        self.layers = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.policy, self.value = nn.Linear(hidden, actions), nn.Linear(hidden, 1)
        for layer, gain in (self.layers[0], 2**0.5), (self.layers[2], 2**0.5), (self.policy, 0.01), (self.value, 1):
            nn.init.orthogonal_(layer.weight, gain)
            nn.init.zeros_(layer.bias)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits [N, actions] and values [N] of observations, int8 [N, layout.size]."""
        features = self.layers(observations.float() / self.high)
        return self.policy(features), self.value(features).squeeze(1)

    def log_probs(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logarithms of the policy over legal actions, [N, actions], and values [N]."""
        logits, values = self(observations)
        return F.log_softmax(logits.masked_fill(~masks, -1e9), 1), values


class Rollout:
    """What was played since the last update: a row for each step, a column for each environment."""

    def __init__(self, steps: int, envs: VectorEnv) -> None:
        shape = (steps, envs.num_envs)
        self.observations = np.zeros((*shape, envs.layout.size), np.int8)
        self.masks = np.zeros((*shape, envs.game.num_actions), np.bool_)
        self.actions, self.seats = np.zeros(shape, np.int64), np.zeros(shape, np.int8)
        self.log_probs, self.values = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.rewards = np.zeros((*shape, envs.variant.players), np.float32)
        self.terminated = np.zeros(shape, np.bool_)


@torch.no_grad()
def play(envs: VectorEnv, network: Network, rollout: Rollout, payoff_scale: float) -> None:
    """Fill a rollout with the network in all seats."""
    for step in range(len(rollout.actions)):
        rollout.observations[step], rollout.masks[step] = envs.observations, envs.masks
        rollout.seats[step] = envs.seats
        log_probs, values = network.log_probs(
            torch.as_tensor(rollout.observations[step]), torch.as_tensor(rollout.masks[step])
        )
        noise = torch.empty_like(log_probs).exponential_()
        actions = (log_probs - noise.log()).argmax(1, keepdim=True)  # a draw from the policy (the Gumbel trick)
        rollout.actions[step] = actions.squeeze(1).numpy()
        rollout.log_probs[step], rollout.values[step] = log_probs.gather(1, actions).squeeze(1), values
        rewards, terminated = envs.step(rollout.actions[step])
        rollout.rewards[step] = rewards[:, : envs.variant.players] / payoff_scale
        rollout.terminated[step] = terminated


def advantages(rollout: Rollout, gae_lambda: float) -> tuple[np.ndarray, np.ndarray]:
    """Return generalised advantages, one trajectory for each seat, [T, B], and which of them are known, bool [T, B].

    A seat's last decision of a deal that continues is not: its value only serves the seat's decision before it.
    """
    estimates, trained = np.zeros_like(rollout.values), np.zeros(rollout.values.shape, np.bool_)
    paid = np.zeros(rollout.rewards.shape[1:], np.float32)  # [B, seats], since the seat's next decision
    next_value, next_advantage, known = np.zeros_like(paid), np.zeros_like(paid), np.zeros(paid.shape, np.bool_)
    lanes = np.arange(len(paid))
    for step in reversed(range(len(estimates))):
        over = rollout.terminated[step]
        paid[over] = next_value[over] = next_advantage[over] = 0
        known[over] = True
        paid += rollout.rewards[step]
        mine, value = (lanes, rollout.seats[step]), rollout.values[step]
        gained = paid[mine] + next_value[mine] - value + gae_lambda * next_advantage[mine]
        estimates[step], trained[step] = np.where(known[mine], gained, 0), known[mine]
        next_value[mine], next_advantage[mine], paid[mine], known[mine] = value, estimates[step], 0, True
    return estimates, trained


def learn(network: Network, optimizer: torch.optim.Optimizer, rollout: Rollout, options: argparse.Namespace) -> float:
    """Take the gradient steps of an update; return the mean entropy."""
    gains, trained = advantages(rollout, options.gae_lambda)
    rows = np.flatnonzero(trained)

    def flat(array: np.ndarray) -> torch.Tensor:
        return torch.as_tensor(array.reshape(-1, *array.shape[2:])[rows])

    observations, masks, actions = flat(rollout.observations), flat(rollout.masks), flat(rollout.actions)
    old_log_probs, gains, values = flat(rollout.log_probs), flat(gains), flat(rollout.values)
    returns, entropies = gains + values, []
    for _ in range(options.epochs):
        for batch in torch.randperm(len(rows)).split(options.batch_size):
            log_probs, judged = network.log_probs(observations[batch], masks[batch])
            ratio = (log_probs.gather(1, actions[batch][:, None]).squeeze(1) - old_log_probs[batch]).exp()
            better = (gains[batch] - gains[batch].mean()) / (gains[batch].std() + 1e-8)
            policy_loss = -torch.min(better * ratio, better * ratio.clamp(1 - options.clip, 1 + options.clip)).mean()
            entropy = -(log_probs.exp() * log_probs).sum(1).mean()
            loss = policy_loss - options.entropy * entropy + options.value_coef * F.mse_loss(judged, returns[batch])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), options.max_grad_norm)
            optimizer.step()
            entropies.append(entropy.item())
    return float(np.mean(entropies))


def judge(network: Network, rival: str, deals: int) -> str:
    """Return the network's chips per deal, best actions only, against `rival` in all other seats, with 95% interval."""

    def score(observations: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return network(torch.from_numpy(observations))[0].numpy()

    player, other = ObservationAgent("PPO", GAME, score), make_agent(rival, GAME, **VARIANT)
    return f"{duel(GAME, player, other, deals, seed=1_000_003, **VARIANT).mean(0)} against {rival}"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", type=int, default=4_000_000, help="to play, forced ones not counted")
    parser.add_argument("--num-envs", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=32, help="decisions of each environment in an update")
    parser.add_argument("--hidden", type=int, default=256, help="width of both layers")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=2048)
    parser.add_argument("--learning-rate", type=float, default=2e-3, help="at first; falls to zero in a straight line")
    parser.add_argument("--gae-lambda", type=float, default=0.95)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--entropy", type=float, default=0.01, help="bonus; self-play needs one to the end")
    parser.add_argument("--value-coef", type=float, default=0.5)
    parser.add_argument("--max-grad-norm", type=float, default=0.5)
    parser.add_argument("--average-rate", type=float, default=0.03, help="share of new weights in the player's")
    parser.add_argument("--payoff-scale", type=float, default=35.0, help="chips that count as a return of 1")
    parser.add_argument("--deals", type=int, default=2000, help="of a judgement")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="of torch; small layers gain little from more")
    return parser.parse_args()


def main() -> None:
    options = parsed()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    envs = make_vec(GAME, options.num_envs, seed=options.seed, skip_forced=True, **VARIANT)
    network = Network(envs, options.hidden)
    average = copy.deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=options.learning_rate, eps=1e-5)
    rollout = Rollout(options.steps, envs)
    updates = max(1, options.decisions // (options.steps * options.num_envs))
    begun, worked = time.perf_counter(), time.process_time()
    for update in range(1, updates + 1):
        optimizer.param_groups[0]["lr"] = options.learning_rate * (1 - (update - 1) / updates)
        play(envs, network, rollout, options.payoff_scale)
        entropy = learn(network, optimizer, rollout, options)
        with torch.no_grad():  # a plain mean at first
            for slow, fast in zip(average.parameters(), network.parameters(), strict=True):
                slow.lerp_(fast, max(options.average_rate, 1 / update))
        if update % max(1, updates // 8) == 0:
            seconds = f"{time.perf_counter() - begun:.0f} s, {time.process_time() - worked:.0f} s of processor time"
            decisions = update * options.steps * options.num_envs
            print(f"{decisions:,} decisions, {seconds}, entropy {entropy:.2f}: {judge(average, 'greedy', 300)}")
    print("in the end:", *(judge(average, rival, options.deals) for rival in ("random", "greedy", "tuned")), sep="  ")


if __name__ == "__main__":
    main()
