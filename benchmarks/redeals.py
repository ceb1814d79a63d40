"""How many deals redeals save, and whether their intervals hold: python -m benchmarks.redeals, ten minutes.

For every game and duel of DUELS: the share of the deals that an adjusted duel needs for an interval of the same width,
which is the ratio of the squared widths. Then SAMPLES duels of SIZE deals are drawn from the deals that were played:
printed is how often the adjusted interval covers the mean of all deals, and how far the mean of the adjusted means is
from it, in standard errors. Last comes how many standard errors the mean luck is from 0.
"""

import argparse
import time

import numpy as np

from benchmarks.interval_coverage import covered
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.statistics import estimate, estimate_adjusted
from gupai_env import GAMES

DUELS = ("best", "tuned"), ("best", "greedy"), ("tuned", "greedy")
DEALS, REDEALS, SEED = 1000, 256, 1
SAMPLES, SIZE = 1000, 100


def drawn(chips: np.ndarray, luck: np.ndarray, samples: int, size: int, seed: int) -> tuple[float, float]:
    """Return how often the interval of an adjusted duel covers the truth, and its bias in standard errors.

    The truth is the mean chips of all deals, where the mean luck is set to 0.

    Args:
        chips, luck: Of the deals to draw from, float64 [deals].
        samples: How many duels are drawn.
        size: Deals of a duel.
    """
    rows = np.random.default_rng(seed).integers(len(chips), size=(samples, size))
    estimates = [estimate_adjusted(chips[row], luck[row] - luck.mean()) for row in rows]
    means, truth = np.array([estimate.mean for estimate in estimates]), float(chips.mean())
    return covered(estimates, truth), float((means.mean() - truth) / means.std() * samples**0.5)


def main(games: list[str]) -> None:
    """Print a table of all games."""
    head = (
        "game",
        "hero and villain",
        "plain",
        "adjusted",
        "deals needed",
        "covered",
        "bias",
        "mean luck",
        "ms per deal",
    )
    print(f"| {' | '.join(head)} |", "|---" * len(head) + "|", sep="\n")
    for game in games:
        for hero, villain in DUELS:
            duel(game, hero, villain, 1, redeals=1)  # compiles
            begin = time.process_time()
            result = duel(game, hero, villain, DEALS, seed=SEED, redeals=REDEALS)
            spent, chips = (time.process_time() - begin) / DEALS, result.chips[:, :, 0].mean(1)
            assert result.luck is not None
            luck, plain, adjusted = result.luck.mean(1), result.mean(0), result.adjusted_mean()
            hits, bias = drawn(chips, luck, SAMPLES, SIZE, SEED)
            figures = f"{(adjusted.half_width / plain.half_width) ** 2:.0%} | {hits:.1%} | {bias:+.1f}"
            figures += f" | {estimate(luck).mean / estimate(luck).error:+.1f} | {1000 * spent:.1f}"
            print(f"| {game} | `{hero}`, `{villain}` | {plain} | {adjusted} | {figures} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(GAMES), metavar="GAME")
    main(parser.parse_args().games)
