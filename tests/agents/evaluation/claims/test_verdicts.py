"""Verdicts: what intervals, opponents and tests together decide."""

import numpy as np
import pytest
import scipy

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.effects import sentence_of
from gupai_agents.evaluation.claims.verdicts import RATE, corrected
from gupai_agents.evaluation.statistics import Cases, Estimate, estimate
from gupai_env.games.claims import Metric, explained, with_products
from readings import a_verdict, finding, wide


@pytest.mark.parametrize(
    ("mean", "half", "alternative", "verdict"),
    [
        (1.0, 0.5, "greater", "supported"),
        (0.3, 0.2, "greater", "small effect"),  # beyond zero, not beyond the margin, and perhaps more than it
        (-0.3, 0.25, "different", "small effect"),
        (-0.3, 0.25, "greater", "contradicted"),
        (0.1, 0.3, "greater", "no practical effect"),
        (-0.3, 0.1, "greater", "no practical effect"),
        (-1.0, 0.5, "greater", "contradicted"),
        (-1.0, 0.5, "less", "supported"),
        (1.0, 0.5, "less", "contradicted"),
        (-1.0, 0.5, "different", "supported"),
        (1.0, 1.5, "greater", "inconclusive"),
    ],
)
def test_verdict_is_read_off_the_interval(mean, half, alternative, verdict):
    found = verdicts.judge(Estimate.symmetric(mean, half, 1000), 0.5, alternative)
    assert found.verdict == verdict
    assert (found.deals_needed is not None) == (verdict in ("inconclusive", "small effect"))


def test_undecided_verdicts_tell_how_many_deals_would_decide():
    assert verdicts.judge(Estimate.symmetric(1.0, 2.0, 1000), 0.5, "greater").deals_needed == 4000


def test_null_effects_are_seldom_called_real():
    generator = np.random.default_rng(1)
    judged = [
        verdicts.judge(estimate(generator.normal(0, 22, 400) * (generator.random(400) < 0.5)), 0.01, "different")
        for _ in range(1000)
    ]
    false = sum(each.verdict == "supported" for each in judged)
    assert false <= 65  # of 1,000 at 5%: one in a hundred such tests would count more


@pytest.mark.parametrize("shares", [True, False])
def test_rate_at_its_threshold_is_seldom_called_different(shares):
    generator = np.random.default_rng(2)
    different = 0
    for _ in range(1000):
        values = (generator.random(400) < 0.3).astype(float) if shares else generator.normal(0.3, 2, 400)
        cases = Cases.of(values) if shares else None
        found = verdicts.Rated(estimate(values), cases)
        judged = verdicts.judge_rate(found.estimate, 0.3, "different")
        different += judged.verdict == "supported"
    assert 20 <= different <= 65  # of 1,000 at 5%


@pytest.mark.parametrize("deals", [2, 3, 5, 200])
def test_share_has_no_interval_beyond_0_and_1(deals):
    generator = np.random.default_rng(deals)
    metric = Metric("", "share", lambda outcome, number: np.zeros(0), statistic=explained)
    found = verdicts.rated(with_products(*generator.normal(0, 1, (2, deals))), metric).estimate
    assert np.isnan(found.mean) or 0 <= found.mean <= 1
    assert not found.has_interval or 0 <= found.low <= found.mean <= found.high <= 1


@pytest.mark.parametrize(("weight", "deals"), [(0.0, 100), (0.05, 100), (0.2, 100), (1.0, 100), (0.1, 1000)])
def test_interval_of_an_explained_share_covers_it(weight, deals):
    generator, covered = np.random.default_rng(8), 0
    metric, share = Metric("", "share", lambda o, n: np.zeros(0), statistic=explained), weight**2 / (weight**2 + 1)
    for _ in range(300):
        one, other = generator.normal(0, 1, (2, deals))
        found = verdicts.rated(with_products(one, weight * one + other), metric)
        covered += found.estimate.low <= share <= found.estimate.high
        assert 0 < found.p_beyond(share) <= 1
    assert covered >= 276  # of 300 at 95%


def test_opponents_weigh_alike_in_their_mean():
    found = verdicts.pool([Estimate.symmetric(1.0, 1.96, 100_000), Estimate.symmetric(3.0, 1.96, 100_000)])
    assert found.effect.mean == pytest.approx(2)
    assert found.q == pytest.approx(2, rel=1e-3)
    assert found.i2 == pytest.approx(0.5, rel=1e-3)
    assert found.effect.half_width == pytest.approx(1.96 / 2**0.5, rel=1e-3)
    assert (found.least, found.most) == (1, 3)


def test_opponents_with_too_few_occurrences_say_nothing():
    inf, nan = float("inf"), float("nan")
    seen, never = Estimate.symmetric(2.0, 1.0, 50), Estimate.symmetric(nan, inf, 0)
    assert verdicts.pool([Estimate.symmetric(9.0, inf, 1), seen, never]).effect == verdicts.pool([seen]).effect
    assert verdicts.pool([Estimate.symmetric(9.0, inf, 1), never]).effect == Estimate.symmetric(9.0, inf, 1)
    once = "The trait changes chips by +9.00 (1 deal: no interval)."
    assert sentence_of(Estimate.symmetric(9.0, inf, 1), 1.0, "the trait") == once


def test_opponent_whose_play_never_changes_counts_as_no_gain():
    same = estimate(np.zeros(1000))
    gains = Estimate.symmetric(2.0, 1.0, 1000)
    found = verdicts.pool([gains, same])
    assert (found.effect.mean, found.effect.half_width) == pytest.approx((1.0, 0.5), rel=1e-3)
    assert verdicts.pool([gains, estimate(np.zeros(9))]).effect == verdicts.pool([gains]).effect  # too few to know


def test_support_needs_more_than_one_of_several_opponents():
    clear, unclear = Estimate.symmetric(2.0, 0.1, 1000), Estimate.symmetric(-0.3, 0.5, 50)
    printed = ["supported", "inconclusive"], [0.001, 0.9], 0.5, "greater"
    assert verdicts.pool([clear, unclear]).effect.low > 0.5
    found, _, remark = verdicts.judge_panel([clear, unclear], *printed)
    assert (found.verdict, remark) == ("it depends", "too few opponents show it")
    found, *_ = verdicts.judge_panel([clear, unclear.shifted(0.6)], *printed)
    assert found.verdict == "supported"
    found, *_ = verdicts.judge_panel([clear], ["supported"], [0.001], 0.5, "greater")
    assert found.verdict == "supported"


@pytest.mark.parametrize(("p", "verdict"), [((0.001, 0.04), "it depends"), ((0.001, 0.06), "no practical effect")])
def test_claim_depends_on_opponents_who_disagree(p, verdict):
    """As sure as the less sure of the two sides, whatever their mean is."""
    members = [Estimate.symmetric(2.0, 0.5, 100), Estimate.symmetric(-2.0, 0.5, 100)]
    found, pooled, remark = verdicts.judge_panel(members, ["supported", "contradicted"], p, 0.5, "greater")
    assert found.verdict == verdict
    assert (pooled.p, "disagree" in remark) == ((0.04, True) if verdict == "it depends" else (1.0, False))
    assert verdicts.disagreement(["supported", "contradicted", "supported"], [0.3, 0.02, 0.01]) == 0.02


@pytest.mark.parametrize("subject", verdicts.WORDS)
def test_word_is_that_of_the_side_of_its_threshold(subject):
    """An interval that ends at the threshold reaches it; so do two intervals that touch."""
    between, above, below = verdicts.WORDS[subject]
    assert len({between, above, below}) == 3
    for half, up, down in ((0.5, between, between), (0.25, above, below)):
        assert verdicts.word_of(subject, Estimate.symmetric(2.5, half, 9), 2.0) == up
        assert verdicts.word_of(subject, Estimate.symmetric(1.5, half, 9), 2.0) == down
        assert verdicts.word_of(subject, Estimate.symmetric(2.5, half, 9), Estimate.symmetric(1.75, 0.25, 9)) == up
        assert verdicts.word_of(subject, -Estimate.symmetric(2.5, half, 9), -2.0) == down
    for unknown in (Estimate.symmetric(2.5, np.inf, 1), Estimate.symmetric(np.nan, np.inf, 0)):
        assert verdicts.word_of(subject, unknown) == between


@pytest.mark.parametrize("seed", range(5))
def test_no_verdict_is_inconclusive_beside_an_interval_without_zero(seed):
    """Over figures, margins and alternatives at random: the verdict never says less than the interval does."""
    generator = np.random.default_rng(seed)
    for mean, half, margin in generator.uniform((-2, 0.01, 0.1), (2, 2, 1), (500, 3)).tolist():
        figure = Estimate.symmetric(mean, half, 1000)
        for alternative in ("greater", "less", "different"):
            found, own = verdicts.judge(figure, margin, alternative).verdict, figure.side()
            claimed = {"greater": own > 0, "less": own < 0, "different": own != 0}[alternative]
            assert (found == "inconclusive") <= (own == 0), (figure, margin, alternative)
            assert (found in ("supported", "small effect")) <= claimed
            assert (found == "contradicted") <= (own != 0 and not claimed)
            assert (found == "no practical effect") == (abs(mean) + half < margin and found != "supported")


def test_false_discovery_correction_equals_scipy():
    p = [0.0004, 0.03, 0.2, 0.04, 0.9]
    before = [a_verdict(finding(p=each)) for each in p]
    before.append(a_verdict(finding(verdict="proved"), finding(verdict="inconclusive", p=0.5)))
    findings = [each for verdict in corrected(before) for each in verdict.findings]
    expected = scipy.stats.false_discovery_control([*p, 0.5])
    assert [each.q for each in findings if each.q is not None] == pytest.approx(list(expected))
    assert [each.stands for each in findings] == [True, False, False, False, False, None, None]
    assert findings[5].q is None
    assert all(each.q is None for verdict in before for each in verdict.findings)


def test_p_of_an_effect_is_below_5_percent_where_zero_is_outside():
    assert (
        verdicts.p_value(Estimate.symmetric(1.97, 1.96, 900))
        < 0.05
        < verdicts.p_value(Estimate.symmetric(1.95, 1.96, 900))
    )
    assert verdicts.p_value(Estimate.symmetric(2.0, float("inf"), 1)) == 1
    assert verdicts.p_value(Estimate.symmetric(2.0, 1.0, 9, 3.0)) > verdicts.p_value(Estimate.symmetric(2.0, 1.0, 9))


def test_opponents_are_pooled_as_by_hand():
    """Two of equal errors: the mean of both; their difference is 5 of its errors, 4 of which no chance explains."""
    found = verdicts.pool([wide(0, 1), wide(5 * 2**0.5, 1)])
    assert found.effect.mean == pytest.approx(2.5 * 2**0.5)
    assert found.q == pytest.approx(25, rel=0.01)
    assert found.i2 == pytest.approx(24 / 25, rel=0.01)
    assert found.effect.half_width == pytest.approx(1.96 * 0.5**0.5, rel=0.01)
    assert found.differ and (found.least, found.most) == (0, pytest.approx(5 * 2**0.5))
    assert verdicts.pool([wide(0, 1), wide(0.5, 1)]).i2 == 0
    assert verdicts.pool([wide(0, 1), wide(10, 3)]).effect.mean == 5


def test_intervals_of_several_doses_hold_together():
    """Of three intervals each may be missed by 1 - 0.95^(1/3), 1.70%: 2.388 errors of the normal."""
    one, three = (verdicts.pool([wide(2, 1)], among) for among in (1, 3))
    assert three.effect.half_width / one.effect.half_width == pytest.approx(2.388 / 1.96, rel=0.005)
    assert three.p == one.p


def test_single_value_bounds_nothing():
    one = estimate(np.array([0.3]))
    assert verdicts.judge_rate(one, 0.1, "greater") == verdicts.Judged(verdicts.INCONCLUSIVE)
    assert verdicts.judge_rate(one, None, "greater") == verdicts.Judged(verdicts.MEASURED)


@pytest.mark.parametrize(
    ("mean", "half", "alternative", "verdict"),
    [
        (0.5, 0.4, "greater", verdicts.SUPPORTED),  # the mean is the margin
        (-0.5, 0.4, "less", verdicts.SUPPORTED),
        (-0.5, 0.4, "different", verdicts.SUPPORTED),
        (0.5, 0.5, "greater", verdicts.INCONCLUSIVE),  # the interval ends at zero
        (-0.5, 0.5, "less", verdicts.INCONCLUSIVE),
        (0.0, 0.5, "greater", verdicts.INCONCLUSIVE),  # it ends at the margins
        (0.25, 0.25, "greater", verdicts.INCONCLUSIVE),  # at the upper one
        (-0.25, 0.25, "greater", verdicts.INCONCLUSIVE),  # at the lower one, and at zero
        (-0.75, 0.75, "greater", verdicts.INCONCLUSIVE),  # at zero, from the other side
        (0.0, 0.4375, "greater", verdicts.NO_EFFECT),
    ],
)
def test_verdict_on_an_effect_at_its_bounds(mean, half, alternative, verdict):
    assert verdicts.judge(Estimate.symmetric(mean, half, 1000), 0.5, alternative).verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "alternative", "verdict"),
    [
        (0.5, 0.7, "greater", verdicts.INCONCLUSIVE),
        (0.3, 0.5, "greater", verdicts.INCONCLUSIVE),
        (0.3, 0.5, "less", verdicts.INCONCLUSIVE),
        (0.5, 0.7, "less", verdicts.INCONCLUSIVE),
        (0.5, 0.7, "different", verdicts.INCONCLUSIVE),
        (0.3, 0.5, "different", verdicts.INCONCLUSIVE),
        (0.51, 0.7, "greater", verdicts.SUPPORTED),
        (0.51, 0.7, "less", verdicts.CONTRADICTED),
        (0.3, 0.49, "greater", verdicts.CONTRADICTED),
        (0.3, 0.49, "less", verdicts.SUPPORTED),
        (0.3, 0.49, "different", verdicts.SUPPORTED),
    ],
)
def test_rate_whose_interval_reaches_its_threshold_is_not_decided(low, high, alternative, verdict):
    found = Estimate.symmetric((low + high) / 2, (high - low) / 2, 1000)
    assert verdicts.judge_rate(found, 0.5, alternative).verdict == verdict


def test_undecided_rate_names_the_deals_that_would_decide_it():
    """Its interval is 0.2 wide at 1,000 deals: to reach no further than 0.05 it takes four times as many."""
    needed = {
        alternative: verdicts.judge_rate(Estimate.symmetric(0.55, 0.1, 1000), 0.5, alternative)
        for alternative in ("greater", "less", "different")
    }
    assert {each.deals_needed for each in needed.values()} == {4000}
    at_it = verdicts.judge_rate(Estimate.symmetric(0.5, 0.1, 1000), 0.5, "greater")
    assert at_it.deals_needed == verdicts.MOST_MORE


@pytest.mark.parametrize(("p", "stands"), [(RATE, True), (RATE + 1e-9, False)])
def test_verdict_stands_up_to_the_rate(p, stands):
    (found,) = corrected([a_verdict(finding(p=p), finding(verdict="proved"))])
    assert (found.findings[0].stands, found.findings[0].tests) == (stands, 1)
    assert found.findings[1].q is None
