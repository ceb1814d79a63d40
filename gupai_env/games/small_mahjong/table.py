"""The table of Small Mahjong, drawn from views alone: hands lie face down but for tiles that all saw claimed."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.tiles import ONE, faces, size, tile_name
from gupai_env.core.variant import Variant
from gupai_env.games.phrases import deal_of_match, says, seats_from, title, won_by
from gupai_env.games.small_mahjong.rules import DREW, HANDS, JOINED, LONGEST_WALL
from gupai_env.games.small_mahjong.triplets import POINTS, TILES
from gupai_env.words.messages import count, joined, say
from gupai_env.words.scene import Pile, Place, Scene, Views

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
