"""Deals that are dealt to order: as likely as by rejection, and with what was asked."""

import itertools
from collections import Counter

import numpy as np
import pytest
import scipy

from gupai_agents.evaluation.claims import Sampler
from gupai_agents.evaluation.claims.policies import Policy
from gupai_agents.evaluation.claims.schema import Condition, Partner, Population
from gupai_agents.evaluation.claims.setting import differ
from gupai_env.core.tiles import PIPS, count, tiles_in
from gupai_env.games import get_game
from gupai_env.vector import VectorEnv
from readings import FOUR_TWOS, JIE_LONG


def deals_of(population, number=4096, game=JIE_LONG, stream=7, first=0, **options):
    """States of some deals of a population, and the seats in question."""
    variant = game.variant(**options)
    sampler = Sampler(game, variant, population)
    envs = VectorEnv(game, number, observe=False, renew=False, **options)
    seats = sampler.deal(envs, stream, first)
    return sampler, envs.states.copy(), seats


def with_number(hand: int, number: int = 2) -> int:
    return sum(number in PIPS[kind] for kind in tiles_in(int(hand)))


def test_hand_probability_equals_counting_all_hands():
    deck = list(JIE_LONG.deck(JIE_LONG.variant(deck="tiny", players=2).as_rules()))
    hands = list(itertools.combinations(deck, 3))
    population = Population(
        hand=[Condition(feature="carrying", number=3, at_least=2), Condition(feature="doubles", at_most=1)]
    )
    found = Sampler(JIE_LONG, JIE_LONG.variant(deck="tiny", players=2), population)
    meeting = [
        hand
        for hand in hands
        if sum(3 in PIPS[kind] for kind in hand) >= 2 and sum(PIPS[kind, 0] == PIPS[kind, 1] for kind in hand) <= 1
    ]
    assert found.probability == pytest.approx(len(meeting) / len(hands))


def test_two_hand_probability_equals_counting_all_pairs():
    options = {"deck": "tiny", "players": 2}
    deck = list(JIE_LONG.deck(JIE_LONG.variant(**options).as_rules()))
    some = [Condition(feature="carrying", number=3, at_least=1)]
    both = [Condition(feature="carrying", number=3, at_least=3)]
    population = Population(hand=some, partner=Partner(away=1, hand=some, together=both))
    total = met = 0
    for hand in itertools.combinations(range(len(deck)), 3):
        for other in itertools.combinations(set(range(len(deck))) - set(hand), 3):
            one, two = (sum(3 in PIPS[deck[at]] for at in held) for held in (hand, other))
            total += 1
            met += one >= 1 and two >= 1 and one + two >= 3
    assert Sampler(JIE_LONG, JIE_LONG.variant(**options), population).probability == pytest.approx(met / total)


def test_deals_to_order_are_distributed_as_by_rejection():
    sampler, states, seats = deals_of(FOUR_TWOS, 10_000)
    rows = np.arange(len(seats))
    envs = VectorEnv(JIE_LONG, 100_000, seed=3, observe=False)

    def holding(hands, number=2):
        return sum(count(hands, kind) for kind, pips in enumerate(PIPS) if number in pips)

    kept = holding(envs.states.hands[:, 0]) >= 4
    assert float(sampler.probability) == pytest.approx(kept.mean(), rel=0.05)

    def summaries(own, next_one):
        return Counter(zip(holding(own).tolist(), holding(own, 6) // 2, holding(next_one, 5) // 2, strict=True))

    drawn = summaries(states.hands[rows, seats], states.hands[rows, (seats + 1) % 4])
    rejected = summaries(envs.states.hands[kept, 0], envs.states.hands[kept, 1])
    common = [each for each in drawn if drawn[each] >= 20 and rejected[each] >= 5]
    table = np.array([[drawn[each] for each in common], [rejected[each] for each in common]])
    assert len(common) > 10
    assert scipy.stats.chi2_contingency(table).pvalue > 0.001


def test_deals_to_order_meet_the_condition_at_every_seat():
    _, states, seats = deals_of(FOUR_TWOS)
    assert all(with_number(hand) >= 4 for hand in states.hands[np.arange(len(seats)), seats])
    deck = sorted(JIE_LONG.deck(JIE_LONG.variant().as_rules()).tolist())
    for row in range(50):
        assert sorted(kind for hand in states.hands[row] for kind in tiles_in(int(hand))) == deck
    assert scipy.stats.chisquare(np.bincount(seats, minlength=4)).pvalue > 0.001
    assert scipy.stats.chisquare(np.bincount(states.leader, minlength=4)).pvalue > 0.001


def test_hand_dose_is_dealt_from_its_lowest_to_its_highest_value():
    doses = {"feature": "carrying", "number": 2, "values": ["3", "4-5", "6+"]}
    players = {"treated": "+attack_2=40", "baseline": "variety", "panel": ["greedy"]}
    reading = Policy(name="x", kind="policy", margin=0.5, doses=doses, **players).placed(JIE_LONG, JIE_LONG.variant())
    held = []
    for dose in reading.doses.doses:
        _, states, seats = deals_of(reading.population_at(dose))
        held.append({with_number(states.hands[row, seat]) for row, seat in enumerate(seats)})
    assert held == [{3}, {4, 5}, {6, 7}]
    _, states, seats = deals_of(reading.population_at(None))
    assert {with_number(states.hands[row, seat]) for row, seat in enumerate(seats)} == {3, 4, 5, 6}  # seven are rarer


def test_deal_does_not_depend_on_how_many_are_drawn():
    _, many, seats = deals_of(FOUR_TWOS, 300)
    _, few, some = deals_of(FOUR_TWOS, 50, first=100)
    assert not differ(many[100:150], few).any()
    assert (seats[100:150] == some).all()


def test_partner_is_dealt_the_condition_on_both():
    two = [Condition(feature="carrying", number=2, at_least=2)]
    six = [Condition(feature="carrying", number=2, at_least=6)]
    _, states, seats = deals_of(Population(hand=two, partner=Partner(away=2, hand=two, together=six)), 200)
    for row, seat in enumerate(seats.tolist()):
        own, other = with_number(states.hands[row, seat]), with_number(states.hands[row, (seat + 2) % 4])
        assert min(own, other) >= 2
        assert own + other >= 6


@pytest.mark.parametrize("game", ["da-ling", "tiu-u", "small-mahjong"])
def test_hands_to_order_work_with_a_table_a_lake_and_a_wall(game):
    game = get_game(game)
    _, states, seats = deals_of(Population(hand=[Condition(feature="doubles", at_least=3)]), 50, game)
    for row, seat in enumerate(seats.tolist()):
        doubles = sum(PIPS[kind, 0] == PIPS[kind, 1] for kind in tiles_in(int(states.hands[row, seat])))
        assert doubles >= 3
