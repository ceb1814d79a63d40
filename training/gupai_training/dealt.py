"""What actions are worth in a deal that lies open: for a teacher, who may see what players may not."""

import functools
from collections.abc import Callable

import numpy as np

from gupai_agents.search import in_blocks, try_action
from gupai_env.core.compiling import compiled
from gupai_env.core.game import Game
from gupai_env.core.lanes import FLAG
from gupai_env.core.places import blank, scratch


@functools.cache
def dealt_loop(game: Game) -> Callable:
    """Return the loop of one game; compiling (seconds) happens at its first call.

    It works in the rows of a span, from its first number to before its second, and writes into `chips`, float64
    [N, num_actions], what the seat to act wins by each legal action where that and the rest of the deal is played by
    styles: float64 [tables of styles, 2, features + 1], itself by row OWN, all others by row OTHERS of table `styled`.
    """
    room, num_actions = game.room, game.num_actions

    def try_all(rules, styles, styled, states, masks, span, chips):
        tried = blank(1, room.STATE)
        view, mask = blank(1, room.VIEW)[0], scratch(num_actions, FLAG)
        for turn in range(span[0], span[1]):
            seat, pair = states[turn].to_act, styles[styled[turn]]
            for action in range(num_actions):
                if masks[turn, action]:
                    tried[0] = states[turn]
                    chips[turn, action] = try_action(room, rules, pair, tried[0], action, seat, view, mask)

    return compiled(try_all, game)


def chips_in_deals(
    game: Game,
    rules: tuple,
    styles: np.ndarray,
    styled: np.ndarray,
    states: np.ndarray,
    masks: np.ndarray,
    threads: int,
) -> np.ndarray:
    """Return what every legal action wins in full states, chips, float64 [N, num_actions]; NaN where it is not legal.

    Args: styles, styled: who plays on, see `dealt_loop`. masks: bool [N, num_actions], of the seats to act.
    """
    chips = np.full(masks.shape, np.nan)
    try_all = dealt_loop(game)
    in_blocks(
        lambda first, end: try_all(rules, styles, styled, states, masks, (first, end), chips),
        len(masks),
        threads,
        playouts=1,
    )
    return chips
