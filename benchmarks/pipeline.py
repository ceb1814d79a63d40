"""How fast self-play feeds a network of a given speed: a stand-in takes so many microseconds for every batch.

    python -m benchmarks.pipeline jie-long --microseconds 0 200 1000 5000 --lanes 1024 8192

This says what a GPU could gain before there is one. Each row counts the learner's decisions in rollouts of the trainer
against a fixed opponent: their rate, the share of the time in which the network works while the lanes wait for it, and
the rate that no overlap of the two could exceed, which is that of the slower one alone.
"""

import argparse
import time

import torch
from torch import nn

from gupai_env import GAMES
from gupai_training.config import parse
from gupai_training.self_play_stage import build_learner

STEPS = 32  # of the lanes in a rollout


class StandIn(nn.Module):
    """A network that says nothing and takes its time; seconds: how long it has worked."""

    def __init__(self, actions: int, microseconds: float) -> None:
        super().__init__()
        self.actions, self.microseconds, self.seconds = actions, microseconds, 0.0

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits [N, actions] and values [N] of observations [N, layout.size]."""
        begun = time.perf_counter()
        while (time.perf_counter() - begun) * 1e6 < self.microseconds:
            time.sleep(0)
        self.seconds += time.perf_counter() - begun
        return torch.zeros(len(observations), self.actions), torch.zeros(len(observations))


def measure(game: str, lanes: int, microseconds: float, rollouts: int, opponent: str) -> tuple[float, float, float]:
    """Return decisions per second, the share of time of the network, and decisions per second of the slower part."""
    learner = build_learner(
        parse(
            {
                "game": game,
                "decisions": 1,
                "device": "cpu",
                "ppo": {"envs": lanes, "steps": STEPS},
                "pool": {"rules": [opponent], "self_share": 0},
            },
            "pipeline",
        )
    )
    network = StandIn(learner.env.envs.game.num_actions, microseconds)
    learner.policy.network = network
    _, callback = learner._setup_learn(1, None)
    counted = seconds = 0.0
    for rollout in range(rollouts + 1):
        network.seconds, begun = 0.0, time.perf_counter()
        learner.collect_rollouts(learner.env, callback, learner.rollout_buffer, STEPS)
        if rollout:  # the first one compiles
            seconds += time.perf_counter() - begun
            counted += float((learner.rollout.weights > 0).sum())
    busy = network.seconds / (time.perf_counter() - begun)
    return counted / seconds, busy, counted / seconds / max(busy, 1 - busy)


def main() -> None:
    """Print a row for each number of lanes and each speed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=list(GAMES))
    parser.add_argument("--lanes", type=int, nargs="+", default=[1024, 8192])
    parser.add_argument("--microseconds", type=float, nargs="+", default=[0, 200, 1000, 5000])
    parser.add_argument("--rollouts", type=int, default=5)
    parser.add_argument("--opponent", default="greedy")
    chosen = parser.parse_args()
    print(f"{'lanes':>7} {'µs per batch':>13} {'decisions/s':>13} {'network':>8} {'at most':>13}")
    for lanes in chosen.lanes:
        for microseconds in chosen.microseconds:
            rate, busy, most = measure(chosen.game, lanes, microseconds, chosen.rollouts, chosen.opponent)
            print(f"{lanes:>7,} {microseconds:>13,.0f} {rate:>13,.0f} {busy:>8.0%} {most:>13,.0f}", flush=True)


if __name__ == "__main__":
    main()
