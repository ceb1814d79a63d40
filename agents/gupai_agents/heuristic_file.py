"""The file of a heuristic, as `gupai tune` writes it."""

from typing import Any

from pydantic import Field, StrictFloat, StrictInt, StrictStr

from gupai_env.core.game import Game
from gupai_env.storage.files import describe
from gupai_env.storage.models import Written, checked, read_written
from gupai_env.words.checks import short_repr


class HeuristicFile(Written):
    """What the file may hold: the weights by feature, of which game, and how they came about."""

    game: StrictStr
    version: StrictInt | None = None  # of the game; a file without one is taken for the version at hand
    variant: dict[str, Any] = Field({})
    weights: dict[str, StrictFloat] = Field(min_length=1)
    chips_per_deal_against: dict[str, StrictStr] = Field({})
    provenance: dict[str, Any] = Field({})


def read_heuristic(path: str, game: Game) -> dict[str, float]:
    """Return the weights in a file that `gupai tune` wrote; raises ValueError for anything else."""
    try:
        content = read_written(path)
    except OSError as error:
        raise ValueError(describe(error)) from None
    if not isinstance(content, dict) or not isinstance(content.get("weights"), dict):
        raise ValueError(f"{path}: a heuristic is a mapping with `game` and `weights`, as `gupai tune` writes it")
    try:
        heuristic = checked(HeuristicFile, content)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if heuristic.game != game.id:
        raise ValueError(f"{path}: a heuristic of {short_repr(heuristic.game)}, not of {game.id!r}")
    if heuristic.version not in (None, game.version):
        raise ValueError(
            f"{path}: a heuristic of {game.id} version {heuristic.version}; this is version {game.version}"
        )
    return heuristic.weights
