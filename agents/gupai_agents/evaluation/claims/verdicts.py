"""From an interval to a verdict, from several opponents to one answer, and from many claims to what stands."""

import copy
from collections.abc import Callable, Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import scipy

from gupai_agents.evaluation.statistics import NOTHING, Cases, Estimate, estimate, false_discovery
from gupai_env.games.claims import Metric
from gupai_env.words.messages import say

SUPPORTED, CONTRADICTED, NO_EFFECT = "supported", "contradicted", "no practical effect"
INCONCLUSIVE, MEASURED = "inconclusive", "measured"
TOO_RARE, TOO_FEW = "too rare", "too few deals"
PROVED, DISPROVED = "proved", "disproved"
DEPENDS = "it depends"  # on the dose
VERDICTS = (SUPPORTED, CONTRADICTED, DEPENDS, NO_EFFECT, INCONCLUSIVE, TOO_RARE, TOO_FEW, MEASURED, PROVED, DISPROVED)
UNJUDGED = (TOO_RARE, TOO_FEW)
FEWEST = 200  # deals in which something comes up, for a verdict about it
GROUPS = 100  # of deals, for the jackknife
MOST_MORE = 10**9
RATE = 0.05  # of the verdicts that stand, so many are chance on average


class Judged(NamedTuple):
    """A verdict, and for an inconclusive one about how many deals would decide it, were the mean right."""

    verdict: str
    deals_needed: int | None = None


def judge(effect: Estimate, margin: float, alternative: str) -> Judged:
    """Return the verdict on an effect from its interval, never from a p-value alone.

    Supported: the interval is beyond zero on the claimed side and the mean beyond the margin. No practical effect: it
    lies within the margins. Contradicted: it is beyond zero on the other side (of "different" nothing is).
    """
    if not effect.occurred:
        return Judged(TOO_RARE)
    if not effect.has_interval:  # play that never changes changes nothing
        return Judged(NO_EFFECT if effect.mean == 0 and effect.samples >= FEWEST else INCONCLUSIVE)
    mean, low, high = effect.mean, effect.low, effect.high
    if alternative == "less":
        mean, low, high = -mean, -effect.high, -effect.low
    if alternative == "different" and mean < 0:
        mean, low, high = -mean, -high, -low
    if low > 0 and mean >= margin:
        return Judged(SUPPORTED)
    if low > -margin and high < margin:
        return Judged(NO_EFFECT)
    if high < 0 and alternative != "different":
        return Judged(CONTRADICTED)
    # The half-width at which one of the above would hold; above 0, as margins are.
    slack = max(mean if mean >= margin else 0.0, -mean, margin - abs(mean))
    needed = effect.samples * (effect.half_width / slack) ** 2
    return Judged(INCONCLUSIVE, min(MOST_MORE, ceil(needed)))


def judge_rate(rate: Estimate, low: float, high: float, threshold: float | None, alternative: str) -> Judged:
    """Return the verdict on a rate from its `bounds` against a threshold."""
    if not rate.occurred:
        return Judged(TOO_RARE)
    if threshold is None:
        return Judged(MEASURED)
    if not np.isfinite([low, high]).all():
        return Judged(INCONCLUSIVE)
    if alternative == "less":
        low, high, threshold, mean = -high, -low, -threshold, -rate.mean
    else:
        mean = rate.mean
    if low > threshold or (alternative == "different" and high < threshold):
        return Judged(SUPPORTED)
    if high < threshold:
        return Judged(CONTRADICTED)
    distance = mean - threshold
    needed = ceil(rate.samples * ((high - low) / 2 / distance) ** 2) if distance else MOST_MORE
    return Judged(INCONCLUSIVE, min(MOST_MORE, needed))


def unjudged(figures: Sequence[Estimate], deals: int) -> str:
    """Return why there is no verdict on figures, for each of which so many deals were played; "" where there is one."""
    if all(figure.occurred and figure.samples >= FEWEST for figure in figures):
        return ""
    return TOO_RARE if deals >= FEWEST else TOO_FEW


def why(verdict: str) -> str:
    """Return why there is no verdict, as a remark on one of UNJUDGED; "" on others."""
    remarks = {
        TOO_RARE: say("there is no verdict on what comes up in fewer than {number} deals", number=FEWEST),
        TOO_FEW: say("there is no verdict from fewer than {number} deals", number=FEWEST),
    }
    return remarks.get(verdict, "")


class Rated(NamedTuple):
    """A rate: its estimate and, of a share of cases, these. share: whether it cannot be outside 0 and 1."""

    estimate: Estimate
    cases: Cases | None = None
    share: bool = False

    @property
    def figure(self) -> Estimate:
        """The rate with its interval, of which a share has only what is within 0 and 1."""
        if not (self.share and self.estimate.has_interval):
            return self.estimate
        mean, low, high = np.clip(self.estimate[:3], 0.0, 1.0).tolist()
        return self.estimate._replace(mean=mean, low=low, high=high)

    def bounds(self, alternative: str) -> tuple[float, float]:
        """Return bounds that together are wrong about the alternative in 5% of cases at most.

        Each may be missed so often, but half as often where both could speak for "different".
        """
        alpha = 0.025 if alternative == "different" else 0.05
        if self.cases is not None:
            return self.cases.share(1 - 2 * alpha)[1:3]
        if not self.estimate.has_interval:
            return -np.inf, np.inf
        half = self.estimate.error * float(scipy.special.stdtrit(self.estimate.degrees, 1 - alpha))
        return self.estimate.mean - half, self.estimate.mean + half

    def p_beyond(self, threshold: float) -> float:
        """Return the two-sided p that it is its threshold."""
        return p_value(self.estimate.shifted(-threshold)) if self.cases is None else self.cases.p_value(threshold)


def rated(values: np.ndarray, metric: Metric) -> Rated:
    """Return the figure of values of a metric, [N] or [N, k] by deal."""
    if metric.is_share:
        cases = Cases.of(values) if metric.statistic is None else Cases.of(values[:, 0], values[:, 1])
        return Rated(cases.share(), cases)
    if metric.statistic is None:
        return Rated(estimate(values))
    return Rated(estimate_statistic(values, metric.statistic), share=metric.unit == "share")


def p_value(effect: Estimate) -> float:
    """Return the two-sided p that an effect is zero, from its 95% interval; 1 where there is no interval."""
    return (
        float(2 * scipy.special.stdtr(effect.degrees, -abs(effect.mean) / effect.error)) if effect.has_interval else 1.0
    )


def estimate_statistic(values: np.ndarray, statistic: Callable[[np.ndarray], float]) -> Estimate:
    """Return a statistic of the means of values, [N, k], with its interval by the jackknife over groups of deals.

    Of deals that have no such statistic, or not without some of them, as few may not, there is none.
    """
    groups = min(GROUPS, len(values))
    parts = np.array_split(values, groups)
    sums, sizes = np.array([part.sum(0) for part in parts]), np.array([len(part) for part in parts])
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = statistic(sums.sum(0) / sizes.sum())
        without = np.array(
            [statistic((sums.sum(0) - row) / (sizes.sum() - size)) for row, size in zip(sums, sizes, strict=True)]
        )
    if not np.isfinite([whole, *without]).all():
        return NOTHING._replace(samples=len(values))
    pseudo = groups * whole - (groups - 1) * without
    return estimate(pseudo)._replace(samples=len(values))


class Pooled(NamedTuple):
    """Effects against several opponents as one: their mean, each weighing alike, with its interval.

    p: that it is zero. q, p_q: Cochran's Q that opponents are all alike, and its p. i2: the share of their variance
    that is no chance. range: the smallest and the largest mean.
    """

    effect: Estimate
    p: float
    q: float
    p_q: float
    i2: float
    range: tuple[float, float]

    @property
    def differ(self) -> bool:
        """Whether opponents clearly differ, so that the range says more than the mean."""
        return self.p_q < RATE


def pool(effects: Sequence[Estimate], among: int = 1) -> Pooled:
    """Return the mean over opponents, whose deals are their own, with its interval.

    Of effects that came up too rarely to have an interval the first stands for all, if there is no other.

    Args:
        among: Of so many such intervals, as those of doses, all hold at once in 95% of cases (Sidak).
    """
    known = [effect for effect in effects if effect.has_interval]
    if not known:
        (one, *_) = [effect for effect in effects if effect.occurred] or effects
        return Pooled(one, 1.0, 0.0, 1.0, 0.0, (one.mean, one.mean))
    # Many deals that are all alike, as where a trait never changes play, are as good as sure.
    effects = [effect for effect in effects if effect.has_interval or (effect.occurred and effect.samples >= FEWEST)]
    means = np.array([effect.mean for effect in effects])
    span = float(means.min()), float(means.max())
    errors = np.array([effect.error if effect.has_interval else 0.0 for effect in effects])
    degrees = sum(effect.degrees for effect in known)
    mean, error = float(means.mean()), float(np.sqrt((errors**2).sum())) / len(effects)
    half = float(scipy.special.stdtrit(degrees, 0.5 + 0.5 * 0.95 ** (1 / among))) * error
    p = float(2 * scipy.special.stdtr(degrees, -abs(mean) / error))
    weights = np.maximum(errors, 1e-9) ** -2
    q = float((weights * (means - (weights * means).sum() / weights.sum()) ** 2).sum())
    others = len(effects) - 1
    p_q = float(scipy.special.chdtrc(others, q)) if others else 1.0
    mean_effect = Estimate.symmetric(mean, half, sum(effect.samples for effect in effects), degrees)
    return Pooled(mean_effect, p, q, p_q, max(0.0, 1 - others / q) if q else 0.0, span)


def judge_panel(
    members: Sequence[Estimate],
    verdicts: Sequence[str],
    p: Sequence[float],
    margin: float,
    alternative: str,
    among: int = 1,
) -> tuple[Judged, str]:
    """Return the verdict over a panel of skilled opponents, and a remark where they disagree.

    Supported needs the pooled effect and the same sign at two opponents or more (at all, if there are fewer). `p` are
    adjusted by Holm: opponents of whom some support and some contradict leave it inconclusive. among: see `pool`.
    """
    sides = {side for side, adjusted in zip(verdicts, p, strict=True) if adjusted < 0.05}
    sides &= {SUPPORTED, CONTRADICTED}
    if len(sides) == 2:
        return Judged(INCONCLUSIVE), "opponents disagree: it depends on who sits there"
    pooled = pool(members, among).effect
    judgement = judge(pooled, margin, alternative)
    if judgement.verdict == SUPPORTED:
        with_it = sum(np.sign(member.mean) == np.sign(pooled.mean) for member in members)
        if with_it < min(2, len(members)):
            return Judged(INCONCLUSIVE), "too few opponents show it"
    return judgement, ""


def corrected(contents: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return verdicts, as JSON, with a `q` for every reading that has a `p`: Benjamini and Hochberg over all of them.

    `tests` says how many these are. Where a reading is supported or contradicted by itself but q is above RATE, it
    `stands` no longer: among so many tests it may be chance.
    """
    copies = copy.deepcopy(list(contents))
    readings = [reading for content in copies for reading in content["readings"] if "p" in reading]
    for reading, q in zip(readings, false_discovery([reading["p"] for reading in readings]), strict=True):
        decided = reading["verdict"] in (SUPPORTED, CONTRADICTED, DEPENDS)
        reading |= {"q": q, "tests": len(readings), **({"stands": q <= RATE} if decided else {})}
    return copies
