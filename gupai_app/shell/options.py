"""What commands share: their arguments and options, and reading what the user names with them."""

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gupai_app.shell.errors import Mistake, Stopped, check_target, mistakes, resume_hint
from gupai_app.shell.streams import say, worded

if TYPE_CHECKING:
    from gupai_agents.agent import Agent
    from gupai_agents.evaluation.records.games import RecordWriter
    from gupai_agents.play.workers import Workers
    from gupai_env.core.game import Game
    from gupai_env.core.variant import Variant

BEGIN_AGAIN = "run the command again; with --out FOLDER, finished work is kept"
NOTHING_SAVED = "no results were kept: run the command again"


def not_empty(parameter: typer.CallbackParam, value: str | None) -> str | None:
    """Refuse a file or folder without a name, as a script's unset variable makes it."""
    if value is not None and not value.strip():
        label = parameter.metavar if parameter.param_type_name == "argument" else parameter.opts[-1]
        raise Mistake("{option} is empty", option=label)
    return value


def path_option(metavar: str, meaning: str, *flags: str) -> Any:
    """Return an option that names a file or a folder."""
    return typer.Option(*flags, metavar=metavar, callback=not_empty, help=meaning)


GameName = Annotated[str, typer.Argument(metavar="GAME", help="Game, as listed by `gupai rules`")]
SomeGame = Annotated[
    str | None, typer.Argument(metavar="[GAME]", help="Game (default: the first listed by `gupai rules`)")
]
OptionalGame = Annotated[str | None, typer.Argument(metavar="[GAME]", help="Game (default: list all games)")]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "-o",
        "--option",
        metavar="NAME=VALUE",
        help="Option of the rules, as listed by `gupai rules GAME`; may be repeated",
    ),
]
Seed = Annotated[int | None, typer.Option(help="Random seed (default: random, printed)")]
Against = Annotated[
    list[str] | None,
    typer.Option(
        metavar="AGENT",
        help="Opponent: easy (the default), medium, strong, master or another agent; "
        "repeat the option to choose one for each seat",
    ),
]
YourSeat = Annotated[int | None, typer.Option(help="Your seat, from 0 (default: random)")]
Agents = Annotated[
    list[str] | None, typer.Argument(metavar="[AGENT]...", help="One agent per seat; a shorter list is repeated")
]
Rivals = Annotated[list[str], typer.Argument(metavar="AGENT AGENT...", help="Two or more agents")]
Evaluated = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[AGENT]...", help="Agents, each evaluated with itself in all seats (default: all named ones)"
    ),
]
TinyOptions = Annotated[
    list[str] | None,
    typer.Option(
        "-o",
        "--option",
        metavar="NAME=VALUE",
        help="Option of the rules; deck=tiny and the smallest number of players are already set",
    ),
]
RecordFile = Annotated[
    str | None, path_option("FILE", "Record the games in a new file; see docs/records.md", "--record")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files")]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1, max=256, help="Threads that share the searches (default: one per core); the results do not depend on it"
    ),
]
Jobs = Annotated[
    int, typer.Option(min=1, max=256, help="Number of processes that share the work; the results do not depend on it")
]
Ray = Annotated[
    str | None,
    typer.Option(
        "--ray", metavar="ADDRESS", help="Share the work with the Ray cluster at this address; see docs/cluster.md"
    ),
]
Deals = Annotated[int, typer.Option(min=2, max=1 << 23, help="Deals per duel, each played once from every seat")]
Seating = Annotated[
    str, typer.Option(help="Seat assignment: one (one agent among equal others), two, mixed, or all of these")
]


@dataclass(frozen=True)
class Record:
    """Options of the file in which games are recorded."""

    record: RecordFile = None
    force: Force = False

    @contextmanager
    def writer(self, option: str = "--record") -> "Iterator[RecordWriter | None]":
        """Have a new file for games, if `option` names one; what is finished when the user stops is kept."""
        from gupai_agents.evaluation.records.games import RecordWriter
        from gupai_env.messages.checks import counted

        if self.record is None:
            yield None
            return
        check_target(option, self.record, self.force, stream=False)
        with mistakes():
            try:
                with RecordWriter(self.record, force=self.force) as writer:
                    yield writer
            except KeyboardInterrupt as stopped:
                finished = "{file} holds what was finished, {games}" if writer.games else "no game was finished"
                games = counted(writer.games, "game")
                raise Stopped(stopped, worded(finished, file=self.record, games=games)) from None


@dataclass(frozen=True)
class Sharing:
    """Options that say who shares the work."""

    jobs: Jobs = 1
    ray: Ray = None

    @contextmanager
    def workers(self, go_on: str) -> "Iterator[Workers]":
        """Have so many processes, one of which is this one, or the workers of a Ray cluster.

        Args:
            go_on: What to do if the cluster is lost, the end of a sentence.

        Raises:
            ValueError: For a cluster and processes.
        """
        from gupai_agents.play.workers import Cluster, workers_for

        one_of({"--ray": self.ray, "--jobs": self.jobs > 1})
        workers = workers_for(self.jobs) if self.ray is None else Cluster(self.ray, go_on)
        if self.ray is not None:
            # beforehand: where the node of this machine dies, Ray ends the process without a word
            template = "gupai: using the Ray cluster at {address}; if it is lost: {advice}"
            say(template, error=True, address=self.ray, advice=worded(go_on))
        try:
            yield workers
        finally:
            workers.close()

    @contextmanager
    def work(self, unit: str, total: int, go_on: str = NOTHING_SAVED) -> Iterator[dict[str, Any]]:
        """Have `workers` and the `progress` of what takes long; what is wrong with it is a mistake of the user.

        Args:
            unit: What is counted, of `total`.
            go_on: How to continue, for whoever stops it.
        """
        from gupai_app.shell.screen import progress

        with mistakes(), resume_hint(go_on), self.workers(go_on) as workers, progress(unit, total) as done:
            yield {"progress": done, "workers": workers}


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take groups of options, each a dataclass; on the command line every field is an option."""
    groups: dict[str, tuple[Callable[..., object], list[str]]] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        group = parameter.annotation
        if isinstance(group, type) and is_dataclass(group):
            members = inspect.signature(group).parameters
            groups[name] = group, list(members)
            parameters += members.values()
        else:
            parameters.append(parameter)

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, (group, members) in groups.items():
            given[name] = group(**{member: given.pop(member) for member in members})
        command(**given)

    keyword = inspect.Parameter.KEYWORD_ONLY
    run.__dict__["__signature__"] = inspect.Signature([parameter.replace(kind=keyword) for parameter in parameters])
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def read_variant(name: str | None, assignments: Sequence[str] | None) -> "tuple[Game, Variant]":
    from gupai_env.games import GAMES, get_game

    with mistakes():
        game = get_game(next(iter(GAMES)) if name is None else name)
        return game, game.variant.parse(assignments or ())


def read_tiny_variant(name: str, assignments: Sequence[str] | None) -> "tuple[Game, Variant]":
    """Read a variant with the tiny deck and the smallest number of players, where nothing else is said."""
    from gupai_env.games import get_game

    with mistakes():
        tiny = get_game(name).variant.tiny_options()
    chosen = [word.partition("=")[0] for word in assignments or ()]
    words = [f"{option}={value}" for option, value in tiny.items() if option not in chosen]
    return read_variant(name, [*words, *(assignments or ())])


def read_agent(spec: str, game: "Game", variant: "Variant") -> "Agent":
    """Return an agent from its name; raises Mistake.

    Args:
        spec: As `make_agent` takes it.
        game, variant: What it plays.
    """
    from gupai_agents import make_agent

    if spec == "human":
        raise Mistake("only programs can play here; to play yourself: gupai play {game}", game=game.id)
    with mistakes():
        return make_agent(spec, game, **asdict(variant))


def read_line_up(specs: Sequence[str] | None, seats: int, game: "Game", variant: "Variant") -> "list[Agent]":
    """Return one agent a seat; fewer begin again, and without any it is the strongest that has a name.

    Args:
        specs: Names of agents, None for the strongest.
        seats: How many there are.
        game, variant: What they play.
    """
    from gupai_agents import agent_names

    specs = specs or agent_names(game, variant)[-1:]
    if len(specs) > seats:
        template = "{number} agents are too many; there are {seats} seats for them"
        raise Mistake(template, number=len(specs), seats=seats)
    made = {spec: read_agent(spec, game, variant) for spec in dict.fromkeys(specs)}
    agents = [made[spec] for spec in specs]
    return [agents[seat % len(agents)] for seat in range(seats)]


def read_seed(seed: int | None) -> int:
    from gupai_app.play.session import drawn_seed
    from gupai_env.core.rng import as_key

    with mistakes():
        return drawn_seed() if seed is None else as_key(seed)


def one_of(flags: dict[str, object]) -> None:
    """Refuse two flags that cannot both be meant. Raises: ValueError."""
    given = [flag for flag, value in flags.items() if value]
    if len(given) > 1:
        template = "{first} and {second} cannot be combined; leave one of them out"
        raise ValueError(worded(template, first=given[0], second=given[1]))


def folder_hint(out: str | None) -> str:
    """Return how to continue with a command that keeps what is finished in a folder, if one is named."""
    return worded("finished work is in {folder}: run the command again", folder=out) if out else BEGIN_AGAIN
