"""The table of Pai Gow, drawn from views alone: no split shows before its time."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.tiles import NO_TILE, faces, list_tiles, tile_set
from gupai_env.games.pai_gow.groups import VALUE, group_name
from gupai_env.games.pai_gow.rules import HAND, LOST, PUSH, WON, PaiGow, groups_high_first, hand_size, settled
from gupai_env.games.phrases import deal_of_match, seats_from, title, won_by
from gupai_env.games.splitting.rules import UNSPLIT
from gupai_env.words.messages import joined, say
from gupai_env.words.scene import Pile, Place, Scene, Views

CAME_OF = {WON: say("wins"), PUSH: say("pushes"), LOST: say("loses")}


def scene(
    game: Game, variant: PaiGow, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
) -> Scene:
    """Return the table; see `Game.scene`.

    A hand that is split shows what its groups make, at the end also what came of them; winning ones are marked.
    """
    near = views[0]
    players = variant.players
    order = seats_from(near, players)
    is_open = near.splits[1] != UNSPLIT
    rules = variant.as_rules()
    choosers = [int(view.seat) for view in views if view.asked]
    own = {int(view.seat): view for view in views}
    bankers = groups_at(near, int(near.banker)) if is_open else []

    places = []
    for place, seat in enumerate(order):
        view, offset = (own[seat], 0) if seat in own else (near, place)
        words = won_by(near, place, None if payoffs is None else payoffs[seat])
        if place == near.banker:
            words.append("banker")
        came_of = results_of(rules, near, groups_at(view, offset), bankers) if is_open and place != near.banker else []
        piles = _piles(view, offset, hand_size(rules), came_of)
        places.append(Place(names[seat], piles, to_act=seat in choosers, note=joined(", ", words)))

    notes = [say("banker: {name}", name=names[order[near.banker]]), *deal_of_match(near, is_open)]
    if variant.small:
        last_move = "Everybody has two tiles, unseen by the others"
    else:
        last_move = "Everybody splits a hand, unseen by the others"
    if is_open:
        last_move = "All hands are open: every player meets the banker"
    return Scene(title(game, variant), (), tuple(places), tuple(notes), last_move)


def groups_at(view: np.record, place: int) -> list[list[int]]:
    """Return the groups of a seat, counted from the viewer, whose split shows: kinds, the high group first."""
    tiles = np.full(HAND, NO_TILE, np.int8)
    list_tiles(view.hands[place], tiles)
    return groups_high_first(view.table, view.splits[place], tiles)


def results_of(
    rules: tuple[Any, ...], view: np.record, groups: Sequence[Sequence[int]], bankers: Sequence[Sequence[int]]
) -> list[int]:
    """Return what comes of each group of a player, the high one first: WON, PUSH or LOST."""
    values = [[int(VALUE[view.table, one, other]) for one, other in pairs] for pairs in (groups, bankers)]
    return [settled(rules, value, banker) for value, banker in zip(*values, strict=True)]


def _piles(view: np.record, place: int, size: int, came_of: Sequence[int]) -> tuple[Pile, ...]:
    """Return a hand, or the groups into which it was split, as far as the view shows it."""
    if view.hands[place] == 0:
        return (Pile("hand", hidden=size, capacity=size),)
    if view.splits[place] == UNSPLIT:
        return (Pile("hand", faces(view.hands[place]), capacity=size),)
    piles = []
    for index, group in enumerate(groups_at(view, place)):
        label, tiles = group_name(view.table, *group), faces(tile_set(group))
        if came_of:
            label = joined(", ", [label, CAME_OF[came_of[index]]])
        marked = tuple(range(len(tiles))) if came_of and came_of[index] == WON else ()
        piles.append(Pile(label, tiles, marked=marked))
    return tuple(piles)
