"""How much of the exact gain a learned best response finds on the tiny deck of every game, in chips per deal.

    python -m benchmarks.learned_response --minutes 2

Both gains are exact (`gupai_agents.evaluation.exact`), so that no deal is left to chance: what a best response wins
more than the frozen agent itself, the mean of all sides, and what the network wins that has learned for some minutes of
processor time. Prints rows of docs/evaluation.md.
"""

import argparse

import numpy as np

from gupai_agents import agent_names, make_agent
from gupai_agents.agent import Agent
from gupai_agents.evaluation import build_tree
from gupai_agents.evaluation.exact.all_hands import HandTree
from gupai_agents.evaluation.exact.tree import GameTree
from gupai_env import GAMES
from gupai_training.best_response import learn_response


def main() -> None:
    """Print a row of the table for every game and agent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--agents", nargs="*", default=["greedy", "tuned"])
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print("| game | agent | exact gain | learned gain | share | targets | minutes |\n|---|---|---|---|---|---|---|")
    for name in chosen.games:
        options = GAMES[name].variant.tiny_options()
        tree = build_tree(name, **options)
        for spec in chosen.agents:
            if spec not in agent_names(name, GAMES[name].variant.make(**options)):
                continue
            agent = make_agent(spec, name, **options)
            learned = learn_response(name, agent, minutes=chosen.minutes, seed=chosen.seed, **options)
            exact, gain = exact_gain(tree, agent), gain_of(tree, learned.player, agent)
            row = f"{exact:.3f} | {gain:.3f} | {gain / exact:.0%} | {learned.targets:,} | {learned.minutes:.2f}"
            print(f"| {name} | `{spec}` | {row} |", flush=True)


def exact_gain(tree: GameTree | HandTree, agent: Agent) -> float:
    """Return what a best response of one side wins more per deal and seat than the agent, the mean of all sides."""
    policy = tree.policy([agent] * tree.players)
    return float((tree.side_gains(policy) if isinstance(tree, GameTree) else tree.gains(policy)).mean())


def gain_of(tree: GameTree | HandTree, response: Agent, agent: Agent) -> float:
    """Return the same of a response that has all seats of one side."""
    own = tree.values(tree.policy([agent] * tree.players))
    sides = tree.game.sides(tree.players)
    gains = []
    for side in range(sides.max() + 1):
        line_up = [response if player == side else agent for player in sides]
        gains.append((tree.values(tree.policy(line_up)) - own)[sides == side].mean())
    return float(np.mean(gains))


if __name__ == "__main__":
    main()
