"""The report of a training run: strength against time, labels and decisions, and the final table, in one HTML file."""

import functools
from html import escape

from gupai_agents.evaluation.html import document, svg_of
from gupai_agents.plain_yaml import to_yaml
from gupai_env.core.variant import in_words
from gupai_training.config import went_in
from gupai_training.curves import exploitability, looks_of, strength
from gupai_training.run import Run
from gupai_training.run_folder import FINAL_SEED, Row


def report(run: Run, rows: list[Row]) -> str:
    """Return the report of a run that is finished, with its final table."""
    config, looks = run.config, looks_of(run.folder)
    last = looks[-1] if looks else {"seconds": 0.0}
    parts = [
        f"<h1>{escape(run.game.title)}: a trained player</h1>",
        f"<p>{escape(in_words(config.variant))}, {run.variant.players} players. It "
        f"{went_in(run.spent.labels, run.decisions)}: {last['seconds']:,.0f} seconds, seed "
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
            f'<div class="wide">{svg_of(functools.partial(strength, looks))}</div>',
        ]
    if any("exploitability" in row for row in looks):
        parts += [
            "<h2>Exploitability</h2>",
            '<p class="quiet">What best responses win from it on this deck, chips a deal, exactly.</p>',
            f'<div class="wide">{svg_of(functools.partial(exploitability, looks))}</div>',
        ]
    text = to_yaml(config.model_dump())
    parts.append(f"<details><summary>Configuration</summary><pre>{escape(text)}</pre></details>")
    return document(f"{run.game.title}: training", parts)


def _table(rows: list[Row]) -> str:
    lines = ["<tr><th>player</th><th>against</th><th>chips a deal</th></tr>"]
    for row in rows:
        cells = (row.hero, row.villain, str(row.result.mean(0)))
        lines.append(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>")
    return f"<table>{''.join(lines)}</table>"
