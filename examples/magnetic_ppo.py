"""A learner in a file of its own: self-play by PPO with a magnet, magnetic mirror descent (Sokota and others, 2023).

    pip install -c constraints.txt ".[train]"
    python examples/magnetic_ppo.py --game jie-long --seeds 1 2 3

An entropy bonus draws a policy to random play, and best responses gain from what that costs. Here the policy is drawn
to the average of its own weights, the magnet, which follows slowly. That average is the player, and draws its actions.

`gupai train` does all else: the loop, the folder, evaluations, resuming to the same bits. It finds the learner where a
package names this module in its entry points:

    [project.entry-points."gupai.learners"]
    magnetic-ppo = "magnetic_ppo"
"""

import argparse
import tempfile
from typing import Any

import torch
from pydantic import Field

from gupai_env import get_game
from gupai_training import train
from gupai_training.config import register_learner
from gupai_training.learner import SelfPlay, log_softmax


class MagneticPPO(SelfPlay):
    """PPO whose policy is drawn to the average of the weights instead of to random play."""

    mixes = True  # its player draws: a best action alone can be exploited

    class Settings(SelfPlay.Settings):
        """What configurations may set in `learner_settings`."""

        magnet: float = Field(0.05, description="weight of the magnet at first", gt=0, le=10)
        magnet_end: float = Field(0.01, description="weight of the magnet at the end", gt=0, le=10)

    def penalty(self, batch: dict[str, torch.Tensor], log_probs: torch.Tensor) -> torch.Tensor:
        """Return the distance to the magnet, KL(policy | magnet), times its weight."""
        settings = self.Settings(**self.config.learner_settings)
        weight = settings.magnet + (settings.magnet_end - settings.magnet) * self.progress()
        with torch.no_grad():
            logits, _ = self.average(batch["observations"])
        distances = (log_probs.exp() * (log_probs - log_softmax(logits, batch["masks"]))).sum(1)
        return weight * distances.mean()


NAME = "magnetic-ppo"
register_learner(NAME, MagneticPPO)

PPO = {"envs": 128, "batch_size": 256, "epochs": 3, "average_rate": 0.1}


def settings_of(game: str, learner: str, seed: int, decisions: int) -> dict[str, Any]:
    """Return a configuration on the tiny deck, where exploitability is exact."""
    return {
        "game": game,
        "variant": get_game(game).variant.tiny_options(),
        "seed": seed,
        "threads": 1,
        "device": "cpu",
        "payoff_scale": 10,
        "decisions": decisions,
        "learner": learner,
        "network": {"hidden": [64, 64]},
        "ppo": {**PPO, "entropy": 0.05, "entropy_end": 0.02},  # which the magnet replaces
        "pool": {"self_share": 1, "rules": []},
        "evaluation": {"every": max(1, decisions // 4096 // 5), "deals": 2, "final_deals": 2, "baselines": ["random"]},
    }


def main() -> None:
    """Print what a best response wins from the policy that is drawn from, in chips per deal, as it learns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="jie-long")
    parser.add_argument("--learners", nargs="+", default=["magnetic-ppo", "ppo"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--decisions", type=int, default=131_072)
    chosen = parser.parse_args()
    for learner in chosen.learners:
        for seed in chosen.seeds:
            with tempfile.TemporaryDirectory() as runs:
                rows = train(settings_of(chosen.game, learner, seed, chosen.decisions), runs=runs).evaluations
            drawn = [f"{row['decisions']:,}: {row['exploitability']['drawn']:.3f}" for row in rows]
            print(f"{chosen.game}, {learner}, seed {seed}: {', '.join(drawn)}", flush=True)


if __name__ == "__main__":
    main()
