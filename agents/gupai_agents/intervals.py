"""A mean with its 95% interval, as files hold it (`mean`, `low`, `high` and `n`, the samples) and as people read it."""

import math
from collections.abc import Mapping
from typing import Any

KEYS = ("mean", "low", "high", "n")
FORMER_N = ("samples", "deals")
FINE = 0.01  # chips: half-widths below it are written with four places, as in Pai Gow, where a deal moves a single chip


def interval(mean: float, low: float, high: float, n: int) -> dict[str, Any]:
    """Return a mean as files hold it; JSON has no infinity, so an end that is none, or not known, is null."""
    ends = (None if not math.isfinite(end) else end + 0.0 for end in (low, high))  # + 0.0: no negative zeros
    return dict(zip(KEYS, (None if math.isnan(mean) else mean + 0.0, *ends, n), strict=True))


def interval_in(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a file holds under these names: older files have `half_width`, and other names for `n`."""
    known = dict(found)
    if "half_width" in known:
        half = known.pop("half_width")
        ends = (None, None) if half is None else (known["mean"] - half, known["mean"] + half)
        known["low"], known["high"] = ends
    for name in FORMER_N:
        if "n" not in known and name in known:
            known["n"] = known[name]
    return known


def interval_text(
    mean: float, low: float | None, high: float | None, n: int, places: int | None = None, noun: str = "deals"
) -> str:
    """Return a mean with its interval: "+3.72 ±0.08", or "+6.00 (all 3 deals alike: no interval)".

    Args:
        mean: Of the samples.
        low, high: The ends, None or infinite if there are none.
        n: How many samples.
        places: After the point; by default two, or four for narrow intervals.
        noun: What the samples are, in the plural.
    """
    if not n:
        return "did not occur"
    if low is None or high is None or not math.isfinite(high - low):
        samples = f"all {n} {noun} alike" if n > 1 else f"{n} {noun.removesuffix('s')}"
        return f"{mean:+z.{places or 2}f} ({samples}: no interval)"
    half = (high - low) / 2
    if places is None:
        places = 4 if 0 < half < FINE else 2
    return f"{mean:+z.{places}f} ±{half:.{places}f}"
