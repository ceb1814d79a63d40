"""Commands for people at a table: `play`, `watch`, `replay`, `web`, `warm` and `rules`."""

import sys
from itertools import chain
from typing import Annotated

import typer

from gupai_app.shell.errors import Mistake, check_target, mistakes
from gupai_app.shell.options import (
    Against,
    Agents,
    Force,
    OptionalGame,
    Options,
    Record,
    Seed,
    SomeGame,
    YourSeat,
    grouped,
    not_empty,
    path_option,
    read_line_up,
    read_seed,
    read_variant,
)
from gupai_app.shell.packages import needing
from gupai_app.shell.streams import say


@grouped
def play(
    name: SomeGame = None,
    against: Against = None,
    seat: YourSeat = None,
    seed: Seed = None,
    option: Options = None,
    *,
    record: Record,
) -> None:
    """Play against agents in the terminal; you need not know the game."""
    from gupai_env.core.rng import draw
    from gupai_env.core.streams import PERSON_STREAM

    game, variant = read_variant(name, option)
    seed, players = read_seed(seed), variant.players
    if seat is None:
        seat = draw(seed, PERSON_STREAM, players)
    if not 0 <= seat < players:
        raise Mistake(f"there is no seat {seat}; the seats are 0 to {players - 1}")
    from gupai_agents.levels import levels

    others = read_line_up(against or [each.name for each in levels(game)[:1]], players - 1, game, variant)

    from gupai_app.play import terminal as table
    from gupai_app.play.human import Terminal

    seating = [*others[:seat], others[0], *others[seat:]]
    with record.writer() as file:
        table.play(game, variant, seating, seat, seed, Terminal(), file)
    say(f"To see agents play: gupai watch {game.id}")


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

    from gupai_app.play import terminal as table
    from gupai_app.play.human import Terminal

    with record.writer() as file:
        if as_json:
            table.watch_json(game, variant, line_up, seed, file)
        else:
            table.watch(game, variant, line_up, seed, Terminal(), tables=tables, record=file)


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
    """Step through recorded games, or check them; each is replayed under the rules before it is shown."""
    from gupai_agents.evaluation.records import read_games
    from gupai_app.play import terminal as table
    from gupai_app.play.human import Terminal
    from gupai_env.words.checks import counted

    if html is not None:
        check_target("--html", html, force)
    none = f"{path}: there is no game in it" if number == 1 else f"{path}: there is no game {number}"
    with mistakes():
        games = read_games(path, number)
        if check:
            if html is not None or tables:
                raise Mistake("--check shows nothing: leave --html and --tables out")
            if not (checked := sum(1 for _ in games)):
                raise Mistake(none)
            say(f"{path}: {counted(checked, 'game')}, replayed: all moves, names and payoffs agree")
            return
        first = next(games, None)
        if first is None:
            raise Mistake(none)
        if html is not None:
            from gupai_app.review.page import game_page
            from gupai_env.words.files import write_output

            write_output(html, game_page(first), force=force)
            say(f"{html}: game {number} of {path}, to be opened in a browser", error=True)
            return
        step = sys.stdin.isatty() and sys.stdout.isatty()
        table.replay(chain([first], games), number, Terminal(), tables=tables, step=step)


def web(
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port (default: a free one)")] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; the default accepts connections from this machine only")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the browser")] = True,
    runs: Annotated[str, path_option("FOLDER", "Folder of the training runs to show")] = "runs",
    tournaments: Annotated[str, path_option("FOLDER", "Folder in which tournaments are kept")] = "tournaments",
    agent: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT", help="Additional player to offer, such as onnx:FILE; may be repeated"),
    ] = None,
) -> None:
    """Open a web page to play, review games, test claims, run tournaments and follow training runs."""
    with mistakes():
        with needing("web", "gupai web"):
            from gupai_app.server.serve import serve
        serve(port, host, browser=browser, runs=runs, tournaments=tournaments, agents=agent or ())


def warm(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[GAME]...", help="Games to compile (default: all)")
    ] = None,
) -> None:
    """Compile games in advance, once per machine, so that no command has to wait for it later."""
    from gupai_env.games import GAMES, load_plugins

    if not names:
        with mistakes():
            load_plugins()
    games = [read_variant(name, None)[0] for name in names or GAMES]

    import time

    from gupai_app.server.warm import parts

    for game in games:
        for part in parts(game):
            begun = time.monotonic()
            part.work()
            say(f"{game.id}: {part.what}, {time.monotonic() - begun:.1f} s")


def rules(name: OptionalGame = None) -> None:
    """Print the rules of a game, its options and its agents."""
    from gupai_app.shell import report
    from gupai_env.games import GAMES, load_plugins

    if name is None:
        with mistakes():
            load_plugins()
        report.games(GAMES.values())
    else:
        report.rules(read_variant(name, None)[0])
