"""The table of Tiu-U: that of the fishing games."""

from collections.abc import Callable

from gupai_env.games.fishing.table import fishing_move, table_of
from gupai_env.games.phrases import says
from gupai_env.games.tiu_u.rules import BAIT, FISH, HEAVEN_PAIR, SHARES, THREE
from gupai_env.words.scene import Scene


def _move(name: str, action: int) -> str:
    """Return what a seat did."""
    if action == HEAVEN_PAIR:
        return says(name, "{name} lays a heaven pair into the catch", "{name} lay a heaven pair into the catch")
    return fishing_move(name, BAIT[action], FISH[action], action >= THREE)


scene: Callable[..., Scene] = table_of(SHARES, BAIT, _move)
