"""The table of a splitting game, drawn from views alone: no split shows before its time."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core import table
from gupai_env.core.scene import Pile
from gupai_env.games.splitting.rules import UNSPLIT


class SplittingTable(table.Table):
    """Hands, or the groups into which they were split."""

    @property
    def over(self) -> bool:
        """Whether all hands are open."""
        return bool(self.near.splits[1] != UNSPLIT)

    @property
    def acting(self) -> list[int]:
        """The seats that split their hands now."""
        return self.choosers

    def seen(self, place: int) -> tuple[np.record, int]:
        """Return the view that shows most of a hand, and the place of its seat there."""
        view = self.views[place]
        return (self.near, place) if view is None else (view, 0)

    def size(self) -> int:
        """Return how many tiles each seat is dealt."""
        raise NotImplementedError

    def groups(self, place: int) -> Sequence[Pile]:
        """Return the groups of a hand whose split shows."""
        raise NotImplementedError

    def piles(self, place: int) -> Sequence[Pile]:
        """Return a hand, or the groups into which it was split, as far as a view shows it."""
        view, offset = self.seen(place)
        if view.hands[offset] and view.splits[offset] != UNSPLIT:
            return self.groups(place)
        tiles = self.ranked(view.hands[offset])
        return [Pile("hand", tiles, hidden=0 if tiles else self.size(), capacity=self.size())]

    def last_move(self) -> str:
        """Return that hands are split."""
        return "Everybody splits a hand, unseen by the others"
