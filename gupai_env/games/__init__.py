"""The games, by id. A new game is a rules file, an encoder, its line here, a configuration and its tests."""

import difflib

from gupai_env.core.game import Game
from gupai_env.games import ce_deng, da_ling, ding_niu, jie_long, small_mahjong, tiu_u

_MODULES = (jie_long, ce_deng, ding_niu, da_ling, tiu_u, small_mahjong)
GAMES: dict[str, Game] = {module.GAME.id: module.GAME for module in _MODULES}


def get_game(name: str | Game) -> Game:
    """Return a game by its id (`jie-long`, also written `jie_long`); raises ValueError naming the games there are."""
    if isinstance(name, Game):
        return name
    wanted = str(name).lower().replace("_", "-")
    if wanted not in GAMES:
        near = difflib.get_close_matches(wanted, GAMES, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise ValueError(f"{name!r} is no game{hint}; the games are {', '.join(GAMES)}")
    return GAMES[wanted]
