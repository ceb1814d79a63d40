"""Redeals: luck has expectation zero, adjusted duels need fewer deals, and their intervals hold."""

import numpy as np
import pytest

from benchmarks.redeals import drawn
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.statistics import estimate, estimate_adjusted
from gupai_agents.play.workers import workers_for


def test_adjusted_means_of_skewed_values_are_unbiased_and_covered():
    """A regression that has seen the value which it adjusts gives means that are far off here."""
    rng, size, samples, adjusted, plain = np.random.default_rng(1), 40, 2000, [], []
    for _ in range(samples):
        luck = rng.exponential(size=size) - 1
        values = luck**2 + rng.normal(size=size)  # of mean 1
        adjusted.append(estimate_adjusted(values, luck))
        plain.append(estimate(values))
    means, coverage = (
        np.array([mean for mean, *_ in adjusted]),
        [np.mean([low <= 1 <= high for _, low, high, *_ in estimates]) for estimates in (adjusted, plain)],
    )
    assert abs(means.mean() - 1) < 4 * means.std() / samples**0.5
    assert means.std() < 0.9 * np.std([mean for mean, *_ in plain])
    assert coverage[0] > min(coverage[1], 0.94)
    values, luck = np.arange(19.0), np.arange(19.0)
    assert estimate_adjusted(values, luck) == estimate(values)  # too few to fit anything


@pytest.mark.parametrize(("game", "share"), [("jie-long", 0.65), ("small-mahjong", 0.4)])
def test_adjusted_duels_need_fewer_deals_and_keep_their_coverage(game, share):
    result = duel(game, "tuned", "greedy", 1500, seed=3, redeals=64)
    assert result.luck is not None and result.luck.shape == result.chips.shape[:2]
    chips, luck = result.chips[:, :, 0].mean(1), result.luck.mean(1)
    assert abs(luck.mean()) < 4 * estimate(luck).error
    assert result.adjusted_mean().half_width ** 2 < share * result.mean(0).half_width ** 2
    covered, bias = drawn(chips, luck, 1000, 100, 1)
    assert 0.93 < covered < 0.975
    assert abs(bias) < 4


def test_duel_with_redeals_is_the_same_duel_whoever_plays_it():
    alone = duel("jie-long", "card", "greedy", 40, seed=2, redeals=4)
    assert (alone.chips == duel("jie-long", "card", "greedy", 40, seed=2).chips).all()
    workers = workers_for(2)
    try:
        shared = duel("jie-long", "card", "greedy", 40, seed=2, redeals=4, workers=workers)
    finally:
        workers.close()
    assert (shared.luck == alone.luck).all() and alone.luck.any()
    few = duel("jie-long", "card", "greedy", 10, seed=2, redeals=4)
    assert (few.luck == alone.luck[:10]).all()


def test_hero_without_departures_has_no_luck():
    itself = duel("jie-long", "tuned", "tuned", 30, redeals=4)
    assert not itself.luck.any() and not itself.adjusted_mean().has_interval


@pytest.mark.parametrize(
    ("villain", "redeals", "options", "message"),
    [
        ("best", 4, {}, "a heuristic or random, not best"),
        ("greedy", -1, {}, "redeals=-1 is not allowed"),
        ("greedy", 4, {"deals": 2}, "redeals need matches of one deal"),
        ("greedy", 0, {}, "there were no redeals"),
    ],
)
def test_duels_that_cannot_be_adjusted_are_refused_in_one_line(villain, redeals, options, message):
    with pytest.raises(ValueError, match=message) as refusal:
        duel("jie-long", "tuned", villain, 20, redeals=redeals, **options).adjusted_mean()
    assert "\n" not in str(refusal.value)
