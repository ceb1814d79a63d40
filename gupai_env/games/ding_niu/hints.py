"""What people read about Ding Niu and its moves."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.phrases import listed
from gupai_env.games.connecting.hints import ConnectingHints
from gupai_env.games.connecting.rules import DISCARD
from gupai_env.games.ding_niu.rules import NONE


class DingNiuHints(ConnectingHints):
    """Ding Niu: the plays that would make a suan zhang are marked."""

    def reminder(self) -> str:
        """Return the game in a sentence, as the variant is played."""
        by_points = self.variant.settlement == "points"
        reminder = super().reminder() if by_points else f"{self.turn()}: who has fewest wins."
        if not self.variant.suan_zhang:
            return reminder
        if by_points:
            return f"{reminder} If a tile makes a suan zhang, so that nothing more can be laid, the deal ends."
        return (
            f"{reminder} If your tile makes a suan zhang, so that nothing more can be laid, you win twice as much if "
            "you have fewest, and else pay it all."
        )

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a tile and the numbers it leaves open, or what discarding it costs."""
        blocks = [a for a in actions if a < DISCARD and view.makes[a] != NONE]
        if not blocks:
            return super().label(view, actions)
        lost = " you may lose" if any(view.losing[action] for action in blocks) else ""
        ends = "" if len(blocks) == len(actions) else f" {listed(listed(self.ends_after(view, a)) for a in blocks)}:"
        return f"{super().label(view, actions)},{ends} a suan zhang{lost}"
