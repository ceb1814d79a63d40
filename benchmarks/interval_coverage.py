"""How often the 95% interval of few deals covers the true mean: python -m benchmarks.interval_coverage, two minutes.

The truth is the mean of DEALS deals of each game, `random` against `greedy` and the reverse. SAMPLES samples of each
size are drawn from these deals, and each sample is estimated as a duel of so many deals is. Printed is the lowest
share of intervals that cover the truth, over both duels and, for seats, over all seats. Samples that are all alike have
no interval and do not count; their share is in brackets where it is above 0.5%.
"""

import argparse

import numpy as np

from gupai_agents import make_agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.statistics import Estimate, estimate, estimate_columns
from gupai_env import GAMES

SIZES = 2, 3, 5, 10, 30, 100
DEALS, SAMPLES, SEED = 20_000, 4000, 1


def coverage(chips: np.ndarray, size: int, samples: int, seed: int) -> tuple[float, float, float]:
    """Return how often intervals cover the truth: those of the mean and, at least, those of seats.

    Args:
        chips: Of one player, float64 [deals, rotations].
        size: Deals in a sample.

    Returns:
        The share for means, the lowest share for a seat, and the share of samples without an interval.
    """
    drawn = np.random.default_rng(seed).integers(len(chips), size=(samples, size))
    means = [estimate(chips[rows].mean(1)) for rows in drawn]
    seats = [estimate_columns(chips[rows]) for rows in drawn]
    at_seat = [covered([sample[seat] for sample in seats], float(truth)) for seat, truth in enumerate(chips.mean(0))]
    return covered(means, float(chips.mean())), min(at_seat), float(np.mean([not mean.has_interval for mean in means]))


def covered(estimates: list[Estimate], truth: float) -> float:
    """Return which share of the intervals covers the truth, 1 if there are no intervals."""
    hits = [interval.low - 1e-9 <= truth <= interval.high + 1e-9 for interval in estimates if interval.has_interval]
    return float(np.mean(hits)) if hits else 1.0


def main() -> None:
    """Print a table of all games for means and one for seats."""
    tables: dict[str, list[str]] = {"mean of a duel": [], "at a seat": []}
    for name, game in GAMES.items():
        agents = make_agent("random", game), make_agent("greedy", game)
        chips = [duel(game, *pair, DEALS, seed=SEED).chips[:, :, 0] for pair in (agents, agents[::-1])]
        cells = []
        for size in SIZES:
            means, seats, without = zip(*(coverage(sample, size, SAMPLES, SEED) for sample in chips), strict=True)
            alike = f" ({max(without):.0%})" if max(without) > 0.005 else ""
            cells.append((f"{min(means):.1%}{alike}", f"{min(seats):.1%}"))
        for lines, row in zip(tables.values(), zip(*cells, strict=True), strict=True):
            lines.append(f"| {name} | {' | '.join(row)} |")
    for head, lines in tables.items():
        print(
            f"| {head}, deals: | {' | '.join(map(str, SIZES))} |", "|---" * (len(SIZES) + 1) + "|", *lines, "", sep="\n"
        )


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    main()
