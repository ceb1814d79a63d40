"""The table of Deer Hunt, drawn from views alone: the other hands lie face down."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.tiles import ONE, RED, faces, tile_name
from gupai_env.core.variant import Variant
from gupai_env.games.deer_hunt.rules import HANDS, PARTNER, SEATS
from gupai_env.games.guide import counted
from gupai_env.games.phrases import deal_of_match, says, seats_from, title, won_by
from gupai_env.words.messages import joined, say
from gupai_env.words.scene import Pile, Place, Scene, Views


def scene(
    game: Game, variant: Variant, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
) -> Scene:
    """Return the table; see `Game.scene`. The trick is in the centre, and the tile that takes it is marked."""
    near = views[0]
    order = seats_from(near, SEATS)
    terminated = payoffs is not None
    own = {int(view.seat): view for view in views}
    size = HANDS[variant.as_rules().deck]

    centre, places = [], []
    for place, seat in enumerate(order):
        hand = Pile("hand", hidden=int(near.sizes[place]), capacity=size)
        if seat in own:
            hand = Pile("hand", faces(own[seat].hand), capacity=size)
        kind = near.trick[place]
        played = () if kind == NOBODY else faces(ONE[kind])
        marked = (0,) if played and place == near.taking else ()
        centre.append(Pile(names[seat], played, marked=marked, capacity=1))
        words = won_by(near, place, None if payoffs is None else payoffs[seat])
        words.append(say("{pips} red pips taken", pips=near.red[place]))
        piles = (hand, Pile("taken", faces(near.taken[place]), capacity=SEATS * size // 2))
        places.append(
            Place(names[seat], piles, to_act=not terminated and place == near.mover, note=joined(", ", words))
        )

    if near.escape:
        centre.append(Pile("escaped", faces(near.escaped), capacity=SEATS * size // 2))
    notes = []
    if near.lying:
        red = sum(int(RED[kind]) for kind in near.trick if kind != NOBODY)
        takes = says(names[order[near.taking]], "{name} takes it", "{name} take it")
        notes.append(joined(", ", [say("{pips} red pips", pips=red), takes]))
    sides = [int(near.red[side] + near.red[side + PARTNER]) for side in range(2)]
    partners = [joined(" and ", [names[order[side]], names[order[side + PARTNER]]]) for side in range(2)]
    notes.append(say("dealer: {name}", name=names[order[near.leader]]))
    notes.append(say("red pips: {sides}", sides=counted(partners, sides, range(2))))
    notes += deal_of_match(near, terminated)
    return Scene(title(game, variant), tuple(centre), tuple(places), tuple(notes), _last_move(near, names, order))


def _last_move(near: np.record, names: Sequence[str], order: Sequence[int]) -> str:
    """Return the last tile that was played and, if it ended a trick, who took that."""
    if not near.plays:
        return says(names[order[near.leader]], "{name} leads", "{name} lead")
    if near.lying:
        player = (near.mover + SEATS - 1) % SEATS
        tile = tile_name(near.record[near.plays - 1])
        return says(names[order[player]], "{name} plays {tiles}", "{name} play {tiles}", tiles=tile)
    kinds = [int(kind) for kind in near.trick]
    taker = names[order[near.taking]]
    if near.escape and all(RED[kind] > 0 for kind in kinds):
        nothing = "{name} takes the trick, which counts for nobody", "{name} take the trick, which counts for nobody"
        return joined("; ", ["The deer escape", says(taker, *nothing)])
    return says(
        taker,
        "{name} takes the trick with {tile}: {pips} red pips",
        "{name} take the trick with {tile}: {pips} red pips",
        tile=tile_name(kinds[near.taking]),
        pips=sum(int(RED[kind]) for kind in kinds),
    )
