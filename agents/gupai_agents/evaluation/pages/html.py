"""HTML from templates, and the report of a tournament: one file with its charts inside, which needs no network."""

import numpy as np
from markupsafe import Markup

from gupai_agents.evaluation.benchmark.models import Card
from gupai_agents.evaluation.pages import chart
from gupai_agents.evaluation.pages.chart import templates
from gupai_agents.evaluation.statistics import Estimate, estimate
from gupai_agents.evaluation.tournaments.rating import notes
from gupai_agents.evaluation.tournaments.tournament import TABLES, Tournament
from gupai_env import __version__
from gupai_env.messages import in_english, say
from gupai_env.messages.checks import counted
from gupai_env.render.letters import FAMILY

MOST_SEATED = 8  # agents in the chart of seats


@in_english()
def report(tournament: Tournament, command: str | None) -> str:
    """Return the report; equal tournaments give equal text, in whatever language they were played.

    command: the words that play it, None where no text makes one of the agents.
    """
    ranked = _ranked(tournament)
    tables = dict.fromkeys(line_up.table for line_up in tournament.line_ups)
    return (
        templates()
        .get_template("tournament_report.html")
        .render(
            tournament=tournament,
            version=__version__,
            games=tournament.chips[..., 0].size,
            ranked=ranked,
            notes=notes(tournament.players, tournament.ratings.orders),
            names=[chart.short(tournament.players[agent]) for agent in ranked],
            charts=[
                ("Chips per deal", "Over all games that count for an agent, with 95% intervals.", _forest(tournament)),
                (
                    "The first two, deal by deal",
                    "The mean of their difference so far, with its 95% interval.",
                    _running(tournament),
                ),
                ("Seats", "Chips per deal of each agent by the seat it had.", _seats(tournament)),
            ],
            options=str(tournament.variant),
            tables="; ".join(TABLES[table] for table in tables),
            command=command or "played by a program",
        )
    )


@in_english()
def card_page(card: Card) -> str:
    """Return the page of a benchmark's card; equal cards give equal text, as of `report`."""
    names = [result.task for result in card.results]
    means = [
        chart.Mean(f"{result.task}: {result.score}", result.score.mean or 0.0, result.score.estimate.half_width, index)
        for index, result in enumerate(card.results)
    ]
    return (
        templates()
        .get_template("benchmark_card.html")
        .render(card=card, version=__version__, chart=chart.rows(names, means), head=card_head(card))
    )


def card_head(card: Card) -> str:
    """Return what a card says, in a sentence."""
    if card.whole:
        return say("Suite {suite}: {score}", suite=card.suite, score=card.score)
    return say(
        "Mean of {tasks} of suite {suite} in {deals:,} deals each, no suite score: {score}",
        **{"tasks": counted(len(card.results), "task"), "suite": card.suite, "deals": card.deals, "score": card.score},
    )


# --- charts ---------------------------------------------------------------------------------------


def _mean(label: str, value: Estimate, index: int, series: int = 0) -> chart.Mean:
    return chart.Mean(f"{label}: {value}", value.mean, value.half_width, index, series)


def _forest(tournament: Tournament) -> Markup:
    """Draw the chips of every agent with their intervals."""
    names = [tournament.players[agent] for agent in _ranked(tournament)]
    chips = [tournament.performances[agent].chips for agent in _ranked(tournament)]
    return chart.rows(
        names, [_mean(name, won, index) for index, (name, won) in enumerate(zip(names, chips, strict=True))]
    )


def _running(tournament: Tournament) -> Markup:
    """Draw how the first two compare as deals continue: the mean of their difference, and its interval."""
    first, second = _ranked(tournament)[:2]
    gaps = tournament.chips_of(first) - tournament.chips_of(second)
    counts = np.unique(np.geomspace(min(10, len(gaps)), len(gaps), 300).astype(int))
    points = [chart.Point.of(count, estimate(gaps[:count])) for count in counts.tolist()]
    name = f"{chart.short(tournament.players[first])} less {chart.short(tournament.players[second])}"
    return chart.curves({name: points}, "deals", "chips per deal")


def _seats(tournament: Tournament) -> Markup:
    """Draw the chips of every agent at every seat."""
    ranked, seats = _ranked(tournament)[:MOST_SEATED], range(tournament.variant.players)
    names = [tournament.players[agent] for agent in ranked]
    means = [
        _mean(f"{name}, seat {seat}", tournament.at_seat(agent, seat), seat, series)
        for seat in seats
        for series, (agent, name) in enumerate(zip(ranked, names, strict=True))
    ]
    return chart.columns([f"seat {seat}" for seat in seats], names, means, "chips per deal")


def _ranked(tournament: Tournament) -> list[int]:
    return sorted(range(len(tournament.players)), key=lambda agent: -tournament.performances[agent].chips.mean)


# The colours of pages, light and dark; the ground of light ones is white.
INK = {"ink": "#16261e", "quiet": "#46584e", "line": "#c4d2ca", "accent": "#7d3b00", "ground": "#fff"}
DARK_INK = {"ink": "#f2efe4", "quiet": "#b3c7bb", "line": "#335446", "accent": "#f5c860", "ground": "#10211b"}


def chart_style(dark: bool = False) -> str:
    """Return the style sheet of charts with its colours filled in, dark ones too for readers who prefer them.

    Programs that know no variables of style sheets, such as resvg, draw only what is not `dark`.
    """
    style: str = templates().get_template("chart.css").render()
    if dark:
        light, night = (";".join(f"--{name}:{ink}" for name, ink in inks.items()) for inks in (INK, DARK_INK))
        return f"svg{{{light}}} @media(prefers-color-scheme:dark){{svg{{{night}}}}} {style}"
    for name, colour in INK.items():
        style = style.replace(f"var(--{name})", colour)
    return style


def standalone(svg: str, *, dark: bool = False) -> str:
    """Return a chart, SVG as of `chart`, as a file of its own: with its style sheet and a ground, see `chart_style`."""
    style, ground = chart_style(dark), "var(--ground)" if dark else INK["ground"]
    head, _, rest = str(svg).partition(">")  # no longer Markup, which would escape what is added
    head = head.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    style += f" text {{ font-family: {FAMILY}, '{FAMILY} Medium', sans-serif }}"
    return f'{head}><style>{style}</style><rect width="100%" height="100%" style="fill: {ground}"/>{rest}'
