"""gupai: games with Chinese dominoes for reinforcement learning.

Importing it registers every game with PettingZoo: `pettingzoo.make("aec", "gupai/jie-long-v0")`.
"""

from pettingzoo import register

from gupai_env.games import GAMES, get_game
from gupai_env.vector import Lanes, lanes

__version__ = "0.1.0"
__all__ = ["GAMES", "Lanes", "get_game", "lanes"]

for _game in GAMES.values():
    _name = f"{_game.module}_v{_game.version}"
    register("aec", f"gupai/{_game.id}-v{_game.version}", f"gupai_env.{_name}:env")
