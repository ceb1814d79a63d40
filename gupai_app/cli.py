"""`gupai`, the command line. Everything heavy is imported inside the commands, so that help comes at once."""

import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from gupai_app import streams
from gupai_app.stop import STOPPED, Stop
from gupai_app.streams import OutputLostError, say

if TYPE_CHECKING:
    from gupai_agents.agent import Agent
    from gupai_agents.evaluation.records import RecordWriter
    from gupai_agents.workers import Workers
    from gupai_env.core.game import Game
    from gupai_env.core.variant import Variant

READER_LEFT = 141  # exit status where nobody reads the output any more, as of what SIGPIPE ends
LONGEST = 1000  # characters of an error's line
SEEDS = 1_000_000  # of these one is drawn if none is given; a short one is easily typed again
BEGIN_AGAIN = "give the command again; with --out FOLDER what is finished would have been kept"
NOTHING_KEPT = "nothing is kept of what it found: give the command again"


class Mistake(typer.TyperException):
    """What is wrong with the user's words, in one line."""

    exit_code = 2


class Stopped(typer.TyperException):
    """Ctrl-C, or another request to end: what is kept and how to go on, in one line."""

    def __init__(self, by: KeyboardInterrupt, go_on: str = "") -> None:
        super().__init__(f"stopped; {go_on}" if go_on else "stopped")
        self.exit_code = STOPPED + (by.args[0] if by.args else signal.SIGINT)


class OneLineErrors(TyperGroup):
    """Commands whose errors are one line on standard error.

    debug: whether the traceback of an error is shown above its line.
    """

    debug = False

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run a command; what typer would take for its own is told in a line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stopped:
            raise Stopped(stopped) from None
        except EOFError as error:
            raise Mistake(f"the input ended too early ({error})") from error

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command and end the process with its exit status: 0, 2 for a mistake of the user."""
        said: object = None
        try:
            status = super().main(*args, **{**extra, "standalone_mode": False})
            sys.stdout.flush()
            if status == STOPPED + signal.SIGINT:  # while the words were read
                said = "stopped"
        except typer.TyperException as error:
            self.explain(error)
            said, status = _in_our_words(error), error.exit_code
        except ValueError as error:
            from gupai_agents.failure import AgentError
            from gupai_env.core.illegal import IllegalActionError

            if not isinstance(error, (AgentError, IllegalActionError)):
                raise
            self.explain(error)
            said, status = error, Mistake.exit_code
        except typer.Abort:
            said, status = "stopped", 1
        except OutputLostError as lost:
            said, status = (None, READER_LEFT) if lost.reader_left else (_described(lost.error), 1)
        except OSError as error:  # what the user names is read within `mistakes`
            said, status = _described(error), 1
        except MemoryError as error:
            said, status = (
                f"there is not enough memory ({error})" if str(error) else "there is not enough memory",
                1,
            )
        if said is not None:
            line = f"gupai: {' '.join(str(said).split())}"
            say(line if len(line) <= LONGEST else f"{line[: LONGEST - 200]} ... {line[-200:]}", error=True)
        sys.exit(status)

    def explain(self, error: Exception) -> None:
        """Show where an error comes from, if that is asked for."""
        if self.debug:
            traceback.print_exception(error)


def _described(error: OSError) -> str:
    from gupai_env.core.files import describe

    return describe(error)


def _in_our_words(error: typer.TyperException) -> str:
    """Return what a mistake is, for a value that typer has refused as our own refusals say it."""
    refused, parameter = getattr(error.__cause__, "errors", None), getattr(error, "param", None)
    if refused is None or parameter is None:
        return error.format_message()
    from gupai_env.core.numbers import allowed_instead, told

    first, typed = refused()[0], parameter.get_runtime_param()
    name = parameter.opts[-1] if parameter.param_type_name == "option" else parameter.metavar
    bounds = typed.parameter_info
    instead = allowed_instead(first, typed.annotation is int, ge=bounds.min, le=bounds.max)
    if instead is None:
        return error.format_message()
    value = first["input"]
    return f"{name}={value if isinstance(value, str) and len(value) < 60 else told(value)} is not allowed; {instead}"


@contextmanager
def mistakes() -> Iterator[None]:
    """Turn what is refused here, where the user's words are read, into a `Mistake`."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise Mistake("a file that was named is not UTF-8 text") from error
    except OSError as error:
        raise Mistake(_described(error)) from error
    except ValueError as error:
        raise Mistake(str(error)) from error


def _check_target(option: str, path: str, force: bool, *, stream: bool = True) -> None:
    """Refuse beforehand a file that could not be written in the end; stream: standard output may be named too."""
    from gupai_env.core.files import check_output, check_target

    try:
        (check_output if stream else check_target)(path, force=force)
    except ValueError as error:
        raise Mistake(f"{option} {error}") from None


@contextmanager
def _going_on(words: str) -> Iterator[None]:
    """Tell who stops this how to go on."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        raise Stopped(stopped, words) from None


@contextmanager
def _workers(address: str | None, go_on: str, otherwise: "Workers | None" = None) -> "Iterator[Workers]":
    """Have the workers of a Ray cluster or, where none is named, others, by default this process.

    Args: go_on: what to do if the cluster is lost, the end of a sentence.
    """
    from gupai_agents.workers import Cluster, Workers

    if address is None:
        yield otherwise or Workers()
        return
    cluster = Cluster(address, go_on)
    # beforehand: where the node of this machine dies, Ray ends the process without a word
    say(f"gupai: at the Ray cluster {address}; if it is lost: {go_on}", error=True)
    try:
        yield cluster
    finally:
        cluster.close()


@contextmanager
def packages_of_tuning() -> Iterator[None]:
    """Tell which packages tuning needs, where one is missing."""
    try:
        yield
    except ImportError:
        raise Mistake("tuning needs one more package: pip install 'gupai[tune]'") from None


def _named(parameter: typer.CallbackParam, value: str | None) -> str | None:
    """Refuse a file or folder without a name, as a script's unset variable makes it."""
    if value is not None and not value.strip():
        said = parameter.metavar if parameter.param_type_name == "argument" else parameter.opts[-1]
        raise Mistake(f"{said} is empty")
    return value


app = typer.Typer(
    name="gupai",
    cls=OneLineErrors,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Chinese domino games to play and to watch, and to train and compare agents on.",
)

GameName = Annotated[str, typer.Argument(metavar="GAME", help="a game; `gupai rules` lists them")]
SomeGame = Annotated[
    str | None, typer.Argument(metavar="[GAME]", help="a game, by default the first that `gupai rules` lists")
]
OptionalGame = Annotated[
    str | None, typer.Argument(metavar="[GAME]", help="a game; without it all are listed")
]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "-o", "--option", metavar="NAME=VALUE", help="an option of the rules, see `gupai rules GAME`"
    ),
]
Seed = Annotated[int | None, typer.Option(help="names the deals; without it one is drawn and shown")]
Against = Annotated[
    list[str] | None, typer.Option(metavar="AGENT", help="who plays; repeat it for each seat")
]
YourSeat = Annotated[int | None, typer.Option(help="your seat, from 0; without it one is drawn")]
Agents = Annotated[
    list[str] | None, typer.Argument(metavar="[AGENT]...", help="one a seat; fewer are repeated")
]
Rivals = Annotated[list[str], typer.Argument(metavar="AGENT AGENT...", help="two or more")]
Exploited = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[AGENT]...", help="each is judged with itself in all seats; default: all by name"
    ),
]
TinyOptions = Annotated[
    list[str] | None,
    typer.Option(
        "-o",
        "--option",
        metavar="NAME=VALUE",
        help="an option of the rules; deck=tiny and few players are set",
    ),
]
Record = Annotated[
    str | None,
    typer.Option(
        "--record", metavar="FILE", callback=_named, help="write the games to a new file, see docs/records.md"
    ),
]
Force = Annotated[bool, typer.Option("--force", help="replace files that exist already")]
Threads = Annotated[
    int | None, typer.Option(min=1, max=256, help="that share the work, by default one a core; results stay")
]
Ray = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS", help="share the work with a Ray cluster, see docs/cluster.md"),
]
Deals = Annotated[
    int, typer.Option(min=2, max=1 << 23, help="deals of each duel, each played once from every seat")
]


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="print the version and exit")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="show the traceback of an error too")] = False,
) -> None:
    OneLineErrors.debug = debug
    if version:
        say(f"gupai {_version()}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _version() -> str:
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("gupai")
    except PackageNotFoundError:  # run from the sources
        from gupai_env import __version__

        return __version__


# --- what the user names --------------------------------------------------------------------------


def _variant(name: str | None, assignments: Sequence[str] | None) -> "tuple[Game, Variant]":
    from gupai_env.games import GAMES, get_game

    with mistakes():
        game = get_game(next(iter(GAMES)) if name is None else name)
        return game, game.variant.parse(assignments or ())


def _agent(spec: str, game: "Game", variant: "Variant") -> "Agent":
    from gupai_agents import make_agent

    if spec == "human":
        raise Mistake(f"here only programs play; a person plays with: gupai play {game.id}")
    with mistakes():
        return make_agent(spec, game, **asdict(variant))


def _line_up(specs: Sequence[str] | None, seats: int, game: "Game", variant: "Variant") -> "list[Agent]":
    """Return one agent a seat; fewer begin again, and without any it is the strongest that has a name."""
    from gupai_agents import agent_names

    specs = specs or agent_names(game, variant)[-1:]
    if len(specs) > seats:
        raise Mistake(f"{len(specs)} agents are too many, there is room for {seats}")
    agents = [_agent(spec, game, variant) for spec in specs]
    return [agents[seat % len(agents)] for seat in range(seats)]


def _seed(seed: int | None) -> int:
    import secrets

    from gupai_env.core.rng import as_key

    with mistakes():
        return secrets.randbelow(SEEDS) if seed is None else as_key(seed)


def _one_of(flags: dict[str, object]) -> None:
    """Refuse two flags that cannot both be meant. Raises: ValueError."""
    given = [flag for flag, value in flags.items() if value]
    if len(given) > 1:
        raise ValueError(f"{given[0]} and {given[1]} do not go together; leave one of them out")


def _kept_in(out: str | None) -> str:
    """Return how to go on with a command that keeps what is finished in a folder, if one is named."""
    return f"what is finished lies in {out}: give the command again" if out else BEGIN_AGAIN


@contextmanager
def _recording(path: str | None, force: bool) -> "Iterator[RecordWriter | None]":
    """Have a new file for games, if one is named; what is finished when the user stops is kept."""
    from gupai_agents.evaluation.records import RecordWriter
    from gupai_env.core.numbers import counted

    if path is None:
        yield None
        return
    _check_target("--record", path, force, stream=False)
    with mistakes():
        try:
            with RecordWriter(path, force=force) as record:
                yield record
        except KeyboardInterrupt as stopped:
            finished = f"{path} holds what was finished, {counted(record.games, 'game')}"
            raise Stopped(stopped, finished if record.games else "no game was finished") from None


# --- commands -------------------------------------------------------------------------------------


@app.command()
def play(
    name: SomeGame = None,
    against: Against = None,
    seat: YourSeat = None,
    seed: Seed = None,
    option: Options = None,
    record: Record = None,
    force: Force = False,
) -> None:
    """Play against agents, by typing; you need not know the game."""
    from gupai_env.core.rng import draw
    from gupai_env.core.streams import PERSON_STREAM

    game, variant = _variant(name, option)
    seed, players = _seed(seed), variant.players
    if seat is None:
        seat = draw(seed, PERSON_STREAM, players)
    if not 0 <= seat < players:
        raise Mistake(f"there is no seat {seat}; the seats are 0 to {players - 1}")
    others = _line_up(against, players - 1, game, variant)

    from gupai_app import play as table
    from gupai_app.human import Terminal

    sitting = [*others[:seat], others[0], *others[seat:]]
    with _recording(record, force) as file:
        table.play(game, variant, sitting, seat, seed, Terminal(), file)
    say(f"To see agents play: gupai watch {game.id}")


@app.command()
def web(
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="of the pages; without it a free one is found")
    ] = None,
    host: Annotated[
        str,
        typer.Option(help="at which the pages are; others than this machine reach them only if you name one"),
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="open the browser")] = True,
    runs: Annotated[
        str, typer.Option(metavar="FOLDER", callback=_named, help="of the training runs that are shown")
    ] = "runs",
    tournaments: Annotated[
        str, typer.Option(metavar="FOLDER", callback=_named, help="in which tournaments are kept")
    ] = "tournaments",
) -> None:
    """Play, look back at games, try claims, hold tournaments and see training runs on pages in the browser."""
    try:
        from gupai_app.web.serve import serve
    except ImportError as error:
        raise Mistake(f"the pages need more packages ({error.name}): pip install 'gupai[web]'") from None
    with mistakes():
        serve(port, host, browser=browser, runs=runs, tournaments=tournaments)


@app.command()
def watch(
    name: SomeGame = None,
    agents: Agents = None,
    seed: Seed = None,
    option: Options = None,
    tables: Annotated[bool, typer.Option("--tables", help="show the table after every move")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object a move")] = False,
    record: Record = None,
    force: Force = False,
) -> None:
    """Print a deal of agents move by move, all tiles face up."""
    game, variant = _variant(name, option)
    seed, line_up = _seed(seed), _line_up(agents, variant.players, game, variant)

    from gupai_app import play as table
    from gupai_app.human import Terminal

    with _recording(record, force) as file:
        if as_json:
            table.watch_json(game, variant, line_up, seed, file)
        else:
            table.watch(game, variant, line_up, seed, Terminal(), tables=tables, record=file)


@app.command()
def replay(
    path: Annotated[
        str, typer.Argument(metavar="FILE", callback=_named, help="games that a command wrote with --record")
    ],
    number: Annotated[int, typer.Option("--game", min=1, help="begin at this game, counted from 1")] = 1,
    tables: Annotated[bool, typer.Option("--tables", help="show the table after every move")] = False,
    check: Annotated[bool, typer.Option("--check", help="show nothing, check all games")] = False,
    html: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", callback=_named, help="write this game as a page for a browser to a new file"
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Step through recorded games, or check them all; each is played again by the rules before it is shown."""
    from gupai_agents.evaluation.records import read_games
    from gupai_app import play as table
    from gupai_app.human import Terminal
    from gupai_env.core.numbers import counted

    if html is not None:
        _check_target("--html", html, force)
    with mistakes():
        games = read_games(path, number)
        if check:
            if html is not None or tables:
                raise Mistake("--check shows nothing: leave --html and --tables out")
            if not (checked := sum(1 for _ in games)):
                raise Mistake(f"{path}: there is no game {number}")
            say(f"{path}: {counted(checked, 'game')}, played again to the byte")
            return
        first = next(games, None)
        if first is None:
            raise Mistake(f"{path}: there is no game {number}")
        if html is not None:
            from gupai_app.page import game_page
            from gupai_env.core.files import write_output

            write_output(html, game_page(first), force=force)
            say(f"{html}: game {number} of {path}, to be opened in a browser", error=True)
            return
        step = sys.stdin.isatty() and sys.stdout.isatty()
        table.replay(chain([first], games), number, Terminal(), tables=tables, step=step)


@app.command()
def rules(name: OptionalGame = None) -> None:
    """Print the rules of a game, its options and its agents."""
    from gupai_app import report
    from gupai_env.games import GAMES, load_plugins

    if name is None:
        with mistakes():
            load_plugins()
        report.games(GAMES.values())
    else:
        report.rules(_variant(name, None)[0])


@app.command()
def tournament(
    name: GameName,
    agents: Rivals,
    deals: Deals = 5000,
    seed: Annotated[int, typer.Option(help="names the deals")] = 0,
    option: Options = None,
    table: Annotated[
        str, typer.Option(help="who sits together: one among equal others, two, mixed, or all of these")
    ] = "one",
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", callback=_named, help="keep games, figures and a report in a new folder"
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="go on with the folder where it stopped")] = False,
    record: Record = None,
    force: Force = False,
    ray: Ray = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Let agents meet each other in the same deals from every seat."""
    import time

    game, variant = _variant(name, option)
    rivals = [_agent(spec, game, variant) for spec in agents]
    seed = _seed(seed)
    if resume and out is None:
        raise Mistake("--resume needs --out FOLDER, the one to go on with")
    if record is not None and out is not None:
        raise Mistake("--out keeps the games already; leave out --record")

    from gupai_agents.agent import labels_of
    from gupai_agents.evaluation import folder
    from gupai_agents.evaluation import tournament as play
    from gupai_app import report

    begin = time.perf_counter()
    options = {"table": table, "seed": seed, **variant.changed()}
    with mistakes():
        plan = play.schedule(game, labels_of(rivals), deals, **options)
    total = len(plan.line_ups) * deals
    lost = f"what is finished lies in {out}: give the command again with --resume" if out else BEGIN_AGAIN
    with (
        mistakes(),
        _going_on(lost),
        _workers(ray, lost) as workers,
        _recording(record, force) as file,
        report.progress("deals", total) as done,
    ):
        if out is None:
            how: dict[str, Any] = {"record": file, "progress": done, "workers": workers}
            found = play.play_tournament(game, rivals, deals, **how, **options)
        else:
            found = folder.play_into(out, plan, rivals, resume=resume, progress=done, workers=workers)
    show = report.tournament_json if as_json else report.tournament
    show(found, time.perf_counter() - begin)
    if out is not None:
        say(f"All of it lies in {out}; to check it: gupai verify {out}", error=True)


@app.command()
def verify(
    path: Annotated[
        str, typer.Argument(metavar="FOLDER", callback=_named, help="what a tournament kept with --out")
    ],
) -> None:
    """Play the games of a kept tournament again, and recompute all figures from them."""
    from gupai_agents.evaluation import folder
    from gupai_env.core.numbers import counted

    if not os.path.isdir(path):
        raise Mistake(f"{path}: there is no such folder")
    with mistakes():
        found = folder.verify(path, note=lambda line: say(f"gupai: {line}", error=True))
    games, agents = found.chips[..., 0].size, len(found.players)
    say(
        f"{path}: {counted(games, 'game')} of {counted(agents, 'agent')}, played again; all figures are theirs"
    )


@app.command()
def gate(
    name: GameName,
    challenger: Annotated[str, typer.Argument(metavar="CHALLENGER", help="an agent")],
    champion: Annotated[str, typer.Argument(metavar="CHAMPION", help="the agent to be better than")],
    gain: Annotated[float, typer.Option(help="chips a deal that the challenger should win")] = 1.0,
    alpha: Annotated[float, typer.Option(help="how often one that wins nothing may be accepted")] = 0.05,
    beta: Annotated[float, typer.Option(help="how often one that gains so much may be rejected")] = 0.05,
    most: Annotated[
        int, typer.Option(min=1, max=1 << 24, help="deals after which it stays undecided")
    ] = 100_000,
    seed: Annotated[int, typer.Option(help="names the deals")] = 0,
    option: Options = None,
    record: Record = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Tell whether a challenger beats the champion, in as few deals as the error rates allow."""
    import time

    game, variant = _variant(name, option)
    rivals = [_agent(spec, game, variant) for spec in (challenger, champion)]

    from gupai_agents.evaluation import gate as play
    from gupai_app import report

    begin = time.perf_counter()
    limits: dict[str, Any] = {"gain": gain, "alpha": alpha, "beta": beta, "most": most, "seed": _seed(seed)}
    with (
        mistakes(),
        _going_on(NOTHING_KEPT),
        _recording(record, force) as file,
        report.progress("deals at most", most) as done,
    ):
        found = play(game, *rivals, progress=done, record=file, **limits, **variant.changed())
    show = report.gate_json if as_json else report.gate
    show(found, (challenger, champion), gain, time.perf_counter() - begin)


@app.command()
def ladder(
    name: GameName,
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="[AGENT]...", help="more players, such as checkpoint:PATH")
    ] = None,
    deals: Deals = 5000,
    few: Annotated[
        int | None,
        typer.Option(
            min=2, max=1 << 23, help="deals of a duel of one who searches; default: 500, at most --deals"
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="names the deals")] = 0,
    option: Options = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Let all players of a game, and searches, meet its rule-based ones, and tell how fast each decides."""
    import shlex
    import time

    game, variant = _variant(name, option)

    from gupai_agents.evaluation.ladder import climb
    from gupai_agents.search import SearchAgent
    from gupai_app import ladder as page
    from gupai_app.report import progress

    players = [_agent(spec, game, variant) for spec in page.players(game, variant, agents or ())]
    begin, quick = time.perf_counter(), sum(not isinstance(player, SearchAgent) for player in players)
    if few is not None and few > deals:
        raise Mistake(f"--few {few} is more than the {deals:,} of --deals; choose 2 to {deals}")
    few = min(500, deals) if few is None else few
    total = quick * (quick - 1) * deals + (len(players) - quick) * quick * few
    with mistakes(), _going_on(NOTHING_KEPT), progress("deals", total) as done:
        found = climb(game, players, deals, few, seed=_seed(seed), progress=done, **variant.changed())
    seconds = time.perf_counter() - begin
    if as_json:
        page.show_json(found, seconds, shlex.join(["gupai", *sys.argv[1:]]))
    else:
        page.show(found, seconds)


@app.command()
def claim(
    what: Annotated[
        str | None,
        typer.Argument(metavar="ID|FILE|list|new|schema|features", help="a claim, or what to do with them"),
    ] = None,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="of a new claim")] = None,
    everything: Annotated[bool, typer.Option("--all", help="test all claims that come with gupai")] = False,
    deals: Annotated[
        int | None,
        typer.Option(min=2, max=1_000_000, help="deals of each figure, instead of those of the file"),
    ] = None,
    panel: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT", help="players instead of those of the file; repeat it"),
    ] = None,
    strong: Annotated[
        bool, typer.Option("--strong", help="beside them the network `best` and a search; takes minutes")
    ] = False,
    seed: Annotated[int, typer.Option(help="names the deals")] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="tell how often it comes up and how many deals it takes")
    ] = False,
    with_optimiser: Annotated[
        bool,
        typer.Option(
            "--optimise", help="tell instead what an optimiser does with the trait of a policy claim"
        ),
    ] = False,
    seeds: Annotated[int | None, typer.Option(min=2, max=1000, help="of the optimiser; default 8")] = None,
    threads: Threads = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            callback=_named,
            help="keep each verdict; those that lie there are not made again",
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option(min=1, max=256, help="processes that share the claims of --all; verdicts stay")
    ] = 1,
    ray: Ray = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="print Markdown")] = False,
    html: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            callback=_named,
            help="write a page with deals to step through, and its games beside it",
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Test what is said about playing: a verdict with its interval, see docs/claims-guide.md."""
    from gupai_agents.workers import Processes
    from gupai_app import claims

    with mistakes():
        if what in ("list", "schema", "features", "new"):
            if (what == "new") != (name is not None):
                raise ValueError(
                    "write: gupai claim new NAME" if what == "new" else f"{name!r} is one word too many"
                )
            {"list": claims.listed, "schema": claims.show_schema, "features": claims.features}.get(
                what, lambda: claims.new(str(name), force=force)
            )()
            return
        if name is not None:
            raise ValueError(f"{name!r} is one word too many")
        if (what is None) != everything:
            raise ValueError("name a claim, or --all; `gupai claim list` lists them")
        from gupai_agents.evaluation.claims import read_claim

        found = [read_claim(path) for path in (claims.paths() if everything else [claims.find(str(what))])]
        instead = {"--optimise": with_optimiser, "--dry-run": dry_run}  # of a verdict
        of_verdicts = {"--html": html, "--panel": panel, "--deals": deals, "--strong": strong}
        for flag, value in {**of_verdicts, "--markdown": as_markdown}.items():
            _one_of({**instead, flag: value})
        _one_of({"--json": as_json, "--markdown": as_markdown})
        if seeds is not None and not with_optimiser:
            raise ValueError("--seeds is for --optimise; leave it out")
        if with_optimiser:
            with packages_of_tuning(), _going_on(_kept_in(out)):
                claims.optimise_all(found, _seed(seed), seeds, threads, as_json, out)
            return
        if dry_run:
            with _going_on(NOTHING_KEPT):
                claims.plan(found, _seed(seed), as_json)
            return
        shown = "json" if as_json else "markdown" if as_markdown else "text"
        if html is not None:
            from gupai_app import claim_page

            claim_page.check(html, found)
            for file in (html, str(claim_page.records_of(html))):
                _check_target("--html", file, force, stream=False)
        with _going_on(_kept_in(out)), _workers(ray, _kept_in(out), Processes(jobs)) as workers:
            parts = claims.test(found, _seed(seed), deals, panel, strong, shown, out, workers)
        if html is not None:
            games = claim_page.write_claim(html, found[0], parts[0], force=force)
            say(f"{html}: to be opened in a browser" + (f"; its games: {games}" if games else ""), error=True)


@app.command()
def tune(
    name: GameName,
    option: Options = None,
    start: Annotated[
        str | None, typer.Option(metavar="STYLE", help="begin with this style of the game")
    ] = None,
    feature: Annotated[
        list[str] | None, typer.Option(metavar="FEATURE", help="change the weights of these alone; repeat it")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0, max=1e6, help="to search at most")] = 60.0,
    generations: Annotated[
        int | None,
        typer.Option(min=0, max=1_000_000, help="to search at most; the same find the same weights"),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="names the deals and the search")] = 0,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", callback=_named, help="write the style here, FILE.yaml")
    ] = None,
    force: Force = False,
    ray: Ray = None,
) -> None:
    """Find weights for a rule-based player by an evolution strategy, and print them with how they fare."""
    game, variant = _variant(name, option)
    from gupai_env.core.files import STREAMS

    if out is not None:
        if out not in STREAMS and not out.endswith(".yaml"):
            raise Mistake(f"--out {out}: the name of a style's file ends with .yaml")
        _check_target("--out", out, force)  # rather than after all the search

    from gupai_app.tune import run

    with mistakes(), _going_on(NOTHING_KEPT), _workers(ray, NOTHING_KEPT) as workers:
        run(game, variant, start, feature, seconds, generations, _seed(seed), out, workers, force=force)


@app.command()
def exploit(
    name: GameName,
    agents: Exploited = None,
    option: TinyOptions = None,
    solve: Annotated[bool, typer.Option("--solve", help="find an equilibrium too, by CFR+")] = False,
    rounds: Annotated[int, typer.Option(min=1, max=1_000_000_000, help="of CFR+")] = 400,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Tell exactly what a best response wins from agents, on a deck small enough to search all play."""
    import time

    from gupai_env.core.variant import TINY
    from gupai_env.games import get_game

    with mistakes():
        seats = get_game(name).variant.LIMITS[TINY]["players"][0]
    game, variant = _variant(name, [f"deck={TINY}", f"players={seats}", *(option or ())])

    from gupai_agents import agent_names
    from gupai_agents.agent import labels_of
    from gupai_agents.evaluation import exact
    from gupai_app import report

    begin = time.perf_counter()
    exploited = [
        _agent(spec, game, variant) for spec in ["random", *(agents or agent_names(game, variant)[1:])]
    ]
    with mistakes():
        tree = exact.build_tree(game, **asdict(variant))
        policies = {
            label: tree.policy([agent] * tree.players)
            for label, agent in zip(labels_of(exploited), exploited, strict=True)
        }
    if solve:
        with mistakes(), _going_on(NOTHING_KEPT), report.progress("rounds of CFR+", rounds) as done:
            policies["CFR+"] = exact.solve(tree, rounds, done)
    show = report.exploits_json if as_json else report.exploits
    show(tree, policies, time.perf_counter() - begin)


@app.command()
def exploiter(
    name: GameName,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="the one that is frozen")],
    method: Annotated[
        str,
        typer.Option(help="how a best response is looked for: tuning (a style) or search (every decision)"),
    ] = "tuning",
    generations: Annotated[int, typer.Option(min=0, max=100_000, help="of tuning")] = 60,
    candidate_deals: Annotated[
        int | None,
        typer.Option(
            min=2, max=1_000_000, help="of a candidate of tuning; default: 1000, of a slow agent 200"
        ),
    ] = None,
    playouts: Annotated[int, typer.Option(min=1, max=1_000_000, help="of a decision of search")] = 200,
    deals: Annotated[int, typer.Option(min=2, max=1 << 23, help="in which the gain is measured")] = 5000,
    seed: Annotated[int, typer.Option(help="names the deals and the search")] = 0,
    option: Options = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Look for a player that wins most from a frozen agent; its gain is a lower bound on what can be won."""
    import time

    game, variant = _variant(name, option)
    frozen = _agent(agent, game, variant)

    from gupai_agents.evaluation import Effort, exploit
    from gupai_app import report

    begin = time.perf_counter()
    with mistakes(), packages_of_tuning(), _going_on(NOTHING_KEPT):
        effort = Effort(
            method, generations, candidate_deals=candidate_deals, playouts=playouts, deals=deals
        ).checked(frozen, variant.players)
        with report.progress("deals", effort.total(game)) as done:
            found = exploit(game, frozen, effort=effort, seed=_seed(seed), progress=done, **variant.changed())
    show = report.exploiter_json if as_json else report.exploiter
    show(found, time.perf_counter() - begin)


@app.command()
def discover(
    name: GameName,
    seeds: Annotated[int, typer.Option(min=2, max=1000, help="searches, each with deals of its own")] = 6,
    generations: Annotated[int, typer.Option(min=0, max=100_000, help="to tune with all features")] = 60,
    again: Annotated[int, typer.Option(min=0, max=100_000, help="generations to tune on without each")] = 6,
    candidate_deals: Annotated[
        int, typer.Option(min=2, max=1_000_000, help="of each candidate of a generation")
    ] = 600,
    deals: Annotated[
        int, typer.Option(min=2, max=1_000_000, help="fresh ones, in which the found are compared")
    ] = 16_000,
    start: Annotated[str | None, typer.Option(metavar="STYLE", help="begin with this style")] = None,
    seed: Annotated[int, typer.Option(help="names the deals and the searches")] = 0,
    threads: Threads = None,
    option: Options = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", callback=_named, help="keep it as GAME.json; what lies there is not done again"
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Tell which features of a style matter: what is lost by a style tuned without each of them."""
    import json

    game, variant = _variant(name, option)

    from gupai_agents.evaluation import Budget
    from gupai_app import discover as app_discover

    with mistakes(), packages_of_tuning(), _going_on(_kept_in(out)):
        budget = Budget(seeds=seeds, generations=generations, again=again, deals=candidate_deals, fresh=deals)
        content = app_discover.run(game, variant, budget, start, _seed(seed), threads, out)
    if as_json:
        say(json.dumps(content, indent=2))
    else:
        app_discover.show(game, content)


@app.command()
def bench(
    name: SomeGame = None,
    everything: Annotated[bool, typer.Option("--all", help="measure every game")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Measure how many decisions a second the engine plays on this machine."""
    game, _ = _variant(name, None)

    from gupai_app import report
    from gupai_app.bench import FIGURES, figures
    from gupai_env.games import GAMES

    games = list(GAMES.values()) if everything else [game]
    measured = []
    with _going_on(NOTHING_KEPT), report.progress("measurements", len(games) * FIGURES) as done:
        for each in games:
            for figure in figures(each):
                measured.append(figure)
                done(1)
    show = report.speed_json if as_json else report.speed
    show(measured)


@app.command()
def train(
    config: Annotated[
        str | None,
        typer.Argument(
            metavar="CONFIG",
            callback=_named,
            help="a file, or a game for the configuration that comes with it",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="change a setting, e.g. ppo.entropy=0.02"),
    ] = None,
    go_on: Annotated[
        str | None,
        typer.Option(
            "--resume", metavar="RUN", callback=_named, help="go on with a stopped run, e.g. runs/jie-long-1"
        ),
    ] = None,
    runs: Annotated[
        str, typer.Option(metavar="FOLDER", callback=_named, help="where runs are kept")
    ] = "runs",
    ray: Ray = None,
    as_json: Annotated[bool, typer.Option("--json", help="print lines of JSON")] = False,
) -> None:
    """Train a player by search, self-play or both, then print how it fares against the baselines."""
    if (config is None) == (go_on is None):
        raise Mistake("name a configuration, or with --resume a run to go on with")
    if go_on is not None and changes:
        raise Mistake("a run goes on as it began; --set is for new runs")

    with Stop() as stop, mistakes():
        with stop.held():
            from gupai_app.train import train as run_training

        with _workers(ray, "go on with --resume") as workers:
            made_by = None if ray is None else workers
            run_training(config, changes or [], go_on, runs, as_json, stop, made_by)


@app.command()
def export(
    checkpoint: Annotated[
        str, typer.Argument(metavar="CHECKPOINT", callback=_named, help="a file, or the folder of a run")
    ],
    onnx: Annotated[str | None, typer.Option(metavar="FILE", callback=_named, help="an ONNX graph")] = None,
    sb3: Annotated[
        str | None, typer.Option(metavar="FILE", callback=_named, help="a zip for MaskablePPO.load")
    ] = None,
    force: Force = False,
) -> None:
    """Write a trained player for other programs: as an ONNX graph, or for sb3-contrib's MaskablePPO."""
    if not (onnx or sb3):
        raise Mistake("say what to write: --onnx FILE, --sb3 FILE or both")
    from gupai_env.core.files import write_output

    asked = {"--onnx": onnx, "--sb3": sb3}
    for option, file in asked.items():
        if file:
            _check_target(option, file, force)
    with mistakes():
        if onnx and sb3 and os.path.realpath(onnx) == os.path.realpath(sb3):
            raise ValueError(f"--onnx and --sb3 both name {onnx}; name two files")
        try:
            from gupai_training.export import onnx_bytes, sb3_bytes

            makers = {"--onnx": onnx_bytes, "--sb3": sb3_bytes}
            made = {file: makers[option](checkpoint) for option, file in asked.items() if file}
        except ImportError as error:
            raise ValueError(f"this needs more packages ({error}): pip install 'gupai[train,onnx]'") from None
        for file, content in made.items():
            write_output(file, content, force=force)


def main() -> None:
    """Run the command line; `gupai_app.__main__` is the entry point of `gupai`."""
    streams.take()
    with Stop():
        app()


if __name__ == "__main__":
    main()
