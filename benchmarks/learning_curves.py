"""How strength grows while the recipe of a game learns from search targets:

    python -m benchmarks.learning_curves               # all games, about an hour on two cores
    python -m benchmarks.learning_curves jie-long tiu-u

The recipe is the one of `gupai train GAME` with a fixed number of targets instead of a limit in minutes, so that what
is learned doesn't depend on the speed of the machine. The evaluations go into results/learning/GAME.json, for the page
on learning curves (`python tools/pages.py`) and its charts (`python tools/charts.py`).
"""

import argparse
import json
from pathlib import Path
from typing import Any

from gupai_env import GAMES, get_game
from gupai_env.storage.files import write_file
from gupai_training import train
from gupai_training.config import find
from gupai_training.curves import evaluations_of

FOUND = Path(__file__).parents[1] / "results" / "learning"
TARGETS = 500_000
CHUNKS = {"da-ling": 6, "pai-gow": 12}  # of targets, between two evaluations; in other games every chunk is large
DEALS = 500


def recipe(game: str, targets: int, seed: int) -> dict[str, Any]:
    """Return the recipe of a game, with a fixed number of targets and evaluations along the way."""
    config = find(game)
    config["expert_iteration"] |= {"targets": targets, "max_minutes": None}
    config["evaluation"] = {"every": CHUNKS.get(game, 1), "deals": DEALS}
    return config | {"seed": seed}


def main() -> None:
    """Train by the recipe of each game, and keep its evaluations."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="game")
    parser.add_argument("--targets", type=int, default=TARGETS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", default="runs", help="the folder of the runs")
    chosen = parser.parse_args()
    try:
        games = [get_game(name).id for name in chosen.games or GAMES]
    except ValueError as error:
        parser.error(str(error))
    FOUND.mkdir(exist_ok=True)
    for game in games:
        run = train(recipe(game, chosen.targets, chosen.seed), runs=chosen.runs)
        evaluations = evaluations_of(run.folder)
        for evaluation in evaluations:  # of a machine and its load
            evaluation.pop("losses", None)
            evaluation.pop("seconds", None)
        curve = {"seed": chosen.seed, "targets": chosen.targets, "deals": DEALS, "evaluations": evaluations}
        write_file(FOUND / f"{game}.json", json.dumps(curve, indent=1) + "\n", force=True)
        print(game, evaluations[-1], flush=True)


if __name__ == "__main__":
    main()
