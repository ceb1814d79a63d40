"""Training on the tiny deck of every game: exploitability, exact (`gupai_agents.evaluation.exact`), in chips a deal.

    python benchmarks/tiny.py --runs /tmp/tiny --decisions 1_000_000
    python benchmarks/tiny.py --runs /tmp/tiny --recipes --labels 200_000 --json docs/models/tiny.json

The first prints how it falls with self-play, as rows of docs/evaluation.md. The second trains by the recipe of every
player that ships, with a small network and so many labels of each kind that went into the player, for its card.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import torch

from gupai_agents.checkpoint import variant_of
from gupai_agents.plain_yaml import parse_yaml
from gupai_agents.shipped import networks
from gupai_env import GAMES
from gupai_env.core.variant import TINY
from gupai_training.config import parse
from gupai_training.curves import looks_of
from gupai_training.run import Run

LANES, STEPS, LOOKS = 128, 32, 8
SCALE = {"ding-niu": 2, "small-mahjong": 1, "tiu-u": 40}  # chips a unit of return; of the others 10
# The entropy bonus holds the policy mixed while it turns about the equilibrium, and falls slowly.
PPO = {"batch_size": 256, "epochs": 3, "entropy": 0.05, "entropy_end": 0.02, "average_rate": 0.05}
SMALL = {"deck": TINY, "players": 2}
WIDTH = 128
TEACH = {"tables": 256, "batch_size": 256, "window": 100_000}
# Of a recipe's settings those that say how labels are made; its network, sizes and rates belong to the full deck.
KEPT = "playouts", "random_moves", "style_games", "dealt", "own_playouts", "passes", "temperature"


def main() -> None:
    """Train on tiny decks and print what comes of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--decisions", type=int, default=1_000_000)
    parser.add_argument("--recipes", action="store_true", help="those of the players that ship")
    parser.add_argument("--labels", type=int, default=200_000, help="of each kind of a recipe")
    parser.add_argument("--json", type=Path, help="file for what came of the recipes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=Path, required=True, help="folder for the runs")
    chosen = parser.parse_args()
    if chosen.json and not chosen.recipes:
        parser.error("--json goes with --recipes")
    torch.set_num_threads(1)
    found = {}
    if chosen.json and chosen.json.exists():  # players of other games stay as they were
        found = json.loads(chosen.json.read_text(encoding="utf-8"))
    for name in chosen.games:
        if not chosen.recipes:
            self_play(name, chosen.decisions, chosen.seed, chosen.runs)
            continue
        for file, header in networks(name):
            found[file.stem] = by_recipe(file, header, chosen.labels, chosen.seed, chosen.runs)
            print(file.stem, found[file.stem], flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def self_play(name: str, decisions: int, seed: int, runs: Path) -> None:
    """Print how exploitability of the policy that the player draws from falls, a row of the table."""
    settings = {
        **settings_of(name, SMALL, seed),
        "decisions": decisions,
        "network": {"type": "mlp", "hidden": [64, 64]},
        "ppo": {"lanes": LANES, "steps": STEPS, "payoff_scale": SCALE.get(name, 10), **PPO},
        "pool": {"self_share": 1.0, "rules": []},
    }
    every = max(1, decisions // (LANES * STEPS * LOOKS))
    run = Run.begin(
        parse(settings | {"evaluation": {"baselines": ["random"], "every": every, "deals": 100}}, "tiny"),
        runs,
    )
    begun = uniform(run)
    run.learn()
    looks = [f"{row['decisions']:,}: {row['exploitability']['drawn']:.3f}" for row in looks_of(run.folder)]
    print(f"{name} | random {begun:.3f} |", " | ".join(looks), flush=True)


def by_recipe(file: Path, header: dict[str, Any], labels: int, seed: int, runs: Path) -> dict[str, Any]:
    """Return what best responses win from a player made by the recipe of one that ships, and from random play."""
    game, variant = variant_of(file, header)
    net = header["net"]
    start, uniformly = None, 0.0
    kinds = kinds_of(header)
    for teach in kinds:
        settings = {
            **settings_of(game.id, variant.changed() | SMALL, seed),
            "decisions": 0,
            "start": start,
            "network": {"type": net["type"], "hidden": [WIDTH] * len(net["hidden"])},
            "teach": {**TEACH, **teach, "labels": labels},
            "ppo": {"payoff_scale": SCALE.get(game.id, 10)},
            "evaluation": {"baselines": ["random"], "every": 1_000_000, "deals": 100, "final_deals": 100},
        }
        run = Run.begin(parse(settings, "tiny"), runs)
        uniformly = uniform(run)
        run.learn()
        start = f"checkpoint:{run.folder}"
    last = looks_of(run.folder)[-1]["exploitability"]
    told = {"random": uniformly, "labels": labels * len(kinds), "seed": seed}
    return {"best": last["best"], "drawn": last["drawn"], **told}


def kinds_of(header: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the settings of teaching of the runs that went into a player, first to last, each kind of label once."""
    before = kinds_of(header["start"]) if "start" in header else []
    teach = parse_yaml(header["recipe"]).get("teach", {})
    kept = {name: teach[name] for name in KEPT if name in teach}
    known = [(each.get("dealt"), each.get("own_playouts")) for each in before]
    if teach.get("ensemble") or (kept.get("dealt"), kept.get("own_playouts")) in known:
        return before  # what several seeds agree on needs several; more of the same is the number of labels
    return [*before, kept]


def settings_of(game: str, variant: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return the settings that all these runs share."""
    return {"game": game, "variant": variant, "seed": seed, "threads": 1}


def uniform(run: Run) -> float:
    """Return what best responses win from uniform random play."""
    assert run.tree is not None
    return run.tree.exploitability(run.tree.uniform())


if __name__ == "__main__":
    main()
