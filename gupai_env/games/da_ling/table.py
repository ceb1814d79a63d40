"""The table of Da Ling, drawn from views alone: no split shows before its time."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.phrases import deal_of_match, faces, listed, says, seats_from, title, won_by
from gupai_env.core.scene import Pile, Place, Scene
from gupai_env.core.tiles import NO_TILE, ONE, list_tiles
from gupai_env.games.da_ling.rules import (
    GROUPS,
    HAND,
    HANDS,
    NO_MATCH,
    SPLITS,
    TABLE,
    DaLing,
    best_of,
    colour_of,
    groups_of,
    strength_of,
    value_of,
)
from gupai_env.games.splitting.rules import UNSPLIT

GROUP_NAMES = ("single", "pair", "triple")


def scene(
    game: Game,
    variant: DaLing,
    views: Sequence[np.record],
    names: Sequence[str],
    payoffs: Sequence[float] | None = None,
) -> Scene:
    """Return the table; see `Game.scene`.

    The tiles of a group that matches are marked, and its label shows its pips of the colour; at the end also
    whether it wins or ties.
    """
    near = views[0]
    players = variant.players
    order = seats_from(near, players)
    shown = near.splits[1] != UNSPLIT
    asked = [int(view.seat) for view in views if view.asked]
    own = {int(view.seat): view for view in views}
    size = HANDS[variant.as_rules(game.rules_type).deck]
    absolute, winners = winners_of(near, variant) if shown else (NOBODY, [NOBODY] * GROUPS)

    places = []
    for place, seat in enumerate(order):
        view, at = (own[seat], 0) if seat in own else (near, place)
        words = won_by(near, place, None if payoffs is None else payoffs[seat])
        words.append(_pips(view, at))
        won = [name for name, winner in zip(GROUP_NAMES, winners, strict=True) if winner == place]
        if won:
            words.append("takes all stakes" if absolute == place else f"wins {listed(won)}")
        note = ", ".join(filter(None, words))
        verdicts = _verdicts(near, place, winners) if shown else [""] * GROUPS
        piles = _piles(view, at, size, verdicts)
        places.append(Place(names[seat], piles, to_act=seat in asked, note=note))

    notes = [f"target {near.target}", f"colour {'red' if near.red else 'black'}"]
    if shown:
        notes[-1] += ": its pips are counted"
    notes.append(f"stakes {', '.join(f'{stake:g}' for stake in near.stakes)}")
    notes += deal_of_match(near, shown)
    last_move = "Everybody splits a hand, unseen by the others"
    if shown:
        last_move = "All hands are open"
    if absolute != NOBODY:
        last_move += f": {says(names[order[absolute]], 'match')} all three"
    elif shown and winners == [NOBODY] * GROUPS:
        last_move += ": nobody wins"
    centre = (Pile("table", faces(near.table), capacity=TABLE),)
    return Scene(title(game, variant), centre, tuple(places), tuple(notes), last_move)


def _tiles(view: np.record, place: int) -> np.ndarray:
    tiles = np.full(HAND, NO_TILE, np.int8)
    list_tiles(view.hands[place], tiles)
    return tiles


def _strengths(view: np.record, place: int) -> list[int]:
    """Return for each group of a split that the view shows its pips of the colour, or NO_MATCH."""
    tiles = _tiles(view, place)
    return [int(strength_of(value_of(tiles, group), view.target, view.red)) for group in SPLITS[view.splits[place]]]


def winners_of(view: np.record, variant: DaLing) -> tuple[int, list[int]]:
    """Return the absolute winner and the winner of each group, counted from the viewer, NOBODY where there is none.

    An absolute winner wins every group. The view is one of a deal that is over.
    """
    strengths = [_strengths(view, place) for place in range(variant.players)]
    best = int(best_of(_all_match(strengths), variant.players))
    if best != NOBODY or is_push(view, variant):
        return best, [best] * GROUPS
    return NOBODY, [int(best_of(group, variant.players)) for group in zip(*strengths, strict=True)]


def is_push(view: np.record, variant: DaLing) -> bool:
    """Return whether nobody wins anything because the best of those who match with all three groups tie."""
    all_match = _all_match([_strengths(view, place) for place in range(variant.players)])
    tie = max(all_match) != NO_MATCH and best_of(all_match, variant.players) == NOBODY
    return tie and variant.absolute_tie == "push"


def _all_match(strengths: Sequence[list[int]]) -> list[int]:
    """Return for each seat the pips of the colour in its groups, NO_MATCH unless all of them match."""
    return [NO_MATCH if NO_MATCH in each else sum(each) for each in strengths]


def _verdicts(view: np.record, place: int, winners: Sequence[int]) -> list[str]:
    """Return for each group of a seat what came of it: that it wins, ties for the best, or ""."""
    groups = zip(*(_strengths(view, other) for other in range(view.players)), strict=True)
    return [_verdict(place, winner, strengths) for winner, strengths in zip(winners, groups, strict=True)]


def _verdict(place: int, winner: int, strengths: Sequence[int]) -> str:
    """Return what came of one group of a seat, by the strengths of all seats in it."""
    if winner == place:
        return "wins"
    mine = strengths[place]
    ties = winner == NOBODY and mine == max(strengths) and strengths.count(mine) > 1
    return "ties" if ties else ""


def _piles(view: np.record, place: int, size: int, verdicts: Sequence[str]) -> tuple[Pile, ...]:
    """Return a hand, or the groups into which it was split, as far as the view shows it."""
    if view.hands[place] == 0:
        return (Pile("hand", hidden=size, capacity=size),)
    if view.splits[place] == UNSPLIT:
        return (Pile("hand", faces(view.hands[place]), capacity=size),)
    piles = []
    groups = groups_of(view.splits[place], _tiles(view, place))
    found = zip(GROUP_NAMES, groups, _strengths(view, place), verdicts, strict=True)
    for name, group, strength, verdict in found:
        tiles = tuple(face for kind in reversed(group) for face in faces(ONE[kind]))
        marked = tuple(range(len(tiles))) if strength != NO_MATCH else ()
        label = f"{name}: no" if strength == NO_MATCH else f"{name}: {strength} {verdict}".rstrip()
        piles.append(Pile(label, tiles, marked=marked))
    return tuple(piles)


def _pips(view: np.record, place: int) -> str:
    """Return the pips of the colour in a whole hand that the view shows, if all its groups match."""
    if view.hands[place] == 0 or view.splits[place] == UNSPLIT or NO_MATCH in _strengths(view, place):
        return ""
    return f"all match: {colour_of(value_of(_tiles(view, place), (1 << HAND) - 1), view.red)}"
