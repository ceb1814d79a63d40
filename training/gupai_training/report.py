"""The report of a training run: strength against time, labels and decisions, and the final table, in one HTML file."""

import functools
import json
from html import escape
from pathlib import Path
from typing import Any

import yaml
from matplotlib.figure import Figure

from gupai_agents.evaluation.html import document, svg_of
from gupai_training.config import went_in
from gupai_training.resume import SELF_PLAY, TEACHING
from gupai_training.run import FINAL_SEED, METRICS_FILE, Row, Run

REPORT_FILE = "report.html"


def looks_of(folder: Path) -> list[dict[str, Any]]:
    """Return the looks at the baselines of a run, in order.

    A run that was killed and went on from an older save looked twice: of looks at the same place the last one counts.
    """
    found: dict[tuple[int, int], dict[str, Any]] = {}
    file = folder / METRICS_FILE
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        row = json.loads(line)
        found[row["labels"], row["decisions"]] = row
    return [found[place] for place in sorted(found)]


def report(run: Run, rows: list[Row]) -> str:
    """Return the report of a run that is finished, with its final table."""
    config, looks = run.config, looks_of(run.folder)
    options = ", ".join(f"{name}={value}" for name, value in config.variant.items()) or "default options"
    last = looks[-1] if looks else {"seconds": 0.0}
    parts = [
        f"<h1>{escape(run.game.title)}: a trained player</h1>",
        f"<p>{escape(options)}, {run.variant.players} players. It "
        f"{went_in(run.spent.labels, run.learner.num_timesteps)}: {last['seconds']:,.0f} seconds, seed "
        f"{config.seed}.</p>",
        "<h2>How it fares</h2>",
        f'<p class="quiet">Chips a deal of one player against equal others in all other seats, with its 95% interval. '
        f"{config.evaluation.final_deals:,} deals that training never met, each from every seat; deals from seed "
        f"{config.seed + FINAL_SEED}.</p>",
        f'<div class="wide">{_table(rows)}</div>',
    ]
    if len(looks) > 1:
        parts += [
            "<h2>Strength against time</h2>",
            '<p class="quiet">Chips a deal of the averaged policy against each baseline in '
            f"{config.evaluation.deals:,} deals, the same at every look; bands are 95% intervals.</p>",
            f'<div class="wide">{svg_of(functools.partial(_strength, run, looks))}</div>',
        ]
    if any("exploitability" in row for row in looks):
        parts += [
            "<h2>Exploitability</h2>",
            '<p class="quiet">What best responses win from it on this deck, chips a deal, exactly.</p>',
            f'<div class="wide">{svg_of(functools.partial(_exploitability, looks))}</div>',
        ]
    text = yaml.safe_dump(config.model_dump(), sort_keys=False)
    parts.append(f"<details><summary>Configuration</summary><pre>{escape(text)}</pre></details>")
    return document(f"{run.game.title}: training", parts)


def _table(rows: list[Row]) -> str:
    lines = ["<tr><th>player</th><th>against</th><th>chips a deal</th></tr>"]
    for row in rows:
        cells = (row.hero, row.villain, str(row.result.mean(0)))
        lines.append(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _strength(run: Run, looks: list[dict[str, Any]], figure: Figure) -> None:
    """Draw the looks at each baseline, but for `random`, which is far below, over seconds; stages stand apart."""
    figure.set_size_inches(7, 3.6)
    axes = figure.subplots()
    seconds = [row["seconds"] for row in looks]
    for name in [name for name in run.baselines if name != "random"] or run.baselines:
        means = [row[name]["mean"] for row in looks]
        lines = axes.plot(seconds, means, marker="o", ms=3, label=f"against {name}")
        lows, highs = ([row[name][end] for row in looks] for end in ("low", "high"))
        axes.fill_between(seconds, lows, highs, color=lines[0].get_color(), alpha=0.12, lw=0)
    taught = [row["seconds"] for row in looks if not row["decisions"]]
    if taught and len(taught) < len(looks):
        axes.axvline(taught[-1], color="#33404d", lw=0.8, ls="--")
        for side, stage in (("right", TEACHING), ("left", SELF_PLAY)):
            at = (taught[-1], 1.0)
            axes.annotate(f" {stage} ", at, xycoords=("data", "axes fraction"), ha=side, va="top", fontsize=8)
    axes.axhline(0, color="#33404d", lw=0.8, ls=":")
    axes.set(xlabel="seconds", ylabel="chips a deal")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


def _exploitability(looks: list[dict[str, Any]], figure: Figure) -> None:
    figure.set_size_inches(7, 3)
    axes = figure.subplots()
    rows = [row for row in looks if "exploitability" in row]
    for how, words in (("best", "its best actions"), ("drawn", "drawing from its policy")):
        chips = [row["exploitability"][how] for row in rows]
        axes.plot([row["seconds"] for row in rows], chips, marker="o", ms=3, label=words)
    axes.set(xlabel="seconds", ylabel="chips a deal")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
