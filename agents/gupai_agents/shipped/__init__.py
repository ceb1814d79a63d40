"""Players that ship with the package: `card`, rules for people, `tuned`, a heuristic, and `best`, a network.

`cards/GAME.yaml` lists the cards of a game as `benchmarks/cards.py` found them.

`weights/GAME.yaml` lists what `gupai tune` found, as it writes a heuristic, the one for the game's default rules first.
A variant is played by the weights found for the options nearest to its own.

`networks/GAME-*.safetensors` are checkpoints, each of one variant, with weights rounded to eight or sixteen bits.
Other variants of the game have no `best`.

`beliefs/GAME-*.safetensors` are beliefs of what the others hold (`gupai_agents.belief`), likewise.

`levels.yaml` names the player of each level (easy, medium, strong and master), with the chips per deal that it wins
from a human-like player of the game under the default options. A variant for which that player does not ship has the
best heuristic instead.
"""

import functools
from pathlib import Path
from typing import Any, NamedTuple

from gupai_agents.networks.checkpoint import binding_options, options_in, read_header
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.storage.models import parse_yaml

CARD, TUNED, BEST = "card", "tuned", "best"
CARDS = Path(__file__).parent / "cards"
FOLDER = Path(__file__).parent / "weights"
NETWORKS = Path(__file__).parent / "networks"
BELIEFS = Path(__file__).parent / "beliefs"


@functools.cache
def _shipped(file: Path) -> Any:
    """Return the players in a file, that for the game's default rules first; none if there is no such file."""
    return parse_yaml(file.read_text(encoding="utf-8")) if file.exists() else []


def shipped_heuristics(game_id: str) -> list[dict[str, Any]]:
    """Return what `gupai tune` wrote of a game's shipped heuristics; none for a game of another package."""
    return _shipped(FOLDER / f"{game_id}.yaml")


def shipped_cards(game_id: str) -> list[dict[str, Any]]:
    """Return what is written of a game's cards; none for a game without."""
    return _shipped(CARDS / f"{game_id}.yaml")


def shipped_card(game: Game, variant: Variant) -> dict[str, Any] | None:
    """Return what is written of the card for a variant; None for a game without cards."""
    cards = shipped_cards(game.id)
    return _nearest(cards, variant) if cards else None


def _nearest(players: list[dict[str, Any]], variant: Variant) -> dict[str, Any]:
    """Return what is written of a player of a variant: of those whose options all hold, the one with most options."""
    matching = [
        player
        for player in players
        if all(getattr(variant, name) == value for name, value in player["variant"].items())
    ]
    return max(matching, key=lambda player: len(player["variant"]))


def has_tuned(game: Game) -> bool:
    """True if weights come with the package."""
    return bool(shipped_heuristics(game.id))


def tuned_weights(game: Game, variant: Variant) -> dict[str, float]:
    """Return the weights of `tuned` in a variant: of those whose options all hold, the ones with most options."""
    return _nearest(shipped_heuristics(game.id), variant)["weights"]


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
def networks(game_id: str, folder: Path | None = None) -> list[tuple[Path, dict[str, Any]]]:
    """Return the checkpoints of `best`, or those in another folder, each with its header; none for a foreign game."""
    files = sorted((folder or NETWORKS).glob(f"{game_id}-*.safetensors"))
    return [(file, header) for file in files if (header := read_header(file))["game"] == game_id]


def best_file(game: Game, variant: Variant, folder: Path | None = None) -> Path | None:
    """Return the checkpoint that is `best` in a variant, or that in another folder which is for it, or None."""
    for file, header in networks(game.id, folder):
        rules = options_in(header["rules"], variant)
        if all(rules[name] == value for name, value in binding_options(variant).items()):
            return file
    return None


# --- levels ----------------------------------------------------------------------------------------

LEVELS = ("easy", "medium", "strong", "master")
LEVELS_FILE = Path(__file__).parent / "levels.yaml"


class Level(NamedTuple):
    """A level: who plays, and their mean chips per deal against another with its 95% interval, by `n` default deals."""

    name: str
    player: str
    against: str
    mean: float
    low: float
    high: float
    n: int


def levels(game: Game) -> list[Level]:
    """Return the levels of a game, the weakest first; none for a game of another package."""
    settings = dict(_shipped(LEVELS_FILE)).get(game.id, {})
    return [Level(name, against=settings["against"], **settings[name]) for name in LEVELS if settings]


def player_of(level: str, game: Game, variant: Variant) -> str:
    """Return the player of a level. Raises: ValueError for a game that has no levels.

    Args:
        level: One of LEVELS.
        game, variant: What is played; where `best` does not play the variant, the best heuristic does.
    """
    player = next((candidate.player for candidate in levels(game) if candidate.name == level), None)
    if player is None:
        raise ValueError(f"{game.id} has no levels; choose one of {', '.join(heuristic_names(game))}")
    return best_heuristic(game) if player == BEST and best_file(game, variant) is None else player
