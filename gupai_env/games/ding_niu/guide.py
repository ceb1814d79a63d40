"""What people see and read of Ding Niu."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.scene import Scene, Views
from gupai_env.core.tiles import HIGHEST
from gupai_env.core.variant import Variant
from gupai_env.games.connecting import table as connecting
from gupai_env.games.connecting.guide import ConnectingGuide, ConnectingHints
from gupai_env.games.connecting.rules import DISCARD
from gupai_env.games.ding_niu.rules import CLASSIC, NONE
from gupai_env.games.guide import Payment, Phrase, direct, fewest_first
from gupai_env.games.phrases import listed
from gupai_env.messages import joined, say


def scene(
    game: Game, variant: Variant, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
) -> Scene:
    """Return the table; see `Game.scene`."""
    table, near = connecting.scene(game, variant, views, names, payoffs), views[0]
    if not near.suan_zhang:
        return table
    maker = names[(int(near.seat) + int(near.direction) * int(near.maker)) % variant.players]
    if near.suan_zhang == CLASSIC:
        note = say("classic suan zhang by {name}", name=maker)
    else:
        note = say("smothered suan zhang by {name}", name=maker)
    return replace(table, notes=(*table.notes, note))


class Hints(ConnectingHints):
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


class Guide(ConnectingGuide):
    """Ding Niu: the suan zhang and its maker."""

    terms: ClassVar[Mapping[str, str]] = {
        **ConnectingGuide.terms,
        "suan zhang": "A block: no tile that is left fits an open end. Who laid the tile that makes it is the maker.",
        "smothered": "A suan zhang in which tiles with the open number are left, but nothing leads to them.",
        "maker": "Who made the suan zhang: with fewest points they win twice as much, else they pay for all.",
    }
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

    def __init__(self, game: Game, variant: Variant) -> None:
        """Make the guide of a variant.

        Args:
            game, variant: What is played.
        """
        super().__init__(game, variant)
        self.by_points: bool = self.variant.settlement == "points"
        unused = ["maker"] if self.by_points else []
        if not self.variant.suan_zhang:
            unused = ["suan zhang", "smothered", "maker"]
        self.terms = {term: words for term, words in type(self).terms.items() if term not in unused}  # type: ignore[misc]

    def goal(self) -> str:
        """Return the goal of the game in a line."""
        if self.by_points or not self.variant.suan_zhang:
            return "Discard fewer pips than the others."
        return "Discard fewer pips than the others, and block the line only if you come first."

    def lessons(self, view: np.record, mask: np.ndarray) -> Iterator[str]:
        """Yield also the price of a suan zhang, once one can be made."""
        yield from super().lessons(view, mask)
        if any(mask[action] and view.makes[action] != NONE for action in range(DISCARD)):
            price = "You win twice as much if you then have the fewest points, and else you pay for all."
            if self.by_points:
                price = "The tiles left in hand then count like discards."
            yield joined(" ", ["One of your tiles would make a suan zhang: nothing more can be laid then.", price])

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield the suan zhang and its maker, and the points."""
        near = views[0]
        if near.suan_zhang:
            maker = (int(near.seat) + int(near.direction) * int(near.maker)) % self.variant.players
            if near.suan_zhang == CLASSIC:
                yield say("{name} made a classic suan zhang: nothing more could be laid.", name=names[maker])
            else:
                yield say("{name} made a smothered suan zhang: nothing more could be laid.", name=names[maker])
        yield fewest_first(names, self.points(views))

    def payments(self, views: Views, payoffs: Sequence[float]) -> list[Payment]:
        """Return who pays the winner, or what every two seats settle."""
        return super().payments(views, payoffs) if self.by_points else direct(payoffs)
