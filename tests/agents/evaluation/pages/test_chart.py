"""Charts: what they draw stays the same, grid lines are round, and a legend fits."""

import re

import pytest

from gupai_agents.evaluation.pages import chart
from pins import same_texts


@pytest.mark.parametrize(
    ("span", "step"),
    [(4.0, 1.0), (4.5, 1.0), (4.6, 2.0), (9.0, 2.0), (10.0, 5.0), (0.4, 0.1), (22.0, 5.0), (23.0, 10.0)],
)
def test_chart_grid_lines_have_round_distances(span, step):
    assert chart.round_step(span) == pytest.approx(step)


def test_legend_of_any_length_fits_its_chart():
    for number in (1, 12):
        names = [f"the player number {each}" for each in range(number)]
        drawn = chart.columns(["a", "b"], names, [chart.Mean("m", 1.0, 0.5, 1, each) for each in range(number)])
        height = int(re.search(r'viewBox="0 0 \d+ (\d+)"', drawn)[1])
        lows = [float(each) for each in re.findall(r'<text [^>]*y="([\d.]+)"', drawn)]
        assert max(lows) < height < max(lows) + 20


LONG = "checkpoint:runs/a-rather-long-name-of-a-run/agent.safetensors"
MEANS = [
    *(chart.Mean(f"{number}", 1.5 * number - 2, 0.4 * number, number % 3, number // 3) for number in range(6)),
    chart.Mean("unknown", 3.0, float("inf"), 1),
]
POINTS = [chart.Point(1000.0 * at, at**0.5, at**0.5 - 0.3, at**0.5 + 0.25) for at in range(9)]
CHARTS = {
    "columns": lambda: chart.columns(["three", "four", "five or more"], ["greedy", LONG], MEANS, "chips"),
    "columns of many": lambda: chart.columns(["all"], [f"player {each}" for each in range(9)], MEANS[:1], "share"),
    "rows": lambda: chart.rows(["greedy", LONG, "<b>"], MEANS),
    "curves": lambda: chart.curves({"greedy": POINTS, "tuned": POINTS[::-2]}, "targets", "chips"),
    "curves in stages": lambda: chart.curves(
        {f"curve {at}": [point._replace(y=point.y - at) for point in POINTS] for at in range(9)},
        "decisions",
        "chips",
        (4000.0, "search", "self-play"),
    ),
    "small figures": lambda: chart.curves({"loss": [chart.Point(1e-3, 2e-4, 1e-4, 3e-4)]}, "seconds", "loss"),
    "large figures": lambda: chart.curves(
        {"a": [chart.Point(12345678.0, 5e7, 4e7, 6e7), chart.Point(0, 0, 0, 0)]}, "n", ""
    ),
    "none": lambda: chart.columns(["a"], ["b"], MEANS[-1:]) + chart.rows(["a"], MEANS[-1:]),
}


def test_charts_keep_their_drawings():
    same_texts("charts.txt", {which: re.sub(r"(?=<[^/])", "\n", str(draw())) for which, draw in CHARTS.items()})
