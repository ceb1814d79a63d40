"""The table of a connecting game, drawn from views alone: what no viewer sees lies face down."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.tiles import KINDS, ONE, PIPS, tile_name, tiles_in, weight
from gupai_env.core.variant import Variant
from gupai_env.games import ding_niu
from gupai_env.games.ce_deng import CeDeng, is_head_or_tail, is_pass
from gupai_env.games.connecting import DISCARD
from gupai_env.render.scene import Pile, Place, Scene, Tile
from gupai_env.render.words import chips, faces, listed, says, seat_names, title


def scene(
    game: Game,
    variant: Variant,
    views: Sequence[np.record],
    names: Sequence[str] | None = None,
    payoffs: Sequence[float] | None = None,
) -> Scene:
    """Return the table of Jie Long, Ce Deng or Ding Niu; see `gupai_env.render.tables.scene_of`."""
    near = views[0]
    players = variant.players
    order = [(int(near.seat) + int(near.direction) * place) % players for place in range(players)]
    called = seat_names(players) if names is None else names
    over = payoffs is not None or near.turn == players * near.hand_size
    asked = [int(view.seat) for view in views if view.asked]
    to_act = asked[0] if asked else order[(near.leader + near.turn) % players]

    rules = variant.as_rules(game.rules_type)
    deck = len(game.deck(rules))
    layout = _layout(
        near, isinstance(variant, ding_niu.DingNiu) or getattr(variant, "open_ends", 1) == 2, deck
    )
    centre = [layout]
    unused = deck - players * int(near.hand_size)
    if unused:
        centre.append(Pile("unused", hidden=unused, room=unused, form="stack"))
    places = [
        Place(
            called[seat],
            _piles(near, place, _view_of(seat, views)),
            to_act=not over and seat == to_act,
            note=_note(
                variant,
                rules,
                near,
                place,
                _view_of(seat, views),
                over,
                None if payoffs is None else payoffs[seat],
            ),
        )
        for place, seat in enumerate(order)
    ]

    notes = []
    if near.turn:
        ends = [end for end in (layout.open_left, layout.open_right) if end]
        notes.append(f"open end {ends[0]}" if len(ends) == 1 else f"open ends {ends[0]} and {ends[1]}")
    if not over:
        notes.append(f"turn {near.turn + 1} of {players * near.hand_size}")
    notes.append(f"leader: {called[order[near.leader]]}")
    if near.deals > 1:
        notes.append(f"deal {near.deal + (not over)} of {near.deals}")
    if asked and not over:
        notes.append(f"asked before the play: {called[to_act]}")
    if near.locked and not over:
        notes.append("locked: no double may be played")
    if isinstance(variant, ding_niu.DingNiu) and near.suan_zhang:
        word = "classic" if near.suan_zhang == ding_niu.CLASSIC else "smothered"
        notes.append(f"{word} suan zhang by {called[order[near.maker]]}")
    last_move = _last_move(near, [called[seat] for seat in order], over, payoffs, order)
    return Scene(title(game, variant), tuple(centre), tuple(places), tuple(notes), last_move)


def _view_of(seat: int, views: Sequence[np.record]) -> np.record | None:
    return next((view for view in views if view.seat == seat), None)


def _layout(view: np.record, both_ends: bool, room: int) -> Pile:
    """Lay the tiles of the record end to end, the lead's arm or arms growing from it.

    Ding Niu: what was laid besides are the doubles that fitted a suan zhang at the end.
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
        room=room,
        form="line",
        lead=lead if both_ends and line else None,
        open_left=line[0][0] if both_ends and line else 0,
        open_right=line[-1][1] if line else 0,
    )


def _piles(near: np.record, place: int, view: np.record | None) -> tuple[Pile, Pile]:
    """Return a seat's hand and discards, face up if its own view is given."""
    room = int(near.hand_size)
    if view is None:
        hand, discards = int(near.sizes[place]), int(near.drops[place])
        return Pile("hand", hidden=hand, room=room), Pile("discards", hidden=discards, room=room)
    return Pile("hand", faces(view.hand), room=room), Pile("discards", faces(view.discards), room=room)


def _note(
    variant: Variant,
    rules: Any,
    near: np.record,
    place: int,
    view: np.record | None,
    over: bool,
    payoff: float | None,
) -> str:
    """Return what a seat has won, its points if they show, and at the end what doubles its payments."""
    words = []
    if payoff is not None:
        words.append(chips(payoff))
    if near.deals > 1:
        words.append(f"{near.total[place] + 0.0:+g} in the match")
    if view is not None and over and near.turn == 0:
        words.append(f"{weight(view.hand)} pips held")
    elif view is not None:
        words.append(f"{weight(view.discards) + over * weight(view.hand)} points")
    if over and near.turn and isinstance(variant, CeDeng):
        if is_pass(rules, near, place):
            words.append("pass")
        if is_head_or_tail(rules, near, place):
            missed = near.hand_size - near.plays[place]  # tiles never played: head seven, tail eight
            words.append(f"head {missed}" if place == near.leader else f"tail {missed}")
    return ", ".join(words)


def _last_move(
    near: np.record,
    called: Sequence[str],
    over: bool,
    payoffs: Sequence[float] | None,
    order: Sequence[int],
) -> str:
    """Return the last public move as a phrase; `called` names the seats from the viewer on."""
    if near.turn == 0:
        if payoffs is not None:  # nothing was played: who is paid declared
            declarer = max(range(len(order)), key=lambda place: payoffs[order[place]])
            return says(called[declarer], "declare eight doubles")
        return f"The tiles are dealt: {says(called[near.leader], 'lead')}"
    mover = called[(near.leader + near.turn - 1) % len(called)]
    action = int(near.record[near.turn - 1])
    if action < DISCARD:
        deed = f"play {tile_name(action % KINDS)}, leaving {listed(near.ends)} open"
    else:
        deed = "discard a tile"
    early = over and near.turn < len(called) * near.hand_size
    return says(mover, deed) + ("; the deal ends here" if early else "")
