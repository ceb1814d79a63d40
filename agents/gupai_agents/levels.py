"""Levels: easy, medium, strong and master, each a player of the game whose strength was measured.

`levels.yaml` names the player of each level, with the chips per deal that it wins from a human-like player of the
game under the default options. A variant for which that player does not ship has the best heuristic instead.
"""

import functools
from pathlib import Path
from typing import Any, NamedTuple

from gupai_agents.shipped import BEST, best_file, best_heuristic, heuristic_names
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.storage.models import parse_yaml

LEVELS = ("easy", "medium", "strong", "master")
FILE = Path(__file__).parent / "levels.yaml"


class Level(NamedTuple):
    """A level: who plays, and their mean chips per deal against another with its 95% interval, by `n` default deals."""

    name: str
    player: str
    against: str
    mean: float
    low: float
    high: float
    n: int


@functools.cache
def _all() -> dict[str, Any]:
    return parse_yaml(FILE.read_text(encoding="utf-8"))


def levels(game: Game) -> list[Level]:
    """Return the levels of a game, the weakest first; none for a game of another package."""
    settings = _all().get(game.id, {})
    return [Level(name, against=settings["against"], **settings[name]) for name in LEVELS if settings]


def player_of(level: str, game: Game, variant: Variant) -> str:
    """Return the player of a level. Raises: ValueError for a game that has no levels."""
    player = next((candidate.player for candidate in levels(game) if candidate.name == level), None)
    if player is None:
        raise ValueError(f"{game.id} has no levels; choose one of {', '.join(heuristic_names(game))}")
    return best_heuristic(game) if player == BEST and best_file(game, variant) is None else player
