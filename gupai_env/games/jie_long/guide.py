"""What people see and read of Jie Long."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.scene import Scene, Views
from gupai_env.games.connecting import table as connecting
from gupai_env.games.connecting.guide import ConnectingGuide, ConnectingHints
from gupai_env.games.jie_long.rules import SAFE
from gupai_env.messages import joined, say


def scene(
    game: Game, variant: Any, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
) -> Scene:
    """Return the table; see `Game.scene`."""
    table = connecting.scene(game, variant, views, names, payoffs)
    near = views[0]
    if variant.all_laid_doubles and near.turn and near.hand_size in near.plays[: variant.players]:
        table = replace(table, notes=(*table.notes, "all tiles of a seat are laid: points of the others count double"))
    return table


PAYMENTS = {"kkoribuchigi": say("a chip"), "kkoribuchigi_difference": say("the difference")}


class Hints(ConnectingHints):
    """Jie Long: who pays whom depends on the options."""

    def payment(self) -> str:
        """Return what the points bring, as the end of a sentence."""
        paid = super().payment()
        if self.variant.settlement in PAYMENTS:
            paid = say(
                "whoever has the fewest wins {payment} from whoever has the most and, with fewer than {safe}, from "
                "everybody over {safe}",
                payment=PAYMENTS[self.variant.settlement],
                safe=SAFE,
            )
        doubled = "if somebody plays all tiles, the points of the others count double"
        return joined("; ", [paid, doubled if self.variant.all_laid_doubles else ""])


class Guide(ConnectingGuide):
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
