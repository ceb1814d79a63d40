"""What players give away at a decision, as a long search judges it: chips below the best action, with 95% intervals.

    python benchmarks/regret.py jie-long tuned search:playouts=200 checkpoint:runs/jie-long-1 -o forced_play=true

Decisions come from deals of `--play` in all seats. Every legal action is tried in the same `--playouts` deals, which no
player meets. The best of noisy means is a little too good, so that nobody's regret is quite zero.
"""

import argparse

import numpy as np

from gupai_agents import DecisionBatch, make_agent
from gupai_agents.evaluation.statistics import estimate
from gupai_agents.players.search import Plan, SearchAgent
from gupai_agents.shipped import best_heuristic
from gupai_env import get_game
from gupai_env.vector import VectorEnv

FIRST, EVERY = 4, 3  # steps of the lanes at which decisions are taken
ENVS, SEED, OTHER_DEALS = 600, 12345, 0x5555


def main() -> None:
    """Judge players and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("players", nargs="+", help="agents, as everywhere")
    parser.add_argument("-o", dest="options", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--play", help="who plays the deals; default the strongest style")
    parser.add_argument("--decisions", type=int, default=2400)
    parser.add_argument("--playouts", type=int, default=1000)
    chosen = parser.parse_args()
    game = get_game(chosen.game)
    variant = game.variant.parse(chosen.options)
    options = variant.changed()
    players = {name: make_agent(name, game, **options) for name in chosen.players}
    heuristic = make_agent(best_heuristic(game), game, **options)
    playing = make_agent(chosen.play, game, **options) if chosen.play else heuristic
    judge = SearchAgent(game, variant, "judge", heuristic.weights, plan=Plan(playouts=chosen.playouts))
    envs = VectorEnv(game, ENVS, seed=SEED, skip_forced=True, **options)
    lost: dict[str, list[float]] = {name: [] for name in players}
    step = seen = 0
    while seen < chosen.decisions:
        views, rng_keys = envs.views()
        batch = DecisionBatch(views, envs.masks.copy(), rng_keys)
        if step >= FIRST and step % EVERY == 0:
            some = batch.at(np.flatnonzero(batch.masks.sum(1) > 1)[: chosen.decisions - seen])
            means = judge.values(some._replace(rng_keys=some.rng_keys ^ OTHER_DEALS), halving=False).means
            for name, player in players.items():
                played = means[np.arange(len(means)), player.act(some)]
                lost[name] += (np.nanmax(means, 1) - played).tolist()
            seen += len(means)
        envs.step(playing.act(batch))
        step += 1
    for name, chips in lost.items():
        print(f"{name}: {estimate(np.array(chips))} chips per decision, {len(chips):,} decisions")


if __name__ == "__main__":
    main()
