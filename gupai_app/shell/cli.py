"""`gupai`, the command line. Everything heavy is imported inside the commands, so that help comes at once."""

from typing import Annotated

import typer

from gupai_app.claims import command as claims
from gupai_app.facts import command as facts
from gupai_app.kept import command as kept
from gupai_app.page import command as page
from gupai_app.play import command as play
from gupai_app.review import command as review
from gupai_app.server import command as server
from gupai_app.shell import streams
from gupai_app.shell.errors import Command, Mistake, OneLineErrors
from gupai_app.shell.stop import Stop
from gupai_app.shell.streams import say
from gupai_app.tournaments import command as tournaments
from gupai_app.tournaments.benchmark import benchmark
from gupai_app.training import command as training

COMMANDS = (
    *(play.play, server.web, page.page, review.watch, review.replay, server.warm, play.rules, facts.facts, facts.perft),
    *(tournaments.tournament, tournaments.verify, tournaments.gate, tournaments.ladder, benchmark),
    *(training.tune, tournaments.exploitability, tournaments.best_response, training.discover),
    *(training.train, training.compare_runs, training.export, tournaments.record, training.export_dataset),
)  # in the order of the help

app = typer.Typer(
    name="gupai",
    cls=OneLineErrors,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Play and watch Chinese domino games, and train and compare agents for them.",
)
for command in COMMANDS:
    app.command(cls=Command)(command)
app.add_typer(claims.app, name="claim")
app.add_typer(kept.app, name="games")


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Also show the traceback of an error")] = False,
    language: Annotated[
        str, typer.Option("--language", help="Language: en, zh-Hant, zh-Hans (default: the locale's)")
    ] = "",
) -> None:
    OneLineErrors.debug = debug
    _check_language(language)
    if version:
        say(f"gupai {_version()}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _check_language(language: str) -> None:
    """Refuse a language that nobody speaks here; `language.choose` has chosen it already, for help and errors too."""
    if language:
        from gupai_app.words.languages import LANGUAGES

        if language not in LANGUAGES:
            template = "--language {name!r:.60} is not allowed; choose one of {words}"
            raise Mistake(template, name=language, words=", ".join(LANGUAGES))


def _version() -> str:
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("gupai")
    except PackageNotFoundError:  # run from the sources
        from gupai_env import __version__

        return __version__


def main() -> None:
    """Run the command line; `gupai_app.__main__` is the entry point of `gupai`."""
    streams.take()
    with Stop():
        app()


if __name__ == "__main__":
    main()
