"""What `gupai games` prints."""

import json

from gupai_app.kept.duplicate import Duplicate
from gupai_app.kept.figures import figures, mean_text, review_all
from gupai_app.kept.store import Search, Store
from gupai_app.shell.language import worded
from gupai_app.shell.screen import progress, put, put_json, table_of
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


def statistics(search: Search, by: str, *, review: bool, as_json: bool) -> None:
    """Print how the person does by game, level and period; review: look at every decision of the games before."""
    store = Store()
    games = store.find(search)
    if review and (new := [game for game in games if game.luck is None]):
        with progress("games", len(new)) as done:
            for _ in review_all(store, new):
                done(1)
        games = store.find(search)
    rows = figures(games, by)
    if as_json:
        means = ("chips", "adjusted", "loss")
        put_json({"rows": [row._asdict() | {name: getattr(row, name).as_numbers() for name in means} for row in rows]})
        return
    heads = "games", "chips per deal", "reviewed", "luck-adjusted", "loss per decision", "by kind"
    table = table_of("game", "against", *([] if by == "all" else [by]), *heads)
    for row in rows:
        kinds = ", ".join(f"{worded(kind)} {lost:.2f} ({number})" for kind, number, lost in row.kinds)
        period = [] if by == "all" else [row.period]
        cells = str(row.games), mean_text(row.chips), str(row.reviewed), mean_text(row.adjusted), mean_text(row.loss)
        table.add_row(game_in(row.game), worded(row.level), *period, *cells, kinds)
    put(table, "With 95% intervals. Luck and losses are those of reviewed games; --review looks at all that are left.")


def duplicate(played: Duplicate) -> None:
    """Print what a deal came to for a person and for another player at their seat."""
    table = table_of("seat", "your game", played.player)
    for name, won, rerun in played.rows:
        table.add_row(worded(name), f"{won:+z.6g}", f"{rerun:+z.6g}")
    put(table, say("Difference: {chips:+z.6g} chips.", chips=played.difference))
