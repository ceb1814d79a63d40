"""The table of Da Ling, drawn from views alone: no split shows before its time."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.scene import Pile, Place, Scene, Views
from gupai_env.core.tiles import NO_TILE, ONE, faces, list_tiles
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
from gupai_env.games.phrases import deal_of_match, says, seats_from, title, won_by
from gupai_env.games.splitting.rules import UNSPLIT
from gupai_env.messages import Message, alias, joined, say

GROUP_NAMES = tuple(alias(name, context="group") for name in ("single", "pair", "triple"))


def scene(
    game: Game, variant: DaLing, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
) -> Scene:
    """Return the table; see `Game.scene`.

    The tiles of a group that matches are marked, and its label shows its pips of the colour; at the end also
    whether it wins or ties.
    """
    near = views[0]
    players = variant.players
    order = seats_from(near, players)
    is_open = near.splits[1] != UNSPLIT
    choosers = [int(view.seat) for view in views if view.asked]
    own = {int(view.seat): view for view in views}
    size = HANDS[variant.as_rules().deck]
    absolute, winners = winners_of(near, variant) if is_open else (NOBODY, [NOBODY] * GROUPS)

    places = []
    for place, seat in enumerate(order):
        view, offset = (own[seat], 0) if seat in own else (near, place)
        words = won_by(near, place, None if payoffs is None else payoffs[seat])
        words.append(_pips(view, offset))
        won = [name for name, winner in zip(GROUP_NAMES, winners, strict=True) if winner == place]
        if won:
            words.append("takes all stakes" if absolute == place else say("wins {groups}", groups=joined(" and ", won)))
        verdicts = _verdicts(near, place, winners) if is_open else [""] * GROUPS
        piles = _piles(view, offset, size, verdicts)
        places.append(Place(names[seat], piles, to_act=seat in choosers, note=joined(", ", words)))

    colour = "colour {colour}: its pips are counted" if is_open else "colour {colour}"
    notes: list[str] = [
        say("target {target}", target=int(near.target)),
        say(colour, colour=colour_named(near)),
        say("stakes {stakes}", stakes=", ".join(f"{stake:g}" for stake in near.stakes)),
    ]
    notes += deal_of_match(near, is_open)
    last_move = "All hands are open" if is_open else "Everybody splits a hand, unseen by the others"
    if absolute != NOBODY:
        winner = names[order[absolute]]
        last_move = joined(": ", [last_move, says(winner, "{name} matches all three", "{name} match all three")])
    elif is_open and winners == [NOBODY] * GROUPS:
        last_move = joined(": ", [last_move, "nobody wins"])
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
    return [NO_MATCH if NO_MATCH in hand else sum(hand) for hand in strengths]


def _verdicts(view: np.record, place: int, winners: Sequence[int]) -> list[str]:
    """Return for each group of a seat what came of it: that it wins, ties for the best, or ""."""
    groups = zip(*(_strengths(view, other) for other in range(view.players)), strict=True)
    return [_verdict(place, winner, strengths) for winner, strengths in zip(winners, groups, strict=True)]


def _verdict(place: int, winner: int, strengths: Sequence[int]) -> str:
    """Return what came of one group of a seat, by the strengths of all seats in it."""
    if winner == place:
        return alias("wins", context="group")
    mine = strengths[place]
    ties = winner == NOBODY and mine == max(strengths) and strengths.count(mine) > 1
    return alias("ties", context="group") if ties else ""


def _piles(view: np.record, place: int, size: int, verdicts: Sequence[str]) -> tuple[Pile, ...]:
    """Return a hand, or the groups into which it was split, as far as the view shows it."""
    if view.hands[place] == 0:
        return (Pile("hand", hidden=size, capacity=size),)
    if view.splits[place] == UNSPLIT:
        return (Pile("hand", faces(view.hands[place]), capacity=size),)
    piles = []
    groups = groups_of(view.splits[place], _tiles(view, place))
    rows = zip(GROUP_NAMES, groups, _strengths(view, place), verdicts, strict=True)
    for name, group, strength, verdict in rows:
        tiles = tuple(face for kind in reversed(group) for face in faces(ONE[kind]))
        marked = tuple(range(len(tiles))) if strength != NO_MATCH else ()
        made: str = alias("no", context="group")
        if strength != NO_MATCH:
            made = say("{pips} {verdict}", pips=strength, verdict=verdict) if verdict else str(strength)
        label = joined(": ", [name, made])
        piles.append(Pile(label, tiles, marked=marked))
    return tuple(piles)


def _pips(view: np.record, place: int) -> str:
    """Return the pips of the colour in a whole hand that the view shows, if all its groups match."""
    if view.hands[place] == 0 or view.splits[place] == UNSPLIT or NO_MATCH in _strengths(view, place):
        return ""
    return say("all match: {pips}", pips=colour_of(value_of(_tiles(view, place), (1 << HAND) - 1), view.red))


def colour_named(view: np.record) -> Message:
    """Return the colour that decides a deal."""
    return say("red" if view.red else "black")
