"""Rule-based players: number `player` of a game's `choose`, compiled once and mapped over batches; and `random`."""

import functools
from collections.abc import Callable

import numpy as np

from gupai_agents.agent import Turns
from gupai_env.core.compiling import compiled
from gupai_env.core.game import Game
from gupai_env.core.lanes import random_action, row
from gupai_env.core.numbers import told
from gupai_env.core.rule import rule

RANDOM = 0  # the number of the random player; those of a game follow in their order


def names_of(game: Game) -> tuple[str, ...]:
    """Return the names of the players that compiled loops play, by number."""
    return ("random", *game.players)


def number_of(game: Game, name: str) -> int:
    """Return the number of a player; raises ValueError naming those there are."""
    if name not in names_of(game):
        raise ValueError(
            f"{told(name)} is no rule-based player of {game.id}; these are {', '.join(names_of(game))}"
        )
    return names_of(game).index(name)


@rule
def choose(game, player, view, mask, key):
    """Return the action of a player by number; in compiled loops `game` is a game's room."""
    return random_action(mask, key, 0) if player == RANDOM else game.choose(player - 1, view, mask, key)


@functools.cache
def mapped(game: Game) -> Callable:
    """Return the compiled loop that asks player number `player` for an action in every row of a batch."""
    room = game.room

    def choose_all(player, views, masks, keys, actions):
        for turn in range(len(views)):
            actions[turn] = choose(room, player, views[turn], row(masks, turn), keys[turn])

    return compiled(choose_all, game)


class RuleAgent:
    """A rule-based player of a game as an `Agent`."""

    def __init__(self, game: Game, name: str) -> None:
        """Raises: ValueError for a name that the game does not know."""
        self.game, self.name, self.player = game, name, number_of(game, name)

    def act(self, turns: Turns) -> np.ndarray:
        """Return one legal action a row, int16 [N]."""
        actions = np.empty(len(turns.keys), np.int16)
        mapped(self.game)(self.player, turns.views, turns.masks, turns.keys, actions)
        return actions


class RandomAgent(RuleAgent):
    """Plays any legal action, all alike."""

    def __init__(self, game: Game) -> None:
        super().__init__(game, "random")

    def probabilities(self, turns: Turns) -> np.ndarray:
        """Return the probability of every action, float64 [N, num_actions]."""
        return turns.masks / turns.masks.sum(1, keepdims=True)
