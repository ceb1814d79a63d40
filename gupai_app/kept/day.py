"""The deal of the day as pages offer it, what a person made of it, and for how many days in a row they have played."""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

from gupai_agents.shipped import LEVELS
from gupai_app.kept.puzzles import shipped
from gupai_app.kept.rematch import day_seed
from gupai_app.kept.store import Kept, Search, Store
from gupai_app.server.players import level_names
from gupai_env.games import GAMES


def of_day(store: Store | None) -> dict[str, Any]:
    """Return the words of a page that offers the deal of the day: games, first the one whose turn it is, and results.

    puzzle: the game and the number of the puzzle of the day, None where none ships.

    Args:
        store: The games that are kept, None where they are not.
    """
    day = date.today()
    offered = [name for name, game in GAMES.items() if level_names(game)]
    turn = day.toordinal() % len(offered)
    ready = [(name, number) for name in offered for number in range(1, len(shipped(name)) + 1)]
    played = {} if store is None else _played(store, day)
    return {
        "seed": day_seed(day),
        "levels": LEVELS,
        "puzzle": ready[day_seed(day) % len(ready)] if ready else None,
        "today": played,
        "daily": [name for name in offered[turn:] + offered[:turn] if name not in played],
        "titles": {name: game.title for name, game in GAMES.items()},
    }


def _played(store: Store, day: date) -> dict[str, Kept]:
    """Return by game the first one on a day of its deal under default rules."""
    words = '"variant":{}', f'"seed":"{day_seed(day)}","episode":0,'
    games = store.find(Search(since=day.isoformat()))
    return {game.game: game for game in games if all(word in game.line for word in words)}  # the first is last


def streak(days: Iterable[str], today: date) -> int:
    """Return how many days in a row, up to today or yesterday, are among some days, such as "2026-11-27"."""
    known = set(days)
    day = today if today.isoformat() in known else today - timedelta(1)
    number = 0
    while (day - timedelta(number)).isoformat() in known:
        number += 1
    return number
