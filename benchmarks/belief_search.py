"""Look ahead by a learned belief, with the network's own replies, and play duplicate matches against that network.

    python -m benchmarks.belief_search deer-hunt --deals 500 --tiles 6 --playouts 64

Late in a deal, what the network of `best` would play is compared with its next best actions: each is played out in
deals that are drawn by how likely the belief finds them (or uniformly), the network playing on in all seats. With
--replayed, so many of these deals are replayed and weighed once more: by whether the network would have made the moves
of the others in them, or another move with the probability --error. All
actions meet the same deals. Another action is played if it wins more there, by so many standard errors of the
difference. Half of the deals are only met by actions that are not clearly worse after the first half.

What is printed is what one seat that looks ahead wins among others that do not, in duplicate deals, and how often it
departed from them.
"""

import argparse
import time

import numpy as np

from benchmarks.posterior import likelihoods
from gupai_agents.agent import DecisionBatch
from gupai_agents.belief import Belief, drawn, hidden, learned_belief
from gupai_agents.evaluation.matches.match import duel
from gupai_agents.evaluation.statistics import estimate
from gupai_agents.networks.network import NetworkAgent
from gupai_agents.play.decisions import play_out
from gupai_agents.registry import best_agent
from gupai_env.core.game import Game
from gupai_env.core.keys import derive_each
from gupai_env.core.rng import derive
from gupai_env.core.streams import DEAL_STREAM
from gupai_env.core.variant import Variant
from gupai_env.games import get_game
from gupai_env.vector import VectorEnv

LANES = 20_000  # that are played out at once, at most
CLEARLY = 1.0  # standard errors by which an action must be worse after the first half to be left out


def picked(deals: np.ndarray, logs: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Return so many of some deals, in proportion to exp(logs), spread as evenly as can be, in random order."""
    sums = np.exp(logs - logs.max()).cumsum()
    return deals[np.searchsorted(sums, (rng.permutation(number) + 0.5) / number * sums[-1])]


class Erring:
    """A player that makes the moves of another, or with some probability any other legal one."""

    def __init__(self, agent: NetworkAgent, error: float) -> None:
        """Take the player and the probability of another move."""
        self.agent, self.error, self.name = agent, error, f"erring {agent.name}"

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return the moves of the other player, int16 [N]."""
        return self.agent.act(batch)

    def probabilities(self, batch: DecisionBatch) -> np.ndarray:
        """Return the probability of every action, float64 [N, num_actions]."""
        own = self.agent.probabilities(batch)
        return (1 - self.error) * own + self.error * batch.masks / batch.masks.sum(1, keepdims=True)


class BeliefSearch:
    """`best`, which late in a deal plays its best actions out in deals that a belief finds likely."""

    def __init__(self, game: Game, variant: Variant, belief: Belief | None, chosen: argparse.Namespace) -> None:
        """Make the player of a variant; `chosen` are the options of the command line."""
        self.game, self.variant, self.belief, self.chosen, self.name = game, variant, belief, chosen, "belief search"
        player, trial = best_agent(game, variant), best_agent(game, variant)
        assert isinstance(player, NetworkAgent) and isinstance(trial, NetworkAgent)
        trial.ahead = None  # where play is only tried
        self.player, self.trial, self.erring = player, trial, Erring(trial, chosen.error)
        self.late = self.departed = 0
        self.seconds = 0.0

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return one legal action per row, int16 [N]."""
        scores = self.player.scores(batch)
        actions = np.where(batch.masks, scores, -np.inf).argmax(1).astype(np.int16)
        rows = np.flatnonzero((batch.views.sizes[:, 0] <= self.chosen.tiles) & (batch.masks.sum(1) > 1))
        begun = time.process_time()
        for some in np.array_split(rows, len(rows) * self.chosen.playouts * self.chosen.actions // LANES + 1):
            if len(some):
                own = actions[some].copy()
                actions[some] = self.searched(batch.at(some), scores[some])
                self.departed += int((actions[some] != own).sum())
        self.late += len(rows)
        self.seconds += time.process_time() - begun
        return actions

    def searched(self, batch: DecisionBatch, scores: np.ndarray) -> np.ndarray:
        """Return what to play, int16 [N]; scores: those of the network, [N, num_actions]."""
        rows, most, half = np.arange(len(scores)), self.chosen.actions, self.chosen.playouts // 2
        ranked = np.where(batch.masks, scores, -np.inf).argsort(1)[:, ::-1][:, :most]
        tried = np.take_along_axis(batch.masks, ranked, 1)
        states = self.deals(batch)
        won = np.full((len(rows), 2 * half, most), np.nan)
        for part in (slice(0, half), slice(half, 2 * half)):
            won[:, part] = self.played_out(states[:, part], ranked, tried)
            better = won[:, : part.stop] - won[:, : part.stop, :1]
            gain, error = better.mean(1), better.std(1, ddof=1) / part.stop**0.5
            tried &= np.isfinite(gain) & (gain + CLEARLY * error >= 0)
            tried[:, 0] |= tried[:, 1:].any(1)  # compared with in the same deals
        gain = np.where(tried & (gain > self.chosen.steady * error), gain, 0)
        return ranked[rows, gain.argmax(1)].astype(np.int16)

    def deals(self, batch: DecisionBatch) -> np.ndarray:
        """Return deals drawn from the belief, or uniformly without one, record array [N, playouts]."""
        number, replayed = self.chosen.playouts // 2 * 2, self.chosen.replayed
        particles = self.chosen.particles if self.belief else max(replayed, self.chosen.playouts)
        weights = self.belief.weights(batch.views) if self.belief else None
        drawn_by = [derive_each(derive(int(key), DEAL_STREAM), 0, particles) for key in batch.rng_keys]
        states = []
        for row, keys in enumerate(drawn_by):
            view = batch.views[row : row + 1]
            deals, rng = np.asarray(drawn(self.game, self.variant, view, keys)), np.random.default_rng(keys[:1])
            if weights is not None:
                tiles = hidden(self.game, self.variant, deals, view.seat.repeat(particles))
                deals = picked(deals, tiles @ weights[row].astype(np.float64), replayed or number, rng)
            if replayed:
                likely = likelihoods(self.game, self.variant, self.erring, deals, int(view.seat[0]))
                deals = picked(deals, np.log(likely.clip(1e-300)), number, rng)
            states.append(deals[:number])
        return np.stack(states)

    def played_out(self, states: np.ndarray, ranked: np.ndarray, tried: np.ndarray) -> np.ndarray:
        """Return the chips of the seats to act by actions that are tried, float64 [N, D, A], NaN by others.

        Args:
            states: Full states, record array [N, D].
            ranked: Actions, int [N, A].
            tried: Which of them are tried, bool [N, A].
        """
        where = np.nonzero(np.broadcast_to(tried[:, None], (*states.shape, ranked.shape[1])))
        won = np.full((*states.shape, ranked.shape[1]), np.nan)
        if len(where[0]):
            options = {**self.variant.changed(), "deals": 1}
            envs = VectorEnv(self.game, len(where[0]), observe=False, renew=False, skip_forced=True, **options)
            envs.states[:] = states[where[:2]]
            envs.refresh()
            seats = envs.seats.copy()
            envs.step(ranked[where[0], where[2]].astype(np.int64))
            play_out(envs, [self.trial])
            won[where] = envs.states.payoff[np.arange(len(seats)), seats]
        return won


def main() -> None:
    """Play the match and print what it says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("-o", dest="options", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--deals", type=int, default=200, help="each is played from every seat")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tiles", type=int, default=6, help="most tiles in hand")
    parser.add_argument("--playouts", type=int, default=64, help="deals in which an action is tried")
    parser.add_argument("--actions", type=int, default=3, help="how many are tried, those that the network likes best")
    parser.add_argument("--particles", type=int, default=2000, help="deals that are drawn and weighed by the belief")
    parser.add_argument("--steady", type=float, default=1.0, help="standard errors by which an action must be better")
    parser.add_argument("--replayed", type=int, default=0, help="deals that are weighed by the network's moves")
    parser.add_argument(
        "--error", type=float, default=0.1, help="probability of a move that the network would not make"
    )
    parser.add_argument("--uniform", action="store_true", help="draw deals uniformly, without a belief")
    parser.add_argument("--belief", help="a file that was learned, in place of what ships")
    chosen = parser.parse_args()
    game = get_game(chosen.game)
    variant = game.variant.parse(chosen.options)
    belief = Belief.load(chosen.belief, game, variant) if chosen.belief else learned_belief(game, variant)
    if belief is None and not chosen.uniform:
        raise SystemExit(f"no belief ships for {game.id} with these options; give --belief or --uniform")
    player = BeliefSearch(game, variant, None if chosen.uniform else belief, chosen)
    begun = time.process_time()
    result = duel(game, player, best_agent(game, variant), chosen.deals, seed=chosen.seed, **variant.changed())
    chips = result.chips[:, :, 0].mean(1)
    print(f"{game.id} {chosen.options}: {estimate(chips)} chips per deal in {chosen.deals} deals of seed {chosen.seed}")
    print(
        f"  {player.late} decisions looked ahead at, {player.departed / player.late:.1%} departed, "
        f"{player.seconds / player.late * 1000:.0f} ms each, {time.process_time() - begun:.0f} s in all"
    )


if __name__ == "__main__":
    main()
