"""Measure what look-ahead would gain with perfect beliefs: deals drawn from the exact posterior, against uniform ones.

In deals of a player against itself, the late decisions of one seat are looked at. From its view deals are drawn
uniformly, and each is kept with the probability that the player, in the other seats, would have made all their moves in
it: what is kept are draws from the true posterior (rejection). Every legal action is then played out in them by the
player in all seats. An action is chosen by half of the deals and judged by the other half, so that nothing is found by
chance; actions chosen by as many uniform deals, and by the deal as it is, are judged by the same posterior deals.
"""

import argparse
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import Agent
from gupai_agents.belief import Belief, drawn, learned_belief, likelihoods
from gupai_agents.evaluation.statistics import estimate
from gupai_agents.play.decisions import decisions, new_lanes, play_out
from gupai_agents.registry import make_agent
from gupai_env.core.game import Game
from gupai_env.core.keys import derive_each
from gupai_env.core.rng import derive
from gupai_env.core.variant import Variant
from gupai_env.games import get_game
from gupai_env.vector import VectorEnv

DRAWN, LOOKED_AT, BLOCKS = 16384, 600, 12  # deals that are drawn at once, looked at of them, and how often
KEPT = 32  # deals that are played out
FEWEST = 8  # deals of the posterior by which an action is chosen
CHOOSERS = "posterior", "learned", "uniform", "true deal"


def posterior(
    game: Game, variant: Variant, agent: Agent, belief: Belief | None, view: np.recarray, key: int
) -> tuple[np.ndarray, float]:
    """Return deals drawn from the exact posterior of a view, at most KEPT, and how many different ones were found.

    A learned belief saves time: a deal that it finds unlikely is only looked at now and then, and counts the more.

    Args:
        game, variant: What is played.
        agent: Who has the other seats; it answers alike whenever it is asked alike.
        belief: Which deals are likely, if that was learned.
        view: What a seat knows, record array [1].
        key: An RNG key.
    """
    rng, states, likely, usual = np.random.default_rng(key), [], [], None
    for block in range(BLOCKS):
        deals = drawn(game, variant, view, derive_each(key, block * DRAWN, (block + 1) * DRAWN))
        share = np.full(DRAWN, 1.0)
        if belief is not None:
            logs = belief.logs(view, belief.weights(view)[0], deals)
            usual = np.sort(logs)[-LOOKED_AT // 2] if usual is None else usual
            share = np.minimum(np.exp(logs - usual), 1)
        chosen = np.flatnonzero(rng.random(DRAWN) < share)
        weights = likelihoods(game, variant, agent, deals[chosen], int(view.seat[0])) / share[chosen]
        states.append(np.asarray(deals)[chosen][weights > 0])
        likely.append(weights[weights > 0])
        if sum(map(len, states)) >= KEPT:
            break
    possible, weights = np.concatenate(states), np.concatenate(likely)
    if not len(possible):
        return possible, 0
    picked = np.searchsorted(weights.cumsum() / weights.sum(), (np.arange(KEPT) + rng.random()) / KEPT)
    return possible[rng.permutation(picked.clip(max=len(possible) - 1))], len(possible)


def tried(game: Game, variant: Variant, agent: Agent, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Return what the seat to act wins by each action in each deal, the agent playing on in all seats.

    Args:
        game, variant: What is played.
        agent: The agent.
        states: Deals under way, one seat to act in all, record array [N].
        actions: Legal there, int [A].

    Returns:
        Chips, float64 [N, A].
    """
    options = {**variant.changed(), "deals": 1}
    rows = np.repeat(np.arange(len(states)), len(actions))
    envs = VectorEnv(game, len(rows), observe=False, renew=False, skip_forced=True, **options)
    envs.states[:] = states[rows]
    envs.refresh()
    seats = envs.seats.copy()
    envs.step(np.tile(actions, len(states)).astype(np.int64))
    play_out(envs, [agent])
    return envs.states.payoff[np.arange(len(rows)), seats].reshape(len(states), -1).astype(np.float64)


class Position(NamedTuple):
    """A decision: the deal, its full state and view, record arrays [1], the legal actions and what was played."""

    deal: int
    state: np.ndarray
    view: np.recarray
    actions: np.ndarray
    played: int


def positions(game: Game, variant: Variant, agent: Agent, deals: int, seed: int, tiles: int) -> list[Position]:
    """Return the decisions with a choice of one seat per deal from so many tiles in hand on.

    Args:
        game, variant: What is played.
        agent: Who plays, in all seats.
        deals: How many deals.
        seed: Of the deals.
        tiles: The most tiles in hand.
    """
    envs = new_lanes(game, variant, deals)
    envs.reset(seed)
    listed = []
    for now in decisions(envs, [agent]):
        late = (now.batch.views.sizes[:, 0] <= tiles) & (now.batch.masks.sum(1) > 1)
        for row in np.flatnonzero(late & (envs.seats[now.rows] == now.rows % variant.players)):
            lane, batch = now.rows[row], now.batch.at([row])
            legal = np.flatnonzero(batch.masks[0])
            listed.append(Position(lane, envs.states[[lane]].copy(), batch.views.copy(), legal, now.actions[row]))
    return listed


def gains(
    game: Game, variant: Variant, agent: Agent, belief: Belief | None, position: Position, key: int
) -> tuple[list[float], float]:
    """Return what each of CHOOSERS gains on what was played, chips judged by the posterior, and the deals it had.

    Args:
        game, variant: What is played.
        agent: Who plays.
        belief: As of `posterior`.
        position: The decision.
        key: An RNG key.
    """
    view, own = position.view, int(np.flatnonzero(position.actions == position.played)[0])
    deals, number = posterior(game, variant, agent, belief, view, key)

    def better(states: np.ndarray) -> np.ndarray:
        chips = tried(game, variant, agent, states, position.actions)
        return chips - chips[:, [own]]

    true = better(position.state)[0]
    blind = better(drawn(game, variant, view, derive_each(key ^ 1, 0, KEPT))).mean(0).argmax()
    learned = blind
    if belief is not None:
        states = drawn(game, variant, view, derive_each(key ^ 2, 0, DRAWN))
        logs = belief.logs(view, belief.weights(view)[0], states)
        sums = np.exp(logs - logs.max()).cumsum()
        learned = better(states[np.searchsorted(sums, (np.arange(KEPT) + 0.5) / KEPT * sums[-1])]).mean(0).argmax()
    judged = better(deals) if number >= FEWEST else true[None]
    halves = judged[::2], judged[1::2]
    if number >= FEWEST:
        exact = float(np.mean([two[:, one.mean(0).argmax()].mean() for one, two in (halves, halves[::-1])]))
    else:  # too few to choose by
        exact = 0.0
    return [exact, float(judged[:, learned].mean()), float(judged[:, blind].mean()), float(true.max())], number


def main() -> None:
    """Print what each way to choose gains per deal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("-o", dest="options", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--player", default="best")
    parser.add_argument("--deals", type=int, default=200)
    parser.add_argument("--tiles", type=int, default=5, help="most tiles in hand")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    game = get_game(chosen.game)
    variant = game.variant.parse(chosen.options)
    agent, belief = make_agent(chosen.player, game, **variant.changed()), learned_belief(game, variant)
    won, numbers = np.zeros((chosen.deals, len(CHOOSERS))), []
    for number, position in enumerate(positions(game, variant, agent, chosen.deals, chosen.seed, chosen.tiles)):
        chips, deals = gains(game, variant, agent, belief, position, derive(chosen.seed, number))
        won[position.deal] += chips
        numbers.append(deals)
    few = np.mean(np.array(numbers) < FEWEST)
    print(f"{game.id}: {len(numbers)} decisions of one seat in {chosen.deals} deals, from {chosen.tiles} tiles on;")
    print(f"  {np.mean(numbers):.0f} deals of the posterior per decision, fewer than {FEWEST} in {few:.1%} of them")
    for name, chips in zip(CHOOSERS, won.T, strict=True):
        print(f"  {name:10} {estimate(chips)}")


if __name__ == "__main__":
    main()
