"""What people read about Shi Wu Hu and its moves."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gupai_env.core.hints import Hints
from gupai_env.games.fishing.rules import CATCH, CATCHES_THREE
from gupai_env.games.shi_wu_hu.players import growth, taken
from gupai_env.games.shi_wu_hu.rules import BAIT, VALUE
from gupai_env.words.messages import joined


class ShiWuHuHints(Hints):
    """Shi Wu Hu: what each catch adds to your points, and what a tile laid may count for others."""

    variant: Any  # one that says `thousand`

    def reminder(self) -> str:
        """Return the game in a sentence."""
        reminder = (
            "Play a bait from your hand, then the top tile of the stock: it catches a tile of equal pips from the "
            "lake or is laid there. Every tile caught counts 10, tiles of full groups 20 or 30, and every two players "
            "settle the difference of their points."
        )
        twice = "A difference counts twice if just one of the two has 1,000 points."
        return joined(" ", [reminder, twice if self.variant.thousand else ""])

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the moves of one verb."""
        if verb == "lay":
            return "Lay a tile into the lake; what it counts at most is next to it"
        if verb == CATCHES_THREE:
            return "Catch three of a kind; the points it adds to your catch are next to it"
        return "Catch a fish; the points it adds to your catch are next to it"

    def value(self, view: np.record, actions: Sequence[int]) -> float:
        """Return the points a catch adds, or less what a tile counts at most that is laid."""
        return self.points(view, actions[0]) * (1 if actions[0] >= CATCH else -1)

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a move and its points."""
        sign = "+" if actions[0] >= CATCH else ""
        return joined("  ", [super().label(view, actions), f"{sign}{self.points(view, actions[0])}"])

    def points(self, view: np.record, action: int) -> int:
        """Return the points a catch adds, or what a tile counts at most that is laid."""
        return int(growth(view, 0, taken(action)) if action >= CATCH else VALUE[BAIT[action]])
