"""Search: a player that tries every legal action in many deals that its view allows, played out by a style.

Each deal is drawn from the view (`determinize`), so search knows no more than a seat may. All actions meet the same
deals and the same chance, so that the luck of a deal cancels where they are compared. The search goes in rounds: after
each the worse half of the actions is left out, and the others share the deals that remain (sequential halving).
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import Turns
from gupai_env.core.compiling import compiled
from gupai_env.core.episode import advance, noise_key
from gupai_env.core.game import Game
from gupai_env.core.lanes import FLAG
from gupai_env.core.numbers import whole_number
from gupai_env.core.places import blank, scratch
from gupai_env.core.rng import derive
from gupai_env.core.rule import rule
from gupai_env.core.style import styled_action
from gupai_env.core.variant import Variant
from gupai_env.core.words import count_marks

PLAYOUTS, MOST_PLAYOUTS = 200, 1_000_000  # deals for each action, were none left out
DEAL_STREAM = 1 << 46  # of the key of a decision: the deals that are drawn


class Values(NamedTuple):
    """What actions are worth in chips: means and standard errors, and the deals behind them, all [N, num_actions].

    The means are NaN where an action is not legal.
    """

    means: np.ndarray
    errors: np.ndarray
    deals: np.ndarray


@rule
def play_out(game, rules, state, seat, weights, view, mask):
    """Play a deal to its end, all seats by one style; return the chips of a seat."""
    while not state.settled:
        mask[:] = False
        game.legal_actions(rules, state, mask)
        game.information_set(rules, state, state.to_act, view, False)
        advance(game, rules, state, styled_action(game, weights, view, mask, noise_key(state)))
    return state.payoff[seat]


@rule
def try_action(game, rules, state, action, seat, weights, view, mask):
    """Play an action and the deal to its end; return the chips of a seat."""
    advance(game, rules, state, action)
    return play_out(game, rules, state, seat, weights, view, mask)


@rule
def leave_out(alive, sums, keep):
    """Leave out all but the `keep` actions of the highest sums, of equals the later ones."""
    while count_marks(alive) > keep:
        worst = -1
        for action in range(len(alive)):
            if alive[action] and (worst < 0 or sums[action] <= sums[worst]):
                worst = action
        alive[worst] = False


@functools.cache
def searching(game: Game) -> Callable:
    """Return the compiled loop of a game: search(rules, weights, views, masks, keys, playouts, found).

    It adds up what it finds in float64 [N, num_actions, 3]: chips, their squares, and the deals tried.
    """
    room, num_actions = game.room, game.num_actions

    def search(rules, weights, views, masks, keys, playouts, found):
        states, tried = blank(1, room.STATE), blank(1, room.STATE)
        view, mask, alive = blank(1, room.VIEW)[0], blank(num_actions, FLAG), scratch(num_actions, FLAG)
        for turn in range(len(views)):
            seat = views[turn].seat
            for action in range(num_actions):
                alive[action] = masks[turn, action]
            budget, deal, stream = playouts * count_marks(alive), 0, derive(keys[turn], DEAL_STREAM)
            rounds = 1
            while 1 << rounds < count_marks(alive):
                rounds += 1
            for number in range(rounds):
                left = count_marks(alive)
                for _ in range(max(budget // (rounds * left), 1)):
                    room.determinize(rules, views[turn], derive(stream, deal), states[0])
                    deal += 1
                    for action in range(num_actions):
                        if alive[action]:
                            tried[0] = states[0]
                            chips = try_action(room, rules, tried[0], action, seat, weights, view, mask)
                            found[turn, action, 0] += chips
                            found[turn, action, 1] += chips * chips
                            found[turn, action, 2] += 1
                if number < rounds - 1:
                    leave_out(alive, found[turn, :, 0], (left + 1) // 2)

    return compiled(search, game)


class SearchAgent:
    """A player that searches; every legal action is tried in up to `playouts` deals, played out by a style."""

    def __init__(
        self,
        game: Game,
        variant: Variant,
        name: str,
        weights: np.ndarray,
        playouts: int = PLAYOUTS,
    ) -> None:
        """Args: weights: the style that plays out, as `Game.style` returns it. Raises: ValueError for bad numbers."""
        self.playouts = whole_number("playouts", playouts, 1, MOST_PLAYOUTS)
        self.game, self.variant, self.name, self.weights = game, variant, name, weights
        self.rules = variant.as_rules(game.rules_type)

    def act(self, turns: Turns) -> np.ndarray:
        """Return one legal action a row, int16 [N]."""
        values = self.values(turns)
        last = values.deals == values.deals.max(1, keepdims=True)  # those that were never left out
        return np.where(last, values.means, -np.inf).argmax(1).astype(np.int16)

    def values(self, turns: Turns) -> Values:
        """Return what every legal action is worth; those left out early have fewer deals."""
        found = np.zeros((*turns.masks.shape, 3))
        searching(self.game)(
            self.rules, self.weights, turns.views, turns.masks, turns.keys, self.playouts, found
        )
        deals = np.where(turns.masks, found[..., 2], np.nan)
        means = found[..., 0] / deals
        spread = np.maximum(found[..., 1] / deals - means**2, 0)
        return Values(means, np.sqrt(spread / np.maximum(deals - 1, 1)), found[..., 2].astype(np.int64))
