"""What people see and read of Small Mahjong."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.scene import YOU, Pile, Place, Scene, Views
from gupai_env.core.tiles import ONE, faces, kinds_in, size, tile_name, tile_set, tiles_in
from gupai_env.core.variant import Variant
from gupai_env.games import guide
from gupai_env.games.guide import Phrase
from gupai_env.games.phrases import deal_of_match, says, seats_from, title, won_by
from gupai_env.games.small_mahjong.players import hand_after
from gupai_env.games.small_mahjong.rules import DREW, HANDS, JOINED, LONGEST_WALL, PASS, WIN
from gupai_env.games.small_mahjong.triplets import POINTS, TILES, prospects, triplet_of
from gupai_env.messages import count, joined, say

COMBINATIONS = ("", "straights", "set+straight", "double set")  # by points
DISCARDS = "{name} discards {tiles}", "{name} discard {tiles}"
DISCARD_CAPACITY = 8  # tiles; there are seldom more


def scene(
    game: Game, variant: Variant, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
) -> Scene:
    """Return the table; see `Game.scene`.

    A discard that somebody is asked about is in the middle, if one of the views is that of a seat asked.
    """
    near = views[0]
    players = variant.players
    order = seats_from(near, players)
    terminated = payoffs is not None
    own = {int(view.seat): view for view in views}
    mover = order[near.mover]
    # Of all that have been asked, the one farthest from the discarder is asked now.
    choosers = [seat for seat in order[near.mover :] + order[: near.mover] if seat in own and own[seat].offer != NOBODY]
    offer = int(own[choosers[-1]].offer) if choosers else NOBODY

    wall = Pile("wall", hidden=int(near.wall), capacity=LONGEST_WALL, form="stack")
    hand = HANDS[variant.as_rules().deck]
    centre = (wall, Pile("discarded", faces(ONE[offer]), marked=(0,))) if choosers else (wall,)
    places = []
    for place, seat in enumerate(order):
        words = won_by(near, place, None if payoffs is None else payoffs[seat])
        points = _laid_out(near, place)[1]
        if points:
            words.append(count("{number} point", "{number} points", sum(points)))
        to_act = not terminated and seat == (choosers[-1] if choosers else mover)
        piles = _piles(near, place, own.get(seat), offer if seat == mover else NOBODY, hand)
        places.append(Place(names[seat], piles, to_act=to_act, note=joined(", ", words)))

    notes: list[str] = [say("leader: {name}", name=names[order[near.leader]])]
    if choosers and not terminated:
        notes.append(say("asked: {name}", name=names[choosers[-1]]))
    notes += deal_of_match(near, terminated)
    last_move = _last_move(near, [names[seat] for seat in order], offer, terminated)
    return Scene(title(game, variant), centre, tuple(places), tuple(notes), last_move)


def _laid_out(view: np.record, place: int) -> tuple[list[int], list[int]]:
    """Return the triplets that a seat has laid out, as tile sets, and their points."""
    numbers = {int(tiles): number for number, tiles in enumerate(TILES)}
    laid_out = [int(tiles) for tiles in view.melds[place] if tiles]
    return laid_out, [int(POINTS[numbers[tiles]]) for tiles in laid_out]


def _piles(near: np.record, place: int, view: np.record | None, offer: int, size_of_hand: int) -> tuple[Pile, ...]:
    """Return a seat's hand, triplets and discards; a tile that it offers lies elsewhere."""
    if place == near.winner:
        hand = Pile("hand", faces(near.shown))
    elif view is not None:
        held = int(view.hand)
        if offer != NOBODY and size(held) + 3 * sum(tiles != 0 for tiles in view.melds[0]) > size_of_hand:
            held -= ONE[offer]
        new = view.new_tile if offer == NOBODY else NOBODY
        tile_faces = faces(held)
        hand = Pile("hand", tile_faces, marked=(tile_faces.index(faces(ONE[new])[0]),) if new != NOBODY else ())
    else:
        known = faces(near.known[place])
        still = offer != NOBODY and near.offer == NOBODY  # to a viewer that is not asked the tile is still there
        hand = Pile("hand", known, hidden=int(near.sizes[place] - len(known) - still))
    melds = [Pile(COMBINATIONS[points], faces(tiles)) for tiles, points in zip(*_laid_out(near, place), strict=True)]
    return hand, *melds, Pile("discards", faces(near.discards[place]), capacity=DISCARD_CAPACITY)


def _last_move(view: np.record, called: Sequence[str], offer: int, terminated: bool) -> str:
    """Return the last public move as a phrase; `called` names the seats from the viewer on."""
    mover, turn = called[view.mover], view.turns - 1
    if view.winner != NOBODY:
        return says(called[view.winner], "{name} wins", "{name} win")
    if offer != NOBODY:
        return says(mover, *DISCARDS, tiles=tile_name(offer))
    if terminated:
        return "Nobody takes the last discard: a draw"
    begun = view.begun[turn]
    if begun != DREW:
        claimed = tile_name(view.thrown[turn - 1])
        if begun == JOINED:
            return says(mover, "{name} claims {tile} into the hand", "{name} claim {tile} into the hand", tile=claimed)
        return says(mover, "{name} claims {tile}", "{name} claim {tile}", tile=claimed)
    drawn = says(mover, "{name} draws", "{name} draw")
    if turn == 0 or view.thrown[turn - 1] == NOBODY:
        return drawn
    before = called[view.mover - view.steps[turn]]
    return joined(", ", [says(before, *DISCARDS, tiles=tile_name(view.thrown[turn - 1])), drawn])


KINDS_OF_TRIPLETS = "", say("two straights"), say("a set and a straight"), say("a double set")  # by points


class Guide(guide.Guide):
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
