"""What leads newcomers through a deal of Ding Niu."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np

from gupai_env.core.guide import Payment, direct, fewest_first
from gupai_env.games.connecting.guide import ConnectingGuide
from gupai_env.games.connecting.rules import DISCARD
from gupai_env.games.ding_niu.rules import CLASSIC, NONE


class DingNiuGuide(ConnectingGuide):
    """Ding Niu: the suan zhang and its maker."""

    terms: ClassVar[Mapping[str, str]] = {
        **ConnectingGuide.terms,
        "suan zhang": "A block: no tile that is left fits an open end. Who laid the tile that makes it is the maker.",
        "smothered": "A suan zhang in which tiles with the open number are left, but nothing leads to them.",
        "maker": "Who made the suan zhang: with fewest points they win twice as much, else they pay for all.",
    }

    def goal(self) -> str:
        """Return the goal of the game in a line."""
        return "Discard fewer pips than the others, and block the line only if you come first."

    def lessons(self, view: np.record, mask: np.ndarray) -> Iterator[str]:
        """Yield also the price of a suan zhang, once one can be made."""
        yield from super().lessons(view, mask)
        if any(mask[action] and view.makes[action] != NONE for action in range(DISCARD)):
            yield (
                "One of your tiles would make a suan zhang: nothing more can be laid then. You win twice as much if "
                "you then have the fewest points, and else you pay for all."
            )

    def reasons(self, views: Sequence[np.record], names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield the suan zhang and its maker, and the points."""
        near = views[0]
        if near.suan_zhang:
            maker = (int(near.seat) + int(near.direction) * int(near.maker)) % self.variant.players
            kind = "classic" if near.suan_zhang == CLASSIC else "smothered"
            yield f"{names[maker]} made a {kind} suan zhang: nothing more could be laid."
        yield fewest_first(names, self.points(views), "points")

    def payments(self, views: Sequence[np.record], payoffs: Sequence[float]) -> list[Payment]:
        """Return who pays the winner."""
        return direct(payoffs)


GUIDE = DingNiuGuide
