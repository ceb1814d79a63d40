"""What several generated pages are written from and with: `templates` holds their words."""

import json
import textwrap
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gupai_agents.evaluation.claims.files import RECORDED
from gupai_agents.evaluation.claims.results import MOST_BYTES, Verdict
from gupai_agents.evaluation.claims.verdicts import corrected
from gupai_agents.evaluation.statistics import Estimate
from gupai_app.claims import terminal as claims
from gupai_env.core.game import Game
from gupai_env.core.variant import in_words
from gupai_env.storage.models import read_stored

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


def recorded_claims() -> list[Verdict]:
    """Return the recorded verdicts on all claims, corrected for their number."""
    files = [RECORDED / f"{path.stem}.json" for path in claims.paths()]
    return corrected([read_stored(path, Verdict, MOST_BYTES) for path in files if path.exists()])


def content_of(folder: str, game: Game) -> dict[str, Any] | None:
    """Return what a folder of results has on a game."""
    file = RESULTS / folder / f"{game.id}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def written(template: str, **values: Any) -> str:
    """Return the page of a template."""
    return _TEMPLATES.get_template(template).render(values)


def filled(template: str, **values: Any) -> str:
    """Return the page of a template, its paragraphs filled."""
    return fill(written(template, **values))


def fill(text: str) -> str:
    """Return a text whose paragraphs are filled."""
    out: list[str] = []
    paragraph: list[str] = []
    fenced = False
    for line in [*text.splitlines(), ""]:
        fence = line.startswith(("```", "---"))
        if not fenced and not fence and line and line[0] not in "|#-<!" and out:
            paragraph.append(line)
            continue
        if paragraph:
            out += textwrap.wrap(" ".join(paragraph), 118, break_long_words=False, break_on_hyphens=False)
            paragraph = []
        out.append(line)
        fenced ^= fence
    return "\n".join(out)


def table(head: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table."""
    head = [*head]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


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


_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    undefined=StrictUndefined,
    extensions=["jinja2.ext.do"],
)
_TEMPLATES.globals |= {
    function.__name__: function
    for function in (chips_of, in_words, interval, options_of, ranked, repr, table, variant_of)
}
_TEMPLATES.filters |= {"fill": fill, "plain": lambda figure: figure.lstrip("+-")}
