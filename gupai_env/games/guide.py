"""What leads newcomers through a deal: its goal, what is to be decided now, rules when they first matter, and its end.

A game that can say more than this has a module `guide` with a subclass of the same name, `Guide`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.hints import Hints, Lines
from gupai_env.core.move import PLAY, Move
from gupai_env.core.scene import Views
from gupai_env.core.tiles import tile_name
from gupai_env.core.variant import Variant
from gupai_env.messages import count, joined, say


class Payment(NamedTuple):
    """Chips that one seat pays another."""

    payer: int
    winner: int
    chips: float


class Phrase(NamedTuple):
    """What a move does, as the rest of a sentence that begins with the move: "keeps {number} tiles that fit".

    many: the template. one, none: for 1 and 0, if they are said otherwise. Their slots are the number, which is the
    value of the feature, and those of `Guide.slots`. better: 1 if more of it speaks for a move, -1 if less does. shows:
    the same of the slots and features that it shows instead; one of them must speak for a move. weighs: features that
    weigh for the same reason, besides. alike: only said of two moves of one verb. alone: only said of the better move.
    """

    many: str
    one: str = ""
    none: str = ""
    better: int = 1
    shows: Mapping[str, int] = MappingProxyType({})
    weighs: tuple[str, ...] = ()
    alike: bool = False
    alone: bool = False

    def words(self, number: float, slots: Mapping[str, Any]) -> str:
        """Return what a move does by the value of the feature."""
        if number == 0 and self.none:
            return say(self.none, **slots)
        written = int(number) if number == int(number) else number
        return count(self.one, self.many, written, **slots) if self.one else say(self.many, number=written, **slots)


# What is said of by the verbs of games; other moves go by their names.
SUBJECTS = {
    PLAY: "{tiles}",
    "discard": "discarding {tiles}",
    "lay": "laying {tiles}",
    "catches": "catching {taken} with {tiles}",
    "catches three": "catching three {tiles}",
    "claim": "claiming for {tiles}",
    "claim into the hand": "claiming the tile",
    "pass": "passing",
    "win": "winning",
    "heaven pair": "laying the heaven pair",
    "declare eight doubles": "declaring eight doubles",
    "demand a redeal": "demanding a redeal",
    "play on": "playing on",
}


class Guide(Hints):
    """The texts for people who play a game, about its moves and for newcomers; each is one or more whole sentences.

    Attributes:
        kind: What kind of game it is, in a few words.
        goal: The goal of the game in a line.
        tasks: What is to be done now, such as "match the {ends}, or discard a tile": the first that applies.
        lessons: Rules when they matter; a page shows each the first time that it applies.
        terms: What the terms of the game mean, by term.
        phrases: What a move does, by the feature that its number is; features without one are not spoken of.
        card_words: What rules of cards may be about, by feature: what a move does ("lay a double"), what it has most or
            fewest of ("pips on the tile laid"), or for both a whole phrase ("the weakest tile"); where all moves are
            alike, of the position ("you lead", "you do not lead"; "at least {number} red pips lie on the table").
        card_notes: How to count what a card speaks of, by a part of its phrases.
    """

    kind: ClassVar[str] = ""
    tasks: ClassVar[Lines] = ()
    lessons: ClassVar[Lines] = ()
    terms: ClassVar[Mapping[str, str]] = {}
    phrases: ClassVar[Mapping[str, Phrase]] = {}
    card_words: ClassVar[Mapping[str, str | tuple[str, str]]] = {}
    card_notes: ClassVar[Mapping[str, str]] = {}

    @property
    def goal(self) -> str:
        """The goal of a game that says none, its reminder."""
        return self.game.hints(self.game, self.variant).reminder()

    def task(self, view: np.record, mask: np.ndarray) -> str:
        """Return what the viewer is to do now.

        Args:
            mask: bool [num_actions], the legal actions; there is at least one.
        """
        return next(self.applicable(self.tasks, view, mask), "choose your move")

    def lessons_at(self, view: np.record, mask: np.ndarray) -> list[str]:
        """Return the rules that matter in this decision; the arguments are those of `task`."""
        return list(self.applicable(self.lessons, view, mask))

    def subject(self, view: np.record, action: int) -> str:
        """Return a move as a sentence begins that says what it does: "[6:4]", or "discarding [6:4]"."""
        move = self.game.move(action, view).unturned
        if move.groups or move.verb not in SUBJECTS:
            return move.name
        return say(SUBJECTS[move.verb], tiles=tiles_of(move), taken="".join(map(tile_name, move.takes[:1])))

    def slots(self, view: np.record, action: int, other: int, values: Mapping[str, float]) -> dict[str, Any]:
        """Return the slots of phrases for a move: the tiles of the other one, and what a game adds.

        Args:
            other: The action that it is compared with.
            values: The features of the move, by name.
        """
        return {"other": tiles_of(self.game.move(other, view))}

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield in the game's terms why a deal, which is over, ended as it did.

        Args:
            views: By seat, of the end of the deal.
            names: By seat; "You" for the reader's.
            payoffs: Chips by seat.
        """
        yield from ()

    def points(self, views: Views) -> list[int]:
        """Return the points of all seats at the end of a deal; none in a game whose seats do not settle them."""
        return []

    def settled(self, views: Views, points: Sequence[int], seat: int, other: int) -> float:
        """Return the chips that a seat wins from another one by the points of all."""
        return points[seat] - points[other]

    def payments(self, views: Views, payoffs: Sequence[float]) -> list[Payment]:
        """Return who pays whom in a deal that is over; nothing where payoffs alone do not show it.

        Args:
            views, payoffs: As of `reasons`.
        """
        points = self.points(views)
        return between(payoffs, lambda *seats: self.settled(views, points, *seats)) if points else direct(payoffs)


def tiles_of(move: Move) -> str:
    """Return the tiles that a move plays: "[6:6][6:3]"."""
    return "".join(map(tile_name, move.tiles))


def guide_of(game: Game, variant: Variant) -> Guide:
    """Return the guide of a game, a plain one where the game has none of its own."""
    hints = game.hints(game, variant)
    return hints if isinstance(hints, Guide) else Guide(game, variant)


def direct(payoffs: Sequence[float]) -> list[Payment]:
    """Return who pays whom where there is one winner or one loser."""
    winners = [seat for seat, chips in enumerate(payoffs) if chips > 0]
    losers = [seat for seat, chips in enumerate(payoffs) if chips < 0]
    if len(winners) == 1:
        return [Payment(seat, winners[0], -payoffs[seat]) for seat in losers]
    if len(losers) == 1:
        return [Payment(losers[0], seat, payoffs[seat]) for seat in winners]
    return []


def between(payoffs: Sequence[float], chips: Callable[[int, int], float]) -> list[Payment]:
    """Return who pays whom where every two seats settle.

    Args:
        chips: What the first seat wins from the second. Where that is not what was paid, nothing is returned.
    """
    seats = range(len(payoffs))
    transfers = [Payment(other, seat, won) for seat in seats for other in seats if (won := chips(seat, other)) > 0]
    sums = [
        sum(transfer.chips * ((transfer.winner == seat) - (transfer.payer == seat)) for transfer in transfers)
        for seat in seats
    ]
    return transfers if np.allclose(sums, payoffs) else direct(payoffs)


def fewest_first(names: Sequence[str], counts: Sequence[int]) -> str:
    """Return who has fewest points in a sentence: "Fewest points: West 7, You 12, East 15, North 31."."""
    ranked = sorted(range(len(names)), key=lambda seat: counts[seat])
    return say("Fewest points: {seats}.", seats=counted(names, counts, ranked))


def most_first(names: Sequence[str], counts: Sequence[int]) -> str:
    """Return who has most points in a sentence, as `fewest_first`."""
    ranked = sorted(range(len(names)), key=lambda seat: -counts[seat])
    return say("Most points: {seats}.", seats=counted(names, counts, ranked))


def counted(names: Sequence[str], counts: Sequence[int], seats: Iterable[int]) -> str:
    """Return how many each seat has: "West 7, You 12".

    Args:
        names: Of the seats.
        counts: Of each seat.
        seats: Those that are listed.
    """
    return joined(", ", [say("{name} {number}", name=names[seat], number=counts[seat]) for seat in seats])
