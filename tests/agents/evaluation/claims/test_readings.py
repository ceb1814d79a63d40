"""Readings of all kinds: their work, their panel and their doses."""

import numpy as np
import pytest

from gupai_agents.evaluation.claims import claim_of, policies, verdicts
from gupai_agents.evaluation.claims.effects import sentence_of
from gupai_agents.evaluation.claims.players import UNSKILLED
from gupai_agents.evaluation.claims.policies import Pairs
from gupai_agents.evaluation.claims.readings import MASTERS_TAKE
from readings import YES, a_reading, changed, levels, policy_with, setting

TWOS = {"feature": "carrying", "number": 2, "values": [3, 4, "5+"]}


def test_doses_are_dealt_to_order_and_each_has_a_verdict(monkeypatch):
    """Three 2s lose 2 chips, four gain or lose nothing, five or more win 4."""
    truth, played = {3: -2.0, 4: 0.0, 5: 4.0}, []

    def pairs(setting, reading, sampler, member, number, first, deals, total=None):
        played.append((number, float(sampler.probability)))
        gains = truth[2 + number // 100] + np.resize([1.0, -1.0], deals)
        return Pairs(gains, gains != 9, np.zeros((deals, 0), int))

    monkeypatch.setattr(policies, "pairs_in", pairs)
    reading = policy_with((), doses=TWOS, panel=["greedy", "random", "best"])
    found = reading.test(setting(400))
    assert found.verdict == verdicts.DEPENDS
    assert found.headline == "supported from five; with four it matters little; with three it costs 2.0"
    assert [level.verdict for level in found.doses] == ["contradicted", "no practical effect", "supported"]
    assert [[effect.label for effect in level.effects] for level in found.doses] == [["greedy", "random", "best"]] * 3
    assert len({number for number, _ in played}) == 9
    assert sum(level.frequency for level in found.doses) == pytest.approx(sum({share for _, share in played}))
    assert [level.pooled.effect.samples for level in found.doses] == [800] * 3  # random does not count
    assert found.p < 1e-6
    truth.update({3: 4.0, 4: 4.0})
    found = reading.test(setting(400))
    assert (found.verdict, found.headline) == (verdicts.SUPPORTED, verdicts.SUPPORTED)


def test_dose_of_the_position_is_read_off_the_deals_that_have_it(monkeypatch):
    def pairs(setting, reading, sampler, member, number, first, deals, total=None):
        place = np.resize([0, 1, 2, 3], deals)
        return Pairs(np.where(place == 0, 3.0, 0.0) + np.repeat([1.0, -1.0], deals // 2), place >= 0, place[:, None])

    monkeypatch.setattr(policies, "pairs_in", pairs)
    reading = policy_with(doses={"feature": "place", "values": ["0", "1-3"]})
    found = reading.test(setting(800))
    assert found.headline == "supported with 0; with one to three it matters little"
    first, rest = found.doses
    assert (first.pooled.effect.samples, rest.pooled.effect.samples) == (200, 600)
    assert rest.frequency == pytest.approx(3 * first.frequency)
    assert [reading.test(setting(deals)).doses[0].verdict for deals in (796, 196)] == [
        verdicts.TOO_RARE,
        verdicts.TOO_FEW,
    ]


def test_doses_that_agree_are_as_sure_as_the_least_sure():
    reading = policy_with(doses={"feature": "place", "values": ["1", "2"]})
    for said, chance in (
        ((YES, ("supported", 1.0, 0.9)), max),
        ((("contradicted", -1.0, 0.6), ("supported", 1.0, 0.9)), min),
    ):
        some = levels(*said)
        p = [level.pooled.p for level in some]
        assert reading.dose_finding(some, "it").p == pytest.approx(chance(p) * (2 if chance is min else 1), rel=1e-9)
        assert 2 * min(p) < max(p)


def test_actions_that_never_occur_have_no_effect_and_no_bounds():
    found = policy_with().effect("greedy", np.zeros(0), 900)
    assert (found.label, found.verdict, found.p, found.counted) == ("greedy", verdicts.TOO_RARE, 1.0, True)
    assert found.estimate.as_numbers() == {"mean": None, "low": None, "high": None, "n": 900}
    assert not policy_with().effect(UNSKILLED, np.zeros(0), 900).counted
    assert verdicts.judge(found.estimate, 0.5, "greater") == verdicts.Judged(verdicts.TOO_RARE)
    assert verdicts.p_value(found.estimate) == 1.0
    assert sentence_of(found.estimate, 0.5, "the trait") == "The trait did not occur in 900 deals."


def test_search_counts_as_200_heuristics_and_a_network_as_20():
    panel = ["greedy", "search:playouts=9", "best"]

    def weights(content, **chosen):
        return claim_of(content).readings[0].weights(**{"masters": False, **chosen})

    policy, rate = changed(panel=panel), a_reading(kind="rate", metric="chips", panel=panel, deals=30)
    assert weights(policy, deals=100) == [200, 40_000, 4000]  # each deal is played both ways
    assert weights(policy, deals=None) == [2000, 400_000, 40_000]
    assert weights(policy, deals=100, masters=True) == [200, 40_000, 4000, MASTERS_TAKE]
    assert weights(rate, deals=None) == [30, 6000, 600]
    rate["readings"][0]["against"] = {}
    assert weights(rate, deals=10) == [20, 4000, 400]
    doses = changed(panel=["greedy"], doses={"feature": "carrying", "number": 2, "values": [3, 4]}, population={})
    assert weights(doses, deals=100) == [200, 200]
