"""The table of Jie Long: that of the connecting games, and a word on points that count double."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gupai_env.core.game import Game
from gupai_env.games.connecting import table as connecting
from gupai_env.words.scene import Scene, Views


def scene(
    game: Game, variant: Any, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
) -> Scene:
    """Return the table; see `Game.scene`."""
    table = connecting.scene(game, variant, views, names, payoffs)
    near = views[0]
    if variant.all_laid_doubles and near.turn and near.hand_size in near.plays[: variant.players]:
        table = replace(table, notes=(*table.notes, "all tiles of a seat are laid: points of the others count double"))
    return table
