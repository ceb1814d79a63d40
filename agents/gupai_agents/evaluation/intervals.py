"""A mean with its 95% interval, as files hold it (`mean`, `low`, `high` and `n`, the samples) and as people read it."""

import math
from collections.abc import Sequence
from typing import Any

from gupai_env.messages import alias, say

KEYS = ("mean", "low", "high", "n")
MOST_PLACES = 6  # after the point
ALIKE = 1e-9  # means that differ by less are equal, but for rounding
FINE = 0.01  # chips: half-widths below it are written with four places, as in Pai Gow, where a deal moves a single chip


def interval(mean: float, low: float, high: float, n: int) -> dict[str, Any]:
    """Return a mean as files hold it: null where there is none, and for ends that are none or not known.

    Args:
        mean: Of the samples, NaN for none.
        low, high: The ends, infinite or NaN for none.
        n: How many samples.
    """
    return dict(zip(KEYS, (*map(number_or_none, (mean, low, high)), n), strict=True))


def number_or_none(number: float) -> float | None:
    """Return a number as files hold it: JSON has neither infinity nor NaN."""
    return number + 0.0 if math.isfinite(number) else None  # + 0.0: no negative zeros


def places_of(half: float) -> int:
    """Return how many places after the point show half of an interval with two significant digits; 0 for none."""
    if not 0 < half < math.inf:
        return 0
    return min(max(0, 1 - int(f"{half:.1e}".partition("e")[2])), MOST_PLACES)


def figure(mean: float, half: float, *, signed: bool = True) -> str:
    """Return a mean with half of its interval, which has two significant digits: "+3.72 ±0.81" and "-23 ±12".

    Without an interval the mean stands alone, with up to two places. Args: signed: whether one above zero has a sign.
    """
    sign, places = "+" if signed else "-", places_of(half)
    if not 0 < half < math.inf:
        return f"{round(mean, 2):{sign}z.12g}"
    return f"{mean:{sign}z.{places}f} ±{half:.{places}f}"


def figures(means: Sequence[float], halves: Sequence[float]) -> list[str]:
    """Return means that people compare, as `figure` writes them, with more places where different ones look alike.

    A half of 0 is not written, and its mean has the places of the finest interval.
    """
    own = [places_of(half) for half in halves]
    places = [number if half else max(own) for number, half in zip(own, halves, strict=True)]
    while True:
        texts = [f"{mean:+z.{number}f}" for mean, number in zip(means, places, strict=True)]
        alike = [
            index
            for index, text in enumerate(texts)
            if any(text == other and abs(means[index] - mean) > ALIKE for other, mean in zip(texts, means, strict=True))
        ]
        if not alike or max(places) >= MOST_PLACES:
            break
        for index in alike:
            places[index] += 1
    return [
        f"{text} ±{half:.{number}f}" if half else text for text, half, number in zip(texts, halves, own, strict=True)
    ]


def interval_text(
    mean: float | None,
    low: float | None,
    high: float | None,
    n: int,
    places: int | None = None,
    noun: str = "deals",
    *,
    unit: str = "",
    signed: bool = True,
) -> str:
    """Return a mean with its interval: "+3.72 ±0.08", or "+6.00 (all 3 deals alike: no interval)".

    Where its sides differ, as those of small shares do, both ends are given: "0.00% (0.00 to 0.04)".

    Args:
        mean: Of the samples, None or NaN if there are none.
        low, high: The ends, None or infinite if there are none.
        n: How many samples.
        places: After the point; by default two, or four for narrow intervals.
        noun: What the samples are, in the plural.
        unit: Is appended to the mean.
        signed: Whether a mean above zero has a sign.
    """
    if mean is None or math.isnan(mean):
        return (
            say("did not occur in {number} {noun}", number=f"{n:,}", noun=alias(noun, context="unit"))
            if n
            else say("did not occur")
        )
    sign = "+" if signed else "-"
    if low is None or high is None or not math.isfinite(high - low):
        one = noun.removesuffix("s")
        samples = say("1 {noun}", noun=alias(one, context="unit"))
        if n > 1:
            samples = say("all {number} {noun} alike", number=f"{n:,}", noun=alias(noun, context="unit"))
        mean_text = f"{mean:{sign}z.{2 if places is None else places}f}{unit}"
        return say("{mean} ({samples}: no interval)", mean=mean_text, samples=samples)
    half = (high - low) / 2
    if places is None:
        places = 4 if 0 < half < FINE else 2
    mean_text = f"{mean:{sign}z.{places}f}{unit}"
    if abs(low + high - 2 * mean) < 10**-places / 2:
        return f"{mean_text} ±{half:.{places}f}"
    ends = {"low": f"{low:{sign}z.{places}f}", "high": f"{high:{sign}z.{places}f}"}
    return say("{mean} ({low} to {high})", mean=mean_text, **ends)
