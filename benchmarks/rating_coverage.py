"""How often the 95% interval of a rating covers the true rating, by the gap between two agents and the number of deals.

    python -m benchmarks.rating_coverage --samples 1000

Games are drawn by the law of Plackett and Luce with a true gap, in three settings: two agents who play each deal once;
two agents who play it from both seats, where the deal itself decides most (each seat of it has a luck of its own, as
wide as that of a game, and each game 0.3 times as much); and three agents at tables of four, one among equal others,
with such luck too. What luck of deals does to the gap is taken into account: the true ratings are those of many deals.
"""

import argparse
import itertools

import numpy as np

from gupai_agents.evaluation.tournaments.rating import POINTS, Ratings, choices_of, ratings

GAPS, DEALS = (0, 200, 400, 800), (2, 3, 10, 30, 100)
MANY = 20_000  # deals that tell the true ratings
SETTINGS = {  # line-ups, and how wide the luck of a single game is, None without luck of the deal
    "two agents, each deal once": ([(0, 1)], None),
    "two agents, each deal from both seats": ([(0, 1)], 0.3),
    "three agents, one among equal others": (
        [(hero, other, other, other) for hero, other in itertools.permutations(range(3), 2)],
        0.5,
    ),
}


def rated(setting: str, gap: float, deals: int, seed: int) -> Ratings:
    """Return the ratings of agents of which the first and the last are so many points apart."""
    line_ups, luck = np.array(SETTINGS[setting][0]), SETTINGS[setting][1]
    generator = np.random.default_rng([seed, deals])
    seats = line_ups.shape[1]
    strengths = np.linspace(gap / 2, -gap / 2, line_ups.max() + 1)[line_ups] / POINTS
    if luck is None:
        return ratings(choices_of(strengths[:, None, None] + generator.gumbel(size=(1, deals, 1, seats)), line_ups))
    of_seats = generator.gumbel(size=(deals, seats))
    by_place = np.stack([np.roll(of_seats, -turn, 1) for turn in range(seats)], 1)  # [deals, rotations, places]
    of_games = luck * generator.gumbel(size=(len(line_ups), deals, seats, seats))
    return ratings(choices_of(strengths[:, None, None] + by_place + of_games, line_ups))


def main() -> None:
    """Print a row for every setting and gap: coverage and median half-width, by the number of deals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1000, help="tournaments of each kind")
    samples = parser.parse_args().samples
    print(f"| games | gap | {' | '.join(f'{deals} deals' for deals in DEALS)} |")
    print(f"|---|---|{'---|' * len(DEALS)}")
    for setting, gap in itertools.product(SETTINGS, GAPS):
        truth = rated(setting, gap, MANY, 0).points
        cells = []
        for deals in DEALS:
            ratings = [rated(setting, gap, deals, seed) for seed in range(1, samples + 1)]
            covered = np.mean([np.abs(rating.points - truth) <= rating.widths for rating in ratings])
            cells.append(f"{covered:.1%}, ±{np.median([rating.widths for rating in ratings]):.0f}")
        print(f"| {setting} | {gap} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
