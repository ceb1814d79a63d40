"""The table of Da Ling, drawn from views alone: no split shows before its time."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.phrases import chips, faces, title
from gupai_env.core.scene import Pile, Place, Scene
from gupai_env.core.tiles import NO_TILE, ONE, list_tiles
from gupai_env.core.variant import Variant
from gupai_env.games.da_ling.rules import (
    HAND,
    HANDS,
    NO_MATCH,
    SPLITS,
    TABLE,
    UNSPLIT,
    colour_of,
    groups_of,
    strength_of,
    worth_of,
)

GROUP_NAMES = ("single", "pair", "triple")


def scene(
    game: Game,
    variant: Variant,
    views: Sequence[np.record],
    names: Sequence[str],
    payoffs: Sequence[float] | None = None,
) -> Scene:
    """Return the table; see `Game.scene`.

    The tiles of a group that matches are marked, and its label tells its pips of the colour.
    """
    near = views[0]
    players = variant.players
    order = [(int(near.seat) + int(near.direction) * place) % players for place in range(players)]
    shown = near.splits[1] != UNSPLIT
    asked = [int(view.seat) for view in views if view.asked]
    own = {int(view.seat): view for view in views}
    size = HANDS[variant.as_rules(game.rules_type).deck]

    places = []
    for place, seat in enumerate(order):
        view, at = (own[seat], 0) if seat in own else (near, place)
        words = [chips(payoffs[seat])] if payoffs is not None else []
        if near.deals > 1:
            words.append(f"{near.total[place] + 0.0:+g} in the match")
        words.append(_pips(view, at))
        note = ", ".join(filter(None, words))
        places.append(Place(names[seat], _piles(view, at, size), to_act=seat in asked, note=note))

    notes = [f"target {near.target}", f"colour {'red' if near.red else 'black'}"]
    notes.append(f"stakes {', '.join(f'{stake:g}' for stake in near.stakes)}")
    if near.deals > 1:
        notes.append(f"deal {near.deal + (not shown)} of {near.deals}")
    last_move = "All hands are open" if shown else "Everybody splits a hand, unseen by the others"
    centre = (Pile("table", faces(near.table), room=TABLE),)
    return Scene(title(game, variant), centre, tuple(places), tuple(notes), last_move)


def _tiles(view: np.record, place: int) -> np.ndarray:
    tiles = np.full(HAND, NO_TILE, np.int8)
    list_tiles(view.hands[place], tiles)
    return tiles


def _strengths(view: np.record, place: int) -> list[int]:
    """Return for each group of a split that the view shows its pips of the colour, or NO_MATCH."""
    tiles = _tiles(view, place)
    return [
        int(strength_of(worth_of(tiles, group), view.target, view.red))
        for group in SPLITS[view.splits[place]]
    ]


def _piles(view: np.record, place: int, size: int) -> tuple[Pile, ...]:
    """Return a hand, or the groups into which it was split, as far as the view shows it."""
    if view.hands[place] == 0:
        return (Pile("hand", hidden=size, room=size),)
    if view.splits[place] == UNSPLIT:
        return (Pile("hand", faces(view.hands[place]), room=size),)
    piles = []
    groups = groups_of(view.splits[place], _tiles(view, place))
    for name, group, strength in zip(GROUP_NAMES, groups, _strengths(view, place), strict=True):
        tiles = tuple(face for kind in reversed(group) for face in faces(ONE[kind]))
        marked = tuple(range(len(tiles))) if strength != NO_MATCH else ()
        label = name if strength == NO_MATCH else f"{name}: {strength}"
        piles.append(Pile(label, tiles, marked=marked))
    return tuple(piles)


def _pips(view: np.record, place: int) -> str:
    """Return the pips of the colour in a whole hand that the view shows, if all its groups match."""
    if view.hands[place] == 0 or view.splits[place] == UNSPLIT or NO_MATCH in _strengths(view, place):
        return ""
    return f"all match: {colour_of(worth_of(_tiles(view, place), (1 << HAND) - 1), view.red)}"
