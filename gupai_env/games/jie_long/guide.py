"""What leads newcomers through a deal of Jie Long."""

from collections.abc import Iterator, Sequence

import numpy as np

from gupai_env.games.connecting.guide import ConnectingGuide
from gupai_env.words.scene import Views


class JieLongGuide(ConnectingGuide):
    """Jie Long: points may count double, and doubles may be locked."""

    def goal(self) -> str:
        """Return the goal of the game in a line."""
        return "Get rid of your tiles by adding them to the line; whoever discards the fewest pips wins."

    def lessons(self, view: np.record, mask: np.ndarray) -> Iterator[str]:
        """Yield also what a lock is, where there is one."""
        yield from super().lessons(view, mask)
        if view.locked:
            yield "The turn came back to who laid the last tile, so no double may be laid until another tile is."

    def settled(self, views: Views, points: Sequence[int], seat: int, other: int) -> float:
        """Return how many stakes a seat wins from another one; a seat that laid all its tiles doubles the points."""
        near = views[0]
        laid_all = self.variant.all_laid_doubles and near.hand_size in near.plays[: self.variant.players]
        return super().settled(views, points, seat, other) * (2 if laid_all else 1)


GUIDE = JieLongGuide
