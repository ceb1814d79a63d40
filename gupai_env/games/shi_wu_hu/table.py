"""The table of Shi Wu Hu: that of the fishing games."""

from collections.abc import Callable

from gupai_env.games.fishing.table import fishing_move, table_of
from gupai_env.games.shi_wu_hu.rules import BAIT, FISH, SHARES, THREE
from gupai_env.words.scene import Scene


def _move(name: str, action: int) -> str:
    """Return what a seat did."""
    return fishing_move(name, BAIT[action], FISH[action], action >= THREE)


scene: Callable[..., Scene] = table_of(SHARES, BAIT, _move)
