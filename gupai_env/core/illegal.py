"""The error for an action that the rules forbid."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.game import Game
from gupai_env.messages import joined, say
from gupai_env.messages.checks import short_repr

NAMED = 12  # legal actions listed in full before the list is cut


class IllegalActionError(ValueError):
    """An action that is not in the mask of the seat to act; the state has not changed."""


def first_of(names: Sequence[str]) -> str:
    """Return a list of names, cut after a dozen."""
    listed = joined(", ", names[:NAMED])
    return say("{names} and {number} more", names=listed, number=len(names) - NAMED) if len(names) > NAMED else listed


def describe_illegal(game: Game, who: str, action: object, mask: np.ndarray, view: np.record) -> str:
    """Return one line: who tried what, and what is legal; `view` is that of the seat to act.

    Args:
        game: The game.
        who: Who tried it, for people.
        action: What was tried, of any type.
        mask: What is legal, bool [num_actions].
        view: What the seat to act knows.
    """
    listed = first_of(
        [
            say("{move} ({action})", move=say(game.action_name(action, view)), action=action)
            for action in range(game.num_actions)
            if mask[action]
        ]
    )
    if type(action) is int and 0 <= action < game.num_actions:  # which True is not
        problem = say("{move} (action {action}) is not legal", move=say(game.action_name(action, view)), action=action)
    else:
        problem = say(
            "{value} is not an action; actions are whole numbers from 0 to {most}",
            value=short_repr(action),
            most=game.num_actions - 1,
        )
    legal = listed or say("nothing, the game is terminated")
    return say("{who}: {problem}; legal: {legal}", who=who, problem=problem, legal=legal)
