"""The report of a tournament: one HTML file with its pictures inside, which needs no network."""

import io
from collections.abc import Callable, Iterable
from html import escape
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.evaluation.tournament import TABLES, Tournament
from gupai_env import __version__

LONGEST = 22  # characters of a name in a picture
GAIN, LOSS, LINE = "#2f7d4f", "#b5423c", "#33404d"
# Text stays text, ids are always the same, and a $ in a name is no formula.
LOOK: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "gupai",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1d242b;
  background: #fff }
h1 { font-size: 1.6rem } h2 { font-size: 1.15rem; margin-top: 2.2rem }
table { border-collapse: collapse; width: 100% } th, td { padding: .3rem .6rem; text-align: right }
th:first-child, td:first-child { text-align: left } tr + tr { border-top: 1px solid #dde2e6 }
.wide { overflow-x: auto } svg { max-width: 100%; height: auto } code { background: #f0f2f4; padding: .15rem .3rem }
.quiet { color: #5b6670; font-size: .9rem }
"""


def report(found: Tournament, manifest: dict[str, Any]) -> str:
    """Return the report; equal tournaments give equal text, with the same version of matplotlib."""
    pictures = [
        (title, told, _picture(draw, found))
        for title, told, draw, wanted in PICTURES
        if wanted is None or wanted(found)
    ]
    tables = dict.fromkeys(line_up.table for line_up in found.line_ups)
    parts = [
        f"<!-- drawn by gupai {__version__}, matplotlib {matplotlib.__version__} -->",
        f"<h1>{escape(found.game.title)}: {len(found.players)} agents, {found.deals:,} deals</h1>",
        f"<p>{escape(_verdict(found))}</p>",
        f'<div class="wide">{_forms(found)}</div>',
        *(
            f'<h2>{title}</h2><p class="quiet">{told}</p><div class="wide">{svg}</div>'
            for title, told, svg in pictures
        ),
        "<h2>How it was played</h2>",
        f"<p>{escape(found.game.id)} v{found.game.version}, {found.variant.players} players, "
        f"{escape(str(found.variant))}; seed {found.seed}; {found.chips[..., 0].size:,} games. "
        f"Who sat together: {escape('; '.join(TABLES[table] for table in tables))}. "
        "Each deal was played in every rotation of the line-up; "
        "all figures take the deal as their unit, and ± is half of the 95% interval.</p>",
        f"<p><code>{escape(str(manifest.get('command') or 'played by a program'))}</code></p>",
    ]
    return document(f"{found.game.title}: tournament", parts)


def document(title: str, parts: Iterable[str]) -> str:
    """Return a page of these parts, HTML each, in the look of all reports; the title is plain text."""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


def svg_of(draw: Callable[[Figure], None]) -> str:
    """Return what a function draws, as SVG to stand in a page: the same text for the same drawing."""
    with matplotlib.rc_context(LOOK):
        figure = Figure(layout="constrained")
        draw(figure)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    return svg[svg.index("<svg") :]


def _verdict(found: Tournament) -> str:
    """Return who came out ahead, in a sentence."""
    best = _ranked(found)[0]
    form, name = found.forms[best], found.players[best]
    if form.p < 0.05 and form.chips.mean > 0:
        return f"{name} won most: {form.chips} chips a deal, and in {form.win_share:.0%} of its games the most of all."
    return f"No agent is clearly ahead; {name} has the highest mean, {form.chips} chips a deal."


def _forms(found: Tournament) -> str:
    """Return the table of all agents."""
    deeds = list(found.forms[0].deeds) if len(found.forms[0].deeds) > 1 else []
    places = [f"place {number}" for number in range(1, found.variant.players + 1)]
    heads = [
        "agent",
        "chips a deal",
        "p",
        *places,
        "rating",
        "alpha-rank",
        *(f"{deed} a deal" for deed in deeds),
    ]
    lines = ["".join(f"<th>{escape(head)}</th>" for head in heads)]
    for agent in _ranked(found):
        form = found.forms[agent]
        cells = [
            found.players[agent],
            str(form.chips),
            f"{form.p:.3f}" if form.p >= 0.001 else "<0.001",
            *(f"{share:.1%}" for share in form.places),
            f"{form.rating:+.0f} ±{form.rating_width:.0f}",
            "" if form.alpha_rank is None else f"{form.alpha_rank:.0%}",
            *(f"{form.deeds[deed]:.2f}" for deed in deeds),
        ]
        lines.append("".join(f"<td>{escape(cell)}</td>" for cell in cells))
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


# --- pictures -------------------------------------------------------------------------------------


def _picture(draw: Callable[[Figure, Tournament], None], found: Tournament) -> str:
    return svg_of(lambda figure: draw(figure, found))


def crosstable(figure: Figure, found: Tournament) -> None:
    """Draw what one of each row wins among those of each column; the surer, the stronger the colour."""
    standings, ranked = found.standings, _ranked(found)
    assert standings is not None
    adjusted, count = standings.adjusted(), len(ranked)
    figure.set_size_inches(2.2 + 1.15 * count, 0.9 + 0.5 * count)
    axes = figure.subplots()
    for row, hero in enumerate(ranked):
        for column, other in enumerate(ranked):
            if hero == other:
                continue
            won, p = standings.against(hero, other), adjusted[hero, other]
            sure = 0.75 if p < 0.001 else 0.5 if p < 0.01 else 0.28 if p < 0.05 else 0.0
            colour = (*matplotlib.colors.to_rgb(GAIN if won.mean > 0 else LOSS), sure)
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor=colour, edgecolor="white", lw=2))
            axes.text(
                column + 0.5, row + 0.5, f"{won.mean:+.2f}\n±{won.half_width:.2f}", ha="center", va="center"
            )
    names = [_short(found.players[agent]) for agent in ranked]
    axes.set(xlim=(0, count), ylim=(count, 0))
    axes.set_xticks(np.arange(count) + 0.5, names, rotation=0 if count < 5 else 30)
    axes.set_yticks(np.arange(count) + 0.5, names)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    for spine in axes.spines.values():
        spine.set_visible(False)


def forest(figure: Figure, found: Tournament) -> None:
    """Draw the chips of every agent with their intervals."""
    ranked = _ranked(found)
    figure.set_size_inches(7, 0.9 + 0.36 * len(ranked))
    axes = figure.subplots()
    for row, agent in enumerate(ranked):
        _interval(axes, found.forms[agent].chips, row)
    axes.axvline(0, color=LINE, lw=0.8, ls=":")
    axes.set_yticks(range(len(ranked)), [_short(found.players[agent]) for agent in ranked])
    axes.set(xlabel="chips a deal", ylim=(len(ranked) - 0.4, -0.6))


def _interval(axes: Axes, value: Estimate, row: float) -> None:
    half = value.half_width if np.isfinite(value.half_width) else 0.0
    colour = GAIN if value.low > 0 else LOSS if value.high < 0 else LINE
    axes.errorbar([value.mean], [row], xerr=[half], fmt="o", ms=5, color=colour, capsize=3)


def running(figure: Figure, found: Tournament) -> None:
    """Draw how the first two compare as deals go on: the mean of their difference, and its interval."""
    first, second = _ranked(found)[:2]
    gaps = found.chips_of(first) - found.chips_of(second)
    counts = np.arange(1, len(gaps) + 1)
    means = np.cumsum(gaps) / counts
    spread = np.sqrt(np.maximum(np.cumsum(gaps**2) / counts - means**2, 0) / counts)
    shown = np.unique(np.geomspace(min(10, len(gaps)), len(gaps), 300).astype(int)) - 1
    figure.set_size_inches(7, 3)
    axes = figure.subplots()
    axes.fill_between(
        counts[shown],
        (means - 1.96 * spread)[shown],
        (means + 1.96 * spread)[shown],
        color=GAIN,
        alpha=0.18,
        lw=0,
    )
    axes.plot(counts[shown], means[shown], color=GAIN)
    axes.axhline(0, color=LINE, lw=0.8, ls=":")
    title = f"{_short(found.players[first])} less {_short(found.players[second])}"
    axes.set(xlabel="deals", ylabel="chips a deal", title=title)


def seats(figure: Figure, found: Tournament) -> None:
    """Draw the chips of every agent at every seat."""
    figure.set_size_inches(7, 3)
    axes, count = figure.subplots(), found.variant.players
    ranked = _ranked(found)[:8]
    for place, agent in enumerate(ranked):
        at = [found.at_seat(agent, seat) for seat in range(count)]
        shift = (place - (len(ranked) - 1) / 2) * 0.07
        axes.errorbar(
            np.arange(count) + shift,
            [each.mean for each in at],
            yerr=[each.half_width if np.isfinite(each.half_width) else 0 for each in at],
            fmt="o",
            ms=4,
            capsize=2,
            label=_short(found.players[agent]),
        )
    axes.axhline(0, color=LINE, lw=0.8, ls=":")
    axes.set_xticks(range(count), [f"seat {seat}" for seat in range(count)])
    axes.set(ylabel="chips a deal")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


def _ranked(found: Tournament) -> list[int]:
    return sorted(range(len(found.players)), key=lambda agent: -found.forms[agent].chips.mean)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"…{name[1 - LONGEST :]}"


Picture = tuple[str, str, Callable[[Figure, Tournament], None], Callable[[Tournament], bool] | None]
PICTURES: list[Picture] = [
    (
        "Who wins from whom",
        "Chips a deal of one of the row among equal ones of the column. Green wins, red loses; the stronger the "
        "colour, the surer (p below 0.05, 0.01, 0.001, adjusted by Holm); without colour nothing is shown to differ.",
        crosstable,
        lambda found: found.standings is not None,
    ),
    ("Chips a deal", "Over all games that count for an agent, with 95% intervals.", forest, None),
    (
        "The first two, deal by deal",
        "The mean of their difference so far, with its 95% interval.",
        running,
        None,
    ),
    ("Seats", "Chips a deal of each agent by the seat it had.", seats, None),
]
