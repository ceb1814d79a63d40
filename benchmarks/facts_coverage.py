"""How often the 95% intervals of facts cover: python -m benchmarks.facts_coverage, half an hour of one core.

Each game is measured by SAMPLES seeds of DEALS deals, and once by as many deals as all of these together, which is
taken for the truth. Printed is the share of intervals that cover it, of each kind of figure, and after it how far the
figures of the seeds are spread, in intervals: 1 where their standard deviation is what the intervals say. Several
figures of a kind and game, such as the chips of each seat, are pooled. Intervals are of the deals: one deal, which is
played from all seats or by all players at once, counts once.
"""

import argparse
from collections.abc import Sequence

import numpy as np

from gupai_agents.evaluation.atlas import Table, play, study_of
from gupai_agents.evaluation.atlas.tiles import Fit
from gupai_agents.evaluation.statistics import Estimate
from gupai_env import GAMES

SAMPLES, DEALS, MANY = 40, 250, 1_000_003  # MANY: the seed of the truth
KINDS = ("chips by turn", "decisions", "ties", "hand", "endings", "variance", "within", "gain", "player", "tile")


def measured(name: str, deals: int, seed: int) -> dict[str, list[Estimate]]:
    """Measure the figures of a game, with what each tile is worth in the hand that is dealt."""
    figures = figures_of(play.tables(study_of(name, ["greedy", "best"], deals, seed=seed)))
    tiles = Fit(study_of(name, ["best"], deals, seed=seed)).tiles()
    return figures | {"tile": [tiles[kind] for kind in sorted(tiles)]}


def figures_of(tables: Sequence[Table]) -> dict[str, list[Estimate]]:
    """Return the figures of the strongest player by kind."""
    by_title = {table.title: table.columns() for table in tables}
    turns, deal = tables[0].columns()["best"], by_title["A deal"]
    best = {head: cells["best"] for head, cells in deal.items()}
    (luck,) = zip(*(cells.values() for cells in by_title["Luck and skill"].values()), strict=True)
    several = [list(turns.values()), [best["decisions"], best["legal actions"], best["with one legal action"]]]
    several += [[best["ties"]], [best["the hand explains"]], list(by_title["How deals end"]["best"].values())]
    return dict(zip(KINDS[:-1], [*several, *([figure] for figure in luck)], strict=True))


def covered(samples: list[list[Estimate]], truths: list[Estimate]) -> tuple[float, float]:
    """Return which share of the intervals covers the truth, and how widely the figures are spread, in intervals."""
    hits, spread = [], []
    for *estimates, truth in zip(*samples, truths, strict=True):
        some = [one for one in estimates if one.has_interval]
        hits += [one.low - 1e-9 <= truth.mean <= one.high + 1e-9 for one in some]
        if len(some) > 1 and (width := np.mean([one.half_width for one in some])) > 0:
            spread.append(1.96 * np.std([one.mean for one in some], ddof=1) / width)
    return float(np.mean(hits)) if hits else 1.0, float(np.mean(spread)) if spread else 0.0


def main() -> None:
    """Print a table, a game a line, as each is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="*", help="default: all")
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--deals", type=int, default=DEALS)
    chosen = parser.parse_args()
    play.tiny_deck = lambda study: Table("", (), (), ())  # is exact
    print(f"| game | {' | '.join(KINDS)} |", "|---" * (len(KINDS) + 1) + "|", sep="\n", flush=True)
    for name in chosen.game or GAMES:
        samples = [measured(name, chosen.deals, seed) for seed in range(chosen.samples)]
        truth = measured(name, chosen.samples * chosen.deals, MANY)
        cells = [covered([sample[kind] for sample in samples], truth[kind]) for kind in KINDS]
        print(f"| {name} | {' | '.join(f'{share:.0%} ({spread:.2f})' for share, spread in cells)} |", flush=True)


if __name__ == "__main__":
    main()
