"""What people read about the moves of a fishing game."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.hints import Hints
from gupai_env.games.fishing.rules import CATCH, CATCHES_ONE, CATCHES_THREE
from gupai_env.words.messages import joined


class FishingHints(Hints):
    """The fishing games: what each catch adds to your points, and what a tile laid may count for others."""

    how = (
        "Play a bait from your hand, then the top tile of the stock: it catches a tile of equal pips from the lake or "
        "is laid there."
    )
    """How a turn goes."""

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the moves of one verb."""
        if verb == "lay":
            return "Lay a tile into the lake; what it counts at most is next to it"
        if verb == CATCHES_THREE:
            return "Catch three of a kind; the points it adds to your catch are next to it"
        if verb == CATCHES_ONE:
            return "Catch a fish; the points it adds to your catch are next to it"
        return "Before your bait; the points it adds to your catch are next to it"

    def value(self, view: np.record, actions: Sequence[int]) -> float:
        """Return the points a catch adds, or less what a tile counts at most that is laid."""
        return self.points(view, actions[0]) * (1 if actions[0] >= CATCH else -1)

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a move and its points."""
        sign = "+" if actions[0] >= CATCH else ""
        return joined("  ", [super().label(view, actions), f"{sign}{self.points(view, actions[0])}"])

    def points(self, view: np.record, action: int) -> int:
        """Return the points a catch adds, or what a tile counts at most that is laid."""
        raise NotImplementedError
