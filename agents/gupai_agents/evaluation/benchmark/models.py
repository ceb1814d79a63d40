"""The files of the benchmark, checked before anything is done with them; see `benchmark`.

A suite is data: tasks, deals, and the hash of every player of a population. It ships as `suites/NAME.json`, which
`benchmarks/suite.py` records once; later suites add tasks, and none ever changes. A card is what one agent did in it.
"""

import functools
import hashlib
import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from gupai_agents.evaluation.statistics import Interval
from gupai_agents.players.identity import Digest, Player
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games import get_game
from gupai_env.messages.checks import one_of
from gupai_env.storage.files import naming
from gupai_env.storage.models import Count, DamagedError, Number, Stored, Text, parse_stored, small_file

SUITES = Path(__file__).parent / "suites"
DEFAULT = "v1"
HELD_OUT = "-held-out-"  # in the name of a suite, between the suite that it is of and the randomness
FORMAT = 1  # of cards
MOST_BYTES = 1 << 25  # of a card
MOST_TASKS = 1000
Chips = Annotated[list[Number], Field(min_length=2, max_length=1 << 20, description="per deal")]
IN_LINES = re.compile(r"\[\s+(-?\d[-\d.e+,\s]*?)\s+\]")  # a list of numbers, as json.dumps indents it


class CardError(ValueError):
    """A card that is not as it should be, in one line."""


class Task(Stored):
    """A variant of a game, and who plays there.

    population: the hash of every player by its spec, see `benchmark.hash_of`. ends: the same of the zero and the
        hundred of the scale, unless these are the first and the last of the population. zero, hundred: what these two
        win per deal against the population, deal by deal.
    """

    name: Text
    game: Text
    version: Count
    options: dict[str, Any]
    population: Annotated[dict[Text, Digest], Field(min_length=1)]
    ends: Annotated[dict[Text, Digest], Field(max_length=2, default_factory=dict)]
    zero: Chips
    hundred: Chips

    @model_validator(mode="after")
    def _has_two_ends(self) -> Self:
        if len(self.ends or self.population) < 2:
            raise ValueError("a scale has two ends")
        return self

    @model_serializer(mode="wrap")
    def _without_usual_ends(self, content: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Return the content as suites had it before there were other ends: a digest means the same for ever."""
        return {name: value for name, value in content(self).items() if name != "ends" or value}

    @property
    def players(self) -> dict[str, str]:
        """The hash of everybody who plays, by spec."""
        return self.population | self.ends

    @property
    def scale(self) -> tuple[str, str]:
        """Who scores 0 and who 100."""
        first, *_, last = self.ends or self.population
        return first, last

    @property
    def deals(self) -> int:
        """How many deals are played with each player of the population, each from every seat."""
        return len(self.zero)

    @property
    def played(self) -> tuple[Game, Variant]:
        """The game and its variant; raises ValueError for another version of the game."""
        game = get_game(self.game)
        if game.version != self.version:
            raise ValueError(
                f"task {self.name} is for {game.id} v{self.version}; this version of gupai has v{game.version}"
            )
        return game, game.variant.make(**self.options)


class Suite(Stored):
    """Tasks that are played in the deals of one seed. made_with: the version of gupai whose players it holds."""

    name: Text
    made_with: Text
    seed: Count
    tasks: Annotated[list[Task], Field(min_length=1, max_length=MOST_TASKS)]

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of everything in it."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    @property
    def complete(self) -> "Suite":
        """The suite whose tasks and deals make a score of the suite: itself, or that whose held-out deals these are."""
        base, mark, _ = self.name.partition(HELD_OUT)
        return read_suite(base) if mark else self

    def part(self, names: Collection[str], deals: int | None = None) -> "Suite":
        """Return the suite of some tasks, with the first deals of each. Raises: ValueError for an unknown task."""
        for name in names:
            self.task(name)
        tasks = [
            task.model_copy(update={"zero": task.zero[:deals], "hundred": task.hundred[:deals]})
            for task in self.tasks
            if task.name in names
        ]
        return Suite(name=self.name, made_with=self.made_with, seed=self.seed, tasks=tasks)

    def task(self, name: str) -> Task:
        """Return a task by its name; raises ValueError."""
        one_of("task", name, [task.name for task in self.tasks])
        return next(task for task in self.tasks if task.name == name)


class Score(Interval):
    """A score, or null where a scale has no length, with its interval over n deals."""

    mean: Number | None  # type: ignore[assignment]

    def __str__(self) -> str:
        if self.mean is None:
            return "?"
        if self.low is None or self.high is None:
            return f"{self.mean + 0.0:.1f}"
        return f"{self.mean + 0.0:.1f} [{self.low + 0.0:.1f}, {self.high + 0.0:.1f}]"


class Result(Stored):
    """What an agent did in a task.

    player: who it was. chips: what it won per deal by each player of the population, deal by deal. against: the mean
        of each. score: 0 is the first player of the population, 100 the last.
    """

    task: Text
    player: Player
    chips: dict[Text, Chips]
    against: dict[Text, Score]
    score: Score


class Timing(Stored):
    """How fast the agent decided here; this is not recomputed. microseconds: per decision on one core, by task."""

    microseconds: dict[Text, Number]
    slowest: Text
    cpu: Text


class Card(Stored):
    """What an agent did in a suite.

    whole: whether all tasks and deals were played; else `score` is not the score of a suite.
    """

    format: Count
    suite: Text
    digest: Digest
    agent: Text
    deals: Annotated[int, Field(ge=2, lt=1 << 31)]
    whole: bool
    score: Score
    results: Annotated[list[Result], Field(min_length=1, max_length=MOST_TASKS)]
    timing: Timing | None = None

    @model_validator(mode="after")
    def _has_each_task_once(self) -> Self:
        if len({result.task for result in self.results}) < len(self.results):
            raise ValueError("results list a task twice")
        return self


def suite_names() -> list[str]:
    """Return the names of the suites that ship with the package."""
    return sorted(path.stem for path in SUITES.glob("*.json"))


@functools.cache
def read_suite(name: str = DEFAULT) -> Suite:
    """Return a suite that ships with the package; raises ValueError for a name that none has."""
    one_of("suite", name, suite_names())
    return parse_stored((SUITES / f"{name}.json").read_bytes(), Suite, f"suite {name}")


def read_card(path: str | Path) -> Card:
    """Return a card as it was written; raises CardError in one line, and OSError."""
    path = Path(path)
    try:
        with naming(path):
            card = parse_stored(small_file(path, MOST_BYTES).read_bytes(), Card, path.name)
    except DamagedError as error:
        raise CardError(f"{path}: not a card, {error.problem}") from None
    if card.format != FORMAT:
        raise CardError(f"{path}: format {card.format}; this version of gupai reads format {FORMAT}")
    return card


def as_text(content: Stored) -> str:
    """Return a card or a suite as it is written: JSON with every list of numbers in one line."""
    indented = json.dumps(content.model_dump(), indent=1, ensure_ascii=False)
    return IN_LINES.sub(lambda match: f"[{' '.join(match[1].split())}]", indented) + "\n"
