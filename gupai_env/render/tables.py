"""The table of any game as a `Scene`. A new game is its line here."""

from collections.abc import Callable, Sequence

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.render import connecting, da_ling, small_mahjong, tiu_u
from gupai_env.render.scene import Scene

SCENES: dict[str, Callable[..., Scene]] = {
    "jie-long": connecting.scene,
    "ce-deng": connecting.scene,
    "ding-niu": connecting.scene,
    "da-ling": da_ling.scene,
    "tiu-u": tiu_u.scene,
    "small-mahjong": small_mahjong.scene,
}


def scene_of(
    game: Game,
    variant: Variant,
    views: Sequence[np.record],
    names: Sequence[str] | None = None,
    payoffs: Sequence[float] | None = None,
) -> Scene:
    """Return the table as those see it whose views are given; nothing else goes in, so nothing else shows.

    Args: views: information sets of one moment, one a seat whose hand is shown. A single view is the table of
            that player; the views of all seats are that of a spectator. The first one's seat is at the near
            side, the others follow in order of turn.
        names: one a seat, by seat; "Seat 0", "Seat 1", ... without.
        payoffs: chips by seat of a deal that is over, to show its count; without them it still goes on.
    """
    return SCENES[game.id](game, variant, views, names, payoffs)
