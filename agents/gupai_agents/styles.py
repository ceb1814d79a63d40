"""Rule-based players: styles, which are weights over a game's features, and `random`; compiled once for a game."""

import functools
from collections.abc import Callable, Mapping

import numpy as np

from gupai_agents.agent import Turns, certain, check_turns
from gupai_env.core.compiling import compiled
from gupai_env.core.episode import noise_key
from gupai_env.core.game import Game
from gupai_env.core.lanes import only_action, random_action
from gupai_env.core.rule import rule
from gupai_env.core.style import styled_action, weights_of

RANDOM = 0  # the number of the random player in a line-up; number n + 1 is row n of a table of styles


@rule
def choose(game, styles, player, view, mask, key):
    """Return the action of a player by number; in compiled loops `game` is a game's room."""
    if player == RANDOM:
        return random_action(mask, key, 0)
    return styled_action(game, weights_of(styles, player - 1), view, mask, key)


@rule
def decide(game, rules, styles, state, player, view, mask):
    """Return the action of a player by number at its turn in a state; nobody is asked where one action is legal."""
    mask[:] = False
    game.legal_actions(rules, state, mask)
    action = only_action(mask)
    if action < 0:
        game.information_set(rules, state, np.int64(state.to_act), view, False)
        action = choose(game, styles, player, view, mask, noise_key(state))
    return action


class StyleLoops:
    """The compiled loops of one game's styles over a batch of decisions.

    choose(player, styles, views, masks, keys, actions): asks a player of a line-up for an action in every row.
    weigh(weights, views, masks, worths): what every legal action is worth to a style, float64 [N, num_actions].
    """

    def __init__(self, game: Game) -> None:
        room = game.room

        def choose_all(player, styles, views, masks, keys, actions):
            for turn in range(len(views)):
                actions[turn] = choose(room, styles, player, views[turn], masks[turn], keys[turn])

        def weigh_all(weights, views, masks, worths):
            for turn in range(len(views)):
                for action in range(masks.shape[1]):
                    if masks[turn, action]:
                        worths[turn, action] = room.worth(views[turn], action, weights)

        self.choose: Callable = compiled(choose_all, game)
        self.weigh: Callable = compiled(weigh_all, game)


@functools.cache
def style_loops(game: Game) -> StyleLoops:
    """Return the loops of a game; compiling (seconds) happens at their first call."""
    return StyleLoops(game)


class RandomAgent:
    """Plays any legal action, all alike."""

    name = "random"

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(self, turns: Turns) -> np.ndarray:
        """Return one legal action a row, int16 [N]."""
        return _asked(self.game, RANDOM, np.zeros((1, 1)), turns)

    def probabilities(self, turns: Turns) -> np.ndarray:
        """Return the probability of every action, float64 [N, num_actions]."""
        return turns.masks / turns.masks.sum(1, keepdims=True)


class StyleAgent:
    """A style of a game as an `Agent`.

    weights: float64 [features + 1], see `gupai_env.core.style`; the last one is the temperature.
    """

    def __init__(
        self, game: Game, name: str, style: str | Mapping[str, float], temperature: float = 0.0
    ) -> None:
        """Args: style: the name of one of the game's, or weights by feature. Raises: ValueError as `Game.style`."""
        self.game, self.name = game, name
        self.weights = game.style(style, temperature)

    def act(self, turns: Turns) -> np.ndarray:
        """Return one legal action a row, int16 [N]."""
        return _asked(self.game, RANDOM + 1, self.weights[None], turns)

    def worths(self, turns: Turns) -> np.ndarray:
        """Return what every action is worth to the style, float64 [N, num_actions]; -inf where it is not legal."""
        check_turns(self.game, turns)
        return worths_of(self.game, self.weights, turns)

    def probabilities(self, turns: Turns) -> np.ndarray:
        """Return the probability of every action, float64 [N, num_actions]: the softmax, or 1 without temperature."""
        temperature = self.weights[-1]
        if temperature == 0:
            return certain(self.act(turns), turns.masks.shape[1])
        worths = self.worths(turns) / temperature
        chances = np.exp(worths - worths.max(1, keepdims=True))
        return chances / chances.sum(1, keepdims=True)


def writable(array: np.ndarray) -> np.ndarray:
    """Return an array, or a copy of one that can only be read, as of lanes: loops would be compiled for it again."""
    return array if array.flags.writeable else array.copy()


def worths_of(game: Game, weights: np.ndarray, turns: Turns) -> np.ndarray:
    """Return what every action is worth to a style's weights, float64 [N, num_actions]; -inf where it is not legal."""
    worths = np.full(turns.masks.shape, -np.inf)
    style_loops(game).weigh(weights, turns.views, writable(turns.masks), worths)
    return worths


def _asked(game: Game, player: int, styles: np.ndarray, turns: Turns) -> np.ndarray:
    check_turns(game, turns)
    actions = np.empty(len(turns.keys), np.int16)
    style_loops(game).choose(player, styles, turns.views, writable(turns.masks), turns.keys, actions)
    return actions
