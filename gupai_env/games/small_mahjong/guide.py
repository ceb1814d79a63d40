"""What leads newcomers through a deal of Small Mahjong."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.tiles import ONE, kinds_in, size, tile_name, tile_set, tiles_in
from gupai_env.games.guide import Guide, Phrase
from gupai_env.games.small_mahjong.players import hand_after
from gupai_env.games.small_mahjong.rules import PASS, WIN
from gupai_env.games.small_mahjong.triplets import POINTS, TILES, prospects, triplet_of
from gupai_env.words.messages import count, joined, say
from gupai_env.words.scene import YOU, Views

KINDS_OF_TRIPLETS = "", say("two straights"), say("a set and a straight"), say("a double set")  # by points


class SmallMahjongGuide(Guide):
    """Small Mahjong: two triplets, and what a claim needs."""

    kind = "A drawing game, like Rummy: draw, discard, and complete a hand of sets"
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
        "then complete": "After the move, and after a claim with the discard that leaves the most of them.",
        "by unseen tiles": "Add up, for each unseen tile that completes the hand after the move, the points of that "
        "win; after a claim with the discard that leaves the most points.",
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

    def goal(self) -> str:
        """Return the goal of the game in a line."""
        return "Be the first whose six tiles are two triplets; all others pay you the points of both."

    def task(self, view: np.record, mask: np.ndarray) -> str:
        """Return whether to win, to claim or to discard."""
        if mask[WIN]:
            return "declare your win" if not mask[:WIN].any() else "declare your win, or discard and hope for more"
        if mask[PASS]:
            return say("claim {tile}, or pass", tile=tile_name(int(view.offer)))
        return "discard a tile"

    def slots(self, view: np.record, action: int, other: int, values: Mapping[str, float]) -> dict[str, Any]:
        """Return also how many unseen tiles complete the hand, after the best discard if one follows."""
        hand = hand_after(view, action)
        rests = [hand] if size(hand) % 3 == 2 else [hand - ONE[kind] for kind in tiles_in(kinds_in(hand))]
        waiting = max((size(view.unseen & 7 * prospects(rest)[0]) for rest in rests if rest), default=0)
        waits = count("leaves you waiting for one unseen tile", "leaves you waiting for {number} unseen tiles", waiting)
        none = say("leaves you waiting for nothing")
        return super().slots(view, action, other, values) | {"waiting": waiting, "waits": waits if waiting else none}

    def lessons(self, view: np.record, mask: np.ndarray) -> Iterator[str]:
        """Yield what a triplet is, and what a claim needs."""
        if mask[PASS]:
            yield (
                "You may take this discard, which makes a triplet with two of yours. The farther you are from who "
                "discarded it, the more points the triplet must have, unless it wins the game."
            )
            return
        if mask[WIN]:
            yield "Your six tiles are two triplets: you win, and everybody pays you their points."
            if not mask[:WIN].any():
                return
        yield (
            "You hold six tiles and keep five. Collect triplets: three tiles whose six numbers make two groups, sets "
            "such as 444 or straights such as 234."
        )

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


def best_triplets(hand: int, melds: Sequence[int]) -> list[tuple[int, int]]:
    """Return the triplets of a won hand in its best split, those laid out first: tile sets and their points."""
    number_of = {int(tiles): number for number, tiles in enumerate(TILES)}
    laid = [(tiles, int(POINTS[number_of[tiles]])) for tiles in melds]
    if size(hand) < 6:
        return [*laid, (hand, int(POINTS[triplet_of(hand)]))] if hand else laid
    splits = []
    for chosen in combinations(tiles_in(hand), 3):
        parts = tile_set(chosen), hand - tile_set(chosen)
        numbers = [triplet_of(part) for part in parts]
        if all(numbers):
            splits.append([(int(part), int(POINTS[number])) for part, number in zip(parts, numbers, strict=True)])
    return laid + max(splits, key=lambda split: sum(points for _, points in split))


GUIDE = SmallMahjongGuide
