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
from game_pages import page, picture
from model_cards import card, models
from pydantic import BaseModel
from writing import CARDS, DOCS, LADDERS, LEARNING, RESULTS, interval, ranked, signed, table

from gupai_agents.shipped import networks
from gupai_app.tournaments.terminal import MEANING
from gupai_env.core.variant import in_words
from gupai_env.games import GAMES
from gupai_training.config import Config
from gupai_training.curves import baselines_of


def ladder() -> str:
    """Return the page of all ladders."""
    lines = [
        "# Ladder",
        "",
        MEANING,
        "Search agents play fewer deals. Decisions per second are measured in batches of 512 decisions, drawn from all",
        "stages of a deal. In the column of all except `random`, ± is an upper bound: the mean of the half-widths.",
        "[What the names mean](players.md).",
        "",
    ]
    for game in GAMES:
        for file in sorted(LADDERS.glob(f"{game}*.json")):
            ladder_file = json.loads(file.read_text(encoding="utf-8"))
            machine = ", ".join(f"{name} {value}" for name, value in ladder_file["machine"].items())
            lines += [f"## {GAMES[game].title}, {in_words(ladder_file['changed'])}", ""]
            head = (
                "one of",
                *(f"against `{name}`" for name in ladder_file["rivals"]),
                "all except `random`",
                "deals",
                "decisions/s",
            )
            rows = [
                (
                    f"`{rung['player']}`",
                    *(interval(rung["against"].get(name)) for name in ladder_file["rivals"]),
                    interval(total),
                    f"{rung['deals']:,}",
                    f"{rung['decisions_per_second']:,.0f}",
                )
                for rung, total in ranked(ladder_file)
            ]
            lines += [f"![Chips per deal of each player, all except random](charts/ladder-{file.stem}.svg)", ""]
            note = f" {ladder_file['note']}" if "note" in ladder_file else ""
            lines += [
                *table(head, rows),
                "",
                f"`{ladder_file['command']}`, seed {ladder_file['seed']}; {machine}.{note}",
                "",
            ]
    return signed(lines, "`results/ladder/*.json`, which `gupai ladder GAME --json` printed")


def learning() -> str:
    """Return the page of all learning curves."""
    lines = [
        "# Learning curves",
        "",
        "How strong a new network becomes while it learns from search targets by the recipe of `gupai train GAME`:",
        "chips per deal of one such player among copies of each rule-based player and of `best`, with 95% intervals",
        "over deals; `random` is far below, and not drawn. Each curve is a single run; another seed gives another one.",
        "The recipe's limit in minutes is replaced by a fixed number of targets, so that the machine's speed makes no",
        "difference. `best` is the player that shipped when a curve was made.",
        "[What works in training](training.md) and [all players compared](ladder.md) are pages of their own.",
        "",
    ]
    for game in GAMES.values():
        curve = json.loads((LEARNING / f"{game.id}.json").read_text(encoding="utf-8"))
        last = curve["evaluations"][-1]
        won = [f"{interval(last[name])} against `{name}`" for name in baselines_of(curve["evaluations"])]
        exact = last.get("exploitability")  # of a game whose hands can all be played out
        lines += [
            f"## {game.title}",
            "",
            f"![Chips per deal over search targets in {game.title}](charts/learning-{game.id}.svg)",
            "",
            f"After {last['targets']:,} targets: {', '.join(won)} chips per deal",
            f"({curve['deals']:,} deals, each from every seat).",
            *([f"A best response wins {exact['best']:.4f} chips per deal from it (exact)."] if exact else []),
            f"`python -m benchmarks.learning_curves {game.id} --targets {curve['targets']} --seed {curve['seed']}`",
            "",
        ]
    return signed(lines, "`results/learning/*.json`, by `python -m benchmarks.learning_curves`")


def ways_of_play() -> str:
    """Return the page of the numbers that other programs of the rules must find too."""
    lines = [
        "# Ways of play",
        "",
        "How many sequences of 1, 2, 3, ... legal actions begin with the deal (which chess programs call",
        "perft): two programs with the same rules find the same numbers. The compiled engine has counted them, and so",
        "have naive referees that share no code with it, the smaller numbers at every test. A deal that is over ends",
        "its sequences. `gupai perft GAME` counts any other deal and variant.",
        "",
        "Of every game there are all different deals of the tiny deck, each once, to the end, and three deals of the",
        "default rules. These are given by their tiles, first those of seat 0, then of seat 1 and so on; then tiles on",
        "the table and the stock from its top, or what is not used. (In Da Ling the tiles on the table come first.)",
        "",
    ]
    counts = json.loads((RESULTS / "perft.json").read_text(encoding="utf-8"))
    for game in GAMES.values():
        lines += [f"## {game.title}", ""]
        for content in (content for content in counts if content["game"] == game.id):
            numbers = ", ".join(f"{count:,}" for count in content["ways_of_play"])
            if "seed" in content:
                turns = ", ".join(map(str, content["turns"]))
                lines += [f"Seed {content['seed']}, seats in turn {turns}: {content['order']}", "", f": {numbers}", ""]
            else:
                lines += [f"{content['deals']:,} deals, {in_words(content['variant'])}", "", f": {numbers}", ""]
    return signed(lines, "`results/perft.json`, by `python -m benchmarks.perft`")


def configuration() -> str:
    """Return the keys of a training configuration."""
    lines = [
        "# Keys of a configuration",
        "",
        "`gupai train FILE --set KEY=VALUE`; [how training works](../training.md).",
        "",
    ]
    sections = {
        name: field.annotation
        for name, field in Config.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
    }
    for section, model in {"": Config, **sections}.items():
        schemas = model.model_json_schema()["properties"]
        rows = (
            (
                f"`{section}{'.' if section else ''}{name}`",
                "" if field.is_required() else f"`{json.dumps(field.default)}`",
                _allowed(schemas[name]),
                field.description,
            )
            for name, field in model.model_fields.items()
            if section or name not in sections
        )
        lines += [f"## {section or 'The run'}", "", *table(("key", "default", "allowed", "meaning"), rows), ""]
    return signed(lines, "`gupai_training/config.py`")


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
