"""What people see and read of Jie Long."""

from collections.abc import Sequence

from gupai_env.core.hints import Line
from gupai_env.core.scene import Views
from gupai_env.games.connecting import table
from gupai_env.games.connecting.guide import ConnectingGuide
from gupai_env.games.jie_long.rules import SAFE
from gupai_env.messages import joined, say


class Table(table.Table):
    """Jie Long: points may count double."""

    def notes(self) -> list[str]:
        """Return what is noted of the moment, and whether points count double."""
        near, notes = self.near, super().notes()
        if self.variant.all_laid_doubles and near.turn and near.hand_size in near.plays[: self.variant.players]:
            notes.append("all tiles of a seat are laid: points of the others count double")
        return notes


PAYMENTS = {"kkoribuchigi": say("a chip"), "kkoribuchigi_difference": say("the difference")}


class Guide(ConnectingGuide):
    """Jie Long: who pays whom depends on the options, points may count double, and doubles may be locked."""

    goal = "Get rid of your tiles by adding them to the line; whoever discards the fewest pips wins."
    lessons = (
        *ConnectingGuide.lessons,
        Line(
            "The turn came back to who laid the last tile, so no double may be laid until another tile is.",
            lambda moment: moment.view.locked,
        ),
    )

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

    def settled(self, views: Views, points: Sequence[int], seat: int, other: int) -> float:
        """Return how many stakes a seat wins from another one; a seat that laid all its tiles doubles the points."""
        near = views[0]
        laid_all = self.variant.all_laid_doubles and near.hand_size in near.plays[: self.variant.players]
        return super().settled(views, points, seat, other) * (2 if laid_all else 1)
