"""gupai: games with Chinese dominoes for reinforcement learning.

Importing it registers every game with PettingZoo, `pettingzoo.make("aec", "gupai/jie-long-v0")`, and with Gymnasium,
`gymnasium.make("gupai/JieLong-v0")` (one seat, agents at the others).
"""

import gymnasium
import pettingzoo

from gupai_env.games import GAMES, get_game
from gupai_env.vector import Lanes, lanes

__version__ = "0.1.0"
__all__ = ["GAMES", "Lanes", "get_game", "lanes"]

for _game in GAMES.values():
    _version = f"v{_game.version}"
    pettingzoo.register("aec", f"gupai/{_game.id}-{_version}", f"gupai_env.{_game.module}_{_version}:env")
    gymnasium.register(
        f"gupai/{_game.id.title().replace('-', '')}-{_version}",
        entry_point="agents.gymnasium_envs:SeatEnv",
        vector_entry_point="agents.gymnasium_envs:SeatVectorEnv",
        kwargs={"game": _game.id},
    )
