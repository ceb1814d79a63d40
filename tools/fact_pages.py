"""The pages of facts, from `results/facts`: one over all games and one for each game."""

import json
from typing import Any

from writing import RESULTS, filled

from gupai_app.facts.terminal import chips, number, percent, sure, tables_of
from gupai_env.core.game import Game
from gupai_env.games import GAMES

FOLDER, SOURCE = RESULTS / "facts", "`results/facts`, by `python -m benchmarks.facts`"


def recorded(game: Game) -> list[dict[str, Any]]:
    """Return the facts of the variants of a game, that with the default options first."""
    files = sorted(FOLDER.glob(f"{game.id}*.json"), key=lambda file: (len(file.stem) > len(game.id), file.stem))
    contents = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return [content for content in contents if content["game"] == game.id]


def page(game: Game) -> str:
    """Return the page of the facts of a game."""
    return filled("facts-of-game.md", game=game, variants=recorded(game), tables_of=tables_of, source=SOURCE)


def overview() -> str:
    """Return the page over all games."""
    facts = {game: recorded(game) for game in GAMES.values()}
    (deals,) = {content["deals"] for variants in facts.values() for content in variants}
    tinies = {  # of different options, the default ones first
        game: {str(content["tiny"]["options"]): content["tiny"] for content in reversed(variants)}.values()
        for game, variants in facts.items()
    }
    figures = {"chips": chips, "number": number, "percent": percent, "sure": sure, "endings": endings}
    return filled("facts.md", facts=facts, tinies=tinies, source=SOURCE, deals=f"{deals:,}", **figures)


def endings(self_play: dict[str, Any]) -> str:
    """Return how deals end, the most frequent first."""
    shares = sorted(self_play["endings"].items(), key=lambda ending: -ending[1]["mean"])
    return ", ".join(f"{name} {percent(share)}" for name, share in shares if share["mean"] >= 0.0005)
