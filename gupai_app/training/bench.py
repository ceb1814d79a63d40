"""`gupai bench`: how fast the engine is."""

from typing import Annotated

import typer

from gupai_app.shell.errors import going_on
from gupai_app.shell.options import NOTHING_KEPT, AsJson, SomeGame, read_variant


def bench(
    name: SomeGame = None,
    everything: Annotated[bool, typer.Option("--all", help="Measure every game")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure how many decisions per second the engine plays on this machine."""
    game, _ = read_variant(name, None)

    from gupai_app.shell import report
    from gupai_app.training.speed import FIGURES, figures
    from gupai_env.games import GAMES

    games = list(GAMES.values()) if everything else [game]
    measured = []
    with going_on(NOTHING_KEPT), report.progress("measurements", len(games) * FIGURES) as done:
        for each in games:
            for figure in figures(each):
                measured.append(figure)
                done(1)
    report.speed(measured, as_json=as_json)
