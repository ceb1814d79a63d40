"""The table of Jie Long."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.scene import Scene
from gupai_env.games.connecting import table as connecting
from gupai_env.games.jie_long.rules import JieLong


def scene(
    game: Game,
    variant: JieLong,
    views: Sequence[np.record],
    names: Sequence[str],
    payoffs: Sequence[float] | None = None,
) -> Scene:
    """Return the table; see `Game.scene`."""
    return connecting.scene(game, variant, views, names, payoffs, both_ends=variant.open_ends == 2)
