"""What designs of claims do with what has been played: figures made up, so that each can be worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from gupai_agents.evaluation.claims import Sampler, actions, features, policies, rates, verdicts
from gupai_agents.evaluation.claims.actions import Action
from gupai_agents.evaluation.claims.policies import Pairs, Policy
from gupai_agents.evaluation.claims.rates import Rate
from gupai_agents.evaluation.claims.schema import Condition, Population
from gupai_agents.evaluation.claims.setting import PILOT, Choice, DealSource, Forks
from gupai_agents.evaluation.statistics import estimate
from gupai_env import get_game
from gupai_env.games.claims import Positions
from gupai_env.games.connecting.claims import unseen
from readings import BASE, JIE_LONG, policy_with, setting

# --- rates ----------------------------------------------------------------------------------------


def test_rate_is_as_sure_as_with_the_least_sure_player(monkeypatch):
    def rated(values):
        return verdicts.Rated(estimate(values))

    def judged(name):
        return verdicts.judge_rate(estimate(made[name]), 0.5, "greater")

    generator = np.random.default_rng(4)
    made = {name: generator.normal(mean, 2, 400) for name, mean in (("greedy", 1.0), ("variety", 0.55), ("random", -9))}
    monkeypatch.setattr(rates, "_rated", lambda s, r, sampler, m, seated, n, d: rated(made[seated[0]]))
    reading = Rate(**BASE, kind="rate", metric="chips", panel=list(made), threshold=0.5)
    found = reading.placed(JIE_LONG, JIE_LONG.variant()).test(setting())
    assert found.verdict == verdicts.INCONCLUSIVE
    each = [rated(made[name]).p_beyond(0.5) for name in ("greedy", "variety")]
    assert found.p == max(each) > 0.05 > min(each)
    assert found.deals_needed == max(judged(name).deals_needed or 0 for name in ("greedy", "variety"))
    made["greedy"], made["variety"] = np.resize([-1.4, 2.6], 400), np.resize([-1.45, 2.55], 400)
    found = reading.test(setting())
    assert found.verdict == verdicts.INCONCLUSIVE
    needed = [judged(name).deals_needed for name in ("greedy", "variety")]
    assert found.deals_needed == max(needed) > min(needed) > 0
    made["greedy"] += 5
    made["variety"] += 5
    found = reading.test(setting())
    assert (found.verdict, found.deals_needed) == (verdicts.SUPPORTED, None)
    assert [effect.counted for effect in found.effects] == [True, True, False]


# --- policies -------------------------------------------------------------------------------------


def test_policy_continues_its_pilot_in_separate_streams(monkeypatch):
    played = []

    def pairs(setting, reading, sampler, member, number, first, deals, total=None):
        played.append((member, number, first, deals))
        gains = np.resize([2.0, 0.0], deals) * (1 + number % 2)
        return Pairs(gains, gains != 0, np.zeros((deals, 0), int))

    monkeypatch.setattr(policies, "pairs_in", pairs)
    reading = policy_with(panel=["greedy", "variety"])
    found = reading.test(setting(1200))
    assert played == [
        (member, number, first, deals)
        for number, member in enumerate(("greedy", "variety"))
        for first, deals in ((0, PILOT), (PILOT, 1200 - PILOT))
    ]
    assert [effect.estimate.mean for effect in found.effects] == [1.0, 2.0]
    assert [effect.changed for effect in found.effects] == [0.5, 0.5]
    assert found.frequency == float(Sampler(JIE_LONG, JIE_LONG.variant(), reading.population).probability)
    assert 0 < found.frequency < 1
    assert found.per_hundred == pytest.approx(100 * found.frequency * found.pooled.effect.mean)


# --- actions --------------------------------------------------------------------------------------


def acting(**more):
    condition = [Condition(feature="double")]
    reading = Action(**BASE, kind="action", action=condition, comparator="uniform", margin=0.5, **more)
    return reading.placed(JIE_LONG, JIE_LONG.variant())


def test_action_is_judged_by_deals_and_counted_by_positions(monkeypatch):
    """Two positions in each of 300 deals of 1,000, for two players of whom one does not count."""
    by_deal = 1.0 + np.resize([0.0, 0.2], 300)
    by_position = np.repeat(by_deal, 2)
    of = np.repeat(np.arange(300), 2)
    taken = actions.ActionGains(by_deal, by_position, np.zeros((600, 0), int), of, np.zeros((600, 3), int), 1000)
    monkeypatch.setattr(actions, "action_gains", lambda *_: taken)
    found = acting(panel=["greedy", "random"]).test(setting(1000))
    assert found.frequency == pytest.approx(600 / (1000 * 4))
    assert found.per_hundred == pytest.approx(100 * 600 * 1.1 / (1000 * 4))
    assert [effect.estimate for effect in found.effects] == [estimate(by_deal)] * 2
    hand = [Condition(feature="carrying", number=2, at_least=4)]
    dealt = acting(panel=["greedy"], population=Population(hand=hand))
    share = float(Sampler(JIE_LONG, JIE_LONG.variant(), dealt.population).probability)
    assert dealt.test(setting(1000)).frequency == pytest.approx(0.6 * share)


def test_action_gain_in_a_deal_is_the_mean_of_its_positions(monkeypatch):
    states = np.zeros(5, [("moves", int)]).view(np.recarray)
    states.moves[:] = [3, 4, 5, 6, 7]
    found = Forks(states, np.arange(5), np.arange(5) + 10, np.array([2, 2, 7, 9, 9]))
    monkeypatch.setattr(actions, "forks", lambda *_: [found])
    monkeypatch.setattr(actions, "gains", lambda *_: np.array([1.0, 3.0, -4.0, 0.0, 5.0]))
    monkeypatch.setattr(actions, "group_values", lambda setting, states, _: np.zeros((len(states), 0), int))
    at = setting(10)
    sampler = Sampler(JIE_LONG, at.variant, Population())
    taken = actions.action_gains(at, sampler, "greedy", 0, Choice([], [], [], "uniform"), 10)
    assert taken.by_deal.tolist() == [2.0, -4.0, 2.5]
    assert taken.gains.tolist() == [1.0, 3.0, -4.0, 0.0, 5.0]
    assert taken.deal_numbers.tolist() == [2, 2, 7, 9, 9]
    assert taken.choices.tolist() == [[move, move - 3, move + 7] for move in range(3, 8)]


# --- features of positions ------------------------------------------------------------------------


def test_position_features_mean_what_their_names_say():
    variant = SimpleNamespace(players=4)
    states = SimpleNamespace(
        turn=np.array([0, 3, 4, 7, 8]),
        passes=np.array([0, 2, 3, 3, 4]),
        last_player=np.array([1, 1, 1, 0, 1]),
        to_act=np.array([1, 1, 1, 1, 1]),
        leader=np.array([1, 2, 3, 0, 1]),
        ends=np.array([[0, 0], [2, 0], [0, 2], [2, 2], [3, 1]]),
    )
    at = SimpleNamespace(variant=variant, states=states)

    def value(name, number=0):
        return features.position_features_of(JIE_LONG)[name].values(at, number).tolist()

    assert value("lead") == [1, 0, 0, 0, 0]
    assert value("all_discarded") == [0, 0, 1, 0, 1]
    assert value("place") == [0, 3, 2, 1, 0]
    assert value("open", 2) == [0, 1, 1, 1, 0]


def acted(game, feature, tiles, *moves, number=0):
    """The names of the legal actions that have a feature, in a position."""
    position = get_game(game).positions.from_tiles(**tiles).play(*moves)
    at = Positions(position.game, position.variant, position.states, position.mask()[None])
    found = features.action_features_of(position.game)[feature].has(at, number) & at.masks
    return [position.game.action_names[action] for action in np.flatnonzero(found[0])]


def test_action_features_mean_what_their_names_say():
    led = {"hands": ["66 31", "64 52", "41 51", "33 22"], "leader": 1}
    assert acted("jie-long", "heaviest", led, "[6:4]") == ["[4:1]", "discard [5:1]"]  # of those with one verb
    assert acted("jie-long", "heaviest", led, "[6:4]", "[4:1]") == ["discard [3:3]"]  # nothing can be laid
    lake = {"hands": ["66 22 31", "11"], "lake": "66 66 33 33 33 22"}
    assert acted("shi-wu-hu", "third", lake) == ["lay [6:6]"]  # the fourth [3:3] and the second [2:2] are none


HIGHER = ["66 66 11 11 44", "44 31 31 63 54"]  # all civil tiles above [5:5], and two nines
REST = ["55 22 65 64 61", "51 53 52 43 21"]


@pytest.mark.parametrize(
    ("last_hand", "played", "discards", "doubted"),
    [
        ("62 64 32", HIGHER, ["", ""], []),  # all see that nothing beats [5:5]
        ("62 64 32", ["", HIGHER[1]], [HIGHER[0], ""], []),  # the leader knows it
        ("62 64 32", [HIGHER[0], ""], ["", HIGHER[1]], ["[5:5]"]),
        ("62 64 31", [HIGHER[0], ""], ["", "44 32 31 63 54"], []),  # a hand does beat it
    ],
)
def test_tien_gow_lead_that_only_a_discard_would_beat_is_doubted(last_hand, played, discards, doubted):
    hands = ["55 51 61", "33 22 42", "65 41 33", last_hand]
    led = {"hands": hands, "played": [*played, "", ""], "discards": [*discards, *REST]}
    assert acted("tien-gow", "leads_doubted", led) == doubted


def test_tien_gow_seat_that_follows_leads_nothing_that_is_doubted():
    hands = ["51 61 22", "55 33 42", "65 41 33", "62 64 32"]
    led = {"hands": hands, "played": ["", HIGHER[1], "", ""], "discards": [HIGHER[0], "", *REST]}
    assert acted("tien-gow", "leads_doubted", led | {"leader": 1}) == ["[3:3]", "[5:5]"]
    assert acted("tien-gow", "leads_doubted", led, "[5:1]") == []


def test_tien_gow_seat_before_has_discarded_only_to_this_trick():
    hands = ["55 51 61", "33 22 42", "65 41 33", "62 64 32"]
    position = get_game("tien-gow").positions.from_tiles(hands)
    before = []
    for move in ("", "[5:1]", "discard [2:2]", "[6:5]", "discard [6:2]"):
        position = position.play(move) if move else position
        at = Positions(position.game, position.variant, position.states, position.mask()[None])
        before += features.position_features_of(position.game)["before_discarded"].values(at, 0).tolist()
    assert before == [0, 0, 1, 0, 0]


@pytest.mark.parametrize(
    ("hands", "trick", "sure"),
    [
        (["11 22", "22 21", "33", "55"], "54 66", 0),  # an opponent takes it
        (["11 61", "22", "63", "65"], "54 64 32", 1),  # the partner does, and nobody plays after
        (["11 22", "22 33", "55", "33"], "66 54", 1),  # nobody can beat it
        (["11 22", "22 66", "55", "33"], "65 54", 0),  # the next player may
    ],
)
def test_partner_is_sure_of_a_trick_that_nobody_can_take(hands, trick, sure):
    game = get_game("deer-hunt")
    position = game.positions.from_tiles(hands, trick, to_act=0, leader=-len(trick.split()) % 4)
    at = Positions(game, position.variant, position.states, position.mask()[None])
    assert features.position_features_of(game)["partner_sure"].values(at, 0).tolist() == [sure]


def test_unseen_tiles_are_not_in_hand_on_table_or_discarded():
    source = DealSource(Sampler(JIE_LONG, JIE_LONG.variant(), Population()), 3)
    envs = source.resume(next(source.blocks(0, 40)).states)
    for key in range(17):
        envs.step(envs.sample(key))
    states = envs.states
    at = Positions(JIE_LONG, JIE_LONG.variant(), states, envs.masks)
    rows, seat = np.arange(40), states.to_act
    others = states.hands[:, :4].sum(1) - states.hands[rows, seat]
    hidden = states.discards[:, :4].sum(1) - states.discards[rows, seat]
    assert (unseen(at) == others + hidden).all()
    assert (states.discards[rows, seat] != 0).any()
    assert (at.hands == states.hands[rows, seat]).all()


def test_plan_asks_for_its_least_where_nothing_varies():
    reading = Policy(
        **BASE,
        kind="policy",
        treated="greedy",
        baseline="variety",
        panel=["greedy"],
        margin=0.5,
        plan={"least": 60, "most": 70},
    )
    assert [policies.enough(reading, spread) for spread in (0.0, 1e-6, 50.0)] == [60, 60, 70]
