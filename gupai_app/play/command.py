"""Commands for people at a table, or a program in their place: `play` and `rules`."""

import sys
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from gupai_app.shell.errors import Mistake, mistakes
from gupai_app.shell.options import (
    Against,
    OptionalGame,
    Options,
    Record,
    Seed,
    SomeGame,
    YourSeat,
    grouped,
    one_of,
    read_line_up,
    read_seed,
    read_variant,
)
from gupai_app.shell.streams import say

if TYPE_CHECKING:
    from gupai_agents.agent import Agent
    from gupai_app.play.terminal import Table

Card = Annotated[bool, typer.Option("--card", help="Print seven rules or fewer that a person can follow instead")]


@grouped
def play(
    name: SomeGame = None,
    against: Against = None,
    seat: YourSeat = None,
    seed: Seed = None,
    option: Options = None,
    daily: Annotated[bool, typer.Option("--daily", help="Play the deal of the day, whose seed is the date")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the game that you left last")] = False,
    *,
    record: Record,
    as_json: Annotated[
        bool, typer.Option("--json", help="Let a program play: print requests as lines of JSON, and read moves")
    ] = False,
) -> None:
    """Play against agents in the terminal; you need not know the game."""
    with mistakes():
        one_of({"--daily": daily, "--seed": seed is not None})
        others = {"--seat": seat is not None, "--seed": seed is not None, "--option": option}
        for flag, value in {**others, "--daily": daily, "--json": as_json}.items():
            one_of({"--resume": resume, flag: value})
    from gupai_app.play import lines, terminal
    from gupai_app.server.warming import Preparation

    with mistakes():
        table = _resumed(name, against) if resume else _dealt(name, against, seat, seed, option, daily=daily)
    with record.writer() as file:
        if as_json:
            lines.play(table.session, table.agents, table.you, file)
        if sys.stdin.isatty():
            table.person.preparation = Preparation(table.session.game)
        terminal.play(table, file)
    say("To see agents play: gupai watch {game}", game=table.session.game.id)


def _dealt(
    name: str | None,
    against: list[str] | None,
    seat: int | None,
    seed: int | None,
    option: list[str] | None,
    *,
    daily: bool,
) -> "Table":
    """Return a table where nothing has been played."""
    from gupai_agents.shipped import levels
    from gupai_app.kept.rematch import day_seed
    from gupai_app.kept.store import Store
    from gupai_app.play.session import Session
    from gupai_app.play.terminal import Table
    from gupai_env.core.rng import draw
    from gupai_env.core.streams import PERSON_STREAM

    game, variant = read_variant(name, option)
    seed, players = read_seed(day_seed(date.today()) if daily else seed), variant.players
    if seat is None:
        seat = draw(seed, PERSON_STREAM, players)
    if not 0 <= seat < players:
        raise Mistake("there is no seat {seat}; the seats are 0 to {last}", seat=seat, last=players - 1)
    others = read_line_up(against or [level.name for level in levels(game)[:1]], players - 1, game, variant)
    return Table(Session(game, variant, seed), _around(seat, others), seat, games=Store(), daily=daily)


def _resumed(name: str | None, against: list[str] | None) -> "Table":
    """Return the table that the person left last, of any game if none is named.

    Args:
        against: Agents instead of those that the file names, none of which opens files or runs code.
    """
    from gupai_agents.evaluation.records.games import unfinished_game_of_line
    from gupai_app.kept.store import Store
    from gupai_app.play.address import play_on
    from gupai_app.play.seats import near_of
    from gupai_app.play.session import Session
    from gupai_app.play.terminal import Table
    from gupai_app.server.players import NAMED

    games = Store().unfinished()
    names = [read_variant(name, None)[0].id] if name else [*games, ""][:1]
    if (game := games.get(names[0])) is None:
        raise Mistake("no unfinished game is kept; to begin one: gupai play GAME")
    record = unfinished_game_of_line(game.line.encode())
    seat = near_of(record)
    session = Session.of(record, (seat,))
    play_on(session, record.actions)
    agents = [agent for place, agent in enumerate(record.agents) if place != seat]
    for agent in () if against else agents:
        NAMED.check(agent, record.game, record.variant)
    others = read_line_up(against or agents, record.variant.players - 1, record.game, record.variant)
    return Table(session, _around(seat, others), seat, games=Store(), daily=game.daily)


def _around(seat: int, others: "list[Agent]") -> "list[Agent]":
    """Return the agents by seat; the one at the person's is not asked."""
    return [*others[:seat], others[0], *others[seat:]]


def rules(name: OptionalGame = None, *, card: Card = False) -> None:
    """Print the rules of a game, its options and its agents."""
    from gupai_app.play import rules as printed
    from gupai_env.games import GAMES, load_plugins

    if name is None:
        with mistakes():
            load_plugins()
        printed.games(GAMES.values())
    else:
        (printed.card if card else printed.rules)(read_variant(name, None)[0])
