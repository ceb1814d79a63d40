"""The search for a card: what it judges is what the card plays, and it finds what is there to be found."""

import numpy as np
import pytest

from benchmarks.card_search import Budget, Sample, find_card, fitted, sampled
from gupai_agents import make_agent
from gupai_agents.players.card import CardAgent, rule_in_words
from gupai_env import get_game

JIE_LONG = get_game("jie-long")
VARIANT = JIE_LONG.variant()


@pytest.fixture(scope="module")
def sample():
    players = [make_agent(name, JIE_LONG) for name in ("tuned", "random")]
    rng = np.random.default_rng(2)
    batch = sampled(JIE_LONG, VARIANT, players, [0.5, 0.5], 400, 7, rng)
    return Sample(JIE_LONG, batch, make_agent("tuned", JIE_LONG)), batch


def test_rules_are_judged_by_the_moves_that_their_card_leaves(sample):
    decisions, batch = sample
    rng, values = np.random.default_rng(3), make_agent("tuned", JIE_LONG).scores(batch)
    losses = np.where(batch.masks, values, -np.inf).max(1, keepdims=True) - np.where(batch.masks, values, 0)
    for _ in range(20):
        rules = [decisions.random_rule(rng) for _ in range(4)]
        assert all(len(rule_in_words(JIE_LONG, rule)) < 99 for rule in rules)
        shares = CardAgent(JIE_LONG, "card", rules).probabilities(batch)
        assert decisions.loss(rules) == pytest.approx((shares * losses).sum(1).mean(), abs=1e-6)
        (loss, rule), *_ = decisions.insertions(rules[:3], 1, [rules[3]], rng)
        assert rule == rules[3]
        assert loss == pytest.approx(decisions.loss([rules[0], rules[3], *rules[1:3]]), abs=1e-9)


def test_rules_of_the_strong_player_are_found(sample):
    decisions, _ = sample
    rules = fitted(decisions, [], 25, np.random.default_rng(4))
    assert decisions.loss(rules) < 0.4 * decisions.loss([])
    assert fitted(decisions, [], 25, np.random.default_rng(4)) == rules


def test_same_seed_finds_the_same_card():
    budget = Budget(decisions=200, rounds=2, steps=4)
    cards = [find_card(JIE_LONG, VARIANT, budget, seed) for seed in (1, 1, 2)]
    assert cards[0] == cards[1] != cards[2]
