"""Commands that show games: `watch` and `replay`."""

from itertools import chain
from typing import Annotated

import typer

from gupai_app.shell.errors import Mistake, check_target, mistakes
from gupai_app.shell.options import (
    Agents,
    Force,
    Options,
    Record,
    Seed,
    SomeGame,
    grouped,
    not_empty,
    path_option,
    read_line_up,
    read_seed,
    read_variant,
)
from gupai_app.shell.streams import say


@grouped
def watch(
    name: SomeGame = None,
    agents: Agents = None,
    seed: Seed = None,
    option: Options = None,
    tables: Annotated[bool, typer.Option("--tables", help="Show the table after every move")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per move")] = False,
    *,
    record: Record,
) -> None:
    """Print a deal between agents move by move, with all tiles face up."""
    game, variant = read_variant(name, option)
    seed, line_up = read_seed(seed), read_line_up(agents, variant.players, game, variant)

    from gupai_app.review import terminal
    from gupai_app.shell.terminal import Terminal

    with record.writer() as file:
        if as_json:
            terminal.watch_json(game, variant, line_up, seed, file)
        else:
            terminal.watch(game, variant, line_up, seed, Terminal(), tables=tables, record=file)


def replay(
    path: Annotated[
        str, typer.Argument(metavar="FILE", callback=not_empty, help="File of games recorded with --record")
    ],
    number: Annotated[int, typer.Option("--game", min=1, help="First game to show, counted from 1")] = 1,
    tables: Annotated[bool, typer.Option("--tables", help="Show the table after every move")] = False,
    check: Annotated[bool, typer.Option("--check", help="Check all games without showing them")] = False,
    html: Annotated[str | None, path_option("FILE", "Write this game to a new HTML file")] = None,
    force: Force = False,
) -> None:
    """Show recorded games, in a terminal by its pager, or check them; each is replayed under the rules before that."""
    from gupai_agents.evaluation.records.games import read_games
    from gupai_app.review import terminal
    from gupai_app.shell.terminal import paged
    from gupai_env.messages.checks import counted

    if html is not None:
        check_target("--html", html, force)
    none = "{path}: there is no game in it" if number == 1 else "{path}: there is no game {number}"
    with mistakes():
        games = read_games(path, number)
        if check:
            if html is not None or tables:
                raise Mistake("--check shows nothing: leave --html and --tables out")
            if not (checked := sum(1 for _ in games)):
                raise Mistake(none, path=path, number=number)
            template = "{path}: {games}, replayed: all moves, names and payoffs agree"
            say(template, path=path, games=counted(checked, "game"))
            return
        first = next(games, None)
        if first is None:
            raise Mistake(none, path=path, number=number)
        if html is not None:
            from gupai_app.review.page import game_page
            from gupai_env.storage.files import write_output

            write_output(html, game_page(first), force=force)
            template = "{page}: game {number} of {file}, to be opened in a browser"
            say(template, error=True, page=html, number=number, file=path)
            return
        paged(terminal.replay(chain([first], games), number, tables=tables))
