"""Statistics against closed forms and against scipy, and how often they err when chance alone is at work."""

import json
import re
from collections.abc import Iterator

import numpy as np
import pytest
import scipy

from benchmarks.interval_coverage import coverage
from checkout import ROOT, files
from gupai_agents import make_agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.intervals import KEYS, interval, interval_text
from gupai_agents.evaluation.statistics import (
    LEAST,
    NOTHING,
    Cases,
    Estimate,
    Explained,
    Interval,
    clustered,
    estimate,
    estimate_columns,
    false_discovery,
    gsprt,
    holm,
    ratio_of_means,
    samples_for,
    share,
    superiority,
    t_test,
    trimmed,
)
from gupai_env.storage.files import json_text


def chips_like(number, shift=0.0, seed=0):
    """Values as deals give them: half of them nothing, the others wide."""
    generator = np.random.default_rng(seed)
    return generator.normal(0, 32, number) * generator.integers(0, 2, number) + shift


def test_t_test_equals_scipy_with_half_the_degrees_of_freedom():
    for seed in range(5):
        values = np.random.default_rng(seed).normal(3, 32, 40)
        t = scipy.stats.ttest_1samp(values, 0).statistic
        assert t_test(values) == pytest.approx(2 * scipy.stats.t.sf(abs(t), 19.5), rel=1e-9)
        expected = scipy.stats.t.interval(0.95, 19.5, values.mean(), scipy.stats.sem(values))
        assert estimate(values)[1:3] == pytest.approx(expected)


def test_repeated_values_add_no_degrees_of_freedom():
    assert estimate(np.array([1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0])).degrees == 2
    assert estimate(np.array([7.0, 1.0, 7.0])).degrees == 1
    assert estimate(np.array([0.1 + 0.2, 0.3, 0.3])).degrees == 0  # alike but for rounding


@pytest.mark.parametrize(
    ("values", "message", "p"),
    [
        ([2.0, 2.0], "+2.00 (all 2 deals alike: no interval)", 0.5),
        ([-1.0] * 5, "-1.00 (all 5 deals alike: no interval)", 0.0625),
        ([0.0, 0.0], "+0.00 (all 2 deals alike: no interval)", 1),
        ([2.0], "+2.00 (1 deal: no interval)", 1),
        ([], "did not occur", 1),
    ],
)
def test_constant_values_have_no_interval_and_the_sign_test(values, message, p):
    values = np.array(values)
    found = estimate(values)
    assert not found.has_interval and str(found) == message
    assert t_test(values) == p
    if len(values) > 1 and values.any():
        assert p == scipy.stats.binomtest(len(values), len(values)).pvalue


def test_seats_that_end_alike_take_the_spread_of_others():
    values = np.random.default_rng(2).normal(0, 5, (30, 4))
    values[:, 0] = 6
    alike, *others = estimate_columns(values)
    pooled = np.sqrt(values.var(0, ddof=1).mean())
    assert alike.half_width == pytest.approx(scipy.stats.t.ppf(0.975, 29) * pooled / 30**0.5)
    assert [each.mean for each in others] == pytest.approx(values[:, 1:].mean(0).tolist())
    own = values[:, 1:].std(0, ddof=1)
    assert [each.error for each in others] == pytest.approx((np.maximum(own, pooled) / 30**0.5).tolist())
    assert not any(each.has_interval for each in estimate_columns(np.ones((3, 2)) * [1, 2]))
    assert not estimate_columns(np.array([[1.0, 2.0]]))[0].has_interval


def test_holm_multiplies_by_the_rest_and_never_falls():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_false_discovery_rates_equal_scipy():
    generator = np.random.default_rng(3)
    for number in (1, 2, 9, 40):
        p = (generator.random(number) ** 3).tolist()
        assert false_discovery(p) == pytest.approx(scipy.stats.false_discovery_control(p))
    assert false_discovery([0.04, 0.04, 0.9]) == pytest.approx([0.06, 0.06, 0.9])
    assert false_discovery([]) == []


def test_sequential_test_waits_for_its_minimum():
    clear = np.resize([3.0, 3.1], LEAST)
    assert gsprt(clear, 1.0).verdict == 1
    assert gsprt(clear, 1.0).samples == LEAST
    assert gsprt(clear[:-1], 1.0)[:2] == (0, LEAST - 1)


@pytest.mark.parametrize("gain", [0.01, 1.0, 500.0])
def test_few_equal_values_prove_little_in_any_unit(gain):
    one, many = (gsprt(np.zeros(count), gain) for count in (1, LEAST))
    assert one == (0, 1, pytest.approx(-np.log(2) / 2))
    assert many == (-1, LEAST, pytest.approx(-LEAST / 2 * np.log(1 + LEAST)))
    assert gsprt(np.full(LEAST, gain), gain) == (1, LEAST, pytest.approx(-many.log_likelihood_ratio))


def test_sample_of_the_planned_size_has_the_planned_power():
    assert samples_for(1, 22.6) == 4009  # (1.95996 + 0.84162)**2 * 22.6**2 = 4008.9
    count = samples_for(5, 22.6, power=0.9)
    found = [t_test(chips_like(count, 5, seed)) < 0.05 for seed in range(400)]
    assert 0.86 < np.mean(found) < 0.94


@pytest.mark.parametrize("game", ["small-mahjong", "da-ling", "pai-gow"])
def test_intervals_of_few_lumpy_deals_keep_their_coverage(game):
    chips = duel(game, make_agent("random", game), make_agent("greedy", game), 4000, seed=1).chips[:, :, 0]
    for size in (2, 3, 5, 10, 30):
        means, seats, _ = coverage(chips, size, 500, 1)
        assert means >= 0.93 and seats >= 0.93


def test_interval_keeps_its_coverage():
    found = [estimate(chips_like(100, 2, seed)) for seed in range(1000)]
    assert 0.93 < np.mean([each.low <= 2 <= each.high for each in found]) < 0.97


# --- shares ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("hits", "samples"), [(0, 50), (3, 50), (50, 50), (1, 2), (0, 10_000)])
def test_share_interval_equals_scipy(hits, samples):
    values = np.repeat([1.0, 0.0], [hits, samples - hits])
    for level in (0.9, 0.95):
        found, exact = Cases.of(values).share(level), scipy.stats.binomtest(hits, samples).proportion_ci(level)
        assert found[:4] == pytest.approx((hits / samples, exact.low, exact.high, samples))
    assert share(values) == Cases.of(values).share()


@pytest.mark.parametrize(("deals", "alike"), [(2, False), (5, True), (30, False), (30, True), (200, True)])
def test_share_interval_covers_dependent_cases_of_a_deal(deals, alike):
    """Deals have up to four cases; if they are alike, three deals of four decide all of theirs in the same way."""
    generator, truth, covered = np.random.default_rng(5), 0.2, 0
    for _ in range(500):
        cases = generator.integers(0, 5, deals)
        same = alike * (generator.random(deals) < 0.75)
        hits = np.where(same, cases * (generator.random(deals) < truth), generator.binomial(cases, truth))
        found = share(hits, cases)
        covered += not found.occurred or found.low <= truth <= found.high
    assert covered >= 0.93 * 500


def test_repeated_cases_count_no_more_than_deals():
    alike = share(np.full(9, 4), np.full(9, 4))
    assert alike == share(np.ones(9))
    apart = share(np.resize([4, 0], 200), np.full(200, 4))
    assert apart.half_width > share(np.resize([1, 0], 800)).half_width * 1.9
    assert share(np.array([3, 0, 0]), np.array([3, 1, 0])) == share(np.array([3, 0]), np.array([3, 1]))
    independent = Cases.of(np.resize([1, 2, 1, 0], 4000), np.full(4000, 2))
    assert independent.cases == pytest.approx(8000, rel=0.01)
    hits, cases = np.array([0, 2, 2, 4]), np.array([1, 2, 4, 4])
    variance = np.var(hits - 8 / 11 * cases, ddof=1) * 4 / 11**2  # of the ratio, linearised
    sureness = (scipy.stats.t.ppf(0.975, 10) / scipy.stats.t.ppf(0.975, 3)) ** 2
    assert Cases.of(hits, cases).cases == pytest.approx(8 / 11 * 3 / 11 / variance * sureness)


def test_share_without_a_case_did_not_occur():
    for cases, deals in ((np.zeros(20), 20), (np.zeros(0), 0)):
        found = share(cases, cases)
        assert not found.occurred and not found.has_interval
        assert found.as_numbers() == {"mean": None, "low": None, "high": None, "n": deals}
        assert Estimate.of(found.as_numbers()).text() == found.text()
    assert share(np.zeros(1000), np.zeros(1000)).text() == "did not occur in 1,000 deals"
    for hits, cases in (([2.0], None), ([-1.0], [1.0]), ([2.0, 0.0], [1.0, 1.0])):
        with pytest.raises(ValueError, match="hits must be from 0 to the number of cases"):
            share(np.array(hits), None if cases is None else np.array(cases))


def test_ratio_interval_keeps_its_coverage():
    generator, covered = np.random.default_rng(6), 0
    for _ in range(500):
        values = generator.poisson((3.0, 1.5), (300, 2)).astype(float)
        found = ratio_of_means(values)
        assert found.mean == pytest.approx(values[:, 0].sum() / values[:, 1].sum())
        covered += found.low <= 2 <= found.high
    assert 0.93 * 500 <= covered <= 0.97 * 500
    never = ratio_of_means(np.array([[1.0, 0.0]] * 7))
    assert (never.occurred, never.samples) == (False, 7)


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        ((0.5, 0.25, 0.75, 90, 2), "+0.50 ±0.25"),
        ((0.0, 0.0, 0.036, 90, 2), "+0.00 (+0.00 to +0.04)"),
        ((None, None, None, 1200, 2), "did not occur in 1,200 deals"),
        ((6.0, None, None, 3, 0), "+6 (all 3 deals alike: no interval)"),
    ],
)
def test_asymmetric_interval_is_given_by_both_ends(figure, text):
    assert interval_text(*figure) == text


def test_json_holds_no_nan_or_infinity():
    for number in (np.nan, np.inf, -np.inf):
        with pytest.raises(ValueError, match="not JSON compliant"):
            json_text({"figures": [number]})


def test_clusters_count_once_each():
    generator = np.random.default_rng(1)
    seeds = np.repeat(np.arange(6), 500)
    values = generator.normal(0, 1, 6)[seeds] + generator.normal(0, 1, len(seeds))
    found = clustered(values, seeds)
    assert found == pytest.approx(estimate(values.reshape(6, 500).mean(1)))
    assert found.samples == 6
    assert found.half_width > 5 * estimate(values).half_width
    assert clustered(np.array([1.0, 3.0, 6.0]), np.array([7, 7, 2])) == estimate(np.array([6.0, 2.0]))


def test_sequential_test_keeps_its_error_rates_and_saves_deals():
    runs = {shift: [gsprt(chips_like(40_000, shift, seed), 1.0) for seed in range(200)] for shift in (0.0, 1.0)}
    assert all(test.verdict for tests in runs.values() for test in tests)
    assert np.mean([test.verdict > 0 for test in runs[0.0]]) < 0.085  # 5%, and 200 draws of it
    assert np.mean([test.verdict < 0 for test in runs[1.0]]) < 0.085
    fixed = samples_for(1.0, 22.6, alpha=0.1, power=0.95)  # one-sided 5%, as the sequential test's
    assert np.mean([test.samples for tests in runs.values() for test in tests]) < 0.75 * fixed


def test_sequential_test_stops_at_the_first_value_that_decides():
    values = chips_like(20_000, 1.0, 3)
    found = gsprt(values, 1.0)
    assert gsprt(values[: found.samples], 1.0) == found
    assert gsprt(values[: found.samples - 1], 1.0).verdict == 0
    some = values[: found.samples]
    ratio = len(some) / 2 * np.log(np.mean(some**2) / np.mean((some - 1) ** 2))
    assert found.log_likelihood_ratio == pytest.approx(ratio)
    assert abs(ratio) >= np.log(19)
    assert gsprt(np.full(200, 9.0), 1.0).samples == LEAST


def test_sequential_test_has_a_bound_for_each_error_rate():
    """Wald's: for the gain at log((1 - beta) / alpha), against it at log(beta / (1 - alpha))."""
    accepted, rejected = (gsprt(chips_like(40_000, shift, 3), 1.0, alpha=0.001, beta=0.2) for shift in (1.0, 0.0))
    assert (accepted.verdict, rejected.verdict) == (1, -1)
    assert 0 <= accepted.log_likelihood_ratio - np.log(0.8 / 0.001) < 0.5
    assert 0 <= np.log(0.2 / 0.999) - rejected.log_likelihood_ratio < 0.5


def test_figures_are_never_negative_zero():
    assert (
        str(Estimate.symmetric(-0.001, 0.5, 9)) == "+0.00 ±0.50"
        and str(Estimate.symmetric(-0.01, 0.5, 9)) == "-0.01 ±0.50"
    )
    assert str(Estimate.symmetric(-0.00001, 0.005, 9)) == "+0.0000 ±0.0050"
    for path in files("gupai_app", "agents", "training", "docs", name="*.py"):
        assert not re.search(r":\+[.]", path.read_text(encoding="utf-8")), f"{path}: write :+z. instead"
    for path in files("gupai_app", "agents", "training", "docs", name="*.html"):
        assert not re.search(r"%\+[.]", path.read_text(encoding="utf-8")), f"{path}: write | signed(2) instead"
    negative = re.compile(r"(?<![\w.])[-\u2212]0(\.0+)?(?!\w|\.\d)")
    assert negative.search("it is -0.00.") and not negative.search("-0.01, 1.-0.5 and 2-0")
    shown = [*files("docs", name="*.md"), *files("results", name="*.json"), ROOT / "README.md"]
    assert not [str(path) for path in shown if negative.search(path.read_text(encoding="utf-8"))]


def test_mean_with_its_interval_has_the_same_names_in_every_file():
    found = Estimate.symmetric(1.5, 0.25, 8)
    assert found.as_numbers() == {"mean": 1.5, "low": 1.25, "high": 1.75, "n": 8}
    assert Estimate.of(found.as_numbers()) == found
    assert Interval.model_validate(found.as_numbers()).model_dump() == found.as_numbers()
    alone = estimate(np.array([2.0])).as_numbers()
    assert alone == {"mean": 2.0, "low": None, "high": None, "n": 1}
    assert not Estimate.of(alone).has_interval
    assert Interval.model_validate(alone).estimate.half_width == np.inf
    assert Interval.model_validate(found.as_numbers()).estimate.half_width < np.inf
    assert interval(np.nan, np.nan, np.nan, 1) == dict(zip(KEYS, (None, None, None, 1), strict=True))
    with pytest.raises(ValueError, match="low and high are no interval"):
        Interval(mean=0.0, low=1.0, high=None, n=2)
    with pytest.raises(ValueError, match="low and high are no interval"):
        Interval(mean=0.0, low=0.001, high=0.0, n=2)
    assert Interval(mean=0.0, low=0.0, high=0.0, n=2).estimate.half_width == 0


def figures_in(content: object, where: str) -> Iterator[tuple[str, dict]]:
    """Every dict with a mean, and where it stands."""
    if isinstance(content, dict):
        if "mean" in content and "played" not in content:  # notes on moves have the mean of a search
            yield where, content
        for name, each in content.items():
            yield from figures_in(each, f"{where}/{name}")
    elif isinstance(content, list):
        for place, each in enumerate(content):
            yield from figures_in(each, f"{where}/{place}")


def test_shipped_files_use_the_names_of_figures():
    results = files("results", name="*.json")
    found = [each for path in results for each in figures_in(json.loads(path.read_text("utf-8")), path.name)]
    assert len(found) > 1000
    wrong = [where for where, each in found if not each.keys() >= set(KEYS) or "half_width" in each]
    assert not wrong
    ends = [(where, each["low"], each["mean"], each["high"], each["n"]) for where, each in found if each["low"]]
    assert not [where for where, low, mean, high, n in ends if not low <= mean <= (mean if high is None else high)]
    assert all(n > 1 or mean in (0, 1) for _, _, mean, _, n in ends)  # a share has an interval after one case too


def test_intervals_over_two_runs_cover_the_mean():
    values = np.array([100.0, 1, 2, 3, 4, 5, 6, -100])
    assert trimmed(values).mean == 3.5 and trimmed(values, 0)[:3] == pytest.approx(estimate(values, runs=True)[:3])
    assert estimate(values, runs=True)[1:3] == pytest.approx(
        scipy.stats.t.interval(0.95, 7, values.mean(), scipy.stats.sem(values))
    )
    assert t_test(values, runs=True) == pytest.approx(scipy.stats.ttest_1samp(values, 0).pvalue)
    rng = np.random.default_rng(0)
    for count, cut in ((2, 0.0), (2, 0.25), (3, 0.0), (8, 0.25), (20, 0.0)):
        intervals = [trimmed(values, cut) for values in rng.normal(size=(1000, count))]
        assert 0.92 <= np.mean([each.low <= 0 <= each.high for each in intervals]) <= 0.97
    assert not any(
        estimate(np.ones(count), runs=True).has_interval or trimmed(np.ones(count)).has_interval for count in (1, 2)
    )


def test_superiority_is_the_share_of_pairs_above():
    ours, theirs = np.array([1.0, 2, 3]), np.array([0.0, 2])
    above = [1.0 if our > their else 0.5 if our == their else 0.0 for our in ours for their in theirs]
    assert superiority(ours, theirs).mean == pytest.approx(np.mean(above))
    always, never = superiority(ours + 10, theirs), superiority(ours - 10, theirs)
    assert always.mean == always.high == 1 and 0.3 < always.low < 0.6  # six pairs are not certain
    assert never[:3] == pytest.approx((0, 0, 1 - always.low))
    alike = superiority(ours, ours)
    assert alike.mean == 0.5 and alike.low == pytest.approx(1 - alike.high) and alike.low < 0.2
    rng, true = np.random.default_rng(0), scipy.stats.norm.cdf(1 / 2**0.5)
    intervals = [superiority(rng.normal(1, size=4), rng.normal(size=4)) for _ in range(500)]
    assert 0.92 <= np.mean([each.low <= true <= each.high for each in intervals]) <= 0.98
    for one, other in ((ours[:1], theirs), (ours, theirs[:1])):
        single = superiority(one, other)
        assert single.samples == 1 and not single.has_interval


@pytest.mark.parametrize("hits", [40, 20, 1])
def test_p_of_a_share_is_that_of_the_share_of_misses(hits):
    """Also far from the share, where one less a number next to one would be zero."""
    one, other = Cases(hits, 500, 500).p_value(0.5), Cases(500 - hits, 500, 500).p_value(0.5)
    assert one == pytest.approx(other) == pytest.approx(scipy.stats.binomtest(hits, 500).pvalue, rel=1e-6)
    assert one > 0


def test_figure_is_on_a_side_of_a_threshold_that_it_does_not_reach():
    assert [Estimate(1, 0.5, 2, 9).side(threshold) for threshold in (0.4, 0.5, 2, 2.1)] == [1, 0, 0, -1]
    assert [Estimate(1, 0.5, 2, 9).side(Estimate(0, low, high, 9)) for low, high in ((0, 0.4), (0, 0.5), (3, 4))] == [
        1,
        0,
        -1,
    ]
    assert -Estimate(1, 0.5, 2, 9) == Estimate(-1, -2, -0.5, 9)
    assert NOTHING.side() == 0


def test_p_of_a_share_far_from_the_claimed_one_is_a_float_above_zero():
    # A number of NumPy compares with () as an array, which is neither true nor false, where a verdict is written.
    explained = Explained.of(0.5, Estimate.symmetric(0.5, 0.001, 1000))
    for p in (explained.p_value(0.0), explained.p_value(0.9), Cases(2, 500, 500).p_value(0.5)):
        assert type(p) is float and 0 < p < 1e-10, p
