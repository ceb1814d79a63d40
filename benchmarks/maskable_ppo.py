"""An entry of the benchmark that anybody could make: sb3-contrib's MaskablePPO with its default settings.

    python -m benchmarks.maskable_ppo jie-long-forced --decisions 100_000 --out docs/benchmark/maskable-ppo.json

One seat learns against `greedy` in the others, in 16 lanes; rewards are chips over the standard deviation of a deal.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from gupai_agents import ObservationAgent, make_agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.benchmark import play_benchmark, timed
from gupai_agents.evaluation.benchmark_models import Task, as_text, read_suite
from gupai_app.bench import machine
from gupai_env.core.files import write_file
from gupai_training.selfplay import SelfPlayVecEnv

LANES, RIVAL = 16, "greedy"


def main() -> None:
    """Train a player for a task, play the task, and write the card."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task")
    parser.add_argument("--decisions", type=int, default=100_000, help="that are learned from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deals", type=int, help="of the benchmark, default all")
    parser.add_argument("--out", type=Path, required=True, help="a new card")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    task = read_suite().task(chosen.task)
    who = {task.name: trained(task, chosen.decisions, chosen.seed)}
    name = f"MaskablePPO, {chosen.decisions:,} decisions, seed {chosen.seed}"
    card = timed(play_benchmark(who, name=name, deals=chosen.deals), who, machine()["cpu"])
    write_file(chosen.out, as_text(card).encode())
    print(f"{name}: {card.score}")


def trained(task: Task, decisions: int, seed: int) -> ObservationAgent:
    """Return a player that MaskablePPO has trained for a task."""
    rival = make_agent(RIVAL, task.game, **task.options)
    scale = float(np.std(duel(task.game, rival, rival, 500, seed=seed, **task.options).chips[:, 0, 0])) or 1.0
    env = SelfPlayVecEnv.against(task.game, LANES, [RIVAL], seed=seed, payoff_scale=scale, **task.options)
    model = MaskablePPO("MlpPolicy", env, seed=seed, device="cpu")
    model.learn(decisions)

    def score(observations: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            found: np.ndarray = model.policy.get_distribution(
                torch.from_numpy(observations)
            ).distribution.logits.numpy()
        return found

    return ObservationAgent("MaskablePPO", task.game, score)


if __name__ == "__main__":
    main()
