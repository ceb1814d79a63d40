"""What people see and read of Small Mahjong."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from gupai_env.core import table
from gupai_env.core.episode import NOBODY
from gupai_env.core.hints import Line
from gupai_env.core.scene import YOU, Pile, Views
from gupai_env.core.tiles import ONE, faces, kinds_in, size, tile_name, tile_set, tiles_in
from gupai_env.games import guide
from gupai_env.games.guide import Phrase
from gupai_env.games.phrases import says
from gupai_env.games.small_mahjong.players import hand_after
from gupai_env.games.small_mahjong.rules import DREW, HANDS, JOINED, LONGEST_WALL
from gupai_env.games.small_mahjong.triplets import POINTS, prospects, triplet_of
from gupai_env.messages import count, joined, say

COMBINATIONS = ("", "straights", "set+straight", "double set")  # by points
DISCARDS = "{name} discards {tiles}", "{name} discard {tiles}"
CLAIMS = (  # laid out, and into the hand
    ("{name} claims {tile}", "{name} claim {tile}"),
    ("{name} claims {tile} into the hand", "{name} claim {tile} into the hand"),
)
DISCARD_CAPACITY = 8  # tiles; there are seldom more


class Table(table.Table):
    """The wall, hands, triplets and discards.

    A discard that somebody is asked about is in the middle, if one of the views is that of a seat asked.
    """

    @functools.cached_property
    def choosers(self) -> list[int]:
        """The place of the seat that is asked: of all that have been asked the one farthest from the discarder."""
        views = [*enumerate(self.views)]
        turns = views[self.near.mover :] + views[: self.near.mover]
        return [place for place, view in turns if view is not None and view.offer != NOBODY][-1:]

    @property
    def acting(self) -> list[int]:
        """The seat to act."""
        return [] if self.over else self.choosers or super().acting

    @property
    def offer(self) -> int:
        """The discard that a seat is asked about, or NOBODY."""
        view = self.views[self.choosers[0]] if self.choosers else None
        return NOBODY if view is None else int(view.offer)

    def centre(self) -> Sequence[Pile]:
        """Return the wall, and a discard that nobody has claimed yet."""
        wall = Pile("wall", hidden=int(self.near.wall), capacity=LONGEST_WALL, form="stack")
        return [wall, Pile("discarded", faces(ONE[self.offer]), marked=(0,))] if self.choosers else [wall]

    def laid_out(self, place: int) -> list[tuple[int, int]]:
        """Return the triplets that a seat has laid out, tile sets, with their points."""
        return [(int(tiles), points_of(int(tiles))) for tiles in self.near.melds[place] if tiles]

    def piles(self, place: int) -> Sequence[Pile]:
        """Return a seat's hand, triplets and discards; a tile that it offers lies elsewhere."""
        melds = [Pile(COMBINATIONS[points], faces(tiles)) for tiles, points in self.laid_out(place)]
        discards = Pile("discards", faces(self.near.discards[place]), capacity=DISCARD_CAPACITY)
        return [self.hand(place), *melds, discards]

    def hand(self, place: int) -> Pile:
        """Return what of a hand the viewer knows."""
        near, view, offer = self.near, self.views[place], self.offer if place == self.near.mover else NOBODY
        if place == near.winner:
            return Pile("hand", faces(near.shown))
        if view is None:
            known = faces(near.known[place])
            still = offer != NOBODY and near.offer == NOBODY  # to a viewer that is not asked the tile is still there
            return Pile("hand", known, hidden=int(near.sizes[place] - len(known) - still))
        held = int(view.hand)
        if offer != NOBODY and size(held) + 3 * sum(tiles != 0 for tiles in view.melds[0]) > HANDS[self.deck]:
            held -= ONE[offer]
        new = view.new_tile if offer == NOBODY else NOBODY
        tile_faces = faces(held)
        return Pile("hand", tile_faces, marked=(tile_faces.index(faces(ONE[new])[0]),) if new != NOBODY else ())

    def note(self, place: int) -> list[str]:
        """Return what a seat has won, and the points of its triplets."""
        points = sum(points for _, points in self.laid_out(place))
        return [*super().note(place), count("{number} point", "{number} points", points) if points else ""]

    def notes(self) -> list[str]:
        """Return who leads, and who is asked."""
        notes: list[str] = [say("leader: {name}", name=self.names[self.near.leader])]
        if self.choosers and not self.over:
            notes.append(say("asked: {name}", name=self.names[self.choosers[0]]))
        return [*notes, *super().notes()]

    def last_move(self) -> str:
        """Return the last public move as a phrase."""
        view, names = self.near, self.names
        mover, turn = names[view.mover], view.turns - 1
        if view.winner != NOBODY:
            return says(names[view.winner], "{name} wins", "{name} win")
        if self.offer != NOBODY:
            return says(mover, *DISCARDS, tiles=tile_name(self.offer))
        if self.over:
            return "Nobody takes the last discard: a draw"
        begun = view.begun[turn]
        if begun != DREW:
            return says(mover, *CLAIMS[int(begun == JOINED)], tile=tile_name(view.thrown[turn - 1]))
        drawn = says(mover, "{name} draws", "{name} draw")
        if turn == 0 or view.thrown[turn - 1] == NOBODY:
            return drawn
        before = names[view.mover - view.steps[turn]]
        return joined(", ", [says(before, *DISCARDS, tiles=tile_name(view.thrown[turn - 1])), drawn])


KINDS_OF_TRIPLETS = "", say("two straights"), say("a set and a straight"), say("a double set")  # by points


class Guide(guide.Guide):
    """Small Mahjong: two triplets, and what a claim needs."""

    kind = "A drawing game, like Rummy: draw, discard, and complete a hand of sets"
    goal = "Be the first whose six tiles are two triplets; all others pay you the points of both."
    tasks = (
        Line("declare your win, or discard and hope for more", lambda moment: {"win", "discard"} <= moment.verbs),
        Line("declare your win", lambda moment: "win" in moment.verbs),
        Line("claim {tile}, or pass", lambda moment: "pass" in moment.verbs),
        Line("discard a tile"),
    )
    lessons = (
        Line(
            "You may take this discard, which makes a triplet with two of yours. The farther you are from who "
            "discarded it, the more points the triplet must have, unless it wins the game.",
            lambda moment: "pass" in moment.verbs,
        ),
        Line(
            "Your six tiles are two triplets: you win, and everybody pays you their points.",
            lambda moment: "win" in moment.verbs,
        ),
        Line(
            "You hold six tiles and keep five. Collect triplets: three tiles whose six numbers make two groups, sets "
            "such as 444 or straights such as 234.",
            lambda moment: "discard" in moment.verbs,
        ),
    )
    terms: ClassVar[Mapping[str, str]] = {
        "triplet": "Three tiles whose six numbers make two groups: sets such as 444, or straights such as 234.",
        "double set": "Two sets, such as 222 555: 3 points.",
        "set and straight": "Such as 222 345: 2 points. The straight must not have the number of the set.",
        "two straights": "Such as 123 456: 1 point. The straights are 123, 234, 345 and 456.",
        "claim": "To take a tile that another player has just discarded.",
        "wall": "The tiles that are drawn from.",
    }
    card_words: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        "win": "declare a win",
        "outs_next": "unseen tiles that then complete the hand",
        "points_next": "points of the wins by unseen tiles",
        "partners": "unseen tiles that make a triplet with the discard",
        "breaks": "break a triplet",
        "claim": "claim the tile",
        "claim_wins": "points of the win by a claim",
        "claim_first": "claim with no triplet in hand",
        "claim_points": "points of a triplet claimed without winning",
        "pairs": "kept pairs that an unseen tile makes a triplet",
        "twins": "pairs of equal tiles kept",
    }
    card_notes: ClassVar[Mapping[str, str]] = {
        "then complete": "After the move, and after a claim with the discard that leaves the most of them; none if the "
        "claim wins.",
        "by unseen tiles": "Add up, for each unseen tile that completes the hand after the move, the points of that "
        "win; after a claim with the discard that leaves the most points, and none if the claim wins.",
        "without winning": "None if another claim of the same tile would win.",
        "triplet with the discard": "Together with any other tile of your hand.",
        "kept pairs": "Any two tiles of your hand after the move; a tile may be in several pairs.",
    }

    phrases: ClassVar[Mapping[str, Phrase]] = {
        "win": Phrase("wins now", none="does not"),
        "claim_win": Phrase("completes your hand", none="does not", weighs=("claim_win_points",)),
        "claim_first": Phrase("gets you your first triplet", none="gets none", weighs=("join_first", "claim")),
        "outs": Phrase(
            "{waits}",
            shows={"waiting": 1},
            weighs=("weighted_outs", "claim", "claim_gain", "claim_near", "claim_middle", "claim_far"),
        ),
        "partners": Phrase(
            "gives up triplets with {number} unseen tiles",
            "gives up a triplet with one unseen tile",
            "gives up no triplet",
            better=-1,
            alike=True,
        ),
        "pairs": Phrase(
            "keeps {number} pairs that lack one tile for a triplet",
            "keeps one pair that lacks one tile for a triplet",
            "keeps no pair that lacks one tile for a triplet",
        ),
        "closed": Phrase("keeps your hand closed", none="lays tiles open"),
    }

    def facts(self, view: np.record | None) -> dict[str, Any]:
        """Return the discard that a seat is asked about."""
        return {} if view is None or view.offer == NOBODY else {"tile": tile_name(int(view.offer))}

    def slots(self, view: np.record, action: int, other: int, values: Mapping[str, float]) -> dict[str, Any]:
        """Return also how many unseen tiles complete the hand, after the best discard if one follows."""
        hand = hand_after(view, action)
        rests = [hand] if size(hand) % 3 == 2 else [hand - ONE[kind] for kind in tiles_in(kinds_in(hand))]
        waiting = max((size(view.unseen & 7 * prospects(rest)[0]) for rest in rests if rest), default=0)
        waits = count("leaves you waiting for one unseen tile", "leaves you waiting for {number} unseen tiles", waiting)
        none = say("leaves you waiting for nothing")
        return super().slots(view, action, other, values) | {"waiting": waiting, "waits": waits if waiting else none}

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield the six tiles of the winner as triplets, with their points."""
        near = views[0]
        if near.winner == NOBODY:
            yield "The wall is empty and nobody has two triplets: a draw."
            return
        name = names[max(range(len(payoffs)), key=lambda seat: payoffs[seat])]
        triplets = best_triplets(int(near.shown), [int(meld) for meld in near.melds[near.winner] if meld])
        triplets_named = joined("; ", [self._described(tiles, points) for tiles, points in triplets])
        total = sum(points for _, points in triplets)
        if name == YOU:
            yield say("Your tiles: {triplets}.", triplets=triplets_named)
            yield say("Everybody pays you the points of both, {points}.", points=total)
        else:
            yield say("{name}'s tiles: {triplets}.", name=name, triplets=triplets_named)
            yield say("Everybody pays {name} the points of both, {points}.", name=name, points=total)

    @staticmethod
    def _described(triplet: int, points: int) -> str:
        tiles = "".join(tile_name(kind) for kind in tiles_in(triplet))
        return say("{tiles}, {kind} ({points})", tiles=tiles, kind=KINDS_OF_TRIPLETS[points], points=points)


def points_of(triplet: int) -> int:
    """Return the points of a triplet, a tile set; 0 of other tiles."""
    return int(POINTS[triplet_of(triplet)])


def best_triplets(hand: int, melds: Sequence[int]) -> list[tuple[int, int]]:
    """Return the triplets of a won hand in its best split, those laid out first: tile sets and their points."""
    laid = [(tiles, points_of(tiles)) for tiles in melds]
    if size(hand) < 6:
        return [*laid, (hand, points_of(hand))] if hand else laid
    halves = [tile_set(chosen) for chosen in combinations(tiles_in(hand), 3)]
    splits = [[(part, points_of(part)) for part in (half, hand - half)] for half in halves]
    complete = [split for split in splits if all(points for _, points in split)]
    return laid + max(complete, key=lambda split: sum(points for _, points in split))
