"""Who may be named on a page: players with a name, two searches and trained ones of the runs that the server shows."""

import contextlib
import functools
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from gupai_agents import agent_names, make_agent
from gupai_agents.agent import Agent
from gupai_agents.networks.checkpoint import AGENT_FILE, MAX_BYTES, check_identity, read_header, variant_of
from gupai_agents.players.search import SearchAgent
from gupai_agents.shipped import BEST, best_heuristic, levels
from gupai_app.play.moves import ADVISER
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games import GAMES
from gupai_env.messages import joined, one_line, say
from gupai_env.messages.checks import short_repr
from gupai_env.storage.files import describe
from gupai_env.storage.models import DamagedError, small_file

SEARCHES = ("search:playouts=20", ADVISER)  # a quick one first
RUN = "run:"  # before the name of a run: the player that it trained
Thing = TypeVar("Thing")
PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]{1,80}")  # of a folder that pages show


def folders(folder: Path | None) -> dict[str, Path]:
    """Return the folders in a folder by name, the newest first: a request names one of these and never a path."""
    if folder is None or not folder.is_dir():
        return {}
    dated: list[tuple[float, Path]] = []
    for path in folder.iterdir():
        with contextlib.suppress(OSError):  # it may have gone meanwhile
            if PLAIN_NAME.fullmatch(path.name) and path.is_dir():
                dated.append((-path.stat().st_mtime, path))
    return {path.name: path for _, path in sorted(dated)}


class NoPageError(Exception):
    """There is no page at an address."""


def existing(thing: Thing | None) -> Thing:
    """Return what an address names. Raises: NoPageError if that is nothing."""
    if thing is None:
        raise NoPageError
    return thing


def folder_called(folder: Path | None, name: str) -> Path:
    """Return one of those folders by its name. Raises: NoPageError for another."""
    return existing(folders(folder).get(name))


# What may be raised by a file that does not hold what pages show of it.
ODD = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


def wrong_with(error: BaseException, where: str) -> str:
    """Return in one line what is wrong with a file, beginning with its name; `where`: that of the file."""
    if isinstance(error, OSError):
        return joined(": ", [where, describe(OSError(error.errno, error.strerror))])
    problem = one_line(str(error)) or type(error).__name__
    return problem if isinstance(error, DamagedError) else joined(": ", [where, problem])


def display_name(name: str) -> str:
    """Return an agent's name as pages show it: that of a checkpoint, which names a folder, by its run."""
    return f"{RUN}{Path(name).name}" if name.startswith("checkpoint:") else name


def level_names(game: Game) -> list[str]:
    """Return the levels of a game by name, the weakest first."""
    return [level.name for level in levels(game)]


class Players:
    """The players that pages of a server may name: none that a request makes open a file of its choice or run code."""

    def __init__(self, runs: Path | None = None, given: Sequence[str] = ()) -> None:
        """List who may be named.

        Args:
            runs: The folder of training runs, whose players may be named too.
            given: Texts of more players.

        Raises:
            ValueError: For a text that makes a player of no game.
        """
        self.runs, self.given = runs, tuple(given)
        for spec in self.given:
            wrong = {_problem(spec, game, game.variant()) for game in GAMES.values()}
            if "" not in wrong and (len(wrong) == 1 or ":" not in spec):  # no matter of a game's options
                raise ValueError(f"--agent {short_repr(spec)} plays no game: {min(wrong)}")

    def names(self, game: Game, variant: Variant | None = None) -> list[str]:
        """Return who plays a game, or its variant; without one that of the default options."""
        variant = game.variant() if variant is None else variant
        given = [spec for spec in self.given if not _problem(spec, game, variant)]
        return [*level_names(game), *agent_names(game, variant), *SEARCHES, *given, *self.trained(game, variant)]

    def known(self, game: Game) -> list[str]:
        """Return who plays a game with some options or other."""
        return list(dict.fromkeys([*self.names(game), *self.given, *self.trained(game)]))

    def trained(self, game: Game, variant: Variant | None = None) -> list[str]:
        """Return the trained players of a game, those that play a variant if one is given."""
        return [f"{RUN}{name}" for name, path in folders(self.runs).items() if _fits(path / AGENT_FILE, game, variant)]

    def check(self, name: str, game: Game, variant: Variant) -> None:
        """Raise ValueError for a player that is not among those allowed.

        Args:
            name: As a page names it.
            game, variant: What it is to play.
        """
        if name in SEARCHES or name in level_names(game) or name in agent_names(game, variant):
            return
        if name in self.given and (wrong := _problem(name, game, variant)):
            raise ValueError(wrong)
        allowed = self.names(game, variant)
        if name not in allowed and not (name.startswith(RUN) and name in self.trained(game)):
            raise ValueError(
                say("{name} does not play here; who does: {allowed}", name=short_repr(name), allowed=", ".join(allowed))
            )

    def agent(self, name: str, game: Game, variant: Variant) -> Agent:
        """Return a player that a page may name. Raises: ValueError.

        Args:
            name: As a page names it.
            game, variant: What it is to play.
        """
        self.check(name, game, variant)
        if not name.startswith(RUN):
            return _named(name, game, variant)
        file = folders(self.runs)[name.removeprefix(RUN)] / AGENT_FILE
        return _named(f"checkpoint:{file.parent}", game, variant, file.stat().st_mtime_ns)


NAMED = Players()


def adviser(game: Game, variant: Variant, *, rough: bool = False) -> SearchAgent:
    """Return the search that values moves, or one that does so roughly in a tenth of the time."""
    agent = _named(SEARCHES[not rough], game, variant)
    assert isinstance(agent, SearchAgent)
    return agent


def strongest(game: Game, variant: Variant) -> Agent:
    """Return the strongest player that ships with the package and answers at once: no search."""
    return _named(BEST if BEST in agent_names(game, variant) else best_heuristic(game), game, variant)


@functools.lru_cache(maxsize=64)
def _named(name: str, game: Game, variant: Variant, _: int = 0) -> Agent:
    """Return a player; the time of its file, a number, distinguishes an older one from a newer."""
    return make_agent(name, game, **asdict(variant))


def _problem(spec: str, game: Game, variant: Variant) -> str:
    """Return why a text makes no player of a variant, "" if it does."""
    try:
        _named(spec, game, variant)
    except ValueError as error:
        return str(error)
    return ""


@functools.lru_cache(maxsize=256)
def _header(file: Path, _: int) -> dict[str, Any]:
    return read_header(file)


def made_for(file: Path) -> tuple[Game, Variant] | None:
    """Return what a checkpoint was trained for, None if there is none that can be read."""
    try:
        small_file(file, MAX_BYTES)
        return variant_of(file, _header(file, file.stat().st_mtime_ns))
    except ODD:
        return None


def _fits(file: Path, game: Game, variant: Variant | None) -> bool:
    """Return whether the player of a checkpoint plays a game, and a variant if one is given."""
    rules = made_for(file)
    if rules is None or rules[0] != game:
        return False
    try:
        if variant is not None:
            check_identity(file, _header(file, file.stat().st_mtime_ns), game, variant)
    except ODD:
        return False
    return True
