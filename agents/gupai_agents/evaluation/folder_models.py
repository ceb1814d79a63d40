"""The JSON files of a tournament's folder, checked before anything is done with them; see `folder`."""

import json
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gupai_agents.evaluation.statistics import Estimate
from gupai_env.core.files import naming
from gupai_env.core.numbers import told

GAMES, ROWS, SUMMARY, REPORT = "games.jsonl.gz", "games.csv", "summary.json", "report.html"
MANIFEST, PROGRESS = "manifest.json", "progress.json"
FORMAT = 2  # of the folder
MOST_BYTES = 1 << 24  # of a JSON file: the summary of a hundred agents is far smaller
MOST_NAME = 10_000  # characters
MOST_COUNT = (1 << 63) - 1
Count = Annotated[int, Field(ge=0, le=MOST_COUNT)]
Text = Annotated[str, Field(max_length=MOST_NAME)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="SHA-256")]
WORDS = {  # pydantic's kinds of mistakes, in a user's words
    "missing": "it is missing",
    "int_type": "it must be a whole number",
    "float_type": "it must be a number",
    "finite_number": "it must be a number",
    "string_type": "it must be a text",
    "list_type": "it must be a list",
    "dict_type": "it must be an object",
    "model_type": "it must be an object",
    "model_attributes_type": "it must be an object",
    "string_pattern_mismatch": "it must be 64 hexadecimal digits",
}


class FolderError(ValueError):
    """A folder of a tournament that is not as it should be, in one line."""


class Checked(BaseModel):
    """What is read from JSON: of just these types, without NaN or infinity; it does not change."""

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False)


class Player(Checked):
    """Who an agent was, see `gupai_agents.identity`."""

    spec: Text | None
    files: dict[Text, Digest]
    moves: Digest | None


class Manifest(Checked):
    """What was played by whom, and with what."""

    model_config = ConfigDict(extra="allow")

    format: Count
    command: Annotated[str, Field(max_length=100 * MOST_NAME)] | None
    game: Text
    version: Count
    variant: dict[str, Any]
    agents: Annotated[list[Text], Field(min_length=2, max_length=1000)]
    players: Annotated[list[Player], Field(max_length=1000)]
    table: Text
    deals: Annotated[int, Field(ge=1, le=MOST_COUNT)]
    seed: Annotated[int, Field(ge=0, le=(1 << 64) - 1)]
    rules: Text
    versions: dict[str, Text]


class Finished(Checked):
    """How much of a file is finished."""

    bytes: Count
    sha256: Digest


class Progress(Checked):
    """How far a tournament got: the finished blocks, and what of each file holds them."""

    blocks: Count
    rows: Finished = Field(alias=ROWS)
    games: Finished = Field(alias=GAMES)


class Figure(Checked):
    """A mean with its interval; a single deal has none."""

    mean: float
    half_width: float | None

    def estimate(self, samples: int) -> Estimate:
        """Return it as the estimate that it was written from."""
        return Estimate(self.mean, float("inf") if self.half_width is None else self.half_width, samples)


class Duel(Figure):
    """An agent among others of one kind."""

    hero: Count
    villain: Count
    p: float


class Total(Figure):
    """How an agent did, see `tournament.Form`."""

    hero: Count
    win_share: float
    p: float
    places: list[float]
    deeds: dict[str, float]
    rating: float
    rating_width: float
    alpha_rank: float | None


class AtSeat(Figure):
    """How an agent did at a seat."""

    hero: Count
    seat: Count


class Summary(Checked):
    """The figures of a finished tournament."""

    game: Text
    version: Count
    variant: dict[str, Any]
    agents: list[Text]
    table: list[Text]
    line_ups: Count
    deals: Count
    games: Count
    seed: Count
    unit: str
    duels: list[Duel]
    totals: list[Total]
    seats: list[AtSeat]


Model = TypeVar("Model", bound=BaseModel)


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a folder; raises FolderError in one line, and OSError."""
    found = read_json(folder / MANIFEST, Manifest)
    if found.format != FORMAT:
        raise FolderError(
            f"{folder / MANIFEST}: format {found.format}; this version of gupai reads format {FORMAT}"
        )
    return found


def read_progress(folder: Path) -> Progress:
    """Return how far the tournament of a folder got; raises FolderError in one line, and OSError."""
    return read_json(folder / PROGRESS, Progress)


def read_summary(folder: Path) -> Summary:
    """Return the figures of a folder, whose agents are known by number; raises FolderError in one line, and OSError."""
    found = read_json(folder / SUMMARY, Summary)
    for what, figures in (("totals", found.totals), ("duels", found.duels), ("seats", found.seats)):
        for each in figures:
            if max(each.hero, getattr(each, "villain", 0)) >= len(found.agents):
                raise FolderError(f"{folder / SUMMARY}: damaged, {what} are of agents who are not there")
    return found


def read_json(path: Path, model: type[Model]) -> Model:
    """Return what a JSON file holds, as a model.

    Raises:
        FolderError: It is damaged, missing or too large; in one line that names file and key.
        OSError: It cannot be read.
    """
    try:
        with naming(path), path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise FolderError(f"{path.parent}: no tournament, there is no {path.name}") from None
    if len(content) > MOST_BYTES:
        raise FolderError(f"{path}: damaged, it is larger than {MOST_BYTES:,} bytes")
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        raise FolderError(f"{path}: damaged, it is not JSON") from None
    if not isinstance(found, dict):
        raise FolderError(f"{path}: damaged, it is not an object")
    try:
        return model.model_validate(found)
    except ValidationError as error:
        raise FolderError(f"{path}: damaged, {first_mistake(error)}") from None


def first_mistake(error: ValidationError) -> str:
    """Return the first thing that is wrong with what was read, with its key, in one line."""
    first = error.errors(include_url=False, include_context=False)[0]
    key = ".".join(map(str, first["loc"]))
    what = WORDS.get(first["type"], f"{first['msg'][0].lower()}{first['msg'][1:]}")
    got = "" if first["type"] == "missing" else f", not {told(first['input'])}"
    return " ".join(f"{key}: {what}{got}".split())
