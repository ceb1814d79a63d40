"""The table of Ding Niu: that of a connecting game, and the suan zhang."""

from collections.abc import Sequence
from dataclasses import replace

from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games.connecting import table as connecting
from gupai_env.games.ding_niu.rules import CLASSIC
from gupai_env.words.messages import say
from gupai_env.words.scene import Scene, Views


def scene(
    game: Game, variant: Variant, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
) -> Scene:
    """Return the table; see `Game.scene`."""
    table, near = connecting.scene(game, variant, views, names, payoffs), views[0]
    if not near.suan_zhang:
        return table
    maker = names[(int(near.seat) + int(near.direction) * int(near.maker)) % variant.players]
    if near.suan_zhang == CLASSIC:
        note = say("classic suan zhang by {name}", name=maker)
    else:
        note = say("smothered suan zhang by {name}", name=maker)
    return replace(table, notes=(*table.notes, note))
