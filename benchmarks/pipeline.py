"""How fast self-play feeds a network of a given speed: a stand-in takes so many microseconds for every batch.

    python -m benchmarks.pipeline jie-long --microseconds 0 200 1000 5000 --lanes 1024 8192

This says what a GPU could gain before there is one. A batch is what a device does for a decision in every lane:
observations go there, the network runs, actions are drawn and come back. Each row counts the learner's decisions in
rollouts of the trainer against a fixed opponent, in the fastest of them: their rate; the share of the time in which the
device waits for the lanes; and the rate of the lanes alone, which no device exceeds however fast it is.
"""

import argparse
import time
from collections.abc import Callable

import torch

from gupai_env import GAMES
from gupai_training.config import parse
from gupai_training.learner import SelfPlay
from gupai_training.network import build_network

STEPS = 32  # of the lanes in a rollout


def stand_in(learner: SelfPlay, microseconds: float) -> Callable[[int], None]:
    """Return what decides at random instead of a network, and takes its time."""

    def decide(step: int) -> None:
        begun = time.perf_counter()
        learner.rollout.actions[step] = torch.as_tensor(learner.env.envs.sample(step))
        while (time.perf_counter() - begun) * 1e6 < microseconds:
            time.sleep(0)

    return decide


def measure(game: str, lanes: int, microseconds: float, rollouts: int, opponent: str) -> tuple[float, float, float]:
    """Return decisions per second, the share of time in which the device waits, and decisions per second of lanes."""
    settings = {
        "game": game,
        "decisions": 10**12,
        "device": "cpu",
        "ppo": {"envs": lanes, "steps": STEPS},
        "pool": {"rules": [opponent], "self_share": 0},
    }
    config = parse(settings, "pipeline")
    learner = SelfPlay(config, build_network(config))
    learner._decide = stand_in(learner, microseconds)  # type: ignore[method-assign]
    speeds = []
    with learner.running():
        for _ in range(rollouts + 1):
            learner.shares = dict.fromkeys(learner.shares, 0.0)
            learner.play()
            seconds, decisions = sum(learner.shares.values()), float(learner.rollout.weights.sum())
            playing = learner.shares["play"]
            speeds.append((decisions / seconds, playing / seconds, decisions / playing))
    return max(speeds[1:])  # the first one compiles


def main() -> None:
    """Print a row for each number of lanes and each speed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=list(GAMES))
    parser.add_argument("--lanes", type=int, nargs="+", default=[1024, 8192])
    parser.add_argument("--microseconds", type=float, nargs="+", default=[0, 200, 1000, 5000])
    parser.add_argument("--rollouts", type=int, default=20)
    parser.add_argument("--opponent", default="greedy")
    chosen = parser.parse_args()
    print(f"{'lanes':>7} {'µs per batch':>13} {'decisions/s':>13} {'waiting':>8} {'lanes alone':>13}")
    for lanes in chosen.lanes:
        for microseconds in chosen.microseconds:
            rate, waiting, alone = measure(chosen.game, lanes, microseconds, chosen.rollouts, chosen.opponent)
            print(f"{lanes:>7,} {microseconds:>13,.0f} {rate:>13,.0f} {waiting:>8.0%} {alone:>13,.0f}", flush=True)


if __name__ == "__main__":
    main()
