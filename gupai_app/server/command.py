"""Commands of the pages in the browser: `web`, and `warm`, which compiles beforehand what they need."""

import time
from typing import Annotated

import typer

from gupai_app.shell.errors import mistakes
from gupai_app.shell.options import path_option, read_variant
from gupai_app.shell.packages import require_package
from gupai_app.shell.streams import say


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
        with require_package("web", "gupai web"):
            from gupai_app.server.app import serve
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

    from gupai_app.server.warming import PARTS, parts

    for game in games:
        for name, work in zip(PARTS, parts(game), strict=True):
            begun = time.monotonic()
            work()
            say("{game}: {part}, {seconds:.1f} s", game=game.id, part=name, seconds=time.monotonic() - begun)
