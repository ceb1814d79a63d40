"""Training on the tiny deck of every game: exploitability, exact (`gupai_agents.evaluation.exact`), in chips per deal.

    python benchmarks/tiny.py --runs /tmp/tiny --decisions 1_000_000
    python benchmarks/tiny.py jie-long tien-gow --runs /tmp/tiny --magnet --targets 2_000_000
    python benchmarks/tiny.py --runs /tmp/tiny --recipes --targets 200_000 --json results/models/tiny.json

The first prints how it falls with self-play, the second with self-rollouts and a magnet, as rows of docs/evaluation.md,
of the policy that the player draws from. The third trains by the recipe of every
player that ships, with a small network and so many targets of each kind that went into the player, for its card.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import torch

from gupai_agents.networks.checkpoint import variant_of
from gupai_agents.shipped import networks
from gupai_env import GAMES
from gupai_env.storage.models import parse_yaml
from gupai_training.config import parse
from gupai_training.curves import evaluations_of
from gupai_training.run import Run

ENVS, STEPS, EVALUATIONS = 128, 32, 8
TARGETS_PER_CHUNK = 2_500  # about, with 512 tables
SCALE = {"ding-niu": 2, "small-mahjong": 1, "tiu-u": 40, "shi-wu-hu": 80}  # chips a unit of return; of the others 10
# The entropy bonus holds the policy mixed while it turns about the equilibrium, and falls slowly.
PPO = {"batch_size": 256, "epochs": 3, "entropy": 0.05, "entropy_end": 0.02, "average_rate": 0.05}
WIDTH = 128
# The average moves by a fiftieth per gradient step, and a target adds an eighth of its chips to the logits.
MAGNET = {"true_hands": 1, "self_rollouts": 1, "magnet": 0.97, "average_rate": 0.02, "temperature": 8}
EXPERT_ITERATION = {"tables": 256, "batch_size": 256, "window": 100_000}
# Of a recipe's settings those that say how targets are made; its network, sizes and rates belong to the full deck.
KEPT = (
    *("playouts", "random_moves", "heuristic_share", "epochs", "temperature"),
    *("true_hands", "self_rollouts", "magnet", "average_rate"),
)


def main() -> None:
    """Train on tiny decks and print what comes of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--decisions", type=int, default=1_000_000)
    parser.add_argument("--magnet", action="store_true", help="self-rollouts with a magnet")
    parser.add_argument("--recipes", action="store_true", help="those of the players that ship")
    parser.add_argument("--targets", type=int, default=200_000, help="of each kind of a recipe")
    parser.add_argument("--json", type=Path, help="file for what came of the recipes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=Path, required=True, help="folder for the runs")
    chosen = parser.parse_args()
    if chosen.json and not chosen.recipes:
        parser.error("--json goes with --recipes")
    torch.set_num_threads(1)
    results = {}
    if chosen.json and chosen.json.exists():  # players of other games stay as they were
        results = json.loads(chosen.json.read_text(encoding="utf-8"))
    for name in chosen.games:
        if not chosen.recipes:
            changes = magnetic(chosen.targets) if chosen.magnet else self_play(chosen.decisions)
            train(name, changes, chosen.seed, chosen.runs)
            continue
        for file, header in networks(name):
            results[file.stem] = by_recipe(file, header, chosen.targets, chosen.seed, chosen.runs)
            print(file.stem, results[file.stem], flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def self_play(decisions: int) -> dict[str, Any]:
    """Return the settings of self-play alone."""
    return {
        "decisions": decisions,
        "network": {"type": "mlp", "hidden": [64, 64]},
        "ppo": {"envs": ENVS, "steps": STEPS, **PPO},
        "pool": {"self_share": 1.0, "rules": []},
        "evaluation": {"every": max(1, decisions // (ENVS * STEPS * EVALUATIONS))},
    }


def magnetic(targets: int) -> dict[str, Any]:
    """Return the settings of self-rollouts with a magnet."""
    return {
        "decisions": 0,
        "network": {"type": "residual", "hidden": [WIDTH, WIDTH]},
        "pool": {"rules": []},
        "expert_iteration": {**EXPERT_ITERATION, **MAGNET, "tables": 512, "learning_rate": 4e-3, "targets": targets},
        "evaluation": {"every": max(1, targets // (TARGETS_PER_CHUNK * EVALUATIONS))},
    }


def train(name: str, changes: dict[str, Any], seed: int, runs: Path) -> None:
    """Print how exploitability of the policy that the player draws from falls, a row of the table."""
    settings = {
        **settings_of(name, GAMES[name].variant.tiny_options(), seed),
        **changes,
        "evaluation": {"baselines": ["random"], "deals": 100, "final_deals": 100, **changes["evaluation"]},
    }
    run = Run.begin(parse(settings, "tiny"), runs)
    begun = uniform(run)
    run.learn()
    count = "decisions" if changes["decisions"] else "targets"
    evaluations = [f"{row[count]:,}: {row['exploitability']['drawn']:.3f}" for row in evaluations_of(run.folder)]
    print(f"{name} | random {begun:.3f} |", " | ".join(evaluations), flush=True)


def by_recipe(file: Path, header: dict[str, Any], targets: int, seed: int, runs: Path) -> dict[str, Any]:
    """Return what best responses win from a player made by the recipe of one that ships, and from random play."""
    game, variant = variant_of(file, header)
    net = header["net"]
    start, uniformly = None, 0.0
    kinds = kinds_of(header)
    for expert_iteration in kinds:
        settings = {
            **settings_of(game.id, variant.changed() | game.variant.tiny_options(), seed),
            "decisions": 0,
            "start": start,
            "network": {"type": net["type"], "hidden": [WIDTH] * len(net["hidden"])},
            "expert_iteration": {**EXPERT_ITERATION, **expert_iteration, "targets": targets},
            "evaluation": {"baselines": ["random"], "every": 1_000_000, "deals": 100, "final_deals": 100},
        }
        run = Run.begin(parse(settings, "tiny"), runs)
        uniformly = uniform(run)
        run.learn()
        start = f"checkpoint:{run.folder}"
    last = evaluations_of(run.folder)[-1]["exploitability"]
    common = {"random": uniformly, "targets": targets * len(kinds), "seed": seed}
    return {"best": last["best"], "drawn": last["drawn"], **common}


def kinds_of(header: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the settings of learning from search of the runs that went into a player, first to last, each kind of
    target once.
    """
    before = kinds_of(header["start"]) if "start" in header else []
    expert_iteration = parse_yaml(header["recipe"]).get("expert_iteration", {})
    settings = {name: expert_iteration[name] for name in KEPT if name in expert_iteration}
    known = [(stage.get("true_hands"), stage.get("self_rollouts")) for stage in before]
    if expert_iteration.get("ensemble") or (settings.get("true_hands"), settings.get("self_rollouts")) in known:
        return before  # what several seeds agree on needs several; more of the same is the number of targets
    return [*before, settings]


def settings_of(game: str, variant: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return the settings that all these runs share."""
    return {"game": game, "variant": variant, "seed": seed, "threads": 1, "payoff_scale": SCALE.get(game, 10)}


def uniform(run: Run) -> float:
    """Return what best responses win from uniform random play."""
    assert run.tree is not None
    return run.tree.exploitability(run.tree.uniform())


if __name__ == "__main__":
    main()
