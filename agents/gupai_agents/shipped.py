"""Players that ship with the package: `tuned`, a heuristic, and `best`, a network.

`weights/GAME.yaml` lists what `gupai tune` found, as it writes a heuristic, the one for the game's default rules first.
A variant is played by the weights found for the options nearest to its own.

`networks/GAME-*.safetensors` are checkpoints, each of one variant, with weights rounded to eight or sixteen bits.
Other variants of the game have no `best`.
"""

import functools
from pathlib import Path
from typing import Any

from gupai_agents.checkpoint import binding_options, options_in, read_header
from gupai_agents.plain_yaml import parse_yaml
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant

TUNED, BEST = "tuned", "best"
FOLDER = Path(__file__).parent / "weights"
NETWORKS = Path(__file__).parent / "networks"


@functools.cache
def shipped_heuristics(game_id: str) -> list[dict[str, Any]]:
    """Return what `gupai tune` wrote of a game's shipped heuristics; none for a game of another package."""
    file = FOLDER / f"{game_id}.yaml"
    heuristics: list[dict[str, Any]] = parse_yaml(file.read_text(encoding="utf-8")) if file.exists() else []
    return heuristics


def has_tuned(game: Game) -> bool:
    """True if weights come with the package."""
    return bool(shipped_heuristics(game.id))


def tuned_weights(game: Game, variant: Variant) -> dict[str, float]:
    """Return the weights of `tuned` in a variant: of those whose options all hold, the ones with most options."""
    candidates = [
        heuristic
        for heuristic in shipped_heuristics(game.id)
        if all(getattr(variant, name) == value for name, value in heuristic["variant"].items())
    ]
    weights: dict[str, float] = max(candidates, key=lambda heuristic: len(heuristic["variant"]))["weights"]
    return weights


def heuristic_names(game: Game) -> list[str]:
    """Return the names of a game's heuristics, weaker ones first."""
    return [*game.heuristics, *([TUNED] if has_tuned(game) else [])]


def best_heuristic(game: Game) -> str:
    """Return the name of a game's strongest heuristic; `random` if it has none."""
    return ["random", *heuristic_names(game)][-1]


def plainest_heuristic(game: Game) -> str:
    """Return the name of a game's weakest heuristic, `greedy`; `random` if it has none."""
    return [*heuristic_names(game), "random"][0]


@functools.cache
def networks(game_id: str) -> list[tuple[Path, dict[str, Any]]]:
    """Return the checkpoints of `best`, each with its header; none for a game of another package."""
    files = sorted(NETWORKS.glob(f"{game_id}-*.safetensors"))
    return [(file, header) for file in files if (header := read_header(file))["game"] == game_id]


def best_file(game: Game, variant: Variant) -> Path | None:
    """Return the checkpoint that is `best` in a variant, or None."""
    for file, header in networks(game.id):
        rules = options_in(header["rules"], variant)
        if all(rules[name] == value for name, value in binding_options(variant).items()):
            return file
    return None
