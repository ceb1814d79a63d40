"""The file of a heuristic, as `gupai tune` writes it."""

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, ValidationError

from gupai_agents.plain_yaml import parse_yaml
from gupai_env.core.game import Game
from gupai_env.words.checks import short_repr
from gupai_env.words.files import describe, read_text

MOST_BYTES = 1 << 20


class HeuristicFile(BaseModel):
    """What the file may hold: the weights by feature, of which game, and how they came about."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    game: str
    version: int | None = None  # of the game; a file without one is taken for the version at hand
    variant: dict[str, Any] = {}
    weights: dict[str, StrictInt | StrictFloat] = Field(min_length=1)
    chips_per_deal_against: dict[str, str] = {}
    provenance: dict[str, Any] = {}


def read_heuristic(path: str, game: Game) -> dict[str, float]:
    """Return the weights in a file that `gupai tune` wrote; raises ValueError for anything else."""
    try:
        text = read_text(path, MOST_BYTES)
    except OSError as error:
        raise ValueError(describe(error)) from None
    try:
        content = parse_yaml(text)
    except ValueError as error:
        raise ValueError(f"{path}: not a heuristic file ({' '.join(str(error).split())})") from None
    if not isinstance(content, dict) or not isinstance(content.get("weights"), dict):
        raise ValueError(f"{path}: a heuristic is a mapping with `game` and `weights`, as `gupai tune` writes it")
    try:
        heuristic = HeuristicFile.model_validate(content)
    except ValidationError as error:
        raise ValueError(f"{path}: {_one_line(error)}") from None
    if heuristic.game != game.id:
        raise ValueError(f"{path}: a heuristic of {short_repr(heuristic.game)}, not of {game.id!r}")
    if heuristic.version not in (None, game.version):
        raise ValueError(
            f"{path}: a heuristic of {game.id} version {heuristic.version}; this is version {game.version}"
        )
    return dict(heuristic.weights)


def _one_line(error: ValidationError) -> str:
    """Return the first thing that is wrong, by its key."""
    first = error.errors(include_url=False)[0]
    *places, last = [place for place in first["loc"] if place not in ("int", "float")]
    key = short_repr(".".join(map(str, [*places, last])))
    if first["type"] == "extra_forbidden":
        return f"there is no key {key}; they are {', '.join(HeuristicFile.model_fields)}"
    if first["type"] == "missing":
        return f"{key} is missing"
    if first["loc"][0] == "weights" and first["type"] != "too_short":
        return f"the weight of {last} must be a number, not {short_repr(first['input'])}"
    return f"{key}: {first['msg']}, not {short_repr(first['input'])}"
