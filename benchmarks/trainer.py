"""The trainer next to a bare loop that does the same work, and next to what PettingZoo's tutorial for SB3 does.

    python -m benchmarks.trainer --rounds 5

All three learn Jie Long by PPO on one core, in turns, each in a process of its own. Counted are decisions learned from
in a second of the processor, imports and compiling aside. Trainer and bare loop have the same lanes, network, batches,
passes and precision. The tutorial's road is the one that SB3's users take: MaskablePPO with its defaults on a Gymnasium
environment around the AEC environment, every seat's decision a step (`AllSeats` of benchmarks/tutorials.py).
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from benchmarks.tutorials import AllSeats
from gupai_env import VectorEnv, jie_long_v0
from gupai_training.config import parse
from gupai_training.network import FORBIDDEN, native_bfloat16
from gupai_training.returns import advantages_by_seat
from gupai_training.run import Run

HIDDEN, ENVS, STEPS, EPOCHS, BATCH, RATE, SCALE = [128, 128], 1024, 32, 4, 2048, 2e-3, 35.0
UPDATES = {"trainer": 20, "bare": 20, "tutorial": 2}


def trainer(updates: int) -> float:
    """Return decisions per second of `gupai train`, its logs and its saves included."""
    ppo = {"envs": ENVS, "steps": STEPS, "epochs": EPOCHS, "batch_size": BATCH}

    def learned(decisions: int) -> float:
        settings = {
            "game": "jie-long",
            "variant": {"forced_play": True},
            "threads": 1,
            "decisions": decisions,
            "network": {"hidden": HIDDEN},
            "payoff_scale": SCALE,
            "ppo": ppo,
            "pool": {"self_share": 1.0},
            "evaluation": {"every": 1_000_000, "baselines": []},
        }
        with tempfile.TemporaryDirectory() as folder:
            run = Run.begin(parse(settings, "trainer"), Path(folder))
            begun = time.process_time()
            run.learn()
            return run.decisions / (time.process_time() - begun)

    learned(ENVS * STEPS)  # compiles
    return learned(updates * ENVS * STEPS)


class Network(nn.Module):
    """Policy and value upon shared layers."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(inputs, HIDDEN[0]), nn.Linear(HIDDEN[0], HIDDEN[1])
        self.policy, self.value = nn.Linear(HIDDEN[1], actions), nn.Linear(HIDDEN[1], 1)

    @torch.autocast("cpu", torch.bfloat16, enabled=native_bfloat16(torch.device("cpu")))
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = F.relu(self.second(F.relu(self.first(x))))
        return self.policy(x).float(), self.value(x).squeeze(1).float()


def bare(updates: int) -> float:
    """Return decisions per second of PPO in one loop: no pool, no average, no logs, no saves, no checks."""
    envs = VectorEnv("jie-long", ENVS, skip_forced=True, forced_play=True)
    network = Network(envs.layout.size, envs.game.num_actions)
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE, eps=1e-5)
    high = torch.as_tensor(envs.layout.high.astype(np.float32))
    shape = STEPS, ENVS
    observations = np.zeros((*shape, envs.layout.size), np.int8)
    masks = np.zeros((*shape, envs.game.num_actions), np.bool_)
    actions, seats = np.zeros(shape, np.int16), np.zeros(shape, np.int8)
    log_probs, values = (np.zeros(shape, np.float32) for _ in range(2))
    payoffs = np.zeros((*shape, envs.variant.players), np.float32)
    terminated = np.zeros(shape, np.bool_)

    def update() -> None:
        with torch.no_grad():
            for step in range(STEPS):
                observations[step], masks[step], seats[step] = envs.observations, envs.masks, envs.seats
                logits, judged = network(torch.as_tensor(observations[step]).float() / high)
                chances = F.log_softmax(logits.masked_fill(~torch.as_tensor(masks[step]), FORBIDDEN), 1)
                drawn = (chances - torch.empty_like(chances).exponential_().log()).argmax(1, keepdim=True)
                log_probs[step] = chances.gather(1, drawn).squeeze(1).numpy()
                values[step], actions[step] = judged.numpy(), drawn.squeeze(1).numpy()
                paid, terminated[step] = envs.step(actions[step])
                payoffs[step] = paid[:, : envs.variant.players] / SCALE
        advantages, weights = advantages_by_seat(*map(torch.as_tensor, (seats, values, payoffs, terminated)), 1, 0.95)
        rows = weights.flatten().nonzero()[:, 0]
        rollout = (observations, masks, actions, log_probs, values, advantages)
        x, legal, acted, before, judged, gain = (
            torch.as_tensor(array.reshape(-1, *array.shape[2:])[rows]) for array in rollout
        )
        acted, returns = acted.long().unsqueeze(1), judged + gain
        for _ in range(EPOCHS):
            for batch in torch.randperm(len(rows)).split(BATCH):
                logits, predictions = network(x[batch].float() / high)
                chances = F.log_softmax(logits.masked_fill(~legal[batch], FORBIDDEN), 1)
                ratio = (chances.gather(1, acted[batch]).squeeze(1) - before[batch]).exp()
                better = gain[batch]
                better = (better - better.mean()) / (better.std() + 1e-8)
                clipped = torch.min(better * ratio, better * ratio.clamp(0.8, 1.2)).mean()
                entropy = -(chances.exp() * chances).sum(1).mean()
                loss = -clipped - 0.01 * entropy + 0.5 * F.mse_loss(predictions, returns[batch])
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimizer.step()

    update()  # compiles
    begun = time.process_time()
    for _ in range(updates):
        update()
    return updates * STEPS * ENVS / (time.process_time() - begun)


def tutorial(updates: int) -> float:
    """Return decisions per second of MaskablePPO on the AEC environment."""
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.wrappers import ActionMasker

    env: Any = AllSeats(jie_long_v0.env(forced_play=True))
    env.reset(seed=0)
    learner = MaskablePPO("MlpPolicy", ActionMasker(env, AllSeats.action_masks), device="cpu")
    learner.learn(1)  # one update: compiles
    begun, before = time.process_time(), learner.num_timesteps
    learner.learn(updates * learner.n_steps, reset_num_timesteps=False)
    return (learner.num_timesteps - before) / (time.process_time() - begun)


ROADS: dict[str, Callable[[int], float]] = {"trainer": trainer, "bare": bare, "tutorial": tutorial}


def main() -> None:
    """Measure the three in turns and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--road", choices=ROADS, help="measure this one, in this process")
    chosen = parser.parse_args()
    if chosen.road:
        torch.set_num_threads(1)
        print(ROADS[chosen.road](UPDATES[chosen.road]))
        return
    rates_by_road: dict[str, list[float]] = {road: [] for road in ROADS}
    for _ in range(chosen.rounds):
        for road, rates in rates_by_road.items():
            output = subprocess.check_output([sys.executable, "-m", "benchmarks.trainer", "--road", road], text=True)
            rates.append(float(output.split()[-1]))
    for road, rates in rates_by_road.items():
        ratios = [ours / theirs for ours, theirs in zip(rates_by_road["trainer"], rates, strict=True)]
        print(
            f"{road:<9} {statistics.median(rates):>9,.0f} decisions per second ({min(rates):,.0f} to "
            f"{max(rates):,.0f}); the trainer makes {statistics.median(ratios):.2f} times as many"
        )


if __name__ == "__main__":
    main()
