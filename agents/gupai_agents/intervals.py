"""How all files name a mean with its 95% interval: `mean`, `low`, `high` and `n`, how many samples it is of."""

import math
from collections.abc import Mapping
from typing import Any

KEYS = ("mean", "low", "high", "n")
FORMER_N = ("samples", "deals")


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
