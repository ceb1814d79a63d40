"""What people read about Ding Niu and its moves."""

from collections.abc import Sequence

import numpy as np

from gupai_env.games.connecting.hints import ConnectingHints
from gupai_env.games.connecting.rules import DISCARD
from gupai_env.games.ding_niu.rules import NONE
from gupai_env.games.phrases import listed
from gupai_env.words.messages import joined, say


class DingNiuHints(ConnectingHints):
    """Ding Niu: the plays that would make a suan zhang are marked."""

    def reminder(self) -> str:
        """Return the game in a sentence, as the variant is played."""
        if not self.variant.suan_zhang:
            return super().reminder()
        block = (
            "If a tile makes a suan zhang, so that nothing more can be laid, the deal ends."
            if self.variant.settlement == "points"
            else "If your tile makes a suan zhang, so that nothing more can be laid, you win twice as much if you have "
            "fewest, and else pay it all."
        )
        return joined(" ", [super().reminder(), block])

    def payment(self) -> str:
        """Return what the points bring, as the end of a sentence."""
        return super().payment() if self.variant.settlement == "points" else "whoever has the fewest wins"

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a tile and the numbers it leaves open, or what discarding it costs."""
        blocks = [a for a in actions if a < DISCARD and view.makes[a] != NONE]
        if not blocks:
            return super().label(view, actions)
        loses = any(view.losing[action] for action in blocks)
        block = say("a suan zhang you may lose" if loses else "a suan zhang")
        if len(blocks) < len(actions):
            block = say("{ends}: {block}", ends=listed(listed(self.ends_after(view, a)) for a in blocks), block=block)
        return joined(", ", [super().label(view, actions), block])
