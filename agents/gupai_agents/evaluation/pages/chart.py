"""Charts as SVG: means with their intervals, and curves. They are styled by chart.css."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from math import ceil, floor, isfinite, log10
from typing import NamedTuple

from markupsafe import Markup

from gupai_agents.evaluation.statistics import Estimate
from gupai_env.messages import joined, word
from gupai_env.render.letters import drawable

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 560, 260, 56, 46, 20
ROW, NAMES = 30, 176  # the height of a row of intervals, and the width kept for its name
STRIP = 96  # the width of an interval in a line of a table
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


class Mark(NamedTuple):
    """A point of a chart that is pointed out, and what it says."""

    x: float
    y: float
    label: str


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


def columns(heads: Sequence[str], names: Sequence[str], means: Sequence[Mean], label: str = "") -> Markup:
    """Return means in columns, those of every series side by side, "" if no interval is known.

    Args:
        heads: Of the columns.
        names: Of the series.
        label: What is measured.
    """
    means = _known(means)
    if not means:
        return Markup()
    y = Scale.spanning((end for mean in means for end in mean.ends), HEIGHT - BOTTOM, TOP)
    across = (WIDTH - LEFT) / len(heads)
    drawn = [_text(0, 10, label), *_grid(y)]
    for index, head in enumerate(heads):
        drawn.append(_text(LEFT + (index + 0.5) * across, HEIGHT - 26, head, "middle"))
    apart = min(0.16, 0.8 / len(names))
    for mean in means:
        x = LEFT + (mean.position + 0.5 + apart * (mean.series - (len(names) - 1) / 2)) * across
        low, high = (y(end) for end in mean.ends)
        line = f'<line class="interval" x1="{x:.1f}" x2="{x:.1f}" y1="{low}" y2="{high}"/>'
        drawn.append(_titled(mean, line + _mark(mean.series, x, y(mean.mean))))
    height = HEIGHT + _legend(drawn, names, HEIGHT - 8, _mark)
    return _svg("chart", WIDTH, height, [mean.label for mean in means], drawn)


def rows(names: Sequence[str], means: Sequence[Mean]) -> Markup:
    """Return means in rows with their names, "" if no interval is known."""
    means = _known(means)
    if not means:
        return Markup()
    width, height = WIDTH - 84, ROW * len(names) + 34
    x = Scale.spanning((end for mean in means for end in mean.ends), NAMES, width - 24)
    drawn = []
    for value, css_class in x.lines:
        drawn.append(f'<line class="{css_class}" x1="{x(value)}" x2="{x(value)}" y1="4" y2="{height - 26}"/>')
        drawn.append(_text(x(value), height - 8, f"{value:+g}", "middle"))
    for mean in means:
        y = ROW * mean.position + ROW // 2 + 4
        drawn.append(_text(NAMES - 12, y + 4, short(names[mean.position]), "end"))
        drawn.append(_titled(mean, _interval(mean, x, y)))
    return _svg("chart narrow", width, height, [mean.label for mean in means], drawn)


def strips(means: Sequence[Mean]) -> list[Markup]:
    """Return means with their intervals on a common scale, each as a drawing of its own for a line of a table."""
    x = Scale.spanning((end for mean in _known(means) for end in mean.ends), 6, STRIP - 6)
    zero = f'<line class="zero" x1="{x(0)}" x2="{x(0)}" y1="0" y2="16"/>'
    return [_svg("chart strip", STRIP, 16, [f"{mean.mean:+z.1f}"], [zero, _interval(mean, x, 8)]) for mean in means]


def curves(
    named: Mapping[str, Sequence[Point]],
    x_label: str,
    y_label: str,
    parted: tuple[float, str, str] | None = None,
    marks: Sequence[Mark] = (),
) -> Markup:
    """Return curves by their names over a common axis, with bands for their intervals.

    Args:
        named: The points of every curve, by its name.
        x_label: What the horizontal axis measures.
        y_label: What the vertical axis measures.
        parted: An x at which something else begins, and what is to the left and to the right of it.
        marks: Points that are pointed out.
    """
    points = [point for curve in named.values() for point in curve]
    x = Scale.spanning((point.x for point in points), LEFT, WIDTH - 12)
    y = Scale.spanning((value for point in points for value in point[1:]), HEIGHT - BOTTOM, TOP)
    drawn = [_text(0, 10, y_label), _text(WIDTH - 12, HEIGHT - 10, x_label, "end"), *_grid(y)]
    for value, _ in x.lines:
        number = f"{value:g}"
        drawn.append(_text(min(x(value), WIDTH - LETTER * len(number) / 2), HEIGHT - 28, number, "middle"))
    if parted:
        border, before, after = parted
        drawn.append(f'<line class="zero" x1="{x(border)}" x2="{x(border)}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        drawn += [_text(x(border) - 6, TOP, before, "end"), _text(x(border) + 6, TOP, after)]
    for colour, curve in zip(itertools.cycle(COLOURS), named.values()):
        means, lows, highs = ([f"{x(point.x)},{y(point[column])}" for point in curve] for column in (1, 2, 3))
        drawn.append(f'<polygon class="band" fill="{colour}" points="{" ".join([*lows, *reversed(highs)])}"/>')
        drawn.append(f'<polyline class="curve" stroke="{colour}" points="{" ".join(means)}"/>')
    for mark in marks:
        place = f"translate({x(mark.x)} {y(mark.y)})"
        drawn.append(_titled(mark, f'<path class="fall" transform="{place}" d="{MARKS[2]}"/>'))
    height = HEIGHT + 18 + _legend(drawn, list(named), HEIGHT + 10, _line)
    return _svg("chart", WIDTH, height, [*named, *(mark.label for mark in marks)], drawn)


# --- parts of a chart -----------------------------------------------------------------------------


def _interval(mean: Mean, x: Scale, y: int) -> str:
    """Return a mean as a dot with its interval as a line, if that is known."""
    ends = [x(end) for end in mean.ends] if isfinite(mean.half) else [x(mean.mean)] * 2
    line = f'<line class="interval" x1="{ends[0]}" x2="{ends[1]}" y1="{y}" y2="{y}"/>'
    return f'{line}<circle class="mean" cx="{x(mean.mean)}" cy="{y}" r="5"/>'


def _known(means: Iterable[Mean]) -> list[Mean]:
    return [mean for mean in means if isfinite(mean.half)]


def _grid(y: Scale) -> Iterator[str]:
    """Yield the lines across a chart, with their values."""
    for value, css_class in y.lines:
        yield f'<line class="{css_class}" x1="{LEFT}" x2="{WIDTH}" y1="{y(value)}" y2="{y(value)}"/>'
        yield _text(LEFT - 8, y(value) + 4, f"{value:g}", "end")


def _legend(drawn: list[str], names: Sequence[str], y: float, sign: Callable[[int, float, float], str]) -> int:
    """Draw the names of all series, in as many lines as they take; return how much higher that makes the chart."""
    x, line = float(LEFT), 0
    for series, name in enumerate(map(short, names)):
        width = 34 + LETTER * len(name)
        if x + width > WIDTH and x > LEFT:
            x, line = float(LEFT), line + 1
        drawn.append(sign(series, x + 6, y + 20 * line))
        drawn.append(_text(x + 16, y + 20 * line + 4, name))
        x += width
    return 20 * line


def _mark(series: int, x: float, y: float) -> str:
    return f'<path class="mean" transform="translate({x:.1f} {y})" d="{MARKS[series % len(MARKS)]}"/>'


def _line(series: int, x: float, y: float) -> str:
    colour = COLOURS[series % len(COLOURS)]
    return f'<path class="curve" stroke="{colour}" d="M{x - 6:.1f} {y}h12"/>'


def _titled(mark: Mean | Mark, content: str) -> str:
    return f"<g><title>{_escaped(mark.label)}</title>{content}</g>"


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{round(x, 1)}" y="{round(y, 1)}" text-anchor="{anchor}">{_escaped(text)}</text>'


def _svg(css: str, width: int, height: int, labels: Iterable[str], drawn: Iterable[str]) -> Markup:
    label = _escaped(joined("; ", labels))
    return Markup(
        f'<svg class="{css}" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">{"".join(drawn)}</svg>'
    )


def _escaped(text: str) -> str:
    return escape(drawable(word(text)))
