"""What people see and read of Ding Niu."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.hints import Line, Moment
from gupai_env.core.move import PLAY
from gupai_env.core.scene import Views
from gupai_env.core.tiles import HIGHEST
from gupai_env.games.connecting import table
from gupai_env.games.connecting.guide import ConnectingGuide
from gupai_env.games.connecting.rules import DISCARD
from gupai_env.games.ding_niu.rules import CLASSIC, NONE, SMOTHERED
from gupai_env.games.guide import Payment, Phrase, direct
from gupai_env.games.phrases import listed
from gupai_env.messages import joined, say

NOTES = {CLASSIC: "classic suan zhang by {name}", SMOTHERED: "smothered suan zhang by {name}"}
REASONS = {
    CLASSIC: "{name} made a classic suan zhang: nothing more could be laid.",
    SMOTHERED: "{name} made a smothered suan zhang: nothing more could be laid.",
}


TERMS = {
    "suan zhang": "A block: no tile that is left fits an open end. Who laid the tile that makes it is the maker.",
    "smothered": "A suan zhang in which tiles with the open number are left, but nothing leads to them.",
    "maker": "Who made the suan zhang: with fewest points they win twice as much, else they pay for all.",
}


class Table(table.Table):
    """Ding Niu: the suan zhang and its maker."""

    def notes(self) -> list[str]:
        """Return what is noted of the moment, and who made a suan zhang."""
        near, notes = self.near, super().notes()
        return [*notes, say(NOTES[int(near.suan_zhang)], name=self.names[near.maker])] if near.suan_zhang else notes


def by_points(variant: Any) -> bool:
    """Return whether every two players settle their points, whoever made a suan zhang."""
    return bool(variant.settlement == "points")


def may_block(moment: Moment) -> bool:
    """Return whether a tile would make a suan zhang."""
    return PLAY in moment.verbs and any(made != NONE for made in moment.view.makes)


class Guide(ConnectingGuide):
    """Ding Niu: the suan zhang and its maker; the plays that would make one are marked."""

    reminders = (
        Line(
            "If a tile makes a suan zhang, so that nothing more can be laid, the deal ends.",
            lambda moment: moment.variant.suan_zhang and by_points(moment.variant),
        ),
        Line(
            "If your tile makes a suan zhang, so that nothing more can be laid, you win twice as much if you have "
            "fewest, and else pay it all.",
            lambda moment: moment.variant.suan_zhang and not by_points(moment.variant),
        ),
    )
    lessons = (
        *ConnectingGuide.lessons,
        Line(
            "One of your tiles would make a suan zhang: nothing more can be laid then. The tiles left in hand then "
            "count like discards.",
            lambda moment: by_points(moment.variant) and may_block(moment),
        ),
        Line(
            "One of your tiles would make a suan zhang: nothing more can be laid then. You win twice as much if you "
            "then have the fewest points, and else you pay for all.",
            lambda moment: not by_points(moment.variant) and may_block(moment),
        ),
    )
    card_words: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        **ConnectingGuide.card_words,
        "block": "make a suan zhang",
        "margin": "pips that you lead by",
        **{
            f"leave_{number}": say("lay a tile and leave {number} open", number=number)
            for number in range(1, HIGHEST + 1)
        },
    }
    card_notes: ClassVar[Mapping[str, str]] = {
        **ConnectingGuide.card_notes,
        "lead by": "Count seven pips for each tile, in hand or discarded, of the other player who has the fewest; "
        "you lead by as much as the pips in your own hand, after the move, and on your discards are less, or by 0.",
    }

    phrases: ClassVar[Mapping[str, Phrase]] = {
        **ConnectingGuide.phrases,
        "block_won": Phrase("makes a suan zhang that you should win", none="makes none"),
        "block_lost": Phrase("makes a suan zhang that you may lose", none="makes none", better=-1),
        "own_threat": Phrase(
            "lets {number} of your tiles make a suan zhang next",
            "lets one of your tiles make a suan zhang next",
            "lets none of your tiles make a suan zhang next",
        ),
        "threat": Phrase(
            "lets {number} unseen tiles make a suan zhang",
            "lets one unseen tile make a suan zhang",
            "lets no unseen tile make a suan zhang",
            better=-1,
        ),
    }

    @property
    def terms(self) -> Mapping[str, str]:  # type: ignore[override]
        """What the terms of the game mean, those of a suan zhang if one can be made."""
        names = [*TERMS][: 2 if by_points(self.variant) else 3] if self.variant.suan_zhang else []
        return {**ConnectingGuide.terms, **{term: TERMS[term] for term in names}}

    @property
    def goal(self) -> str:
        """The goal of the game in a line."""
        if by_points(self.variant) or not self.variant.suan_zhang:
            return "Discard fewer pips than the others."
        return "Discard fewer pips than the others, and block the line only if you come first."

    def payment(self) -> str:
        """Return what the points bring, as the end of a sentence."""
        return super().payment() if by_points(self.variant) else "whoever has the fewest wins"

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

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield the suan zhang and its maker, and the points."""
        near = views[0]
        if near.suan_zhang:
            maker = (int(near.seat) + int(near.direction) * int(near.maker)) % self.variant.players
            yield say(REASONS[int(near.suan_zhang)], name=names[maker])
        yield from super().reasons(views, names, payoffs)

    def payments(self, views: Views, payoffs: Sequence[float]) -> list[Payment]:
        """Return who pays the winner, or what every two seats settle."""
        return super().payments(views, payoffs) if by_points(self.variant) else direct(payoffs)
