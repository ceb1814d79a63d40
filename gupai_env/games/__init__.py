"""The games, by id. A new game of ours is a package next to the others and its line here; others `register` theirs."""

import difflib
from importlib.metadata import entry_points

from gupai_env.core.checks import short_repr
from gupai_env.core.game import Game
from gupai_env.games import (
    ce_deng,
    da_ling,
    deer_hunt,
    ding_niu,
    jie_long,
    pai_gow,
    shi_wu_hu,
    small_mahjong,
    tien_gow,
    tiu_u,
)

PLUGINS = "gupai.games"  # the group of entry points under which packages name the module that registers their game
_MODULES = (jie_long, ce_deng, ding_niu, da_ling, tiu_u, small_mahjong, tien_gow, deer_hunt, shi_wu_hu, pai_gow)
GAMES: dict[str, Game] = {module.GAME.id: module.GAME for module in _MODULES}


def add_game(game: Game) -> None:
    """Add a game to GAMES; the same one again changes nothing. Raises ValueError if its id is taken."""
    known = GAMES.setdefault(game.id, game)
    if known.module_name != game.module_name:
        raise ValueError(
            f"{game.id!r} is taken by the game of {known.module_name}; {game.module_name} must choose another id"
        )
    GAMES[game.id] = game


def load_plugins() -> None:
    """Import the modules that installed packages name for their games; each registers its own.

    Raises: ValueError naming the package whose module cannot be imported.
    """
    for plugin in entry_points(group=PLUGINS):
        try:
            plugin.load()
        except Exception as error:
            said = " ".join(str(error).split())
            package = plugin.dist.name if plugin.dist else plugin.name
            raise ValueError(f"the games of the package {package} cannot be loaded: {said}") from error


def get_game(name: str | Game) -> Game:
    """Return a game by its id (`jie-long`, also written `jie_long`); raises ValueError naming the games there are."""
    if isinstance(name, Game):
        return name
    wanted = name.lower().replace("_", "-") if isinstance(name, str) else ""
    if wanted not in GAMES:
        load_plugins()
    if wanted not in GAMES:
        near = difflib.get_close_matches(wanted, GAMES, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise ValueError(f"{short_repr(name)} is not a game{hint}; the games are {', '.join(GAMES)}")
    return GAMES[wanted]
