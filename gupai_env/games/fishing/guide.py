"""What people see and read of a fishing game."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gupai_env.core import table
from gupai_env.core.episode import NOBODY
from gupai_env.core.hints import Line, Lines
from gupai_env.core.scene import Pile, Views
from gupai_env.core.tiles import ONE, faces, tile_name
from gupai_env.games.fishing.rules import CATCH, CATCHES_ONE, CATCHES_THREE
from gupai_env.games.guide import Guide, Phrase, most_first
from gupai_env.games.phrases import says
from gupai_env.messages import count, say

LAKE_CAPACITY, CATCH_CAPACITY = 28, 24  # tiles; there are seldom more
DONE = {  # by verb, what a seat did, and what you did
    "lay": ("{name} lays {bait} into the lake", "{name} lay {bait} into the lake"),
    CATCHES_ONE: ("{name} catches {fish} with {bait}", "{name} catch {fish} with {bait}"),
    CATCHES_THREE: ("{name} catches three tiles with {bait}", "{name} catch three tiles with {bait}"),
    "heaven pair": ("{name} lays a heaven pair into the catch", "{name} lay a heaven pair into the catch"),
}


class Table(table.Table):
    """The lake, the stock, hands and catches; the tiles of the last play are marked."""

    @property
    def action(self) -> int | None:
        """The last play."""
        return int(self.near.record[self.near.plays - 1]) if self.near.plays else None

    def played(self, label: str, tiles: int, capacity: int, here: bool) -> Pile:
        """Return a pile, face up, in which the bait of the last play is marked if it went here.

        Args:
            label: Of the pile.
            tiles: A tile set.
            capacity: Tiles for which a picture keeps space.
            here: Whether the bait of the last play went here.
        """
        tile_faces = faces(tiles)
        marked = (tile_faces.index(faces(ONE[self.rules.BAIT[self.action]])[0]),) if here else ()
        return Pile(label, tile_faces, marked=marked, capacity=capacity)

    @property
    def rules(self) -> Any:
        """The module of the game's rules."""
        return self.game.modules[0]

    def centre(self) -> Sequence[Pile]:
        """Return the lake, the tile that is turned up, and the stock."""
        near, action = self.near, self.action
        drawn = [Pile("from the stock", faces(ONE[near.drawn]), marked=(0,))] if near.drawn != NOBODY else []
        stock = len(self.game.decks[self.deck]) - sum(self.rules.SHARES[self.deck])
        return [
            self.played("lake", near.lake, LAKE_CAPACITY, action is not None and action < CATCH),
            *drawn,
            Pile("stock", hidden=int(near.stock), capacity=stock, form="stack"),
        ]

    def piles(self, place: int) -> Sequence[Pile]:
        """Return a seat's hand and catch."""
        near, action = self.near, self.action
        caught = action is not None and action >= CATCH and place == near.last_player
        return [
            self.pile("hand", place, "hand", "sizes", capacity=self.rules.SHARES[self.deck][0] // self.variant.players),
            self.played("catch", near.catches[place], CATCH_CAPACITY, caught),
        ]

    def note(self, place: int) -> list[str]:
        """Return what a seat has won, and its points."""
        return [*super().note(place), say("{points} points", points=self.near.points[place])]

    def notes(self) -> list[str]:
        """Return where the bait is to come from, and who led."""
        bait = "bait from the hand" if self.near.drawn == NOBODY else "bait from the stock"
        leader = say("leader: {name}", name=self.names[self.near.leader])
        return [*[bait] * (not self.over), leader, *super().notes()]

    def last_move(self) -> str:
        """Return the last play."""
        near, names = self.near, self.names
        if self.action is None:
            return says(names[near.leader], "{name} leads", "{name} lead")
        move = self.game.moves[self.action]
        bait, *fish = map(tile_name, (*(move.tiles or (0,)), *move.takes[:1]))
        return says(names[near.last_player], *DONE[move.verb], bait=bait, fish="".join(fish))


CAUGHT = {CATCHES_ONE, CATCHES_THREE}


class FishingGuide(Guide):
    """The fishing games: a bait from the hand, then one from the stock.

    With each move stands what the catch adds to your points, or what a tile laid may count for others.
    """

    how = Line(
        "Play a bait from your hand, then the top tile of the stock: it catches a tile of equal pips from the lake or "
        "is laid there."
    )
    """How a turn goes."""

    headings: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        "lay": "Lay a tile into the lake; what it counts at most is next to it",
        CATCHES_THREE: "Catch three of a kind; the points it adds to your catch are next to it",
        CATCHES_ONE: "Catch a fish; the points it adds to your catch are next to it",
        "": "Before your bait; the points it adds to your catch are next to it",
    }
    tasks: ClassVar[Lines] = (
        Line(
            "catch a fish with {tile} from the stock",
            lambda moment: moment.view.drawn != NOBODY and moment.verbs & CAUGHT,
        ),
        Line("lay {tile} from the stock into the lake", lambda moment: moment.view.drawn != NOBODY),
        Line(
            "choose a bait from your hand, then its fish, or lay a tile into the lake",
            lambda moment: moment.verbs & CAUGHT,
        ),
        Line("lay a tile into the lake"),
    )
    lessons: ClassVar[Lines] = (
        Line(
            "The top tile of the stock is your second bait: it is played at once, and that ends your turn.",
            lambda moment: moment.view.drawn != NOBODY,
        ),
        Line(
            "A bait from your hand catches a tile of the lake with as many pips. Both of them count for you.",
            lambda moment: moment.view.drawn == NOBODY and moment.verbs & CAUGHT,
        ),
        Line(
            "None of your tiles catches anything, so you must lay one, a fish for the others.",
            lambda moment: moment.view.drawn == NOBODY and not moment.verbs & CAUGHT,
        ),
    )
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
    tile_counts: ClassVar[tuple[str, str]] = ("one point", "{number} points")
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

    def facts(self, view: np.record | None) -> dict[str, Any]:
        """Return the tile of the stock that is to be played."""
        return {} if view is None or view.drawn == NOBODY else {"tile": tile_name(int(view.drawn))}

    def value(self, view: np.record, actions: Sequence[int]) -> float:
        """Return the points a catch adds, or less what a tile counts at most that is laid."""
        return self.adds(view, actions[0]) * (1 if actions[0] >= CATCH else -1)

    def remark(self, view: np.record, action: int) -> str:
        """Return the points of a move."""
        return f"{'+' * (action >= CATCH)}{self.adds(view, action)}"

    def adds(self, view: np.record, action: int) -> int:
        """Return the points a catch adds, or what a tile counts at most that is laid."""
        raise NotImplementedError

    def slots(self, view: np.record, action: int, other: int, values: Mapping[str, float]) -> dict[str, Any]:
        """Return also how many tiles are caught, and what the other players may catch, or no longer.

        Args:
            view: What the person knows.
            action, other: Two legal actions, of which the first is described.
            values: The features of the first, by name.
        """
        move = self.game.move(action, view)
        kinds = move.takes or move.tiles  # those of a heaven pair need not be named
        points, catchers = (int(self.tile_points[kinds[0]]), int(view.rivals[kinds[0]])) if kinds else (0, 0)
        offers = say("takes a fish without points" if move.takes else "offers nothing")
        if points:
            offers = say(
                "takes {points} that {tiles} could catch" if move.takes else "offers {points} to {tiles}",
                points=count(*self.tile_counts, points),
                tiles=count("one unseen tile", "{number} unseen tiles", catchers) if catchers else say("nobody"),
            )
        more = {
            "caught": len(move.takes) + len(move.tiles) or 2,
            "offers": offers,
            "offered": -points * catchers if move.takes else points * catchers,
        }
        return super().slots(view, action, other, values) | more

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield the points of all catches.

        Args:
            views: What each seat knows at the end.
            names: Of the seats.
            payoffs: Chips of each seat.
        """
        yield most_first(names, self.points(views))

    def points(self, views: Views) -> list[int]:
        """Return the points of all seats."""
        return [int(view.points[0]) for view in views]
