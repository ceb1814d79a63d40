"""What `gupai games` prints."""

import json

from gupai_app.kept.duplicate import Duplicate
from gupai_app.kept.store import Search, Store
from gupai_app.shell.language import worded
from gupai_app.shell.screen import put, put_json, table_of
from gupai_app.words.sentences import game_in
from gupai_env.words.messages import say


def listed(search: Search, most: int, *, as_json: bool = False) -> None:
    """Print the games that match, the latest first, up to so many."""
    store = Store()
    games, count = store.find(search, most), store.count(search)
    if as_json:
        put_json({"games": [game._asdict() | {"line": json.loads(game.line)} for game in games]})
        return
    if games:
        table = table_of("number", "day", "game", "against", "seat", "chips")
        for game in games:
            cells = game_in(game.game), worded(game.level), str(game.seat), f"{game.chips:+z.6g}"
            table.add_row(str(game.number), game.day, *cells)
        put(table)
    put(say("Games: {shown} of {count}, in {path}.", shown=len(games), count=count, path=store.path))
    if not store.keeping:
        put("New games are not kept: gupai games keep on")


def duplicate(played: Duplicate) -> None:
    """Print what a deal came to for a person and for another player at their seat."""
    table = table_of("seat", "your game", played.player)
    for name, won, rerun in played.rows:
        table.add_row(worded(name), f"{won:+z.6g}", f"{rerun:+z.6g}")
    put(table, say("Difference: {chips:+z.6g} chips.", chips=played.difference))
