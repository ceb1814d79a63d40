"""The table of Tien Gow, drawn from views alone: other hands and discards lie face down."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.scene import Pile, Place, Scene, Views
from gupai_env.core.tiles import faces
from gupai_env.games.phrases import deal_of_match, says, seats_from, title, won_by
from gupai_env.games.tien_gow.combinations import COMBINATION_TILES, NAMES, SIZE
from gupai_env.games.tien_gow.rules import DISCARD, HANDS, TILES, TienGow
from gupai_env.messages import joined, say


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
    game: Game, variant: TienGow, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
) -> Scene:
    """Return the table; see `Game.scene`. A trick is in the centre until the next lead; what takes it is marked."""
    near = views[0]
    order = seats_from(near, variant.players)
    terminated = payoffs is not None
    own = {int(view.seat): view for view in views}
    size = HANDS[variant.as_rules().deck]
    plays, tricks = plays_of(near)
    trick = tricks[-1] if tricks else {}
    capacity = max((play.each for play in trick.values()), default=0)

    centre, places = [], []
    for place, seat in enumerate(order):
        in_trick = _in_trick(trick.get(place), own.get(seat))
        if trick:
            centre.append(_trick_pile(names[seat], in_trick, capacity, takes=place == near.holder))
        piles = _piles(near, own.get(seat), place, size, in_trick)
        words = won_by(near, place, None if payoffs is None else payoffs[seat])
        if place == near.leader:
            words += ["banker", *([say("times {times}", times=near.multiplier)] if near.multiplier > 1 else [])]
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
    return Scene(
        title(game, variant), tuple(centre), tuple(places), tuple(notes), _last_move(near, names, order, plays)
    )


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


class InTrick(NamedTuple):
    """What a seat has in a trick: tiles face up, tiles face down that the viewer knows, and how many it does not."""

    up: int
    down: int
    unknown: int


def _in_trick(play: Play | None, own: np.record | None) -> InTrick:
    """Return what a play consists of; own: the view of its seat, None if the viewer does not have it."""
    if play is None:
        return InTrick(0, 0, 0)
    if play.action != NOBODY:
        return InTrick(int(COMBINATION_TILES[play.action]), 0, 0)
    if own is None:
        return InTrick(0, 0, play.end - play.start)
    return InTrick(0, sum(int(TILES[action]) for action in own.record[play.start : play.end].tolist()), 0)


def _trick_pile(name: str, tiles: InTrick, capacity: int, *, takes: bool) -> Pile:
    """Return the pile of a seat in a trick of `capacity` tiles."""
    up = faces(tiles.up)
    label = say("{name}, face down", name=name) if tiles.down else name
    marked = tuple(range(len(up))) if takes else ()
    return Pile(label, up or faces(tiles.down), hidden=tiles.unknown, marked=marked, capacity=capacity)


def _piles(near: np.record, own: np.record | None, place: int, size: int, in_trick: InTrick) -> list[Pile]:
    """Return the piles of a seat, without what it has in the trick."""
    if own is None:
        hand, down = Pile("hand", hidden=int(near.sizes[place])), 0
        unknown = int(near.face_down[place]) - in_trick.unknown
    else:
        hand, down, unknown = Pile("hand", faces(own.hand), capacity=size), int(own.discards) - in_trick.down, 0
    played = Pile("played", faces(int(near.played[place]) - in_trick.up), capacity=size)
    discarded = Pile("discarded", faces(down), hidden=unknown, capacity=size, form="fan" if own is None else "row")
    return [hand, played, discarded, Pile("tricks", hidden=int(near.taken[place]), capacity=size, form="stack")]


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
