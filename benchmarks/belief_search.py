"""Let `best` look ahead by a learned belief, and play duplicate matches against `best` without.

    python -m benchmarks.belief_search deer-hunt --deals 500
    python -m benchmarks.belief_search tien-gow --settings tiles=8,steady=1

What is printed is what one seat that looks ahead wins among others that do not, in duplicate deals, and how often it
departed from what `best` would have played; see `gupai_agents.players.belief_search`. With --rival the others are
another player, and `best` plays the same deals among them too.
"""

import argparse
import time

import numpy as np

from gupai_agents.agent import DecisionBatch
from gupai_agents.evaluation.matches.match import duel
from gupai_agents.evaluation.statistics import estimate
from gupai_agents.players.belief_search import BeliefSearchAgent
from gupai_agents.registry import BELIEF_SEARCH, belief_search_agent, best_agent, make_agent
from gupai_env.games import get_game


class Counted(BeliefSearchAgent):
    """Counts what it looks ahead at, how often it departs, and the seconds of a core that this takes."""

    late = departed = 0
    seconds = 0.0

    def searched(self, batch: DecisionBatch, scores: np.ndarray) -> np.ndarray:
        """Return what to play, int16 [N]."""
        begun = time.process_time()
        actions = super().searched(batch, scores)
        self.seconds += time.process_time() - begun
        self.late += len(actions)
        self.departed += int((actions != scores.argmax(1)).sum())
        return actions


def main() -> None:
    """Play the match and print what it says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("-o", dest="options", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--deals", type=int, default=200, help="each is played from every seat")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--settings", default="", help="of the player, such as tiles=8,steady=1")
    parser.add_argument("--rival", default="best")
    chosen = parser.parse_args()
    game = get_game(chosen.game)
    variant = game.variant.parse(chosen.options)
    made = belief_search_agent(BELIEF_SEARCH, chosen.settings, game, variant)
    player, rival = (
        Counted(made.name, made.player, made.belief, made.plan),
        make_agent(chosen.rival, game, **variant.changed()),
    )
    begun = time.process_time()
    chips = []
    for who in (player, best_agent(game, variant))[: 1 + (chosen.rival != "best")]:
        result = duel(game, who, rival, chosen.deals, seed=chosen.seed, **variant.changed())
        chips.append(result.chips[:, :, 0].mean(1))
        print(f"{game.id} {chosen.options} {who.name} against {rival.name}: {estimate(chips[-1])} chips per deal")
    if len(chips) > 1:
        print(f"  the difference: {estimate(chips[0] - chips[1])}")
    print(
        f"  {chosen.deals} deals of seed {chosen.seed}, {player.late} decisions looked ahead at, "
        f"{player.departed / player.late:.1%} departed, {player.seconds / player.late * 1000:.0f} ms each, "
        f"{time.process_time() - begun:.0f} s in all"
    )


if __name__ == "__main__":
    main()
