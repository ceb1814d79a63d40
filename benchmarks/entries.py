"""Entries of the benchmark that anybody could make: learners of other libraries with their own settings, and ours.

    python -m benchmarks.entries maskable-ppo jie-long-forced --budget 100_000 --seeds 1 2 3 4 5 --out results/benchmark
    python -m benchmarks.entries nfsp pai-gow --budget 20_000
    python -m benchmarks.entries deep-cfr pai-gow --budget 20_000
    python -m benchmarks.entries search-targets jie-long-forced --budget 500_000
    python -m benchmarks.entries self-play jie-long-forced --budget 3_900_000
    python -m benchmarks.entries magnetic-ppo jie-long-forced --budget 3_900_000
    python -m benchmarks.entries cloning jie-long-forced --budget 5_000

With sb3-contrib's MaskablePPO one seat learns against `greedy` in the others, in 16 lanes; rewards are chips over the
standard deviation of a deal. NFSP and Deep CFR are OpenSpiel's, in torch (pip install "gupai[openspiel]" dm-tree), and
learn for all seats; they play the most likely action of their average policy. A decision is one choice of one seat.
Search targets and self-play are the recipes of `gupai train GAME` and `gupai train self_play/GAME`, without their limit
in minutes. With the magnet, self-play has the learner of examples/magnetic_ppo.py, whose player draws its actions.
Cloning is examples/behaviour_cloning.py, on deals that `best` and `tuned` play. The players of these four are written
in eight bits, as those that ship.

The network lies next to its card, so `gupai verify CARD` plays it again. Every seed has a card, METHOD-TASK-SEED.json,
and one that is there is read instead of made again; the last lines are the scores, and their mean with its interval
over seeds. --curve adds the scores to a file, as the point of this budget on the curve that tools/charts.py draws, and
prints the power of the budget with which the distance to a score of 100 falls, fitted to all budgets of the learner.
"""

import argparse
import contextlib
import json
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from benchmarks.learning_curves import recipe
from benchmarks.learning_tiny import masked_ppo, nfsp_table, play_nfsp, policy_of
from examples import magnetic_ppo as magnetic
from examples.behaviour_cloning import EPOCHS, Data, clone
from gupai_agents import save_network
from gupai_agents.evaluation import RecordWriter, data_seed, games_to_arrays, play_tournament
from gupai_agents.evaluation.benchmark.cards import play_benchmark, read_cards, timed
from gupai_agents.evaluation.benchmark.models import Card, Task, as_text, read_suite
from gupai_agents.evaluation.records.arrays import as_npz
from gupai_agents.evaluation.statistics import Estimate, estimate
from gupai_agents.networks.checkpoint import read_checkpoint, write_checkpoint
from gupai_agents.networks.network import packed
from gupai_agents.play.workers import machine
from gupai_env import get_game
from gupai_env.storage.files import write_file
from gupai_env.storage.models import set_key
from gupai_training import train
from gupai_training.config import find

TRAVERSALS = 64  # of Deep CFR for every player between two fits of its networks
FITS = 100  # minibatches of each fit
Settings = Mapping[str, Any]  # of a learner that differ from its own
Learner = Callable[[Task, int, int, str, Settings], str]  # of a task, a budget and a seed; writes NAME and a suffix


def main() -> None:
    """Train a player for a task from every seed, play the task, and write the cards."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("task")
    parser.add_argument("--budget", type=int, default=100_000, help="decisions, targets or deals to learn from")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--deals", type=int, help="of the benchmark, default all")
    parser.add_argument("--out", type=Path, default=Path(), help="the folder of cards and networks")
    parser.add_argument("--curve", type=Path, help="file to which the scores are added, by task, method and budget")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    task, cards = read_suite().task(chosen.task), []
    chosen.out.mkdir(exist_ok=True)
    with contextlib.chdir(chosen.out):  # so that a card names the network next to it
        for seed in chosen.seeds:
            name = f"{chosen.method}-{chosen.task}-{seed}"
            path = Path(f"{name}.json")
            if not path.exists():
                card = entry(chosen.method, task, chosen.budget, seed, name, {}, deals=chosen.deals)
                write_file(path, as_text(card).encode())
            cards += read_cards([path])
            print(f"{cards[-1].agent}: {cards[-1].score}", flush=True)
    scores = [card.score.mean for card in cards]
    if len(cards) > 1:
        print(f"mean over seeds: {estimate(np.array(scores), runs=True).text(1, 'seeds')}")
    if chosen.curve:
        curves = json.loads(chosen.curve.read_text()) if chosen.curve.exists() else {}
        curve = curves.setdefault(chosen.task, {}).setdefault(chosen.method, {})
        curve[str(chosen.budget)] = scores
        write_file(chosen.curve, json.dumps(curves, indent=1) + "\n", force=True)
        print(f"exponent of the distance to 100: {exponent(curve).text(3, 'seeds')}")


def exponent(curve: Mapping[str, list[float]]) -> Estimate:
    """Return the power of the budget with which what scores lack to 100 falls, a mean over seeds with its interval.

    Args:
        curve: Scores below 100 by budget, each list in the order of seeds; the power of each seed is fitted by least
            squares of the logarithms.
    """
    seeds = min(map(len, curve.values()))
    lacking = np.log([[100 - score for score in scores[:seeds]] for scores in curve.values()])
    powers, _ = np.polyfit(np.log(list(map(int, curve))), lacking, 1)
    return estimate(powers, runs=True)


def entry(method: str, task: Task, budget: int, seed: int, name: str, settings: Settings, **benchmark: Any) -> Card:
    """Return the card of a player that learns, whose network is written to NAME and a suffix.

    Args:
        settings: Of the learner, where they are not its own.
        benchmark: Arguments of `play_benchmark`.
    """
    title, learn, unit = METHODS[method]
    begun = time.process_time()
    who = {task.name: learn(task, budget, seed, name, settings)}
    print(f"learned in {time.process_time() - begun:.0f} s of one core", flush=True)
    label = f"{title}, {budget:,} {unit}, seed {seed}"
    return timed(play_benchmark(who, name=label, **benchmark), who, machine()["cpu"])


def maskable_ppo(task: Task, decisions: int, seed: int, name: str, settings: Settings) -> str:
    """Return the policy that MaskablePPO has learned for a task."""
    model = masked_ppo(task.game, seed, task.options, **settings)
    model.learn(decisions)
    return as_graph(policy_of(model), task, name)


def search_targets(task: Task, targets: int, seed: int, name: str, settings: Settings) -> str:
    """Return the player that a game's recipe has learned from search targets for a task."""
    return trained(recipe(task.game, targets, seed), task, seed, name, settings)


def self_play(task: Task, decisions: int, seed: int, name: str, settings: Settings) -> str:
    """Return the player that a game's recipe has learned by self-play alone for a task."""
    config = find(f"self_play/{task.game}") | {"decisions": decisions, "max_minutes": None}
    return trained(config, task, seed, name, settings)


def magnetic_ppo(task: Task, decisions: int, seed: int, name: str, settings: Settings) -> str:
    """Return the player of the same recipe whose policy is drawn to the average of its weights."""
    return self_play(task, decisions, seed, name, {"learner": magnetic.NAME, **settings})


def trained(config: dict[str, Any], task: Task, seed: int, name: str, settings: Settings) -> str:
    """Return the player that a run of the trainer has learned for a task."""
    config |= {"name": name, "variant": task.options, "seed": seed}
    for key, setting in settings.items():
        set_key(config, key, setting)
    with tempfile.TemporaryDirectory() as runs:
        run = train(config | {"evaluation": {"every": 10**6, "final_deals": 2}}, runs=runs)  # the benchmark judges it
        return as_shipped(run.folder, name)


def cloning(task: Task, deals: int, seed: int, name: str, settings: Settings) -> str:
    """Return a network that has learned the actions of `best` in deals among `tuned`, and of `tuned` among it."""
    with tempfile.TemporaryDirectory() as folder:
        games, data, network = (Path(folder) / file for file in ("games.jsonl", "best.npz", "clone.safetensors"))
        with RecordWriter(games) as record:
            options = {"seed": data_seed(seed), **task.options}
            play_tournament(task.game, ["best", "tuned"], deals, record=record, **options)
        data.write_bytes(as_npz(games_to_arrays(games, "best")))
        save_network(clone(Data(data), seed=seed, **{"epochs": EPOCHS, **settings}), task.game, task.options, network)
        return as_shipped(network, name)


def as_shipped(checkpoint: Path, name: str) -> str:
    """Write a checkpoint in eight bits, as players that ship; return the player that it is."""
    header, tensors = read_checkpoint(checkpoint)
    file = f"{name}.safetensors"
    write_checkpoint(file, header, packed(tensors))
    return f"checkpoint:{file}"


def nfsp(task: Task, decisions: int, seed: int, name: str, settings: Settings) -> str:
    """Return the average policy of NFSP, that of the first seat; observations do not depend on seats."""
    env, agents = nfsp_table(in_openspiel(task, seed), seed, decisions, **settings)
    play_nfsp(env, agents, decisions)
    return as_graph(agents[0]._avg_network, task, name)


def deep_cfr(task: Task, decisions: int, seed: int, name: str, settings: Settings) -> str:
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
        batch_size_advantage=256,
        batch_size_strategy=256,
        policy_network_train_steps=FITS,
        advantage_network_train_steps=FITS,
        seed=seed,
        **{"learning_rate": 1e-3, **settings},
    )
    while solving.visited < decisions:
        solving.solve()  # one iteration, and a fit of the average policy
    return as_graph(solving._policy_network, task, name)


def as_graph(network: nn.Module, task: Task, name: str) -> str:
    """Write a network from observations to logits as an ONNX graph; return the player that it is."""
    file, size = f"{name}.onnx", get_game(task.game).encoder.layout.size
    torch.onnx.export(
        network.eval(),
        (torch.zeros(2, size),),
        file,
        input_names=["observations"],
        output_names=["logits"],
        dynamic_axes={"observations": {0: "N"}, "logits": {0: "N"}},
        dynamo=False,
    )
    return f"onnx:{file}"


def in_openspiel(task: Task, seed: int) -> Any:
    """Return the game of a task in OpenSpiel."""
    from gupai_env.openspiel import as_openspiel

    return as_openspiel(task.game, rng_seed=seed, **task.options)


METHODS: dict[str, tuple[str, Learner, str]] = {  # title, what learns, the unit of its budget
    "maskable-ppo": ("MaskablePPO", maskable_ppo, "decisions"),
    "search-targets": ("search targets", search_targets, "targets"),
    "self-play": ("self-play PPO", self_play, "decisions"),
    "magnetic-ppo": ("PPO with a magnet", magnetic_ppo, "decisions"),
    "cloning": ("behaviour cloning of best", cloning, "deals"),
    "nfsp": ("NFSP", nfsp, "decisions"),
    "deep-cfr": ("Deep CFR", deep_cfr, "decisions"),
}

if __name__ == "__main__":
    main()
