"""Means with their intervals, tests and sample sizes; values are independent, as those of different deals are.

Payoffs are lumpy: three deals of Small Mahjong often end alike to the chip although the fourth pays ten times as much.
Student's t assumes a normal distribution and is too sure of such samples. Here its degrees of freedom are half of the
values that differ from the commonest one: the variance of a sample with kurtosis 5 is known about as well as that of a
normal sample of half the size, and values that repeat each other say nothing about the spread. In all ten games the
intervals cover the mean in at least 93% of samples of two deals or more (`python -m benchmarks.interval_coverage`).
"""

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from pydantic import model_validator

from gupai_agents.evaluation.distributions import (
    beta_below,
    beta_quantile,
    noncentral_below,
    noncentral_centre,
    normal_quantile,
    t_below,
    t_quantile,
)
from gupai_agents.evaluation.intervals import interval, interval_text
from gupai_env.storage.models import Count, Number, Stored

LEAST = 100  # values that a sequential test waits for, so that their variance means something
NORMAL = 1e9  # degrees of freedom at which Student's t is the normal distribution
SHARES = 10_001  # that are tried for the ends of an interval
FOLDS, LEAST_FITTED = 10, 20  # parts of values that are adjusted, and from how many values on
DIGITS = 12  # values that agree in so many are alike; the rest is rounding


class Estimate(NamedTuple):
    """A mean of independent values with its 95% interval.

    mean: of the values, NaN if there are none. low, high: the ends of the interval, infinite if there is none.
    samples: how many values; of no mean, how many deals there were without a case.
    degrees: of freedom, if the interval is Student's; `NORMAL` for other kinds and for estimates read from files.
    """

    mean: float
    low: float
    high: float
    samples: int
    degrees: float = NORMAL

    @classmethod
    def symmetric(cls, mean: float, half_width: float, samples: int, degrees: float = NORMAL) -> "Estimate":
        """Return a mean with an interval that reaches equally far on both sides.

        Args:
            mean: In the unit of the samples.
            half_width: Of the 95% interval, in the same unit; infinite if there is none.
            samples: Their number.
            degrees: Of freedom, of Student's distribution.
        """
        return cls(mean, mean - half_width, mean + half_width, samples, degrees)

    @property
    def has_interval(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def occurred(self) -> bool:
        """Whether there was any case, and so a mean."""
        return not math.isnan(self.mean)

    @property
    def half_width(self) -> float:
        """Half of the interval's width; infinite if there is none."""
        return (self.high - self.low) / 2

    @property
    def error(self) -> float:
        """The standard error of the mean; infinite if there is no interval."""
        return self.half_width / _quantile(self.degrees) if self.has_interval else math.inf

    def shifted(self, by: float) -> "Estimate":
        """Return the estimate of values that are larger by a number."""
        return self._replace(mean=self.mean + by, low=self.low + by, high=self.high + by)

    def __neg__(self) -> "Estimate":
        """Return the estimate of the values with the other sign."""
        return self._replace(mean=-self.mean, low=-self.high, high=-self.low)

    def side(self, threshold: "float | Estimate" = 0.0) -> int:
        """Return on which side of a threshold it is: 1 above, -1 below, 0 where the interval reaches the threshold.

        Args:
            threshold: In the unit of the samples, or the estimate of another figure: the intervals must be apart.
        """
        least, most = threshold[1:3] if isinstance(threshold, Estimate) else (threshold, threshold)
        return int(self.low > most) - int(self.high < least)

    def as_numbers(self) -> dict[str, Any]:
        """Return it as files hold it, see `intervals`."""
        return interval(self.mean, self.low, self.high, self.samples)

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "Estimate":
        """Return an estimate from a file."""
        unknown = {"mean": math.nan, "low": -math.inf, "high": math.inf}
        mean, low, high = (none if content[name] is None else content[name] for name, none in unknown.items())
        return cls(mean, low, high, content["n"])

    def text(self, places: int | None = None, noun: str = "deals") -> str:
        """Return it as people read it, see `interval_text`."""
        return interval_text(self.mean, self.low, self.high, self.samples, places, noun)

    def __str__(self) -> str:
        return self.text()


NOTHING = Estimate(math.nan, -math.inf, math.inf, 0)  # of no values


class Interval(Stored):
    """A mean with its 95% interval as files hold it, null where too few samples give none; see `intervals`."""

    mean: Number
    low: Number | None
    high: Number | None
    n: Count

    @model_validator(mode="after")
    def _both_ends_or_none(self) -> Self:
        if (self.low is None) != (self.high is None) or (self.low or 0.0) > (self.high or 0.0):
            raise ValueError("low and high are no interval")
        return self

    @property
    def estimate(self) -> Estimate:
        """The estimate that was stored."""
        return Estimate.of(vars(self))


def estimate(values: np.ndarray, *, runs: bool = False) -> Estimate:
    """Return the mean of independent values, [N], with its 95% interval; without one if all values are alike.

    Args:
        values: One per deal, or per run.
        runs: Whether a value is that of a run or a seed, a mean of many deals itself: such values are nearly normal,
            and Student's t has its usual degrees of freedom.
    """
    count = len(values)
    if not count:
        return NOTHING
    degrees = _degrees(values, runs)
    half_width = _quantile(degrees) * float(np.std(values, ddof=1)) / count**0.5 if degrees else math.inf
    return Estimate.symmetric(float(np.mean(values)), half_width, count, degrees)


def estimate_adjusted(values: np.ndarray, luck: np.ndarray) -> Estimate:
    """Return the mean of independent values, [N], less what luck of expectation 0, [N], explains; with its interval.

    The luck is subtracted times a coefficient, that of least squares in the nine tenths of the values to which a value
    does not belong (cross-fitting). So both are independent, and the expectation stays that of the plain mean. Fewer
    than LEAST_FITTED values are not adjusted.
    """
    adjusted, fold = np.array(values, float), np.arange(len(values)) % FOLDS
    for number in range(FOLDS if len(values) >= LEAST_FITTED and np.ptp(luck) else 0):
        others = fold != number
        covariance = np.cov(luck[others], values[others])
        adjusted[~others] -= covariance[0, 1] / (covariance[0, 0] or 1.0) * luck[~others]
    return estimate(adjusted)


def estimate_columns(values: np.ndarray) -> list[Estimate]:
    """Return the mean of every column of values, [N, K], with its 95% interval; rows are independent.

    A column is one seat, say. Its few games may end alike where those of other seats do not, so its spread is at least
    that of all columns about their own means.
    """
    count = len(values)
    spread = np.std(values, axis=0, ddof=1) if count > 1 else np.zeros(values.shape[1])
    spread = np.maximum(spread, np.sqrt(np.mean(spread**2)))
    degrees = min(count - 1.0, float(_beyond_commonest(values.ravel()))) if spread.any() else 0.0
    reach = _quantile(degrees) / count**0.5 if degrees else math.inf
    return [
        Estimate.symmetric(float(mean), reach * float(width) if degrees else math.inf, count, degrees)
        for mean, width in zip(values.mean(0), spread, strict=True)
    ]


def _quantile(degrees: float) -> float:
    """Return how many standard errors a 95% interval reaches to each side: the quantile of Student's t."""
    return t_quantile(degrees, 0.975)


def _degrees(values: np.ndarray, runs: bool) -> float:
    """Return the degrees of freedom of the spread of values, [N]; 0 if they are all alike."""
    beyond = _beyond_commonest(values)
    if runs and beyond:
        return len(values) - 1.0
    return max(1.0, beyond / 2) if beyond else 0.0


def trimmed(values: np.ndarray, share: float = 0.25) -> Estimate:
    """Return the mean of the values of runs, [N], without the lowest and the highest share, with its 95% interval.

    The share is rounded down to whole runs. A quarter leaves the interquartile mean (IQM). The spread is that of
    winsorised values (Tukey and McLaughlin, 1963).
    """
    count = len(values)
    out = int(share * count)
    middle = np.sort(values)[out : count - out]
    spread = float(np.std(np.clip(values, middle[0], middle[-1]), ddof=1)) if count > 1 else 0.0
    degrees = len(middle) - 1.0 if spread else 0.0
    half_width = _quantile(degrees) * spread * count**0.5 / len(middle) if degrees else math.inf
    return Estimate.symmetric(float(middle.mean()), half_width, count, degrees)


def superiority(ours: np.ndarray, theirs: np.ndarray) -> Estimate:
    """Return how likely a value of one sample, [N], is above one of another, [M]; equal ones count half.

    The 95% interval is a score interval, which has a width even where all values of one are above all of the other's
    (Newcombe, "Confidence intervals for an effect size measure based on the Mann-Whitney statistic", 2006, method 5).
    """
    least = min(len(ours), len(theirs))
    value = float((np.sign(ours[:, None] - theirs).mean() + 1) / 2)
    if least < 2:
        return Estimate.symmetric(value, math.inf, least)
    shares, more = np.linspace(0, 1, SHARES), (len(ours) + len(theirs)) / 2 - 1
    pairs = 1 + more * (1 - shares) / (2 - shares) + more * shares / (1 + shares)
    error = np.sqrt(shares * (1 - shares) * pairs / (len(ours) * len(theirs)))
    held = shares[np.abs(shares - value) <= _quantile(NORMAL) * error + 0.5 / SHARES]
    return Estimate(value, float(held[0]), float(held[-1]), least)


def _beyond_commonest(values: np.ndarray) -> int:
    """Return how many values, [N], differ from the commonest."""
    scale = float(np.abs(values).max()) or 1.0
    return len(values) - int(np.unique(np.round(values / scale, DIGITS), return_counts=True)[1].max())


class Cases(NamedTuple):
    """Hits among cases that are independent of each other, which may be fractions.

    samples: in how many deals there were cases; of no cases, how many deals there were.
    """

    hits: float
    cases: float
    samples: int

    @classmethod
    def of(cls, hits: np.ndarray, cases: np.ndarray | None = None) -> "Cases":
        """Return as how many independent cases the cases of deals count, whose hits and number are given by deal, [N].

        Without `cases` every deal is one. Several of one deal depend on each other: they count as the independent cases
        whose share is known as well (Korn and Graubard), at most as many as there are; and where the sample shows no
        spread, as one for each deal.

        Raises:
            ValueError: A deal has fewer hits than none, or more than cases.
        """
        cases = np.ones(len(hits)) if cases is None else np.asarray(cases, float)
        if not ((hits >= 0) & (hits <= cases)).all():
            raise ValueError("hits must be from 0 to the number of cases, in every deal")
        some = cases > 0
        hits, cases, deals = np.asarray(hits, float)[some], cases[some], int(some.sum())
        if not deals:
            return cls(0.0, 0.0, len(some))
        total = float(cases.sum())
        mean = float(hits.sum()) / total
        if (cases == 1).all() and np.isin(hits, (0, 1)).all():
            return cls(float(hits.sum()), total, deals)
        residuals = hits - mean * cases
        if not _beyond_commonest(residuals):
            return cls(mean * deals, float(deals), deals)
        variance = deals / (deals - 1) * float((residuals**2).sum()) / total**2
        sureness = (_quantile(max(total - 1, 1)) / _quantile(deals - 1)) ** 2
        independent = min(total, mean * (1 - mean) / variance * sureness)
        return cls(mean * independent, independent, deals)

    def share(self, level: float = 0.95) -> Estimate:
        """Return the share of hits with its exact interval (Clopper and Pearson)."""
        hits, misses, outside = self.hits, self.cases - self.hits, (1 - level) / 2
        if not self.cases:
            return NOTHING._replace(samples=self.samples)
        low = beta_quantile(hits, misses + 1, outside) if hits else 0.0
        high = beta_quantile(hits + 1, misses, 1 - outside) if misses else 1.0
        return Estimate(hits / self.cases, low, high, self.samples)

    def p_value(self, share: float) -> float:
        """Return the exact two-sided p that the share is this; 1 without a case."""
        hits, misses = self.hits, self.cases - self.hits
        as_many = beta_below(hits, misses + 1, share) if hits else 1.0
        as_few = beta_below(misses, hits + 1, 1 - share) if misses else 1.0
        return min(1.0, 2 * min(as_many, as_few))


class Explained(NamedTuple):
    """Which share of a variance something explains, or of an entropy: it is 0 at least, and chance adds to it.

    It is a sum of squares, so its distribution is a noncentral chi-squared one. Its interval holds also where nothing
    is explained: there the error of the jackknife is nothing, and an interval of the mean would cover nothing.

    unbiased: The share by the jackknife, with the interval that holds far from 0.
    unit: The square of the error of a root of the share; 0 where there is no interval.
    found: The share in the sample, in units.
    squares: How many there are: what chance adds, in units.
    """

    unbiased: Estimate
    unit: float
    found: float = 0.0
    squares: float = 1.0

    @classmethod
    def of(cls, sample: float, unbiased: Estimate) -> "Explained":
        """Return the share from that in a sample and its jackknife."""
        if not (unbiased.has_interval and sample > 0):
            return cls(unbiased, 0.0)
        by_chance, unit = sample - unbiased.mean, (unbiased.half_width / _quantile(NORMAL)) ** 2 / (4 * sample)
        unit = min(unit, by_chance) if unbiased.mean < 0 else unit  # which near 0 is known better
        return cls(unbiased, unit, sample / unit, max(by_chance / unit, 1.0))

    def share(self) -> Estimate:
        """Return the share with its 95% interval, both within 0 and 1."""
        mean = min(max(self.unbiased.mean, 0.0), 1.0)
        if not self.unit:
            return self.unbiased._replace(mean=mean)
        low = self.unit * noncentral_centre(self.found, self.squares, 0.975)
        # If chance has added less than it does on average, the share may be as large as if it had not.
        high = self.unit * noncentral_centre(max(self.found, self.squares), self.squares, 0.025)
        return Estimate(mean, round(min(low, mean), DIGITS), min(max(high, mean), 1.0), self.unbiased.samples)

    def p_value(self, share: float) -> float:
        """Return the two-sided p that the share is this; 1 where there is no interval."""
        as_much = noncentral_below(self.found, self.squares, share / self.unit) if self.unit else 0.5
        return 2 * max(min(as_much, 1 - as_much), sys.float_info.epsilon)


def share(hits: np.ndarray, cases: np.ndarray | None = None) -> Estimate:
    """Return which share of cases, by deal, [N], are hits, with its exact interval, see `Cases.of`."""
    return Cases.of(hits, cases).share()


def ratio_of_means(values: np.ndarray) -> Estimate:
    """Return the mean of the first of two values by deal, [N, 2], over that of the second, with its 95% interval.

    It is the mean of what every deal adds to the ratio (its linearisation). Without any second value there is none.
    """
    over = float(values[:, 1].mean()) if len(values) else 0.0
    if not over:
        return NOTHING._replace(samples=len(values))
    ratio = float(values[:, 0].mean()) / over
    return estimate(ratio + (values[:, 0] - ratio * values[:, 1]) / over)


def clustered(values: np.ndarray, clusters: np.ndarray) -> Estimate:
    """Return the mean of values, [N], that are independent only between `clusters`, integers [N]: of their means.

    So a training recipe is judged over its seeds, each of them a cluster, however many deals each has played.
    """
    _, places = np.unique(clusters, return_inverse=True)
    return estimate(np.bincount(places, values) / np.bincount(places))


def t_test(values: np.ndarray, *, runs: bool = False) -> float:
    """Return the two-sided p of Student's test that the mean of independent values, [N], is zero.

    It has the degrees of freedom of `estimate`, also for `runs`. Values that are all alike have the p of the exact sign
    test: 0.5 for two deals.
    """
    degrees = _degrees(values, runs) if len(values) else 0.0
    if not degrees:
        return 2.0 ** (1 - len(values)) if np.any(values) else 1.0
    t = abs(float(np.mean(values))) / float(np.std(values, ddof=1)) * len(values) ** 0.5
    return 2 * t_below(degrees, -t)


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
    rates, lowest = [1.0] * len(p), 1.0
    for index, place in enumerate(order):
        rank = len(p) - index
        lowest = min(lowest, p[place] * len(p) / rank)
        rates[place] = lowest
    return rates


def samples_for(effect: float, spread: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Return how many values of a standard deviation `spread` find a mean of `effect` with this power, two-sided.

    Args:
        effect: The mean that is to be found, not 0.
        spread: The standard deviation of a value.
        alpha: The probability of finding one where there is none.
        power: The probability of finding this one.
    """
    return math.ceil(((normal_quantile(1 - alpha / 2) + normal_quantile(power)) * spread / effect) ** 2)


class Sequential(NamedTuple):
    """Where a sequential test ended: +1 for the gain, -1 for no gain, 0 for neither yet; after how many values."""

    verdict: int
    samples: int
    log_likelihood_ratio: float


def gsprt(values: np.ndarray, gain: float, alpha: float = 0.05, beta: float = 0.05) -> Sequential:
    """Test a mean of 0 against one of `gain` after every one of values, [N], and stop as early as their order lets.

    A generalised sequential probability ratio test: under either mean the variance is the likeliest one for the values
    so far, so that, as in Student's test, few values prove less. `alpha` bounds how often a mean of 0 is taken for the
    gain, `beta` how often the gain is taken for 0. There is no decision before LEAST values. Values that are all alike
    have the variance that they would have if one of them were off by the gain.

    Args:
        values: In the order in which they came, float [N].
        gain: The mean that is tested against 0, above 0.
        alpha, beta: Bounds of both errors, probabilities.
    """
    counts = np.arange(1, len(values) + 1)
    means = np.cumsum(values) / counts
    variances = np.maximum(np.cumsum(np.square(values)) / counts - means**2, gain**2 / counts)
    ratios = counts / 2 * np.log((variances + means**2) / (variances + (means - gain) ** 2))
    accept, reject = np.log((1 - beta) / alpha), np.log(beta / (1 - alpha))
    ended = np.flatnonzero(((ratios >= accept) | (ratios <= reject)) & (counts >= LEAST))
    end = int(ended[0]) if len(ended) else len(values) - 1
    return Sequential(int(np.sign(ratios[end])) if len(ended) else 0, end + 1, float(ratios[end]))
