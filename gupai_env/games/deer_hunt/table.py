"""The table of Deer Hunt, drawn from views alone: the other hands lie face down."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.phrases import deal_of_match, faces, says, seats_from, title, won_by
from gupai_env.core.scene import Pile, Place, Scene
from gupai_env.core.tiles import ONE, RED, tile_name
from gupai_env.core.variant import Variant
from gupai_env.games.deer_hunt.rules import HANDS, PARTNER, SEATS


def scene(
    game: Game,
    variant: Variant,
    views: Sequence[np.record],
    names: Sequence[str],
    payoffs: Sequence[float] | None = None,
) -> Scene:
    """Return the table; see `Game.scene`. The tile that takes the trick is marked."""
    near = views[0]
    order = seats_from(near, SEATS)
    terminated = payoffs is not None
    own = {int(view.seat): view for view in views}
    size = HANDS[variant.as_rules(game.rules_type).deck]

    places = []
    for place, seat in enumerate(order):
        hand = Pile("hand", hidden=int(near.sizes[place]), capacity=size)
        if seat in own:
            hand = Pile("hand", faces(own[seat].hand), capacity=size)
        kind = near.trick[place]
        played = () if kind == NOBODY else faces(ONE[kind])
        trick = Pile("trick", played, marked=(0,) if played and place == near.taking else (), capacity=1)
        words = won_by(near, place, None if payoffs is None else payoffs[seat])
        words.append(f"{near.red[place]} red pips taken")
        piles = (hand, trick, Pile("taken", faces(near.taken[place]), capacity=SEATS * size // 2))
        places.append(Place(names[seat], piles, to_act=not terminated and place == near.mover, note=", ".join(words)))

    centre = []
    if near.escape:
        centre.append(Pile("escaped", faces(near.escaped), capacity=SEATS * size // 2))
    notes = []
    if near.lying:
        red = sum(int(RED[kind]) for kind in near.trick if kind != NOBODY)
        notes.append(f"{red} red pips, {says(names[order[near.taking]], 'take')} it")
    sides = [int(near.red[side] + near.red[side + PARTNER]) for side in range(2)]
    partners = [f"{names[order[side]]} and {names[order[side + PARTNER]]}" for side in range(2)]
    notes.append(f"dealer: {names[order[near.leader]]}")
    notes.append(f"red pips: {partners[0]} {sides[0]}, {partners[1]} {sides[1]}")
    notes += deal_of_match(near, terminated)
    return Scene(title(game, variant), tuple(centre), tuple(places), tuple(notes), _last_move(near, names, order))


def _last_move(near: np.record, names: Sequence[str], order: Sequence[int]) -> str:
    """Return the last tile that was played and, if it ended a trick, who took that."""
    if not near.plays:
        return says(names[order[near.leader]], "lead")
    if near.lying:
        player = (near.mover + SEATS - 1) % SEATS
        return says(names[order[player]], f"play {tile_name(near.record[near.plays - 1])}")
    kinds = [int(kind) for kind in near.trick]
    taker = says(names[order[near.taking]], "take")
    if near.escape and all(RED[kind] > 0 for kind in kinds):
        return f"The deer escape; {taker} the trick, which counts for nobody"
    return f"{taker} the trick with {tile_name(kinds[near.taking])}: {sum(int(RED[kind]) for kind in kinds)} red pips"
