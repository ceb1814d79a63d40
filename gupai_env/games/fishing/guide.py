"""What people see and read of a fishing game."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.hints import Hints
from gupai_env.core.scene import Pile, Place, Scene, Views
from gupai_env.core.tiles import ONE, faces, tile_name
from gupai_env.core.variant import Variant
from gupai_env.games.fishing.rules import CATCH, CATCHES_ONE, CATCHES_THREE
from gupai_env.games.guide import Guide, Payment, Phrase, between, most_first
from gupai_env.games.phrases import deal_of_match, says, seats_from, title, won_by
from gupai_env.messages import count, joined, say

LAKE_CAPACITY, CATCH_CAPACITY = 28, 24  # tiles; there are seldom more


def table_of(
    shares: Sequence[tuple[int, int]], baits: np.ndarray, move_of: Callable[[str, int], str]
) -> Callable[..., Scene]:
    """Return the `scene` of a game, which marks the tiles of the last play.

    Args:
        shares: By deck, the tiles in all hands and in the lake.
        baits: The kind that each action plays.
        move_of: Returns what a seat did by an action, from its name and the action.
    """

    def scene(
        game: Game, variant: Variant, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
    ) -> Scene:
        """Return the table; see `Game.scene`."""
        dealt, lake = shares[variant.as_rules().deck]
        return _drawn(game, variant, views, names, payoffs, dealt, lake, baits, move_of)

    return scene


def _drawn(
    game: Game,
    variant: Variant,
    views: Views,
    names: Sequence[str],
    payoffs: Sequence[float] | None,
    dealt: int,
    lake: int,
    baits: np.ndarray,
    move_of: Callable[[str, int], str],
) -> Scene:
    """Return the table of a fishing game."""
    near = views[0]
    players = variant.players
    order = seats_from(near, players)
    terminated = payoffs is not None
    own = {int(view.seat): view for view in views}
    action = int(near.record[near.plays - 1]) if near.plays else None

    laid = baits[action] if action is not None and action < CATCH else NOBODY
    centre = [_pile("lake", near.lake, LAKE_CAPACITY, laid)]
    if near.drawn != NOBODY:
        centre.append(Pile("from the stock", faces(ONE[near.drawn]), marked=(0,)))
    stock = len(game.deck(variant.as_rules())) - dealt - lake
    centre.append(Pile("stock", hidden=int(near.stock), capacity=stock, form="stack"))

    places = []
    for place, seat in enumerate(order):
        hand = Pile("hand", hidden=int(near.sizes[place]), capacity=dealt // players)
        if seat in own:
            hand = Pile("hand", faces(own[seat].hand), capacity=dealt // players)
        caught = baits[action] if action is not None and action >= CATCH and place == near.last_player else NOBODY
        words = won_by(near, place, None if payoffs is None else payoffs[seat])
        words.append(say("{points} points", points=near.points[place]))
        piles = (hand, _pile("catch", near.catches[place], CATCH_CAPACITY, caught))
        places.append(
            Place(names[seat], piles, to_act=not terminated and place == near.mover, note=joined(", ", words))
        )

    bait = "bait from the hand" if near.drawn == NOBODY else "bait from the stock"
    notes = [] if terminated else [bait]
    notes.append(say("leader: {name}", name=names[order[near.leader]]))
    notes += deal_of_match(near, terminated)
    mover = names[order[near.leader if action is None else near.last_player]]
    last_move = says(mover, "{name} leads", "{name} lead") if action is None else move_of(mover, action)
    return Scene(title(game, variant), tuple(centre), tuple(places), tuple(notes), last_move)


def _pile(label: str, tiles: int, capacity: int, marked: int) -> Pile:
    """Return a face-up pile, one tile of the kind `marked` highlighted."""
    tile_faces = faces(tiles)
    index = tile_faces.index(faces(ONE[marked])[0]) if marked != NOBODY else None
    return Pile(label, tile_faces, marked=() if index is None else (index,), capacity=capacity)


def fishing_move(name: str, bait: int, fish: int, three: bool) -> str:
    """Return what a seat did with a bait; `fish` is the kind that it caught one of, or NOBODY."""
    tile = tile_name(bait)
    if three:
        catches = "{name} catches three tiles with {bait}", "{name} catch three tiles with {bait}"
        return says(name, *catches, bait=tile)
    if fish == NOBODY:
        return says(name, "{name} lays {bait} into the lake", "{name} lay {bait} into the lake", bait=tile)
    return says(
        name, "{name} catches {fish} with {bait}", "{name} catch {fish} with {bait}", fish=tile_name(fish), bait=tile
    )


class FishingHints(Hints):
    """The fishing games: what each catch adds to your points, and what a tile laid may count for others."""

    how = (
        "Play a bait from your hand, then the top tile of the stock: it catches a tile of equal pips from the lake or "
        "is laid there."
    )
    """How a turn goes."""

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the moves of one verb."""
        if verb == "lay":
            return "Lay a tile into the lake; what it counts at most is next to it"
        if verb == CATCHES_THREE:
            return "Catch three of a kind; the points it adds to your catch are next to it"
        if verb == CATCHES_ONE:
            return "Catch a fish; the points it adds to your catch are next to it"
        return "Before your bait; the points it adds to your catch are next to it"

    def value(self, view: np.record, actions: Sequence[int]) -> float:
        """Return the points a catch adds, or less what a tile counts at most that is laid."""
        return self.points(view, actions[0]) * (1 if actions[0] >= CATCH else -1)

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a move and its points."""
        sign = "+" if actions[0] >= CATCH else ""
        return joined("  ", [super().label(view, actions), f"{sign}{self.points(view, actions[0])}"])

    def points(self, view: np.record, action: int) -> int:
        """Return the points a catch adds, or what a tile counts at most that is laid."""
        raise NotImplementedError


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
        offers = say("takes a fish without points" if move.takes else "offers nothing")
        if points:
            offers = say(
                "takes {points} that {tiles} could catch" if move.takes else "offers {points} to {tiles}",
                points=count("one point", "{number} points", points),
                tiles=count("one unseen tile", "{number} unseen tiles", catchers) if catchers else say("nobody"),
            )
        more = {
            "caught": len(move.takes) + len(move.tiles) or 2,
            "offers": offers,
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
