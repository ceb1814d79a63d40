"""The player `tuned`: weights that `gupai tune` found, which come with the package for the common variants of a game.

`weights/GAME.yaml` lists them as `gupai tune` writes a style, the one for the game's default rules first. A variant is
played by the weights found for the options nearest to its own.
"""

import functools
from pathlib import Path
from typing import Any

import yaml

from gupai_env.core.game import Game
from gupai_env.core.variant import Variant

TUNED = "tuned"
FOLDER = Path(__file__).parent / "weights"


@functools.cache
def shipped_styles(game_id: str) -> list[dict[str, Any]]:
    """Return what `gupai tune` wrote of a game's shipped styles; none for a game of another package."""
    file = FOLDER / f"{game_id}.yaml"
    found: list[dict[str, Any]] = yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else []
    return found


def has_tuned(game: Game) -> bool:
    """True if weights come with the package."""
    return bool(shipped_styles(game.id))


def tuned_weights(game: Game, variant: Variant) -> dict[str, float]:
    """Return the weights of `tuned` in a variant: of those whose options all hold, the ones with most options."""
    fitting = [
        style
        for style in shipped_styles(game.id)
        if all(getattr(variant, name) == value for name, value in style["variant"].items())
    ]
    weights: dict[str, float] = max(fitting, key=lambda style: len(style["variant"]))["weights"]
    return weights
