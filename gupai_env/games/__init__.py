"""The games, by id. A new game of ours is a package next to the others and its line here; others `register` theirs."""

import dataclasses
import difflib
import inspect
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from gupai_env.core.game import Game
from gupai_env.core.variant import UnknownOptionError, Variant
from gupai_env.messages import say
from gupai_env.messages.checks import nearest, short_repr

PLUGINS = "gupai.games"  # the group of entry points under which packages name the module that registers their game
OURS = {  # packages next to this module: the versions of their games
    "jie_long": 0,
    "ce_deng": 0,
    "ding_niu": 0,
    "da_ling": 0,
    "tiu_u": 0,
    "small_mahjong": 0,
    "tien_gow": 0,
    "deer_hunt": 0,
    "shi_wu_hu": 0,
    "pai_gow": 0,
}


class Games(MutableMapping[str, Game]):
    """The games by id; one of ours is imported when it is first asked for, for its tables take time to make."""

    def __init__(self) -> None:
        self._games: dict[str, Game | None] = {name.replace("_", "-"): None for name in OURS}

    def __getitem__(self, name: str) -> Game:
        game = self._games[name]
        if game is None:
            self._games[name] = game = import_module(f"{__name__}.{name.replace('-', '_')}").GAME
        return game

    def __setitem__(self, name: str, game: Game) -> None:
        self._games[name] = game

    def __delitem__(self, name: str) -> None:
        del self._games[name]

    def __contains__(self, name: object) -> bool:
        return name in self._games  # without importing it

    def __iter__(self) -> Iterator[str]:
        return iter(self._games)

    def __len__(self) -> int:
        return len(self._games)


GAMES = Games()


def add_game(game: Game) -> None:
    """Add a game to GAMES; the same one again changes nothing. Raises ValueError if its id is taken."""
    known = GAMES.setdefault(game.id, game)
    if known.module_name != game.module_name:
        raise ValueError(
            f"{game.id!r} is taken by the game of {known.module_name}; {game.module_name} must choose another id"
        )
    GAMES[game.id] = game


def load_plugins(group: str = PLUGINS) -> None:
    """Import the modules that installed packages name for their games, or for another group of entry points.

    Each registers its own.

    Raises:
        ValueError: Naming the package whose module cannot be imported.
    """
    for plugin in entry_points(group=group):
        try:
            plugin.load()
        except Exception as error:
            message = " ".join(str(error).split())
            package = plugin.dist.name if plugin.dist else plugin.name
            kind = group.partition(".")[2]
            raise ValueError(f"the {kind} of the package {package} cannot be loaded: {message}") from error


def get_game(name: str | Game) -> Game:
    """Return a game by its id (`jie-long`, also written `jie_long`); raises ValueError naming the games there are."""
    if isinstance(name, Game):
        return name
    wanted = name.lower().replace("_", "-") if isinstance(name, str) else ""
    if wanted not in GAMES:
        load_plugins()
    if wanted not in GAMES:
        near, games = difflib.get_close_matches(wanted, GAMES, 1), ", ".join(GAMES)
        if near:
            near_one = "{name} is not a game; did you mean {near}?; the games are {games}"
            raise ValueError(say(near_one, name=short_repr(name), near=near[0], games=games))
        raise ValueError(say("{name} is not a game; the games are {games}", name=short_repr(name), games=games))
    return GAMES[wanted]


def variant_from(game: Game, options: Mapping[str, Any], maker: Callable[..., Any], *more: str) -> Variant:
    """Return the variant that the remaining keywords of a public function stand for.

    Args:
        game: The game.
        options: These keywords.
        maker: The function, or the class, that was called with them: an error suggests its own keywords too.
        more: Keywords of the function that its signature does not list.

    Raises:
        UnknownOptionError: An unknown keyword (a TypeError and a ValueError), with those that are close.
        ValueError: An option has a value that is not allowed.
    """
    try:
        return game.variant.make(**options)
    except UnknownOptionError as error:
        name = error.args[1]
    names = [field.name for field in dataclasses.fields(game.variant)]
    parameters = inspect.signature(maker).parameters.values()
    own = [*more, *(parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY)]
    raise UnknownOptionError(
        f"{maker.__name__} got an unexpected keyword argument {name!r}: {name!r} is not an option of {game.id}; "
        f"{nearest(name, [*names, *own])}its options are {', '.join(names)}, and other keywords {', '.join(own)}",
        name,
    )
