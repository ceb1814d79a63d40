"""The table of a connecting game, drawn from views alone: what no viewer sees lies face down."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.scene import Pile, Place, Scene, Tile, Views
from gupai_env.core.tiles import KINDS, ONE, PIPS, faces, tile_name, tiles_in, weight
from gupai_env.games.connecting.rules import DISCARD, STACK_ROW
from gupai_env.games.phrases import deal_of_match, listed, says, seats_from, title, won_by
from gupai_env.messages import joined, say


def scene(
    game: Game, variant: Any, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
) -> Scene:
    """Return the table; see `Game.scene`."""
    near, both_ends = views[0], variant.open_ends == 2
    players = variant.players
    order = seats_from(near, players)
    terminated = payoffs is not None or near.turn == players * near.hand_size
    choosers = [int(view.seat) for view in views if view.asked]
    to_act = choosers[0] if choosers else order[(near.leader + near.turn) % players]

    deck = len(game.deck(variant.as_rules()))
    layout = _stacked(near) if variant.stacked else _layout(near, both_ends, deck)
    centre = [layout]
    unused = deck - players * int(near.hand_size)
    if unused:
        centre.append(Pile("unused", hidden=unused, capacity=unused, form="stack"))
    places = [
        Place(
            names[seat],
            _piles(near, place, _view_of(seat, views)),
            to_act=not terminated and seat == to_act,
            note=_note(near, place, _view_of(seat, views), terminated, None if payoffs is None else payoffs[seat]),
        )
        for place, seat in enumerate(order)
    ]

    notes: list[str] = []
    if near.turn:
        first, second = near.ends
        notes.append(
            say("open ends {first} and {second}", first=first, second=second)
            if both_ends
            else say("open end {end}", end=first)
        )
    if covered := sum(map(int, near.plays[:players])) - len(layout.tiles):
        notes.append(say("covered tiles: {covered}", covered=covered))
    if not terminated:
        notes.append(say("turn {turn} of {turns}", turn=near.turn + 1, turns=players * near.hand_size))
    notes.append(say("leader: {name}", name=names[order[near.leader]]))
    notes += deal_of_match(near, terminated)
    if choosers and not terminated:
        notes.append(say("asked before the play: {name}", name=names[to_act]))
    if near.locked and not terminated:
        notes.append("locked: no double may be played")
    last_move = _last_move(near, [names[seat] for seat in order], terminated)
    return Scene(title(game, variant), tuple(centre), tuple(places), tuple(notes), last_move)


def _view_of(seat: int, views: Views) -> np.record | None:
    return next((view for view in views if view.seat == seat), None)


def _layout(view: np.record, both_ends: bool, capacity: int) -> Pile:
    """Lay the tiles of the record end to end, the lead's arm or arms growing from it.

    What was laid besides, without a turn of its own, are doubles that fitted at the end of the deal.
    """
    line: list[Tile] = []
    rest = int(sum(view.played))
    lead = last = 0
    for action in map(int, view.record[: view.turn]):
        if action >= DISCARD:
            continue
        kind, end = action % KINDS, action // KINDS
        rest -= int(ONE[kind])
        joins, leaves = int(PIPS[kind, 1 - end]), int(PIPS[kind, end])
        if both_ends and line and line[0][0] == joins:  # as the rules choose where both ends fit
            line.insert(0, (leaves, joins))
            lead, last = lead + 1, 0
        else:
            line.append((joins, leaves))
            last = len(line) - 1
    for kind in tiles_in(rest):
        number = int(PIPS[kind, 0])
        if number == line[-1][1]:
            line.append((number, number))
        else:
            line.insert(0, (number, number))
            lead, last = lead + 1, last + 1
    return Pile(
        "layout",
        tuple(line),
        marked=(last,) if line else (),
        capacity=capacity,
        form="line",
        lead=lead if both_ends and line else None,
        open_left=line[0][0] if both_ends and line else 0,
        open_right=line[-1][1] if line else 0,
    )


def _stacked(view: np.record) -> Pile:
    """Lay the tiles of the record in a winding row, each with its open end last, and show those that lie on top."""
    laid = [int(action) for action in view.record[: view.turn] if action < DISCARD]
    top: dict[int, int] = {}  # action by column
    column = 0
    for index, action in enumerate(laid):
        along = index % STACK_ROW
        column = along if index // STACK_ROW % 2 == 0 else STACK_ROW - 1 - along
        top[column] = action
    tiles = [
        (int(PIPS[action % KINDS, 1 - action // KINDS]), int(PIPS[action % KINDS, action // KINDS]))
        for _, action in sorted(top.items())
    ]
    return Pile("layout", tuple(tiles), marked=(column,) if tiles else (), capacity=STACK_ROW)


def _piles(near: np.record, place: int, view: np.record | None) -> tuple[Pile, Pile]:
    """Return a seat's hand and discards, face up if its own view is given."""
    capacity = int(near.hand_size)
    if view is None:
        hand, discards = int(near.sizes[place]), int(near.drops[place])
        return Pile("hand", hidden=hand, capacity=capacity), Pile("discards", hidden=discards, capacity=capacity)
    return Pile("hand", faces(view.hand), capacity=capacity), Pile("discards", faces(view.discards), capacity=capacity)


def _note(near: np.record, place: int, view: np.record | None, terminated: bool, payoff: float | None) -> str:
    """Return what a seat has won, and its points if they show."""
    words = won_by(near, place, payoff)
    if view is not None and terminated and near.turn == 0:
        words.append(say("{pips} pips held", pips=weight(view.hand)))
    elif view is not None:
        words.append(say("{points} points", points=weight(view.discards) + terminated * weight(view.hand)))
    return joined(", ", words)


def _last_move(near: np.record, called: Sequence[str], terminated: bool) -> str:
    """Return the last public move as a phrase; `called` names the seats from the viewer on."""
    if near.turn == 0:
        leads = says(called[near.leader], "{name} leads", "{name} lead")
        return say("The tiles are dealt: {leads}", leads=leads)
    mover = called[(near.leader + near.turn - 1) % len(called)]
    action = int(near.record[near.turn - 1])
    if action < DISCARD:
        move = says(
            mover,
            "{name} plays {tile}, leaving {ends} open",
            "{name} play {tile}, leaving {ends} open",
            tile=tile_name(action % KINDS),
            ends=listed(near.ends),
        )
    else:
        move = says(mover, "{name} discards a tile", "{name} discard a tile")
    early = terminated and near.turn < len(called) * near.hand_size
    return joined("; ", [move, "the deal ends here" if early else ""])
