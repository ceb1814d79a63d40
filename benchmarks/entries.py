"""Entries of the benchmark that anybody could make: learners of other libraries, with their own settings.

    python -m benchmarks.entries maskable-ppo jie-long-forced --decisions 100_000 --out maskable-ppo.json
    python -m benchmarks.entries nfsp pai-gow --decisions 20_000 --out nfsp.json
    python -m benchmarks.entries deep-cfr pai-gow --decisions 20_000 --out deep-cfr.json

With sb3-contrib's MaskablePPO one seat learns against `greedy` in the others, in 16 lanes; rewards are chips over the
standard deviation of a deal. NFSP and Deep CFR are OpenSpiel's, in torch (pip install "gupai[openspiel]" dm-tree), and
learn for all seats; they play the most likely action of their average policy. A decision is one choice of one seat.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from benchmarks.learning_tiny import nfsp_table, play_nfsp, scoring
from gupai_agents import ObservationAgent, make_agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.benchmark import play_benchmark, timed
from gupai_agents.evaluation.benchmark_models import Task, as_text, read_suite
from gupai_app.bench import machine
from gupai_env.core.files import write_file
from gupai_training.selfplay import SelfPlayVecEnv

LANES, RIVAL = 16, "greedy"
TRAVERSALS = 64  # of Deep CFR for every player between two fits of its networks
FITS = 100  # minibatches of each fit
Score = Callable[[np.ndarray], np.ndarray]


def main() -> None:
    """Train a player for a task, play the task, and write the card."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("task")
    parser.add_argument("--decisions", type=int, default=100_000, help="that are learned from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deals", type=int, help="of the benchmark, default all")
    parser.add_argument("--out", type=Path, required=True, help="a new card")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    title, learn = METHODS[chosen.method]
    begun = time.process_time()
    task = read_suite().task(chosen.task)
    who = {task.name: ObservationAgent(title, task.game, learn(task, chosen.decisions, chosen.seed))}
    print(f"learned in {time.process_time() - begun:.0f} s of one core", flush=True)
    name = f"{title}, {chosen.decisions:,} decisions, seed {chosen.seed}"
    card = timed(play_benchmark(who, name=name, deals=chosen.deals), who, machine()["cpu"])
    write_file(chosen.out, as_text(card).encode())
    print(f"{name}: {card.score}")


def maskable_ppo(task: Task, decisions: int, seed: int) -> Score:
    """Return the policy that MaskablePPO has learned for a task."""
    rival = make_agent(RIVAL, task.game, **task.options)
    scale = float(np.std(duel(task.game, rival, rival, 500, seed=seed, **task.options).chips[:, 0, 0])) or 1.0
    env = SelfPlayVecEnv.against(task.game, LANES, [RIVAL], seed=seed, payoff_scale=scale, **task.options)
    model = MaskablePPO("MlpPolicy", env, seed=seed, device="cpu")
    model.learn(decisions)

    def score(observations: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            found: Any = model.policy.get_distribution(torch.from_numpy(observations)).distribution
        return np.asarray(found.logits)

    return score


def nfsp(task: Task, decisions: int, seed: int) -> Score:
    """Return the average policy of NFSP, that of the first seat; observations do not depend on seats."""
    env, agents = nfsp_table(in_openspiel(task, seed), seed, decisions)
    play_nfsp(env, agents, decisions)
    return scoring(agents[0]._avg_network)


def deep_cfr(task: Task, decisions: int, seed: int) -> Score:
    """Return the average policy of Deep CFR; decisions: how many its traversals visit at least."""
    from open_spiel.python.pytorch.deep_cfr import DeepCFRSolver

    class Counting(DeepCFRSolver):
        visited = 0

        def _traverse_game_tree(self, state: Any, player: int) -> Any:
            self.visited += not (state.is_terminal() or state.is_chance_node())
            return super()._traverse_game_tree(state, player)

    np.random.seed(seed)  # its traversals draw from numpy's own generator, its first networks from torch's
    torch.manual_seed(seed)
    solving = Counting(
        in_openspiel(task, seed),
        policy_network_layers=(128,),
        advantage_network_layers=(128,),
        num_iterations=1,
        num_traversals=TRAVERSALS,
        learning_rate=1e-3,
        batch_size_advantage=256,
        batch_size_strategy=256,
        policy_network_train_steps=FITS,
        advantage_network_train_steps=FITS,
        seed=seed,
    )
    while solving.visited < decisions:
        solving.solve()  # one iteration, and a fit of the average policy
    return scoring(solving._policy_network)


def in_openspiel(task: Task, seed: int) -> Any:
    """Return the game of a task in OpenSpiel."""
    from gupai_env.openspiel import as_openspiel

    return as_openspiel(task.game, rng_seed=seed, **task.options)


METHODS: dict[str, tuple[str, Callable[[Task, int, int], Score]]] = {
    "maskable-ppo": ("MaskablePPO", maskable_ppo),
    "nfsp": ("NFSP", nfsp),
    "deep-cfr": ("Deep CFR", deep_cfr),
}

if __name__ == "__main__":
    main()
