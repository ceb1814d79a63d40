"""Self-play on the tiny deck of every game: how exploitability falls with training, as rows of docs/evaluation.md.

    python benchmarks/tiny.py --decisions 1_000_000 --runs /tmp/tiny

Exploitability is exact (`gupai_agents.evaluation.exact`), in chips a deal, of the policy that the player draws from.
"""

import argparse
from pathlib import Path

import torch

from gupai_env import GAMES
from gupai_training.config import parse
from gupai_training.curves import looks_of
from gupai_training.run import Run

LANES, STEPS, LOOKS = 128, 32, 8
SCALE = {"ding-niu": 2, "small-mahjong": 1, "tiu-u": 40}  # chips a unit of return; of the others 10
# The entropy bonus holds the policy mixed while it turns about the equilibrium, and falls slowly.
PPO = {"batch_size": 256, "epochs": 3, "entropy": 0.05, "entropy_end": 0.02, "average_rate": 0.05}


def main() -> None:
    """Train on every tiny deck and print a row for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--decisions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=Path, required=True, help="folder for the runs")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    for name in chosen.games:
        every = max(1, chosen.decisions // (LANES * STEPS * LOOKS))
        settings = {
            "game": name,
            "variant": {"deck": "tiny", "players": 2},
            "seed": chosen.seed,
            "threads": 1,
            "decisions": chosen.decisions,
            "network": {"type": "mlp", "hidden": [64, 64]},
            "ppo": {"lanes": LANES, "steps": STEPS, "payoff_scale": SCALE.get(name, 10), **PPO},
            "pool": {"self_share": 1.0, "rules": []},
            "evaluation": {"baselines": ["random"], "every": every, "deals": 100},
        }
        run = Run.begin(parse(settings, "tiny"), chosen.runs)
        assert run.tree is not None
        begun = run.tree.exploitability(run.tree.uniform())
        run.learn()
        looks = [
            f"{row['decisions']:,}: {row['exploitability']['drawn']:.3f}" for row in looks_of(run.folder)
        ]
        print(f"{name} | random {begun:.3f} |", " | ".join(looks), flush=True)


if __name__ == "__main__":
    main()
