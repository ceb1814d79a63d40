"""Da Ling: how near a player is to the best response to a table of its own like, as exactly as sampling allows.

    python benchmarks/split_response.py best --hands 2000 --deals 2000

Every seat decides once and sees nothing of the others, so the best response is found hand by hand: for each of some
hands the other hands are dealt many times, the player splits them, and every split of the hand is paid. Half of the
deals choose the best split, the other half judge it, so that luck in the choice counts for nothing; and they judge the
split of the player as well. With the halves' parts exchanged all deals are used twice.
"""

import argparse
from collections.abc import Callable

import numpy as np

from gupai_agents import Agent, DecisionBatch, make_agent
from gupai_agents.evaluation.statistics import estimate
from gupai_env import VectorEnv, get_game
from gupai_env.core.compiling import compiled
from gupai_env.core.game import Game
from gupai_env.core.keys import derive_each
from gupai_env.core.memory import scratch

SEED = 3_000_017  # deals that no player of ours has learned from or was judged on
CHIPS = np.dtype(np.float32)


def payoff_loop(game: Game) -> Callable:
    """Return a loop that adds up what every split of a seat is paid in some deals, by halves of them."""
    module, seats, splits = game.module, game.max_seats, game.num_actions

    def pay(rules, states, seat, mask, chips):
        out = scratch(seats, CHIPS)
        for deal in range(len(states)):
            for split in range(splits):
                if mask[split]:
                    out[:] = 0
                    states[deal].splits[seat] = split
                    module.payoffs(rules, states[deal], out)
                    chips[deal % 2, split] += out[seat]

    return compiled(pay, game)


def responses(agent: Agent, game: Game, hands: int, deals: int) -> np.ndarray:
    """Return chips by which the best response is better than the player, float64 [hands]."""
    envs = VectorEnv(game, hands, seed=SEED)
    views, rng_keys = envs.views()
    own = agent.act(DecisionBatch(views, envs.masks, rng_keys))
    pay, better, table = payoff_loop(game), np.zeros(hands), VectorEnv(game, deals)
    for hand in range(hands):
        seat, drawn = int(views[hand].seat), game.new_states(deals)
        stream = derive_each(int(rng_keys[hand]), 0, deals)
        envs.kernels.determinize(envs.rules, np.repeat(views[hand : hand + 1], deals), stream, drawn)
        for other in range(envs.rules.players):
            if other != seat:
                drawn.splits[:, other] = split_by(agent, table, drawn, other)
        chips = np.zeros((2, game.num_actions))
        pay(envs.rules, drawn, seat, envs.masks[hand], chips)
        chips[:, ~envs.masks[hand]] = -np.inf
        best = chips.argmax(1)
        gains = [chips[1 - half, best[half]] - chips[1 - half, own[hand]] for half in range(2)]
        better[hand] = sum(gains) / deals
    return better


def split_by(agent: Agent, table: VectorEnv, drawn: np.recarray, seat: int) -> np.ndarray:
    """Return how a player splits the hands of a seat, int16 [deals]."""
    drawn.to_act = seat
    table.states[:] = drawn
    table.refresh()
    views, rng_keys = table.views()
    return agent.act(DecisionBatch(views, table.masks, rng_keys))


def main() -> None:
    """Print the gain of a best response in chips per deal and as a share of the stakes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", nargs="+", help="as `make_agent` takes it")
    parser.add_argument("--hands", type=int, default=2000)
    parser.add_argument("--deals", type=int, default=2000, help="of the other hands, for each")
    chosen = parser.parse_args()
    game = get_game("da-ling")
    stakes = sum(game.variant().stakes)
    for name in chosen.agent:
        gain = estimate(responses(make_agent(name, game), game, chosen.hands, chosen.deals))
        print(
            f"{name}: a best response to its own like wins {gain} chips per deal more, {gain.mean / stakes:.1%} of the "
            f"stakes of {stakes} ({chosen.hands} hands, {chosen.deals} deals each, seed {SEED})"
        )


if __name__ == "__main__":
    main()
