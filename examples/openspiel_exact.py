"""OpenSpiel's algorithms on our games: CFR+, MCCFR and exploitability on a tiny deck, ISMCTS on the full one.

    pip install "gupai[openspiel]"
    python examples/openspiel_exact.py

It compares OpenSpiel's exploitability of uniform play with ours, which must agree, and takes some minutes, for
OpenSpiel asks Python for every position.
"""

import argparse
import time

import numpy as np
import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, exploitability, external_sampling_mccfr, ismcts, outcome_sampling_mccfr
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

from gupai_agents.evaluation import build_tree
from gupai_env.openspiel import as_openspiel

TINY = {"deck": "tiny", "players": 2, "forced_play": True}


class Clock:
    """Prints lines with the seconds of CPU since the last one."""

    def __init__(self):
        self.begun = time.process_time()

    def __call__(self, line):
        now = time.process_time()
        print(f"{line}  ({now - self.begun:.1f} s)", flush=True)
        self.begun = now


def exact(game, say, rounds):
    """Uniform play, then CFR+ and MCCFR on the tiny deck."""
    tree = build_tree("jie-long", **TINY)
    ours = tree.exploitability(tree.uniform())
    say(f"tiny Jie Long: {tree.nodes:,} nodes, {tree.deals} deals, {tree.sets:,} information sets")
    theirs = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    say(f"uniform play: exploitability {theirs:.9f} by OpenSpiel, {ours:.9f} by gupai, chips per deal")
    assert abs(theirs - ours) < 1e-9

    solver = cfr.CFRPlusSolver(game)
    for number in range(1, rounds + 1):
        solver.evaluate_and_update_policy()
        if number in (1, 2, 5, 10, rounds):
            gain = exploitability.exploitability(game, solver.average_policy())
            say(f"CFR+, round {number}: exploitability {gain:.6f}")

    for name, module, walks in (
        ("external", external_sampling_mccfr.ExternalSamplingSolver, 2_000),
        ("outcome", outcome_sampling_mccfr.OutcomeSamplingSolver, 20_000),
    ):
        np.random.seed(1)  # these solvers draw from numpy's own generator
        solver = module(game)
        for _ in range(walks):
            solver.iteration()
        gain = exploitability.exploitability(game, solver.average_policy())
        say(f"{name} sampling MCCFR, {walks:,} iterations: exploitability {gain:.4f}")


def search(say, deals, simulations):
    """ISMCTS at one seat against random play on the full deck."""
    game = as_openspiel("jie-long", players=2, forced_play=True, rng_seed=1)
    rng = np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(
        game=game,
        uct_c=30.0,  # chips: payoffs are tens of pips
        max_simulations=simulations,
        evaluator=RandomRolloutEvaluator(1, rng),
        random_state=rng,
    )
    won = []
    for deal in range(deals):
        state = game.new_initial_state()
        state.apply_action(0)  # its one chance outcome draws a deal
        seat = deal % 2
        while not state.is_terminal():
            if state.current_player() == seat and len(state.legal_actions()) > 1:
                state.apply_action(bot.step(state))
            else:
                state.apply_action(rng.choice(state.legal_actions()))
        won.append(state.returns()[seat])
    half = 1.96 * np.std(won, ddof=1) / np.sqrt(deals)
    say(
        f"ISMCTS, {simulations} simulations, against random on the full deck: "
        f"{np.mean(won):+.1f} ±{half:.1f} chips per deal in {deals} deals"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20, help="of CFR+")
    parser.add_argument("--deals", type=int, default=30, help="that ISMCTS plays")
    parser.add_argument("--simulations", type=int, default=100, help="a decision of ISMCTS")
    arguments = parser.parse_args()
    say = Clock()
    exact(pyspiel.load_game("python_gupai_jie_long", TINY), say, arguments.rounds)
    search(say, arguments.deals, arguments.simulations)


if __name__ == "__main__":
    main()
