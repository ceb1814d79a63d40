"""Commands for people at a table, or a program in their place: `play` and `rules`."""

from datetime import date
from typing import Annotated

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

Card = Annotated[bool, typer.Option("--card", help="Print ten rules or fewer that a person can follow instead")]


@grouped
def play(
    name: SomeGame = None,
    against: Against = None,
    seat: YourSeat = None,
    seed: Seed = None,
    option: Options = None,
    daily: Annotated[bool, typer.Option("--daily", help="Play the deal of the day, whose seed is the date")] = False,
    *,
    record: Record,
    as_json: Annotated[
        bool, typer.Option("--json", help="Let a program play: print requests as lines of JSON, and read moves")
    ] = False,
) -> None:
    """Play against agents in the terminal; you need not know the game."""
    from gupai_env.core.rng import draw
    from gupai_env.core.streams import PERSON_STREAM

    game, variant = read_variant(name, option)
    if daily:
        from gupai_app.kept.duplicate import day_seed

        with mistakes():
            one_of({"--daily": daily, "--seed": seed is not None})
        seed = day_seed(date.today())
    seed, players = read_seed(seed), variant.players
    if seat is None:
        seat = draw(seed, PERSON_STREAM, players)
    if not 0 <= seat < players:
        raise Mistake("there is no seat {seat}; the seats are 0 to {last}", seat=seat, last=players - 1)
    from gupai_agents.levels import levels

    others = read_line_up(against or [level.name for level in levels(game)[:1]], players - 1, game, variant)

    from gupai_app.kept.store import Store
    from gupai_app.play import lines, terminal
    from gupai_app.shell.terminal import Terminal

    seating = [*others[:seat], others[0], *others[seat:]]
    with record.writer() as file:
        if as_json:
            lines.play(game, variant, seating, seat, seed, file)
        terminal.play(game, variant, seating, seat, seed, Terminal(), file, Store())
    say("To see agents play: gupai watch {game}", game=game.id)


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
