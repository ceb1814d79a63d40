"""`gupai page`: a game as one file, which a browser plays without Python and without a server."""

from typing import Annotated

import typer

from gupai_app.shell.errors import check_target, mistakes
from gupai_app.shell.options import Force, GameName, not_empty
from gupai_app.shell.streams import say


def page(
    name: GameName,
    out: Annotated[
        str,
        typer.Option("-o", "--out", metavar="FILE", callback=not_empty, help="New HTML file; - for standard output"),
    ],
    force: Force = False,
) -> None:
    """Write a game as one HTML file: it opens with a double click, and plays without a network."""
    from gupai_env.games import get_game
    from gupai_env.storage.files import STREAMS, write_output

    check_target("--out", out, force)
    with mistakes():
        game = get_game(name)
        from gupai_app.page.file import page_of

        write_output(out, page_of(game), force=force)
    if out not in STREAMS:
        say("{file}: {game}, to be opened in a browser", error=True, file=out, game=game.id)
