"""How many deals control variates save, and whether their intervals hold: python -m benchmarks.variates, half an hour.

For every game and duel of DUELS: the share of the deals that an adjusted duel needs for an interval of the same width,
which is the ratio of the squared widths. Then SAMPLES duels of SIZE deals are drawn from the deals that were played,
with ten times as many for the proxies: printed is how often the adjusted interval covers the mean of all deals, and how
far the mean of the adjusted means is from it, in standard errors. Searches play fewer deals and are not drawn from.
"""

import argparse

import numpy as np

from benchmarks.coverage import covered
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.variates import MORE, Variates
from gupai_env import GAMES

DUELS = {  # hero and villain: proxies
    ("best", "random"): ("random", "tuned", "card"),
    ("best", "greedy"): ("greedy", "tuned", "card"),
    ("best", "tuned"): ("greedy", "tuned", "card"),
    ("search:playouts=50", "tuned"): ("best", "tuned", "card"),
}
DEALS, SEARCHED, SEED = 2000, 400, 1  # SEARCHED: deals of a search
SAMPLES, SIZE = 1000, 200


def drawn(chips: np.ndarray, variates: np.ndarray, samples: int, size: int, seed: int) -> tuple[float, float]:
    """Return how often the interval of an adjusted duel covers the truth, and its bias in standard errors.

    Args:
        chips, variates: Of the deals to draw from, float64 [deals] and [deals, variates].
        samples: How many duels are drawn.
        size: Deals of a duel.
    """
    rng, estimates = np.random.default_rng(seed), []
    for _ in range(samples):
        here, elsewhere = (rng.integers(len(chips), size=number) for number in (size, MORE * size))
        estimates.append(Variates(variates[here], variates[elsewhere]).estimate(chips[here]))
    means, truth = np.array([estimate.mean for estimate in estimates]), float(chips.mean())
    return covered(estimates, truth), float((means.mean() - truth) / means.std() * samples**0.5)


def main(games: list[str]) -> None:
    """Print a table of all games."""
    print("| game | one among others | plain | adjusted | deals needed | covered | bias |", "|---" * 7 + "|", sep="\n")
    for game in games:
        for (hero, villain), proxies in DUELS.items():
            searches = hero.startswith("search")
            result = duel(game, hero, villain, SEARCHED if searches else DEALS, seed=SEED, proxies=proxies)
            plain, adjusted = result.mean(0), result.adjusted_mean()
            cells = [f"{plain}", f"{adjusted}", f"{(adjusted.half_width / plain.half_width) ** 2:.0%}"]
            if not searches and result.variates is not None:
                hits, bias = drawn(result.chips[:, :, 0].mean(1), result.variates.here, SAMPLES, SIZE, SEED)
                cells += [f"{hits:.1%}", f"{bias:+.1f}"]
            print("|", " | ".join([game, f"`{hero}` among `{villain}`", *cells]), "|", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(GAMES), metavar="GAME")
    main(parser.parse_args().games)
