"""The table of Tiu-U: that of the fishing games."""

from collections.abc import Callable

from gupai_env.core.scene import Scene
from gupai_env.games.fishing.table import fishing_action, table_of
from gupai_env.games.tiu_u.rules import BAIT, FISH, HEAVEN_PAIR, SHARES, THREE


def _action_type(action: int) -> str:
    """Return what an action does as a phrase."""
    if action == HEAVEN_PAIR:
        return "lay a heaven pair into the catch"
    return fishing_action(BAIT[action], FISH[action], action >= THREE)


scene: Callable[..., Scene] = table_of(SHARES, BAIT, _action_type)
