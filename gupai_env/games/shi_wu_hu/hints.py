"""What people read about Shi Wu Hu and its moves."""

from typing import Any

import numpy as np

from gupai_env.games.fishing.hints import FishingHints
from gupai_env.games.fishing.rules import CATCH
from gupai_env.games.shi_wu_hu.players import growth, taken
from gupai_env.games.shi_wu_hu.rules import BAIT, VALUE
from gupai_env.words.messages import joined


class ShiWuHuHints(FishingHints):
    """Shi Wu Hu: tiles of full groups count more."""

    variant: Any  # one that says `thousand`

    def reminder(self) -> str:
        """Return the game in a sentence."""
        count = (
            "Every tile caught counts 10, tiles of full groups 20 or 30, and every two players settle the difference "
            "of their points."
        )
        twice = "A difference counts twice if just one of the two has 1,000 points."
        return joined(" ", [self.how, count, twice if self.variant.thousand else ""])

    def points(self, view: np.record, action: int) -> int:
        """Return the points a catch adds, or what a tile counts at most that is laid."""
        return int(growth(view, 0, taken(action)) if action >= CATCH else VALUE[BAIT[action]])
