"""The JSON files of a tournament's folder, checked before anything is done with them; see `folder`."""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator

from gupai_agents.intervals import Interval
from gupai_env.core.game import Game
from gupai_env.core.rng import EXACT, in_json
from gupai_env.core.variant import Variant
from gupai_env.games import get_game
from gupai_env.storage.files import naming
from gupai_env.storage.models import Count, DamagedError, Number, Share, Stored, Text, read_stored
from gupai_env.words.checks import read_whole

GAMES, ROWS, SUMMARY, REPORT = "games.jsonl.gz", "games.csv", "summary.json", "report.html"
MANIFEST, BLOCKS = "manifest.json", "blocks"
FORMAT = 1  # of the folder
MOST_BYTES = 1 << 24  # of a JSON file: the summary of a hundred agents is far smaller
MOST_AGENTS = 1000
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="SHA-256")]
Agents = Annotated[list[Text], Field(min_length=2, max_length=MOST_AGENTS)]


def _number_of(value: Any) -> Any:
    """Return the large number that a text is, as `in_json` writes it, and anything else as it is."""
    number = read_whole(value) if isinstance(value, str) else None
    return value if number is None or number < EXACT else number


Seed = Annotated[Count, BeforeValidator(_number_of), PlainSerializer(in_json)]


class FolderError(ValueError):
    """A folder of a tournament that is not as it should be, in one line."""


class Player(Stored):
    """Who an agent was, see `gupai_agents.identity`."""

    name: Text
    spec: Text | None
    files: dict[Text, Digest]
    moves: Digest | None


class Manifest(Stored):
    """What was played by whom, and with what."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow")

    format: Count
    command: Annotated[str, Field(max_length=1 << 20)] | None
    game: Text
    version: Count
    variant: dict[str, Any]
    agents: Agents
    players: Annotated[list[Player], Field(max_length=MOST_AGENTS)]
    table: Text
    deals: Annotated[int, Field(ge=1, lt=1 << 31)]
    seed: Seed
    rules: Text
    versions: dict[str, Text]

    @property
    def played(self) -> tuple[Game, Variant]:
        """The game and its variant. Raises: ValueError, TypeError."""
        game = get_game(self.game)
        return game, game.variant.make(**self.variant)


class Duel(Interval):
    """An agent among others of one kind."""

    hero: Count
    villain: Count
    p: Share


class Total(Interval):
    """How an agent did, see `tournament.Performance`."""

    hero: Count
    win_share: Share
    p: Share
    places: list[float]
    action_types: dict[str, float]
    rating: Number
    rating_width: Number
    alpha_rank: float | None


class AtSeat(Interval):
    """How an agent did at a seat."""

    hero: Count
    seat: Count


class Summary(Stored):
    """The figures of a finished tournament."""

    game: Text
    version: Count
    variant: dict[str, Any]
    agents: Agents
    table: list[Text]
    line_ups: Count
    deals: Count
    games: Count
    seed: Seed
    unit: str
    duels: list[Duel]
    totals: list[Total]
    rating_orders: list[list[list[Count]]]  # as `rating.Ratings.orders`
    seats: list[AtSeat]

    @model_validator(mode="after")
    def _figures_are_of_its_agents(self) -> Self:
        count = len(self.agents)
        if sorted(total.hero for total in self.totals) != list(range(count)):
            raise ValueError("totals do not have one entry per agent")
        if any(max(duel.hero, duel.villain) >= count for duel in self.duels):
            raise ValueError("duels name other agents")
        if any(seat.hero >= count for seat in self.seats):
            raise ValueError("seats name other agents")
        if any(agent >= count for order in self.rating_orders for group in order for agent in group):
            raise ValueError("rating_orders names other agents")
        return self


Model = TypeVar("Model", bound=Stored)


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a folder; raises FolderError in one line, and OSError."""
    manifest = _read(folder / MANIFEST, Manifest)
    if manifest.format != FORMAT:
        raise FolderError(
            f"{folder / MANIFEST}: format {manifest.format}; this version of gupai reads format {FORMAT}; play the "
            "tournament again, into another folder"
        )
    return manifest


def read_summary(folder: Path) -> Summary:
    """Return the figures of a folder, whose agents are known by number; raises FolderError in one line, and OSError."""
    return _read(folder / SUMMARY, Summary)


def _read(path: Path, model: type[Model]) -> Model:
    try:
        with naming(path):
            return read_stored(path, model, MOST_BYTES)
    except FileNotFoundError:
        raise FolderError(f"{path.parent}: not a tournament: there is no {path.name}") from None
    except DamagedError as error:
        raise FolderError(f"{path}: damaged, {error.problem}") from None
