"""Control variates: adjusted duels have the expectation of plain ones, honest intervals, and need fewer deals."""

import numpy as np
import pytest

from benchmarks.variates import drawn
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.match import proxy_variates
from gupai_agents.evaluation.statistics import estimate
from gupai_agents.evaluation.variates import MORE, Variates

PROXIES = ["random", "greedy", "card"]


def test_adjusted_means_of_skewed_chips_are_unbiased_and_covered():
    """A regression that has seen the deal which it adjusts gives means that are off by eleven standard errors here."""
    rng, size, samples = np.random.default_rng(1), 40, 2000
    adjusted, plain = [], []
    for _ in range(samples):
        here, elsewhere = (rng.exponential(size=(number, 2)) for number in (size, MORE * size))
        chips = here[:, 0] ** 2 + rng.normal(size=size)  # of mean 2
        adjusted.append(Variates(here, elsewhere).estimate(chips))
        plain.append(estimate(chips))
    means = np.array([mean for mean, *_ in adjusted])
    assert abs(means.mean() - 2) < 4 * means.std() / samples**0.5
    assert means.std() < 0.7 * np.std([mean for mean, *_ in plain])
    covered = [np.mean([low <= 2 <= high for _, low, high, *_ in means]) for means in (adjusted, plain)]
    assert covered[0] > min(covered[1], 0.94)


@pytest.mark.parametrize(("game", "share"), [("jie-long", 0.7), ("tiu-u", 0.9), ("deer-hunt", 0.9), ("pai-gow", 0.7)])
def test_adjusted_duels_need_fewer_deals_and_keep_their_coverage(game, share):
    result = duel(game, "tuned", "greedy", 1000, seed=3, proxies=PROXIES)
    assert result.variates is not None
    assert result.adjusted_mean().half_width ** 2 < share * result.mean(0).half_width ** 2
    covered, bias = drawn(result.chips[:, :, 0].mean(1), result.variates.here, 1000, 120, 1)
    assert 0.93 < covered < 0.975
    assert abs(bias) < 4


@pytest.mark.parametrize("game", ["jie-long", "tiu-u"])
def test_variates_are_duels_of_proxies_in_the_same_deals_and_in_others(game):
    variates, elsewhere = proxy_variates(game, PROXIES, 120, seed=5), MORE * 120
    alone = duel(game, "random", "greedy", elsewhere, seed=5).chips[:, :, 0].mean(1)
    assert (variates.here[:, 0] == alone[:120]).all()
    assert variates.elsewhere.shape == (elsewhere, variates.here.shape[1])
    assert not (variates.elsewhere[:, 0] == alone).all()
    assert variates.elsewhere[:, 0].mean() == pytest.approx(alone.mean(), abs=4 * estimate(alone).half_width)


def test_wholly_explained_duel_has_the_interval_of_the_proxies_other_deals():
    result = duel("jie-long", "greedy", "random", 200, seed=2, proxies=["random", "greedy"])
    assert result.variates is not None
    expected = estimate(result.variates.elsewhere[:, 1])
    assert result.adjusted_mean()[:3] == pytest.approx(expected[:3])
    itself = duel("jie-long", "tuned", "tuned", 200, seed=2, proxies=["random", "greedy"]).adjusted_mean()
    assert itself.mean == 0 and not itself.has_interval


def test_duels_that_cannot_be_adjusted_are_refused_in_one_line():
    for proxies, deals, message in (
        (["greedy"], 200, "one proxy has nobody to play against"),
        (["greedy", "greedy"], 200, "one proxy has nobody to play against"),
        (PROXIES, 119, "119 deals for 6 control variates; play 120 or more"),
        (["greedy", "greedi"], 200, "did you mean greedy"),
        ("greedy", 200, "proxies"),
    ):
        with pytest.raises(ValueError, match=message):
            duel("jie-long", "tuned", "greedy", deals, proxies=proxies)
    with pytest.raises(ValueError, match="name proxies"):
        duel("jie-long", "tuned", "greedy", 10).adjusted_mean()
