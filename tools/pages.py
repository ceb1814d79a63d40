"""Writes the pages that are made of code and recorded figures.

`docs/ladder.md`, `docs/facts.md` and the picture of the README are kept, since they are read where the sources lie. Run
this after a change of rules or new figures in `results`, by `gupai ladder --json` and `gupai facts --json`:

    python tools/pages.py

All others are written where the site is built, `make docs`: a page, a picture and the facts of every game, a card of
every network and the list of them, learning curves, ways of play, and the keys of a configuration.
"""

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from charts import learning_chart
from fact_pages import overview
from fact_pages import page as facts_page
from fact_pages import picture as worth_picture
from game_pages import page, picture
from model_cards import card, models
from pydantic import BaseModel
from writing import CARDS, DOCS, LADDERS, LEARNING, RESULTS, written

from gupai_agents.shipped import networks
from gupai_app.tournaments.terminal import MEANING
from gupai_env.games import GAMES
from gupai_training.config import Config
from gupai_training.curves import baselines_of


def ladder() -> str:
    """Return the page of all ladders."""
    files = [(game, file) for game in GAMES.values() for file in sorted(LADDERS.glob(f"{game.id}*.json"))]
    ladders = [(game, file.stem, json.loads(file.read_text(encoding="utf-8"))) for game, file in files]
    return written("ladder.md", meaning=MEANING, ladders=ladders)


def learning() -> str:
    """Return the page of all learning curves."""
    curves = {game: json.loads((LEARNING / f"{game.id}.json").read_text(encoding="utf-8")) for game in GAMES.values()}
    return written("learning-curves.md", curves=curves, baselines_of=baselines_of)


def ways_of_play() -> str:
    """Return the page of the numbers that other programs of the rules must find too."""
    record = json.loads((RESULTS / "perft.json").read_text(encoding="utf-8"))
    return written("perft.md", games=GAMES.values(), **record)


def configuration() -> str:
    """Return the keys of a training configuration."""
    models = {
        name: field.annotation
        for name, field in Config.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
    }
    sections = {}
    for section, model in {"": Config, **models}.items():
        schemas = model.model_json_schema()["properties"]
        sections[section] = [
            (
                f"`{section}{'.' if section else ''}{name}`",
                "" if field.is_required() else f"`{json.dumps(field.default)}`",
                _allowed(schemas[name]),
                field.description,
            )
            for name, field in model.model_fields.items()
            if section or name not in models
        ]
    return written("configuration.md", sections=sections)


def _allowed(schema: dict[str, Any]) -> str:
    """Return in words the values that the JSON schema of a setting allows, "" where it only names their type."""
    if "anyOf" in schema:
        kinds = [words for choice in schema["anyOf"] if (words := _allowed(choice))]
        return " or ".join([*kinds, "`null`"]) if kinds else ""
    if "enum" in schema:
        return ", ".join(f"`{choice}`" for choice in schema["enum"])
    if schema["type"] == "array":
        least = f"{schema['minItems']} to " if "minItems" in schema else "up to "
        inner = _allowed(schema["items"])
        return f"a list of {least}{schema['maxItems']}" + (f", each {inner}" if inner else "")
    if "maxLength" in schema:
        return f"up to {schema['maxLength']:,} characters"
    least, most = schema.get("minimum"), schema.get("maximum", schema.get("exclusiveMaximum", 0) - 1)
    if "exclusiveMinimum" in schema:
        return f"above {schema['exclusiveMinimum']:g}, at most {most:,.16g}"
    if least is None:
        return ""
    return f"{least:g} to {most:,.16g}" if most > 0 else f"at least {least:g}"


def repository_files() -> dict[Path, Callable[[], str]]:
    """Return the files that are kept, each with what writes its text."""
    table_of_jie_long = partial(picture, GAMES["jie-long"])
    return {DOCS / "ladder.md": ladder, DOCS / "facts.md": overview, DOCS / "static" / "table.svg": table_of_jie_long}


def site_files() -> dict[Path, Callable[[], str]]:
    """Return the files that are written where the site is built, each with what writes its text."""
    files = {DOCS / "models.md": models, DOCS / "learning-curves.md": learning, DOCS / "perft.md": ways_of_play}
    files[DOCS / "reference" / "configuration.md"] = configuration
    for game in GAMES.values():
        files[DOCS / "games" / f"{game.id}.md"] = partial(page, game)
        files[DOCS / "games" / f"{game.id}.svg"] = partial(picture, game)
        files[DOCS / "facts" / f"{game.id}.md"] = partial(facts_page, game)
        files[DOCS / "facts" / f"{game.id}.svg"] = partial(worth_picture, game)
        files[DOCS / "charts" / f"learning-{game.id}.svg"] = partial(learning_chart, game.id)
        files |= {CARDS / f"{file.stem}.md": partial(card, game, file, header) for file, header in networks(game.id)}
    return files


def write(files: dict[Path, Callable[[], str]]) -> None:
    """Write files, each with its text."""
    for file, text in files.items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    write(repository_files())
