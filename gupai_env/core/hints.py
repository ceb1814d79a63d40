"""Texts for people about the moves of a game. A game without hints of its own gets plain ones.

They are part of the contract: a game has its hints, as it has its table, so that every player of a game reads the same
about its moves.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from gupai_env.core.move import Move
from gupai_env.core.variant import Variant
from gupai_env.messages import joined, say


class Described(Protocol):
    """What hints need of a `gupai_env.core.game.Game`, whose module imports this one."""

    @property
    def moves(self) -> tuple[Move, ...]: ...

    @property
    def title(self) -> str: ...

    @property
    def summary(self) -> str: ...

    def move(self, action: int, view: np.record | None = None) -> Move: ...

    def action_name(self, action: int, view: np.record | None = None) -> str: ...


class Hints:
    """Texts for any game; a game that needs better ones has its own subclass."""

    game: Described
    variant: Variant

    most_shown = 100  # moves that are listed before the person asks for all
    composed = False  # whether a person puts several tiles of the hand together before playing them

    def __init__(self, game: Described, variant: Variant) -> None:
        self.game, self.variant = game, variant

    def reminder(self) -> str:
        """Return the game in a sentence."""
        return self.game.summary or self.game.title

    def answers(self) -> str:
        """Return what a person may type."""
        return "Type the number of a move, or its tile: 64 for [6:4]."

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return the heading of the moves of one verb; `verbs` are all that are legal now."""
        return "Your moves"

    def value(self, view: np.record, actions: Sequence[int]) -> float:
        """Return the value by which the moves of one verb are sorted, the best first; ties are sorted by tiles."""
        return 0.0

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return how a move reads in the list; its actions differ only in how tiles are turned."""
        return self.game.action_name(actions[0], view)

    def makes(self, view: np.record, action: int) -> tuple[str, ...]:
        """Return what the tiles of an action make, one text for each group of its name, () if nothing need be said."""
        return ()

    def discards(self, view: np.record) -> int:
        """Return how many tiles are discarded together, one after another, if any is now."""
        return 1

    def choice(self, view: np.record, actions: Sequence[int]) -> tuple[str, dict[str, int]]:
        """Return the question that distinguishes such actions, and the action of every answer."""
        answers = {str(number): action for number, action in enumerate(actions, 1)}
        ways = [
            say("{number} for {action}", number=number, action=self.game.action_name(action, view))
            for number, action in answers.items()
        ]
        return say("Which way: {ways}?", ways=joined(", ", ways)), answers
