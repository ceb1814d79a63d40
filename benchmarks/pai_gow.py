"""Pai Gow with two seats: the solved numbers, exact, from all hands of the whole deck.

    python -m benchmarks.pai_gow
    python -m benchmarks.pai_gow best checkpoint:runs/pai-gow-1 --rounds 100

Prints how many splits of a hand are not dominated; the value of the game between two bounds, what a best response to
each side of an equilibrium wins; and for each player its exploitability, what it costs as a player against the banker
of the equilibrium, and what a best response wins from it as the banker. A round of CFR+ takes about 0.6 seconds.
"""

import argparse

import numpy as np

from gupai_agents import agent_names, make_agent
from gupai_agents.evaluation.all_hands import BANKER, PLAYER, build_hand_tree, role_worth, solve_hands
from gupai_env import get_game
from gupai_env.games.pai_gow.claims import share_of_choices


def main() -> None:
    """Print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", nargs="*", help="as `make_agent` takes it; without, all of the game by name")
    parser.add_argument("--rounds", type=int, default=60, help="of CFR+")
    chosen = parser.parse_args()
    game = get_game("pai-gow")
    shares = share_of_choices()
    print("hands with one, two, three splits not dominated:", *(f"{shares[n]:.1%}" for n in ("one", "two", "three")))
    tree = build_hand_tree(game)
    masks = tree.by_tiles.masks
    solved = solve_hands(tree, chosen.rounds)[0]
    worth = [role_worth(tree.by_tiles, tree.rules, game, role, solved[1 - role]) for role in (PLAYER, BANKER)]
    best = [np.where(masks, values, -np.inf).max(1).sum() for values in worth]
    low, high = -best[BANKER], best[PLAYER]
    print(f"value for the player, chips per deal: between {low:+.5f} and {high:+.5f} ({chosen.rounds} rounds)")
    value = (worth[PLAYER] * solved[PLAYER]).sum()
    for name in chosen.agent or agent_names(game):
        policy = tree.policy([make_agent(name, game)] * 2)
        costs = value - (worth[PLAYER] * policy[0, PLAYER]).sum()
        response = role_worth(tree.by_tiles, tree.rules, game, PLAYER, policy[0, BANKER])
        print(
            f"{name}: exploitability {tree.exploitability(policy):.5f}; as player against a good banker it loses "
            f"{costs:.4f} more; from it as banker a best response wins "
            f"{np.where(masks, response, -np.inf).max(1).sum():+.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
