"""Judge learned beliefs in deals that were not learned from: how likely they found the deal as it was.

    python -m benchmarks.beliefs jie-long -o forced_play=true
    python -m benchmarks.beliefs jie-long -o forced_play=true --learn 2 --out belief.safetensors

At decisions of a mixture of players the deal is to be told from others that the view allows. What is printed are nats
per hidden tile better than the uniform distribution: of the learned belief, and of particles weighed by how likely
`tuned` with a temperature would have made the others' moves; and, of the learned one, how often a place held a tile
of a kind that was given a probability. The true deal counts among the others, so that nobody is found better than
log(their number). The last line is the row of the table in docs/players.md: game and options, decisions learned from,
kilobytes, nats per tile and per decision of the belief, the same of particles, deals that count, and by how much
probabilities are off on average.
"""

import argparse
import itertools

import numpy as np

from gupai_agents.belief import Belief, hidden, learned_belief, likelihoods
from gupai_agents.evaluation.statistics import estimate
from gupai_agents.networks.checkpoint import read_header
from gupai_agents.registry import make_agent
from gupai_env.core.variant import in_words
from gupai_env.games import get_game
from gupai_training.belief import examples, learn_belief

HELD_OUT = 1_000_003  # the seed of deals that no belief is learned from
OTHERS = 255  # deals from which the true one is to be told
PARTICLES = 60  # decisions at which particles are weighed
BINS = (0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.01)


def nats(logs: np.ndarray) -> np.ndarray:
    """Return how much likelier than on average the first of several deals is, nats [N]; logs: [N, deals]."""
    most = np.maximum(logs.max(1, keepdims=True), -1e9)  # where no deal is likely at all
    return np.maximum(logs[:, 0] - most[:, 0], -1e9) - np.log(np.exp(logs - most).mean(1).clip(1e-300))


def main() -> None:
    """Learn a belief if that is asked for, and judge it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("-o", dest="options", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--learn", type=float, metavar="MINUTES", help="learn it first, in time of one core")
    parser.add_argument("--seed", type=int, default=1, help="of the deals to learn from")
    parser.add_argument("--out", help="the file to learn; without --learn, to judge instead of what ships")
    parser.add_argument("--deals", type=int, default=50)
    parser.add_argument("--temperature", default="2", help="of `tuned`, by which particles are weighed")
    chosen = parser.parse_args()
    game = get_game(chosen.game)
    variant = game.variant.parse(chosen.options)
    if chosen.learn is not None:
        learn_belief(game, chosen.out, minutes=chosen.learn, seed=chosen.seed, **variant.changed())
    belief = Belief.load(chosen.out, game, variant) if chosen.out else learned_belief(game, variant)
    if belief is None:
        raise SystemExit(f"no belief ships for {game.id} with these options; learn one with --learn and --out")
    views, states = examples(game, variant, HELD_OUT, chosen.deals, OTHERS)
    seats = views["seat"].repeat(1 + OTHERS)
    counts = hidden(game, variant, states.ravel(), seats).reshape(*states.shape, -1)
    some = counts[:, 0].any(1)  # at the end of a deal of two all tiles may be known
    views, states, counts = views[some], states[some], counts[some]
    tiles = counts[:, 0].sum(1)
    logs = np.einsum("ndt,nt->nd", counts, belief.weights(views).astype(np.float64))
    better = nats(logs)
    print(f"{game.id}: {len(views)} decisions in {chosen.deals} deals, {tiles.mean():.1f} hidden tiles each")
    print(f"  learned    {estimate(better / tiles)} nats per tile, {better.mean():+.2f} per decision")
    rows = np.random.default_rng(0).choice(len(views), min(PARTICLES, len(views)), replace=False)
    agent = make_agent(f"tuned@{chosen.temperature}", game, **variant.changed())
    likely = np.array([likelihoods(game, variant, agent, states[row], int(views["seat"][row])) for row in rows])
    particles = nats(np.log(likely.clip(1e-300)))
    print(f"  at {len(rows)} of them  {estimate(better[rows] / tiles[rows])}")
    print(f"  particles  {estimate(particles / tiles[rows])} there, {particles.mean():+.2f} per decision")
    odds = np.exp(logs - logs.max(1, keepdims=True))
    # By a belief that is right each of these deals, the true one too, is the true one with these odds.
    given = np.einsum("nd,ndt->nt", odds / odds.sum(1, keepdims=True), counts > 0)
    doubtful = (counts[:, 1:] > 0).any(1)
    effective = odds.sum(1) ** 2 / (odds**2).sum(1)
    print(f"  {effective.mean():.0f} of {1 + OTHERS} deals count; a place holds a tile of a kind:")
    off = 0.0
    for low, high in itertools.pairwise(BINS):
        there = doubtful & (given >= low) & (given < high)
        if there.any():
            held = (counts[:, 0][there] > 0).mean()
            off += abs(given[there].mean() - held) * there.sum() / doubtful.sum()
            print(f"    given {given[there].mean():.3f}  found {held:.3f}  ({there.sum()} places and kinds)")
    learned_from = read_header(belief.file)["decisions"]
    print(
        f"| {game.title}, {in_words(variant.changed())} | {learned_from:,} | {belief.file.stat().st_size / 1000:.0f} "
        f"| {estimate(better / tiles)} | {better.mean():+.2f} | {estimate(particles / tiles[rows])} "
        f"| {particles.mean():+.2f} | {effective.mean():.0f} | {off:.1%} |"
    )


if __name__ == "__main__":
    main()
