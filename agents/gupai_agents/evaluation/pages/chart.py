"""Charts as SVG: means with their intervals, and curves; and what fills in templates, chart.svg among them.

They are styled by chart.css.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from math import ceil, floor, isfinite, log10
from typing import Any, NamedTuple

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from gupai_agents.evaluation.statistics import Estimate
from gupai_env.messages import joined, word
from gupai_env.render.letters import drawable

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 560, 260, 56, 46, 20
ROW, NAMES = 30, 176  # the height of a row of intervals, and the width kept for its name
LONGEST = 22  # characters of a name
LETTER = 7.5  # the width of a letter, about
MARKS = ("M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-4-4h8v8h-8z", "M0-6 5 3H-5z", "M0-6 6 0 0 6-6 0z", "M-5-2h10v4H-10z")
COLOURS = ("#2f8a55", "#c4574c", "#4a7fc1", "#b88a1a", "#9466b8", "#2f949e", "#a06c3f", "#7b858d")


class Mean(NamedTuple):
    """A mean with half the width of its interval.

    position: the index of its row or column. series: the index of its series, where several share a column.
    """

    label: str
    mean: float
    half: float
    position: int = 0
    series: int = 0

    @property
    def ends(self) -> tuple[float, float]:
        return self.mean - self.half, self.mean + self.half

    @property
    def known(self) -> bool:
        """Whether it has an interval."""
        return isfinite(self.half)


class Point(NamedTuple):
    """A point of a curve, with the ends of its interval."""

    x: float
    y: float
    low: float
    high: float

    @classmethod
    def of(cls, x: float, estimate: Estimate) -> "Point":
        """Return a point at a mean; if that has no interval, both ends are there too."""
        ends = (estimate.low, estimate.high) if estimate.has_interval else (estimate.mean, estimate.mean)
        return cls(x, estimate.mean, *ends)


class Scale(NamedTuple):
    """Where values lie between two sides of a chart. step: the distance of the lines of its grid, a round number."""

    low: float
    high: float
    step: float
    begin: float
    end: float

    @classmethod
    def spanning(cls, values: Iterable[float], begin: float, end: float) -> "Scale":
        """Return a scale that spans zero and these values.

        Args:
            values: In the unit of the axis.
            begin, end: Where the axis begins and ends, in pixels.
        """
        known = [0.0, *values]
        step = round_step(max(known) - min(known))
        first = floor(min(known) / step)
        return cls(step * first, step * max(ceil(max(known) / step), first + 1), step, begin, end)

    def __call__(self, value: float) -> float:
        return round(self.begin + (value - self.low) / (self.high - self.low) * (self.end - self.begin), 1)

    @property
    def lines(self) -> Iterator[tuple[float, str]]:
        """The values at which lines are, each with the CSS class of its line."""
        for line in range(round((self.high - self.low) / self.step) + 1):
            value = self.low + line * self.step
            yield value + 0.0, "zero" if abs(value) < self.step / 2 else "axis"


def round_step(span: float) -> float:
    """Return a round distance between lines, of which four or five cover a span."""
    size = 10.0 ** floor(log10(max(span, 1e-9) / 4))
    return next(size * times for times in (1, 2, 5, 10) if size * times * 4.5 >= span)


def short(name: str, most: int = LONGEST) -> str:
    """Return a name with no more than `most` letters: a long one keeps its end, which says most."""
    return name if len(name) <= most else f"…{name[1 - most :]}"


@functools.cache
def templates(*packages: str) -> Environment:
    """Return what fills in the templates of packages; it finds those of reports and charts too."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "gupai_agents.evaluation.pages")]),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(drawable=drawable, worded=_worded, short=short, signed=signed)
    environment.globals["heat"] = heat
    return environment


def _worded(text: str) -> Markup:
    """Return a text of a chart in the language that is spoken."""
    return Markup(escape(drawable(word(text))))


def signed(number: float, places: int) -> str:
    """Return a number with its sign, which is never that of a negative zero."""
    return f"{number:+z.{places}f}"


def heat(mean: float, p: float) -> str:
    """Return the CSS class of a cell of a heat map, "" if nothing is shown.

    Args:
        mean: Chips per deal.
        p: The probability of as much where both come out even: the smaller, the stronger the colour.
    """
    sure = sum(p < level for level in (0.05, 0.01, 0.001))
    return f"{'won' if mean > 0 else 'lost'}{sure}" if sure else ""


@functools.cache
def _macros() -> Any:
    """Return the macros of chart.svg, which know the sizes above."""
    sizes = {name: value for name, value in globals().items() if name.isupper()}
    return templates().get_template("chart.svg").make_module(sizes)


def _drawn(chart: str, labels: Iterable[str], *arguments: Any) -> Markup:
    """Return a chart, by the name of its macro; labels: what it says to who does not see it."""
    return joined_lines(getattr(_macros(), chart)(joined("; ", labels), *arguments))


def joined_lines(drawn: str) -> Markup:
    """Return what a template drew without the line breaks and the indents between its elements."""
    return Markup("".join(map(str.strip, drawn.splitlines())))


def columns(heads: Sequence[str], names: Sequence[str], means: Sequence[Mean], label: str = "") -> Markup:
    """Return means in columns, those of every series side by side, "" if no interval is known.

    Args:
        heads: Of the columns.
        names: Of the series.
        label: What is measured.
    """
    means = [mean for mean in means if mean.known]
    y = Scale.spanning((end for mean in means for end in mean.ends), HEIGHT - BOTTOM, TOP)
    return _drawn("columns", [mean.label for mean in means], heads, names, means, label, y) if means else Markup()


def rows(names: Sequence[str], means: Sequence[Mean]) -> Markup:
    """Return means in rows with their names, "" if no interval is known."""
    means = [mean for mean in means if mean.known]
    x = Scale.spanning((end for mean in means for end in mean.ends), NAMES, WIDTH - 108)
    return _drawn("rows", [mean.label for mean in means], names, means, x) if means else Markup()


def curves(
    named: Mapping[str, Sequence[Point]], x_label: str, y_label: str, parted: tuple[float, str, str] | None = None
) -> Markup:
    """Return curves by their names over a common axis, with bands for their intervals.

    Args:
        named: The points of every curve, by its name.
        x_label: What the horizontal axis measures.
        y_label: What the vertical axis measures.
        parted: An x at which something else begins, and what is to the left and to the right of it.
    """
    points = [point for curve in named.values() for point in curve]
    x = Scale.spanning((point.x for point in points), LEFT, WIDTH - 12)
    y = Scale.spanning((value for point in points for value in point[1:]), HEIGHT - BOTTOM, TOP)
    drawn = {  # the mean from the left to the right, the lower ends, and back along the upper ones
        name: [
            " ".join(f"{x(point.x)},{y(point[column])}" for point in curve[::step])
            for column, step in ((1, 1), (2, 1), (3, -1))
        ]
        for name, curve in named.items()
    }
    return _drawn("curves", named, drawn, x_label, y_label, parted, x, y)
