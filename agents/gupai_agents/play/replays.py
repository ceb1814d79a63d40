"""Deals under way, replayed from where they began: who did what since, as far as that is known."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gupai_env.core.compiling import compiled
from gupai_env.core.game import Game
from gupai_env.core.kernels import WAIT
from gupai_env.core.memory import blank, scratch
from gupai_env.core.tiles import MOST_TILES
from gupai_env.core.variant import Variant

KIND, ACTION = np.dtype(np.int8), np.dtype(np.int16)


@functools.cache
def replay_loop(game: Game) -> Callable[..., Any]:
    """Return the loop of a game that replays deals under way from where they began.

    replay(rules, states, begun, actions, seats): fills `begun`, the deals as they were dealt, and of all moves since,
    in order, `actions`, int16 [N, max_decisions], and the `seats` that made them, int8; behind the last one WAIT.
    """
    module = game.module

    def replay(rules, states, begun, actions, seats):
        order, past = scratch(MOST_TILES, KIND), blank(1, module.STATE)
        tiles = len(module.DECKS[rules.deck])
        for row in range(len(states)):
            moves = module.history(rules, states[row], order[:tiles], actions[row])
            past[0] = states[row]
            module.deal_from(rules, past[0], order[:tiles])
            begun[row] = past[0]
            for move in range(moves):
                seats[row, move] = past[0].to_act
                module.step(rules, past[0], actions[row, move])
            actions[row, moves:] = WAIT

    return compiled(replay, game, plain_first=True)


def moves_since(game: Game, variant: Variant, states: np.ndarray) -> tuple[np.recarray, np.ndarray, np.ndarray]:
    """Return deals under way as they were dealt, and the actions and seats of all moves since; see `replay_loop`.

    Args:
        game, variant: What is played.
        states: The deals, record array [N].
    """
    begun, shape = game.new_states(len(states)), (len(states), game.max_decisions)
    actions, seats = np.full(shape, WAIT, ACTION), np.zeros(shape, KIND)
    replay_loop(game)(variant.as_rules(), states, begun, actions, seats)
    return begun, actions, seats
