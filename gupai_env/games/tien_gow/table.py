"""The table of Tien Gow, drawn from views alone: other hands and discards lie face down."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.phrases import deal_of_match, faces, says, seats_from, title, won_by
from gupai_env.core.scene import Pile, Place, Scene
from gupai_env.games.tien_gow.combinations import COMBINATION_TILES, NAMES, SIZE
from gupai_env.games.tien_gow.rules import DISCARD, HANDS, TienGow


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
    size = HANDS[variant.as_rules(game.rules_type).deck]
    plays, tricks = plays_of(near)
    now = tricks[-1] if tricks and (near.tiles > 0 or terminated) else {}

    places = []
    for place, seat in enumerate(order):
        view = own.get(seat)
        hand = Pile("hand", faces(view.hand), capacity=size) if view else Pile("hand", hidden=int(near.sizes[place]))
        piles = [hand, _face_up(near, place, size), _face_down(near, view, place, size)]
        if place in now:
            piles.insert(1, _in_trick(near, place, now[place]))
        words = won_by(near, place, None if payoffs is None else payoffs[seat])
        if place == near.leader:
            words.append("banker" if near.multiplier == 1 else f"banker, times {near.multiplier}")
        words.append(_counted(int(near.taken[place]), "trick"))
        if near.bonus[place]:
            words.append(f"{near.bonus[place]:+d} at once")
        to_act = not terminated and place == near.mover
        places.append(Place(names[seat], tuple(piles), to_act=to_act, note=", ".join(words)))

    notes = []
    if near.tiles > 0 and not terminated:
        notes.append(f"to beat: {NAMES[near.best]} of {names[order[near.holder]]}")
    elif not terminated:
        notes.append(f"{names[order[near.mover]]} to lead")
    if near.last and not terminated:
        notes.append("the last trick")
    notes += deal_of_match(near, terminated)
    return Scene(title(game, variant), (), tuple(places), tuple(notes), _last_move(near, names, order, plays))


def plays_of(view: np.record) -> tuple[list[tuple[int, int, int]], list[dict[int, int]]]:
    """Return all plays, and by trick what each seat played, seats counted from the viewer.

    A play is its seat, the combination or NOBODY for a discard, and how many tiles it had.
    """
    plays: list[tuple[int, int, int]] = []
    tricks: list[dict[int, int]] = []
    seat = holder = int(view.leader)
    at = 0
    while at < view.plays:
        if not tricks or len(tricks[-1]) == view.players:
            tricks.append({})
            seat = holder
        action = int(view.record[at])
        if action < DISCARD:
            holder, tiles, at = seat, int(SIZE[action]), at + 1
        else:
            led = next(iter(tricks[-1].values()))
            tiles = min(int(SIZE[led]), int(view.plays) - at)
            action, at = NOBODY, at + tiles
        tricks[-1][seat] = action
        plays.append((seat, action, tiles))
        seat = (seat + 1) % int(view.players)
    return plays, tricks


def _in_trick(view: np.record, place: int, action: int) -> Pile:
    if action == NOBODY:
        missing = int(view.to_discard) if place == view.mover else 0
        return Pile("in the trick", hidden=int(view.tiles) - missing, capacity=int(view.tiles))
    tiles = faces(COMBINATION_TILES[action])
    best = place == view.holder
    return Pile("in the trick", tiles, marked=tuple(range(len(tiles))) if best else (), capacity=int(view.tiles))


def _face_up(view: np.record, place: int, size: int) -> Pile:
    return Pile("played", faces(view.played[place]), capacity=size)


def _face_down(view: np.record, own: np.record | None, place: int, size: int) -> Pile:
    if own is not None:
        return Pile("discarded", faces(own.discards), capacity=size)
    return Pile("discarded", hidden=int(view.face_down[place]), capacity=size)


def _last_move(view: np.record, names: Sequence[str], order: Sequence[int], plays: list[tuple[int, int, int]]) -> str:
    if not plays:
        return says(names[order[view.leader]], "lead")
    seat, action, tiles = plays[-1]
    if action == NOBODY:
        return says(names[order[seat]], f"discard {_counted(tiles, 'tile')}")
    leads = view.turns == 1 and view.tiles > 0
    return says(names[order[seat]], f"{'lead' if leads else 'play'} {NAMES[action]}")


def _counted(number: int, what: str) -> str:
    """Return "1 tile" or "2 tiles"."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
