"""What leads newcomers through a deal of a fishing game."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.tiles import tile_name
from gupai_env.games.fishing.rules import CATCH
from gupai_env.games.guide import Guide, Payment, Phrase, between, most_first
from gupai_env.words.messages import count, say
from gupai_env.words.scene import Views


class FishingGuide(Guide):
    """The fishing games: a bait from the hand, then one from the stock."""

    kind = "A fishing game, like Scopa: a tile of the hand catches tiles on the table"
    terms: ClassVar[Mapping[str, str]] = {
        "lake": "The tiles that lie face up in the middle.",
        "bait": "The tile that you play to catch one of the lake.",
        "fish": "A tile of the lake, which a bait of equal pips catches.",
        "stock": "The tiles that lie face down; its top one is your second bait in every turn.",
    }
    card_words: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        "catch": "catch something",
        "catchers": "unseen tiles that catch the tile laid",
        "own_catchers": "kept tiles that catch the tile laid",
        "left": "points left in the lake",
        "caught": "points left in the lake that unseen tiles catch",
        "later": "points left in the lake that kept tiles catch",
        "pile": "catch three with the fourth",
        "third": "lay the third of a kind",
        "own_third": "lay the third of a kind and keep the fourth",
    }

    tile_points: ClassVar[np.ndarray]  # [KINDS], of a tile that somebody else catches
    phrases: ClassVar[Mapping[str, Phrase]] = {
        "points": Phrase(
            "adds {number} points to your catch",
            "adds one point to your catch",
            "adds nothing to your catch",
            weighs=("sets",),
        ),
        "catch": Phrase("puts {caught} tiles into your catch", none="puts none there", weighs=("laid", "laid_now")),
        "gives": Phrase("{offers}", shows={"offered": -1}, weighs=("gives_best", "risk", "laid_now", "laid")),
        "own_catchers": Phrase(
            "keeps {number} tiles that can catch it back",
            "keeps a tile that can catch it back",
            "keeps none that can catch it back",
            weighs=("again",),
            alike=True,
        ),
        "pile": Phrase("catches three with the fourth", none="does not"),
    }

    def catches(self, mask: np.ndarray) -> bool:
        """Return whether a bait catches a fish."""
        return bool(mask[CATCH:].any())

    def task(self, view: np.record, mask: np.ndarray) -> str:
        """Return which bait is to be played."""
        catches = self.catches(mask)
        if view.drawn != NOBODY:
            tile = tile_name(int(view.drawn))
            if catches:
                return say("catch a fish with {tile} from the stock", tile=tile)
            return say("lay {tile} from the stock into the lake", tile=tile)
        return (
            "choose a bait from your hand, then its fish, or lay a tile into the lake"
            if catches
            else "lay a tile into the lake"
        )

    def slots(self, view: np.record, action: int, other: int, values: Mapping[str, float]) -> dict[str, Any]:
        """Return also how many tiles are caught, and what the other players may catch, or no longer."""
        move = self.game.move(action, view)
        kinds = move.takes or move.tiles  # those of a heaven pair need not be named
        points, catchers = (int(self.tile_points[kinds[0]]), int(view.rivals[kinds[0]])) if kinds else (0, 0)
        offers = say(
            "takes {points} that {tiles} could catch" if move.takes else "offers {points} to {tiles}",
            points=count("one point", "{number} points", points) if points else say("no points"),
            tiles=count("one unseen tile", "{number} unseen tiles", catchers) if catchers else say("nobody"),
        )
        more = {
            "caught": len(move.takes) + len(move.tiles) or 2,
            "offers": offers if kinds else say("offers nothing"),
            "offered": -points * catchers if move.takes else points * catchers,
        }
        return super().slots(view, action, other, values) | more

    def lessons(self, view: np.record, mask: np.ndarray) -> Iterator[str]:
        """Yield what a bait is, and what follows."""
        if view.drawn != NOBODY:
            yield "The top tile of the stock is your second bait: it is played at once, and that ends your turn."
        elif self.catches(mask):
            yield "A bait from your hand catches a tile of the lake with as many pips. Both of them count for you."
        else:
            yield "None of your tiles catches anything, so you must lay one, a fish for the others."

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield the points of all catches."""
        yield most_first(names, self.points(views))

    def payments(self, views: Views, payoffs: Sequence[float]) -> list[Payment]:
        """Return what every two seats settle."""
        points = self.points(views)
        return between(payoffs, lambda seat, other: self.settled(points, seat, other))

    def settled(self, points: Sequence[int], seat: int, other: int) -> float:
        """Return what a seat wins from another one."""
        return points[seat] - points[other]

    @staticmethod
    def points(views: Views) -> list[int]:
        """Return the points of all seats."""
        return [int(view.points[0]) for view in views]
