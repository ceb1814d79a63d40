"""From an interval to a verdict, from several opponents to one answer, and from many claims to what stands."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil
from typing import NamedTuple

import numpy as np

from gupai_agents.evaluation.claims.results import Finding, Pooled, Verdict
from gupai_agents.evaluation.distributions import chi_squared_above, t_below, t_quantile
from gupai_agents.evaluation.intervals import number_or_none
from gupai_agents.evaluation.statistics import NOTHING, Cases, Estimate, Explained, estimate, false_discovery
from gupai_env.games.claims import Metric
from gupai_env.messages import say

SUPPORTED, CONTRADICTED, NO_EFFECT = "supported", "contradicted", "no practical effect"
SMALL, INCONCLUSIVE, MEASURED = "small effect", "inconclusive", "measured"
TOO_RARE, TOO_FEW = "too rare", "too few deals"
PROVED, DISPROVED = "proved", "disproved"
DEPENDS = "it depends"  # on the dose, or on who plays
DECIDED = (SUPPORTED, CONTRADICTED, DEPENDS, SMALL)
VERDICTS = (*DECIDED, NO_EFFECT, INCONCLUSIVE, TOO_RARE, TOO_FEW, MEASURED, PROVED, DISPROVED)
UNJUDGED = (TOO_RARE, TOO_FEW)
# What is said of a figure that reaches its threshold, of one above it and of one below it.
WORDS = {
    "share": ("takes neither clearly more often", "takes it more often", "takes the other more often"),
    "value": ("values neither clearly more", "values it more", "values the other more"),
    "advice": ("open", "yes", "no"),
    "chips": ("it is not settled", "it gains {much}", "it costs {much}"),
    "quantity": ("it is not settled", "it adds {much}", "it takes away {much}"),
}
FEWEST = 200  # deals in which something comes up, for a verdict about it
GROUPS = 100  # of deals, for the jackknife
MOST_MORE = 10**9
RATE = 0.05  # of the verdicts that stand, so many are chance on average; and the level of a single one


class Judged(NamedTuple):
    """A verdict, and for an inconclusive one about how many deals would decide it, were the mean right."""

    verdict: str
    deals_needed: int | None = None


def word_of(subject: str, figure: Estimate, threshold: float | Estimate = 0.0) -> str:
    """Return the word for a figure, read off its interval alone.

    Args:
        subject: What the word speaks of, one of WORDS: how often something is done, by how much it is valued, ...
        figure: As it is printed.
        threshold: In the unit of the figure, or the figure that it is compared with.
    """
    return WORDS[subject][figure.side(threshold)]


def judge(effect: Estimate, margin: float, alternative: str) -> Judged:
    """Return the verdict on an effect from its interval, never from a p-value alone.

    Supported: the interval is beyond zero on the claimed side and the mean beyond the margin. No practical effect: it
    lies within the margins. Small effect: it is beyond zero on the claimed side, and reaches the margin. Contradicted:
    it is beyond zero on the other side (of "different" nothing is). Inconclusive: it reaches zero and a margin.

    Args:
        effect: Chips gained, or what is measured.
        margin: The least that is worth naming, above 0.
        alternative: What is claimed: "greater", "less" or "different".
    """
    if not effect.occurred:
        return Judged(TOO_RARE)
    if not effect.has_interval:  # play that never changes changes nothing
        return Judged(NO_EFFECT if effect.mean == 0 and effect.samples >= FEWEST else INCONCLUSIVE)
    if alternative == "less" or (alternative == "different" and effect.mean < 0):
        effect = -effect
    mean, side = effect.mean, effect.side()
    if side > 0 and mean >= margin:
        return Judged(SUPPORTED)
    if effect.side(-margin) > 0 > effect.side(margin):
        return Judged(NO_EFFECT)
    if side < 0:
        return Judged(CONTRADICTED)
    # The half-width at which one of the above would hold; above 0, as margins are.
    slack = max(mean if mean >= margin else 0.0, -mean, margin - abs(mean))
    needed = effect.samples * (effect.half_width / slack) ** 2
    return Judged(SMALL if side else INCONCLUSIVE, min(MOST_MORE, ceil(needed)))


def judge_rate(rate: Estimate, threshold: float | None, alternative: str) -> Judged:
    """Return the verdict on a rate from its interval against a threshold.

    Args:
        rate: How often something happens.
        threshold: What it is compared with, None to measure it alone.
        alternative: Whether it is claimed to be "greater" or "less".
    """
    if not rate.occurred:
        return Judged(TOO_RARE)
    if threshold is None:
        return Judged(MEASURED)
    if not rate.has_interval:
        return Judged(INCONCLUSIVE)
    if side := rate.side(threshold):
        return Judged(CONTRADICTED if side == {"greater": -1, "less": 1}.get(alternative) else SUPPORTED)
    distance = rate.mean - threshold
    needed = ceil(rate.samples * (rate.half_width / distance) ** 2) if distance else MOST_MORE
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
    """A rate: its estimate and, of a share, from what this follows."""

    estimate: Estimate
    share: Cases | Explained | None = None

    def p_beyond(self, threshold: float) -> float:
        """Return the two-sided p that it is its threshold."""
        return p_value(self.estimate.shifted(-threshold)) if self.share is None else self.share.p_value(threshold)


def rated(values: np.ndarray, metric: Metric) -> Rated:
    """Return the figure of values of a metric, [N] or [N, k] by deal."""
    if metric.is_share:
        cases = Cases.of(values) if metric.statistic is None else Cases.of(values[:, 0], values[:, 1])
        return Rated(cases.share(), cases)
    if metric.statistic is None:
        return Rated(estimate(values))
    if metric.unit != "share":
        return Rated(estimate_statistic(values, metric.statistic))
    explained = explained_by(values, metric.statistic)
    return Rated(explained.share(), explained)


def p_value(effect: Estimate) -> float:
    """Return the two-sided p that an effect is zero, from its 95% interval; 1 where there is no interval."""
    return 2 * t_below(effect.degrees, -abs(effect.mean) / effect.error) if effect.has_interval else 1.0


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


def explained_by(values: np.ndarray, statistic: Callable[[np.ndarray], float]) -> Explained:
    """Return a share of variance that follows from the means of values, [N, k]."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return Explained.of(statistic(values.mean(0)), estimate_statistic(values, statistic))


def pool(effects: Sequence[Estimate], among: int = 1) -> Pooled:
    """Return the mean over opponents, whose deals are their own, with its interval.

    Of effects that came up too rarely to have an interval the first stands for all, if there is no other.

    Args:
        among: Of so many such intervals, as those of doses, all hold at once in 95% of cases (Sidak).
    """
    known = [effect for effect in effects if effect.has_interval]
    if not known:
        (one, *_) = [effect for effect in effects if effect.occurred] or effects
        mean = number_or_none(one.mean)
        return Pooled(one, 0.0, 1.0, 0.0, mean, mean, False)
    # Many deals that are all alike, as where a trait never changes play, are as good as sure.
    effects = [effect for effect in effects if effect.has_interval or (effect.occurred and effect.samples >= FEWEST)]
    means = np.array([effect.mean for effect in effects])
    errors = np.array([effect.error if effect.has_interval else 0.0 for effect in effects])
    degrees = sum(effect.degrees for effect in known)
    mean, error = float(means.mean()), float(np.sqrt((errors**2).sum())) / len(effects)
    half = t_quantile(degrees, 0.5 + 0.5 * 0.95 ** (1 / among)) * error
    p = 2 * t_below(degrees, -abs(mean) / error)
    weights = np.maximum(errors, 1e-9) ** -2
    q = float((weights * (means - (weights * means).sum() / weights.sum()) ** 2).sum())
    others = len(effects) - 1
    p_q = chi_squared_above(others, q) if others else 1.0
    mean_effect = Estimate.symmetric(mean, half, sum(effect.samples for effect in effects), degrees)
    i2 = max(0.0, 1 - others / q) if q else 0.0
    return Pooled(mean_effect, q, p_q, i2, float(means.min()) + 0.0, float(means.max()) + 0.0, p_q < RATE, p)


def disagreement(verdicts: Sequence[str], p: Sequence[float]) -> float:
    """Return the p of its being so for some players and the opposite for others: that of the side that is less sure."""
    surest = dict(sorted(zip(verdicts, p, strict=True), key=lambda entry: -entry[1]))
    return max(surest.get(SUPPORTED, 1.0), surest.get(CONTRADICTED, 1.0))


def judge_panel(
    members: Sequence[Estimate],
    verdicts: Sequence[str],
    p: Sequence[float],
    margin: float,
    alternative: str,
    among: int = 1,
) -> tuple[Judged, Pooled, str]:
    """Return the verdict over a panel of skilled opponents, their mean, and a remark where they disagree.

    Supported needs the pooled effect and the same sign at two opponents or more (at all, if there are fewer). `p` are
    adjusted by Holm: where some opponents support it and some contradict it, it depends. among: see `pool`.

    Args:
        members: The effect at each opponent.
        verdicts: The verdict on each.
        p: The p-value of each.
        margin, alternative: As of `judge`.
        among: Intervals that are to hold at once; see `pool`.
    """
    pooled = pool(members, among)
    if (apart := disagreement(verdicts, p)) < RATE:
        return Judged(DEPENDS), replace(pooled, p=apart), "opponents disagree: it depends on who sits there"
    judgement = judge(pooled.effect, margin, alternative)
    if judgement.verdict == SUPPORTED:
        with_it = sum(np.sign(member.mean) == np.sign(pooled.effect.mean) for member in members)
        if with_it < min(2, len(members)):
            return Judged(DEPENDS), pooled, "too few opponents show it"
    return judgement, pooled, ""


def corrected(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return verdicts with a `q` for every reading that has a `p`: Benjamini and Hochberg over all of them.

    `tests` says how many these are. Where a reading is supported or contradicted by itself but q is above RATE, it
    `stands` no longer: among so many tests it may be chance.
    """
    p = [finding.p for verdict in verdicts for finding in verdict.findings if finding.p is not None]
    rates = iter(false_discovery(p))

    def among(finding: Finding) -> Finding:
        if finding.p is None:
            return finding
        q = next(rates)
        return replace(finding, q=q, tests=len(p), stands=q <= RATE if finding.verdict in DECIDED else None)

    return [verdict.model_copy(update={"findings": tuple(map(among, verdict.findings))}) for verdict in verdicts]
