"""What people read about Deer Hunt and its moves."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.heuristic import weights_row
from gupai_env.core.hints import Hints
from gupai_env.core.tiles import RED
from gupai_env.games.deer_hunt.players import FEATURES, HEURISTICS, score, trick_of
from gupai_env.games.deer_hunt.rules import DeerHunt
from gupai_env.words.messages import joined, say

BY_RED = weights_row(FEATURES, HEURISTICS["greedy"])


class DeerHuntHints(Hints):
    """Deer Hunt: every tile with its red pips and whether it takes the trick as it is."""

    variant: DeerHunt

    def reminder(self) -> str:
        """Return the game in a sentence."""
        reminder = (
            "You and your partner opposite collect tricks with red pips: ones, fours, and six on [6:6]. Play any tile. "
            "The larger half decides, then the smaller; of equal tiles the earlier takes the trick."
        )
        if self.variant.escape:
            return joined(" ", [reminder, "A trick of four tiles with red pips counts for nobody."])
        return reminder

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the moves."""
        return "Your tiles, with their red pips"

    def value(self, view: np.record, actions: Sequence[int]) -> float:
        """Return about how many red pips a tile brings to the side now."""
        return float(score(view, actions[0], BY_RED))

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a tile with its red pips, and whether it takes the trick as it is."""
        red = int(RED[actions[0]])
        taker = trick_of(view, actions[0])[3] if view.lying else None
        pips = joined(", ", [say("{red} red", red=red), "takes the trick so far" if taker == 0 else ""])
        return joined("  ", [super().label(view, actions), pips])
