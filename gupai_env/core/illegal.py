"""The error for an action that the rules forbid."""

import numpy as np

from gupai_env.core.game import Game

NAMED = 12  # legal actions listed in full before the list is cut


class IllegalActionError(ValueError):
    """An action that is not in the mask of the seat to act; the state has not changed."""


def describe_illegal(game: Game, who: str, action: object, mask: np.ndarray) -> str:
    """Return one line: who tried what, and what is legal."""
    legal = [f"{name} ({i})" for i, name in enumerate(game.action_names) if mask[i]]
    listed = ", ".join(legal[:NAMED]) + (f" and {len(legal) - NAMED} more" if len(legal) > NAMED else "")
    if isinstance(action, int) and 0 <= action < game.num_actions:
        what = f"{game.action_names[action]} (action {action}) is not legal"
    else:
        what = f"{action!r} is no action; actions are whole numbers from 0 to {game.num_actions - 1}"
    return f"{who}: {what}; legal: {listed or 'nothing, the game is over'}"
