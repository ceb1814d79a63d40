"""gupai: games with Chinese dominoes for reinforcement learning.

Importing it registers every game with PettingZoo, `pettingzoo.make("aec", "gupai/jie-long-v0")` (since its 1.27), and
with Gymnasium, `gymnasium.make("gupai/JieLong-v0")` (one seat, agents at the others). So are the games of installed
packages with an entry point; `register` adds others.
"""

import sys
import warnings

from gupai_env.core.game import Game
from gupai_env.core.kernels import WAIT
from gupai_env.core.move import Move
from gupai_env.games import GAMES, OURS, add_game, get_game, load_plugins
from gupai_env.messages.checks import refused
from gupai_env.registries import add_to_registries, environments
from gupai_env.vector import VectorEnv, make_vec

__version__ = "0.1.0"
__all__ = ["GAMES", "WAIT", "Game", "Move", "VectorEnv", "get_game", "make_vec", "register"]


def register(game: Game) -> None:
    """Add a game, so that it is found by its id here, in PettingZoo, in Gymnasium and on the command line,
    and has a module of environments such as `gupai_env.jie_long_v0`.

    Registering the same game again changes nothing. Raises: ValueError if another game has its id.
    """
    if not isinstance(game, Game):
        raise refused("game", game, "it must be a Game (docs/adding-a-game.md)")
    add_game(game)
    _add(game.identifier, game.version)


def _add(identifier: str, version: int) -> None:
    """Let a game be found in PettingZoo, in Gymnasium and as a module of environments."""
    add_to_registries(identifier.replace("_", "-"), version)
    if (name := f"{identifier}_v{version}") not in globals():
        globals()[name] = sys.modules[f"{__name__}.{name}"] = environments(identifier, version)


for _identifier, _version in OURS.items():
    _add(_identifier, _version)
try:
    load_plugins()
except ValueError as _error:  # the other games can be played; `get_game` raises it
    warnings.warn(str(_error), stacklevel=1)
