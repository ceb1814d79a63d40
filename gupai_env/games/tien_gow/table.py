"""The table of Tien Gow, drawn from views alone: other hands and discards lie face down."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.tiles import faces
from gupai_env.games.phrases import deal_of_match, says, seats_from, title, won_by
from gupai_env.games.tien_gow.combinations import COMBINATION_TILES, NAMES, SIZE
from gupai_env.games.tien_gow.rules import DISCARD, HANDS, TILES, TienGow
from gupai_env.words.messages import count, joined, say
from gupai_env.words.scene import Pile, Place, Scene


class Play(NamedTuple):
    """What a seat, counted from the viewer, did in a trick.

    Attributes:
        action: The combination, or NOBODY for a discard.
        start, end: Its decisions in the record. A discard under way has fewer than `each`.
        each: Tiles of each seat in the trick.
    """

    seat: int
    action: int
    start: int
    end: int
    each: int


def scene(
    game: Game,
    variant: TienGow,
    views: Sequence[np.record],
    names: Sequence[str],
    payoffs: Sequence[float] | None = None,
) -> Scene:
    """Return the table; see `Game.scene`. The combination to beat is marked."""
    near = views[0]
    order = seats_from(near, variant.players)
    terminated = payoffs is not None
    own = {int(view.seat): view for view in views}
    size = HANDS[variant.as_rules().deck]
    plays, tricks = plays_of(near)
    now = tricks[-1] if tricks and (near.tiles > 0 or terminated) else {}

    places = []
    for place, seat in enumerate(order):
        piles = _piles(near, own.get(seat), place, size, now.get(place))
        words = won_by(near, place, None if payoffs is None else payoffs[seat])
        if place == near.leader:
            words += ["banker", *([say("times {times}", times=near.multiplier)] if near.multiplier > 1 else [])]
        words.append(count("{number} trick", "{number} tricks", int(near.taken[place])))
        if near.bonus[place]:
            words.append(say("{chips:+d} at once", chips=near.bonus[place]))
        to_act = not terminated and place == near.mover
        places.append(Place(names[seat], tuple(piles), to_act=to_act, note=joined(", ", words)))

    notes: list[str] = []
    if near.tiles > 0 and not terminated:
        notes.append(say("to beat: {tiles} of {name}", tiles=NAMES[near.best], name=names[order[near.holder]]))
    elif not terminated:
        notes.append(say("{name} to lead", name=names[order[near.mover]]))
    if near.last and not terminated:
        notes.append("the last trick")
    notes += deal_of_match(near, terminated)
    return Scene(title(game, variant), (), tuple(places), tuple(notes), _last_move(near, names, order, plays))


def plays_of(view: np.record) -> tuple[list[Play], list[dict[int, Play]]]:
    """Return all plays, and by trick what each seat played, seats counted from the viewer."""
    plays: list[Play] = []
    tricks: list[dict[int, Play]] = []
    seat = holder = int(view.opener)
    index = tiles = 0
    while index < view.plays:
        if not tricks or len(tricks[-1]) == view.players:
            tricks.append({})
            seat = holder
        action = int(view.record[index])
        if action < DISCARD:
            holder = seat
            tiles, end = int(SIZE[action]), index + 1
        else:
            action, end = NOBODY, min(index + tiles, int(view.plays))
        tricks[-1][seat] = Play(seat, action, index, end, tiles)
        plays.append(tricks[-1][seat])
        seat, index = (seat + 1) % int(view.players), end
    return plays, tricks


def _piles(near: np.record, own: np.record | None, place: int, size: int, play: Play | None) -> list[Pile]:
    """Return the piles of a seat; what it played to the trick on the table lies apart."""
    up, down, face_down = int(near.played[place]), 0, int(near.face_down[place])
    if own is None:
        hand = Pile("hand", hidden=int(near.sizes[place]))
    else:
        hand, down, face_down = Pile("hand", faces(own.hand), capacity=size), int(own.discards), 0
    trick = []
    if play is not None and play.action != NOBODY:
        tiles = int(COMBINATION_TILES[play.action])
        up -= tiles
        best = tuple(range(int(SIZE[play.action]))) if place == near.holder else ()
        trick = [Pile("in the trick", faces(tiles), marked=best, capacity=play.each)]
    elif play is not None and own is not None:
        tiles = sum(int(TILES[action]) for action in own.record[play.start : play.end].tolist())
        down -= tiles
        trick = [Pile("face down", faces(tiles), capacity=play.each)]
    elif play is not None:
        face_down -= play.end - play.start
        trick = [Pile("face down", hidden=play.end - play.start, capacity=play.each)]
    played = Pile("played", faces(up), capacity=size)
    return [hand, *trick, played, Pile("discarded", faces(down), hidden=face_down, capacity=size)]


def _last_move(view: np.record, names: Sequence[str], order: Sequence[int], plays: list[Play]) -> str:
    if not plays:
        return says(names[order[view.opener]], "{name} leads", "{name} lead")
    last = plays[-1]
    name = names[order[last.seat]]
    if last.action == NOBODY:
        if last.each == 1:
            return says(name, "{name} discards 1 tile", "{name} discard 1 tile")
        return says(
            name,
            "{name} discards {done} of {tiles} tiles",
            "{name} discard {done} of {tiles} tiles",
            done=last.end - last.start,
            tiles=last.each,
        )
    if view.turns == 1 and view.tiles > 0:
        return says(name, "{name} leads {tiles}", "{name} lead {tiles}", tiles=NAMES[last.action])
    return says(name, "{name} plays {tiles}", "{name} play {tiles}", tiles=NAMES[last.action])
