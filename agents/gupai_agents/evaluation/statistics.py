"""Means with their intervals, tests and sample sizes; values are independent, as those of different deals are."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.intervals import interval, interval_in

LEAST = 100  # values that a sequential test waits for, so that their variance means something


class Estimate(NamedTuple):
    """A mean of `samples` independent values and the half-width of its 95% interval (Student's t)."""

    mean: float
    half_width: float
    samples: int

    @property
    def low(self) -> float:
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        return self.mean + self.half_width

    def as_numbers(self) -> dict[str, Any]:
        """Return it as files hold it, see `intervals`."""
        return interval(self.mean, self.low, self.high, self.samples)

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> "Estimate":
        """Return an estimate from a file, of now or before."""
        known = interval_in(found)
        half = math.inf if known["low"] is None else (known["high"] - known["low"]) / 2
        return cls(known["mean"], half, known.get("n", 0))

    def __str__(self) -> str:
        return with_interval(self.mean, self.half_width)


def estimate(values: np.ndarray) -> Estimate:
    """Return the mean of independent values, [N], with its 95% interval; infinite for a single value."""
    count = len(values)
    if count < 2:
        return Estimate(float(np.mean(values)), float("inf"), count)
    from scipy.special import stdtrit  # quantile of Student's t; scipy.stats takes seconds to import

    error = float(np.std(values, ddof=1)) / count**0.5
    return Estimate(float(np.mean(values)), float(stdtrit(count - 1, 0.975)) * error, count)


def clustered(values: np.ndarray, clusters: np.ndarray) -> Estimate:
    """Return the mean of values, [N], that are independent only between `clusters`, integers [N]: of their means.

    So a training recipe is judged over its seeds, each of them a cluster, however many deals each has played.
    """
    _, places = np.unique(clusters, return_inverse=True)
    return estimate(np.bincount(places, values) / np.bincount(places))


def t_test(values: np.ndarray) -> float:
    """Return the two-sided p of Student's test that the mean of independent values, [N], is zero."""
    from scipy.special import stdtr

    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    if spread == 0:  # all alike: nothing speaks against zero but values that are surely another
        return 0.0 if len(values) > 1 and values[0] != 0 else 1.0
    t = abs(float(np.mean(values))) / spread * len(values) ** 0.5
    return float(2 * stdtr(len(values) - 1, -t))


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values adjusted for being one of several (Holm): each may be read as if it were the only one."""
    adjusted, highest = [0.0] * len(p), 0.0
    for rank, place in enumerate(np.argsort(p, kind="stable")):
        highest = max(highest, min(1.0, (len(p) - rank) * p[place]))
        adjusted[place] = highest
    return adjusted


def false_discovery(p: Sequence[float]) -> list[float]:
    """Return p-values as false discovery rates (Benjamini and Hochberg): of all that are called real at q, that share
    is chance on average.
    """
    order = np.argsort(p, kind="stable")[::-1]
    found, lowest = [1.0] * len(p), 1.0
    for at, place in enumerate(order):
        rank = len(p) - at
        lowest = min(lowest, p[place] * len(p) / rank)
        found[place] = lowest
    return found


def samples_for(effect: float, spread: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Return how many values of a standard deviation `spread` find a mean of `effect` with this power, two-sided."""
    from scipy.special import ndtri

    return int(np.ceil(((ndtri(1 - alpha / 2) + ndtri(power)) * spread / effect) ** 2))


class Sequential(NamedTuple):
    """Where a sequential test ended: +1 for the gain, -1 for no gain, 0 for neither yet; after how many values."""

    verdict: int
    samples: int
    log_likelihood_ratio: float


def gsprt(values: np.ndarray, gain: float, alpha: float = 0.05, beta: float = 0.05) -> Sequential:
    """Test a mean of 0 against one of `gain` after every one of values, [N], and stop as early as their order lets.

    A generalised sequential probability ratio test: under either mean the variance is the likeliest one for the values
    so far, so that, as in Student's test, few values prove less. `alpha` bounds how often a mean of 0 is taken for the
    gain, `beta` how often the gain is taken for 0.
    """
    counts = np.arange(1, len(values) + 1)
    means = np.cumsum(values) / counts
    variances = np.maximum(np.cumsum(np.square(values)) / counts - means**2, 1e-12)
    ratios = counts / 2 * np.log((variances + means**2) / (variances + (means - gain) ** 2))
    accept, reject = np.log((1 - beta) / alpha), np.log(beta / (1 - alpha))
    ended = np.flatnonzero(((ratios >= accept) | (ratios <= reject)) & (counts >= LEAST))
    at = int(ended[0]) if len(ended) else len(values) - 1
    return Sequential(int(np.sign(ratios[at])) if len(ended) else 0, at + 1, float(ratios[at]))


FINE = 0.01  # chips: half-widths below it are written with four places, as in Pai Gow, where a deal moves a single chip


def with_interval(mean: float, half_width: float) -> str:
    """Return a mean with its interval as people read it, "+3.72 ±0.08" or "+0.0034 ±0.0020"."""
    places = 4 if 0 < half_width < FINE else 2
    return f"{mean:+z.{places}f} ±{half_width:.{places}f}"
