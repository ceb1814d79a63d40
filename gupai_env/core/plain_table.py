"""The table of a game that draws none of its own, from fields of its views that are called as in most games."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gupai_env.core.tiles import faces
from gupai_env.core.variant import Variant, option_in_words
from gupai_env.words.messages import say
from gupai_env.words.scene import Pile, Place, Scene, Views

TILE_SET = np.dtype(np.int64)


def plain_table(
    game: Any,  # a `gupai_env.core.game.Game`, whose module imports this one
    variant: Variant,
    views: Views,
    names: Sequence[str],
    payoffs: Sequence[float] | None = None,
) -> Scene:
    """Return the table; see `Game.scene`.

    Drawn is what the views have of these: `hand`, a tile set, or as many tiles face down as `sizes` says by place;
    other fields of tile sets by place, face up; and at `mover` the seat to act.
    """
    near, own = views[0], {int(view.seat): view for view in views}
    fields = game.view.names
    lying = [name for name in fields if game.view[name] == np.dtype((TILE_SET, (game.max_seats,)))]
    places = []
    for place in range(variant.players):
        seat = (int(near.seat) + int(near.direction) * place) % variant.players
        hand = Pile("hand", hidden=int(near.sizes[place]) if "sizes" in fields else 0)
        if seat in own and "hand" in fields:
            hand = Pile("hand", faces(own[seat].hand))
        piles = (Pile(say(name), faces(getattr(near, name)[place]), capacity=1) for name in lying)
        to_act = payoffs is None and "mover" in fields and bool(place == near.mover)
        note = "" if payoffs is None else say("{chips:+g} chips", chips=payoffs[seat] + 0.0)
        places.append(Place(names[seat], (hand, *piles), to_act=to_act, note=note))
    options = (option_in_words(name, value) for name, value in variant.changed().items())
    return Scene(say(game.title), places=tuple(places), notes=tuple(options))
