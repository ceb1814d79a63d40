"""`gupai games`: a group of commands for the games that a person has finished, see docs/my-games.md."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from gupai_app.shell.errors import Command, Commands, Mistake, mistakes, resume_hint
from gupai_app.shell.options import AsJson, Force, grouped, not_empty, one_of
from gupai_app.shell.streams import say

if TYPE_CHECKING:
    from gupai_app.kept.store import Search

LATEST = 20  # games that a list without --last shows

Numbers = Annotated[
    list[int] | None, typer.Argument(metavar="[NUMBER]...", help="Games, by their numbers in `gupai games`")
]
NewFile = Annotated[str, typer.Argument(metavar="FILE", callback=not_empty, help="New file, - for standard output")]

app = typer.Typer(
    cls=Commands, help="List, search, export and delete your finished games, which are kept on this machine."
)


@app.callback(invoke_without_command=True)
def options(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        from gupai_app.kept import terminal
        from gupai_app.kept.store import Search

        with mistakes():
            terminal.listed(Search(), LATEST)


@dataclass(frozen=True)
class Searched:
    """Options that say which games are meant."""

    game: Annotated[str, typer.Option(metavar="GAME", help="Only games of this id")] = ""
    level: Annotated[str, typer.Option(metavar="AGENT", help="Only games against this level or agent")] = ""
    since: Annotated[
        str, typer.Option(metavar="DAY", help="Only games that ended on this day, 2026-11-27, or later")
    ] = ""
    until: Annotated[str, typer.Option(metavar="DAY", help="Only games that ended on this day or earlier")] = ""
    result: Annotated[str, typer.Option(metavar="RESULT", help="Only games that you `won`, `lost` or left `even`")] = ""

    @property
    def search(self) -> "Search":
        """What is looked for. Raises: ValueError."""
        from gupai_agents.shipped import LEVELS
        from gupai_app.kept.store import Search, Store
        from gupai_env import get_game
        from gupai_env.messages.checks import one_of

        if self.game:
            get_game(self.game)
        if self.level:
            one_of("level", self.level, dict.fromkeys([*LEVELS, *Store().distinct("level")]))
        return Search(**vars(self))


@app.command("list", cls=Command)
@grouped
def list_games(
    *,
    searched: Searched,
    last: Annotated[int, typer.Option(min=1, help="How many games to list, the latest first")] = LATEST,
    as_json: AsJson = False,
) -> None:
    """List your finished games, the latest first."""
    from gupai_app.kept import terminal

    with mistakes():
        terminal.listed(searched.search, last, as_json=as_json)


@app.command(cls=Command)
@grouped
def statistics(
    *,
    searched: Searched,
    by: Annotated[str, typer.Option(help="Period: all, year, month or day")] = "all",
    review: Annotated[
        bool, typer.Option("--review", help="First look at every decision of games that were not reviewed yet")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show how you do by game and level: chips, the same without luck, and the loss per decision."""
    from gupai_app.kept import terminal
    from gupai_app.kept.figures import PERIODS

    with mistakes(), resume_hint("games that were reviewed are kept: run the command again"):
        if by not in PERIODS:
            raise Mistake("--by {by!r:.60} is not allowed; choose one of {names}", by=by, names=", ".join(PERIODS))
        terminal.statistics(searched.search, by, review=review, as_json=as_json)


@app.command(cls=Command)
@grouped
def export(file: NewFile, numbers: Numbers = None, *, searched: Searched, force: Force = False) -> None:
    """Write your games to a file, which `gupai replay` and the review in the browser open, on any machine."""
    from gupai_app.kept.store import Store
    from gupai_env.messages.checks import counted
    from gupai_env.storage.files import write_output

    with mistakes():
        one_of({"numbers": numbers, "a search": any(vars(searched).values())})
        games = [Store().get(number) for number in numbers] if numbers else Store().find(searched.search)[::-1]
        if not games:
            raise Mistake("there is no such game, so no file was written")
        write_output(file, "".join(game.line for game in games), force=force)
    say("{file}: {games}", error=True, file=file, games=counted(len(games), "game"))


@app.command("import", cls=Command)
def import_games(
    file: Annotated[
        str, typer.Argument(metavar="FILE", callback=not_empty, help="File that `gupai games export` or --record wrote")
    ],
) -> None:
    """Add the games of a file in which a person played; each is checked, and those that are there already stay."""
    from gupai_agents.evaluation.records.games import read_games
    from gupai_app.kept.store import Store, of_person
    from gupai_env.messages.checks import counted

    with mistakes():
        games = list(read_games(file))
        own = [game for game in games if of_person(game)]
        added = Store().add(own)
    template = "{added} added of {games}; {known} were there already, {others} have no person in them"
    others, known = len(games) - len(own), len(own) - added
    say(template, added=counted(added, "game"), games=counted(len(games), "game"), known=known, others=others)


@app.command(cls=Command)
def review(
    number: Annotated[
        int | None,
        typer.Argument(min=1, metavar="[NUMBER]", help="Game, by its number in `gupai games` (default: the latest)"),
    ] = None,
) -> None:
    """Look at every decision of a game: what your moves lost, and what your tiles were worth."""
    from gupai_app.kept import terminal
    from gupai_app.kept.store import Store

    with mistakes():
        games = [Store().get(number)] if number is not None else Store().find(most=1)
        if not games:
            raise Mistake("you have finished no game yet; to play one: gupai play")
        terminal.review(games[0])


@app.command(cls=Command)
def duplicate(
    number: Annotated[int, typer.Argument(min=1, metavar="NUMBER", help="Game, by its number in `gupai games`")],
) -> None:
    """Play the deal of a game again with `best` in your seat, and compare."""
    from gupai_agents.evaluation.records.games import game_of_line
    from gupai_app.kept import terminal
    from gupai_app.kept.rematch import duplicate
    from gupai_app.kept.store import Store
    from gupai_app.server.players import NAMED
    from gupai_app.shell.screen import waiting

    with mistakes():
        record = game_of_line(Store().get(number).line.encode())
        # A file may name agents that open files or run code; those with a name of their own do not.
        with waiting("playing the deal again"):
            played = duplicate(record, lambda name: NAMED.agent(name, record.game, record.variant))
        terminal.duplicate(played)


@app.command(cls=Command)
@grouped
def puzzles(
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", callback=not_empty, help="File of recorded games (default: your own games)"),
    ] = None,
    *,
    searched: Searched,
) -> None:
    """Solve decisions in which one move is worth far more: of your games and shipped ones of --game, or of a file."""
    from gupai_agents.evaluation.records.games import game_of_line, read_games
    from gupai_app.kept import terminal
    from gupai_app.kept.puzzles import shipped
    from gupai_app.kept.store import Store
    from gupai_app.shell.terminal import Terminal

    with mistakes():
        one_of({"FILE": file, "a search": any(vars(searched).values())})
        own = () if file else Store().find(searched.search)
        games = read_games(file) if file else (game_of_line(game.line.encode()) for game in own)
        terminal.puzzles(games, [] if file else shipped(searched.game), Terminal())


@app.command(cls=Command)
def delete(
    numbers: Numbers = None, everything: Annotated[bool, typer.Option("--all", help="Delete all of them")] = False
) -> None:
    """Delete games for good."""
    from gupai_app.kept.store import Store
    from gupai_env.messages.checks import counted

    with mistakes():
        one_of({"numbers": numbers, "--all": everything})
        if not numbers and not everything:
            raise Mistake("name the numbers of games, or --all")
        store = Store()
        for number in numbers or ():
            store.get(number)  # or say that there is none
        say("{games} deleted", games=counted(store.delete(numbers or None), "game"))


@app.command(cls=Command)
def keep(
    state: Annotated[
        str, typer.Argument(metavar="on|off", help="Whether games are kept from now; those that are there stay")
    ],
) -> None:
    """Begin or end to keep your finished games, of the terminal and of the browser."""
    from gupai_app.kept.store import Store

    if state not in ("on", "off"):
        raise Mistake("{state!r:.60} is not allowed; write on or off", state=state)
    with mistakes():
        Store().switch(on=state == "on")
    say("new games are kept" if state == "on" else "new games are no longer kept; those that are there stay")
