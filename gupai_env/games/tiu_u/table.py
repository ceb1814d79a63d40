"""The table of Tiu-U: that of the fishing games."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.scene import Scene
from gupai_env.core.variant import Variant
from gupai_env.games.fishing.table import draw_table, fishing_action
from gupai_env.games.tiu_u.rules import BAIT, FISH, HEAVEN_PAIR, SHARES, THREE


def scene(
    game: Game,
    variant: Variant,
    views: Sequence[np.record],
    names: Sequence[str],
    payoffs: Sequence[float] | None = None,
) -> Scene:
    """Return the table; see `Game.scene`. The tiles of the last play are marked."""
    shares = SHARES[variant.as_rules(game.rules_type).deck]
    return draw_table(game, variant, views, names, payoffs, shares=shares, baits=BAIT, action_type=_action_type)


def _action_type(action: int) -> str:
    """Return what an action does as a phrase."""
    if action == HEAVEN_PAIR:
        return "lay a heaven pair into the catch"
    return fishing_action(BAIT[action], FISH[action], action >= THREE)
