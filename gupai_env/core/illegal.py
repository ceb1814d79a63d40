"""The error for an action that the rules forbid."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.checks import short_repr
from gupai_env.core.game import Game

NAMED = 12  # legal actions listed in full before the list is cut


class IllegalActionError(ValueError):
    """An action that is not in the mask of the seat to act; the state has not changed."""


def first_of(names: Sequence[str]) -> str:
    """Return a list of names, cut after a dozen."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def describe_illegal(game: Game, who: str, action: object, mask: np.ndarray, view: np.record) -> str:
    """Return one line: who tried what, and what is legal; `view` is that of the seat to act."""
    listed = first_of([f"{game.action_name(i, view)} ({i})" for i in range(game.num_actions) if mask[i]])
    if type(action) is int and 0 <= action < game.num_actions:  # which True is not
        what = f"{game.action_name(action, view)} (action {action}) is not legal"
    else:
        what = f"{short_repr(action)} is not an action; actions are whole numbers from 0 to {game.num_actions - 1}"
    return f"{who}: {what}; legal: {listed or 'nothing, the game is terminated'}"
