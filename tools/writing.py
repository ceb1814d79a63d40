"""What several generated pages are written from and with."""

import json
import textwrap
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

from gupai_agents.evaluation.statistics import Estimate
from gupai_env.core.game import Game

ROOT = Path(__file__).parents[1]
DOCS, RESULTS = ROOT / "docs", ROOT / "results"
LADDERS, LEARNING, DEALS, MODELS = (RESULTS / name for name in ("ladder", "learning", "annotated", "models"))
CARDS = DOCS / "models"


def variant_of(game: Game, header: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a network that are not at their default."""
    default = json.loads(json.dumps(asdict(game.variant())))
    return {name: value for name, value in header["rules"].items() if value != default[name]}


def options_of(options: dict[str, Any]) -> str:
    """Return the options of a variant that are not at their default, in Markdown."""
    return ", ".join(f"`{name}={value}`" for name, value in options.items()) or "default options"


def chips_of(header: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what a network that ships wins from each opponent; headers of the oldest hold half-widths."""
    won = {}
    for name, chips in header["evaluation"]["chips_per_deal_against"].items():
        if "half_width" in chips:
            mean, half_width, deals = chips["mean"], chips["half_width"], chips["deals"]
            chips = {"mean": mean, "low": mean - half_width, "high": mean + half_width, "n": deals}
        won[name] = chips
    return won


def interval(won: dict | Estimate | None) -> str:
    """Return chips with their interval, "" for none.

    Intervals of chips are symmetric, except that headers of networks round their ends.
    """
    if won is None:
        return ""
    estimate = won if isinstance(won, Estimate) else Estimate.of(won)
    return str(Estimate.symmetric(estimate.mean, estimate.half_width, estimate.samples))


def fill_paragraphs(lines: list[str]) -> str:
    """Return the lines as a text in which the lines of a paragraph are filled."""
    out: list[str] = []
    paragraph: list[str] = []
    fenced = False
    for line in [*lines, ""]:
        fence = line.startswith(("```", "---"))
        if not fenced and not fence and line and line[0] not in "|#-<!" and out:
            paragraph.append(line)
            continue
        if paragraph:
            out += textwrap.wrap(" ".join(paragraph), 118, break_long_words=False, break_on_hyphens=False)
            paragraph = []
        out.append(line)
        fenced ^= fence
    return "\n".join(out[:-1])


def table(head: tuple[str, ...], rows) -> list[str]:
    """Return the lines of a table."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines]


def ranked(ladder: dict[str, Any]) -> list[tuple[dict[str, Any], Estimate]]:
    """Return the rungs of a ladder, the best first, each with what it wins on average from all others but `random`.

    The half-width of such a mean is at most the mean of the others', whose deals are the same.
    """
    rungs = []
    for rung in ladder["rungs"]:
        others = [Estimate.of(won) for name, won in rung["against"].items() if name != "random"]
        mean, low, high = (fmean(getattr(won, name) for won in others) for name in ("mean", "low", "high"))
        rungs.append((rung, Estimate(mean, low, high, rung["deals"])))
    return sorted(rungs, key=lambda entry: -entry[1].mean)


def signed(lines: list[str], source: str) -> str:
    """Return a page that says at its end from what it is written."""
    return "\n".join([*lines, f"*Written by `tools/pages.py` from {source}.*", ""])
