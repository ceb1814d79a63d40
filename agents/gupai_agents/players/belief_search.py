"""Looking ahead by a belief: late in a deal, a network's best actions are played out in deals that are likely.

A learned belief finds deals that the view allows likely by how often the others made which moves. Some of them are
replayed and weighed once more, by whether the network would have made each of these moves. In those that are likely by
both, the actions that the network likes best are played out by itself in all seats, all in the same deals. Another
action than its own is played if it wins more there, beyond doubt. Half of the deals are only met by actions that are
not clearly worse after the first half.

So it takes the others for players like itself; who plays otherwise is understood the worse for it.
"""

import copy
from dataclasses import dataclass

import numpy as np

from gupai_agents.agent import DecisionBatch, check_batch
from gupai_agents.belief import Belief, drawn, hidden, likelihoods
from gupai_agents.networks.network_agent import ROUND, ObservationAgent
from gupai_agents.play.decisions import play_out
from gupai_env.core.keys import derive_each
from gupai_env.core.rng import derive
from gupai_env.core.streams import DEAL_STREAM
from gupai_env.messages.checks import real_number, whole_number
from gupai_env.vector import VectorEnv

LANES = 20_000  # that are played out at once, at most
CLEARLY = 1.0  # standard errors by which an action must be worse after the first half to be left out
MOST_DEALS, MOST_TILES, MOST_ACTIONS = 100_000, 32, 1000
LEAST_LIKELY = 1e-300  # so that deals are drawn even where none agrees with all moves


@dataclass(frozen=True)
class BeliefPlan:
    """When and how far to look ahead.

    tiles: the most tiles in hand at which to look ahead.
    playouts: deals in which an action is tried.
    actions: how many are tried, those that the network likes best.
    particles: deals that the learned belief weighs.
    replayed: those of them that are weighed once more, by the network's own moves; 0 for none.
    error: the probability with which the others are assumed to have made any other move than the network's.
    steady: standard errors by which an action must be better than the network's own to be played.
    """

    tiles: int = 6
    playouts: int = 64
    actions: int = 3
    particles: int = 2000
    replayed: int = 256
    error: float = 0.1
    steady: float = 2.0

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            ValueError: In one line, for a number out of range.
        """
        whole_number("tiles", self.tiles, 1, MOST_TILES)
        whole_number("playouts", self.playouts, 4, MOST_DEALS)
        whole_number("actions", self.actions, 2, MOST_ACTIONS)
        whole_number("particles", self.particles, 1, MOST_DEALS)
        whole_number("replayed", self.replayed, 0, MOST_DEALS)
        real_number("error", self.error, 0, 1)
        real_number("steady", self.steady, 0, 100)


class BeliefSearchAgent:
    """A network that looks ahead by a belief.

    Attributes:
        name: What tables call it.
        player: The network; where play is only tried, it does not look ahead.
        belief: How likely deals are, in the variant that is played.
        plan: When and how far to look ahead.
    """

    def __init__(self, name: str, player: ObservationAgent, belief: Belief, plan: BeliefPlan = BeliefPlan()) -> None:
        """Take the attributes; `belief` says what is played."""
        self.name, self.player, self.belief, self.plan = name, player, belief, plan
        self.game, self.variant = belief.game, belief.variant
        self.trial = copy.copy(player)
        self.trial.ahead = None

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return one legal action per row, int16 [N]; each depends on its own row only."""
        check_batch(self.game, batch)
        scores = np.where(batch.masks, np.round(self.player.scores(batch), ROUND), -np.inf)
        actions = scores.argmax(1).astype(np.int16)
        late = np.flatnonzero((batch.views.sizes[:, 0] <= self.plan.tiles) & (batch.masks.sum(1) > 1))
        for rows in np.array_split(late, len(late) * self.plan.playouts * self.plan.actions // LANES + 1):
            if len(rows):
                actions[rows] = self.searched(batch.at(rows), scores[rows])
        return actions

    def searched(self, batch: DecisionBatch, scores: np.ndarray) -> np.ndarray:
        """Return what to play, int16 [N].

        Args:
            batch: Decisions.
            scores: Those of the network, float [N, num_actions], -inf where an action is not legal.
        """
        rows, half = np.arange(len(scores)), self.plan.playouts // 2
        ranked = (-scores).argsort(1, kind="stable")[:, : self.plan.actions]
        tried = np.take_along_axis(batch.masks, ranked, 1)
        states = np.stack([self.deals(batch.at([row])) for row in rows])
        won = np.full((len(rows), 2 * half, ranked.shape[1]), np.nan)
        for part in (slice(0, half), slice(half, 2 * half)):
            won[:, part] = self.played_out(states[:, part], ranked, tried)
            better = won[:, : part.stop] - won[:, : part.stop, :1]
            gain, error = better.mean(1), better.std(1, ddof=1) / part.stop**0.5
            tried &= np.isfinite(gain) & (gain + CLEARLY * error >= 0)
            tried[:, 0] |= tried[:, 1:].any(1)  # compared with in the same deals
        gain = np.where(tried & (gain > self.plan.steady * error), gain, 0)
        return ranked[rows, gain.argmax(1)].astype(np.int16)

    def deals(self, decision: DecisionBatch) -> np.ndarray:
        """Return the deals in which the actions of one decision are tried, record array [playouts]."""
        view, plan = decision.views, self.plan
        keys = derive_each(derive(int(decision.rng_keys[0]), DEAL_STREAM), 0, plan.particles)
        deals, rng = np.asarray(drawn(self.game, self.variant, view, keys)), np.random.default_rng(keys[:1])
        tiles = hidden(self.game, self.variant, deals, view.seat.repeat(plan.particles))
        logs = tiles @ self.belief.weights(view)[0].astype(np.float64)
        if plan.replayed:
            deals = picked(deals, logs, plan.replayed, rng)
            likely = likelihoods(self.game, self.variant, self.trial, deals, int(view.seat[0]), plan.error)
            logs = np.log(likely.clip(LEAST_LIKELY))
        return picked(deals, logs, plan.playouts // 2 * 2, rng)

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


def picked(deals: np.ndarray, logs: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Return so many of some deals, in proportion to exp(logs), spread as evenly as can be, in random order."""
    sums = np.exp(logs - logs.max()).cumsum()
    return deals[np.searchsorted(sums, (rng.permutation(number) + 0.5) / number * sums[-1])]
