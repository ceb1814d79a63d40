"""What designs of claims do with what has been played: figures made up, so that each can be worked out by hand."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.evaluation.claims import (
    Sampler,
    actions,
    check,
    effects,
    features,
    orderings,
    policies,
    rates,
    verdicts,
)
from gupai_agents.evaluation.claims.actions import Action
from gupai_agents.evaluation.claims.effects import GAIN, LOSS, MEDIAN, Compared, examples, judged, sentence_of
from gupai_agents.evaluation.claims.orderings import Ordering, _ranked
from gupai_agents.evaluation.claims.players import UNSKILLED
from gupai_agents.evaluation.claims.policies import Pairs, Policy
from gupai_agents.evaluation.claims.rates import Rate
from gupai_agents.evaluation.claims.results import Level
from gupai_agents.evaluation.claims.schema import Changed, Condition, Population, dose_of
from gupai_agents.evaluation.claims.setting import PILOT, Block, Choice, DealSource, Forks, Meter, Setting, forks
from gupai_agents.evaluation.statistics import NOTHING, Estimate, estimate
from gupai_env import get_game
from gupai_env.games.claims import Positions
from gupai_env.games.connecting.claims import unseen

JIE_LONG = get_game("jie-long")
BASE = {"name": "it", "variant": {}}


def setting(deals=None):
    return Setting(JIE_LONG, check.variant_of(JIE_LONG, {}), 0, deals, Meter([1.0] * 20))


def wide(mean, error):
    return Estimate.symmetric(mean, 1.96 * error, 1000)


# --- orderings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "verdict", "order"),
    [
        # Three standard errors of the difference, which is that of both: 5 of errors 3 and 4.
        ({"a": wide(15, 3), "b": wide(0, 4)}, verdicts.SUPPORTED, "a > b"),
        ({"a": wide(0, 3), "b": wide(15, 4)}, verdicts.CONTRADICTED, "b > a"),
        # Enough for either error alone, not for both.
        ({"a": wide(9, 3), "b": wide(0, 4)}, verdicts.INCONCLUSIVE, "a > b"),
        ({"a": wide(9, 4), "b": wide(0, 3)}, verdicts.INCONCLUSIVE, "a > b"),
        ({"b": wide(9, 4), "a": wide(0, 3)}, verdicts.INCONCLUSIVE, "b > a"),
        # Ahead of one, not of the other.
        ({"a": wide(15, 3), "b": wide(0, 4), "c": wide(14, 4)}, verdicts.INCONCLUSIVE, "a > c > b"),
        # Behind one is enough against it.
        ({"a": wide(15, 3), "b": wide(0, 4), "c": wide(90, 4)}, verdicts.CONTRADICTED, "c > a > b"),
    ],
)
def test_first_is_first_if_it_is_clearly_ahead_of_all_others(values, verdict, order):
    found, p, shown, behind = _ranked(values, "a", "chips", 1000)
    assert found == verdict
    assert "+" not in shown  # rates, not gains
    assert " > ".join(part.split()[0] for part in shown.split(" > ")) == order
    assert p.keys() == values.keys() - {"a"}
    if verdict == verdicts.CONTRADICTED:
        assert behind == min(p.values()) < 0.05
    else:
        assert behind == max(p.values())
        assert (behind < 0.05) == (verdict == verdicts.SUPPORTED)


@pytest.mark.parametrize(("apart", "verdict"), [(0.0, verdicts.INCONCLUSIVE), (30.0, verdicts.SUPPORTED)])
def test_any_order_means_that_items_differ(apart, verdict):
    assert _ranked({"a": wide(0, 3), "b": wide(apart, 4)}, "any", "chips", 1000)[0] == verdict


def test_ordering_leaves_out_items_and_is_as_sure_as_its_least_player(monkeypatch):
    made = {
        "greedy": {"a": wide(15, 3), "b": wide(0, 4), "c": wide(99, 1)},
        "variety": {"a": wide(30, 3), "b": wide(0, 4), "c": wide(99, 1)},
        "random": {"a": wide(0, 3), "b": wide(50, 4), "c": wide(99, 1)},
    }
    streams = []

    def item(setting, reading, item, member, number, deals):
        streams.append(number)
        return made[member][item.label]

    monkeypatch.setattr(orderings, "_item", item)
    reading = Ordering(
        **BASE, kind="ordering", items=[{"label": each} for each in "abc"], first="a", but=["c"], panel=list(made)
    )
    found = reading.test(setting())
    assert found.verdict == verdicts.SUPPORTED  # random is shown and does not count
    assert found.p == max(_ranked({label: made["greedy"][label] for label in "ab"}, "a", "chips", 1000)[1].values())
    assert [(each.label, each.counted) for each in found.effects[-3:]] == [
        (f"{label}, random", False) for label in "abc"
    ]
    assert len(set(streams)) == len(streams) == 9


# --- rates ----------------------------------------------------------------------------------------


def test_rate_is_as_sure_as_with_the_least_sure_player(monkeypatch):
    def rated(values):
        return verdicts.Rated(estimate(values))

    def judged(name):
        return verdicts.judge_rate(estimate(made[name]), *rated(made[name]).bounds("greater"), 0.5, "greater")

    generator = np.random.default_rng(4)
    made = {name: generator.normal(mean, 2, 400) for name, mean in (("greedy", 1.0), ("variety", 0.55), ("random", -9))}
    monkeypatch.setattr(rates, "_rated", lambda s, r, sampler, m, member, n, d: rated(made[member]))
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
    assert found.per_hundred == pytest.approx(100 * found.frequency * found.pooled["mean"])


def policy_with(hand=({"feature": "carrying", "number": 2, "at_least": 4},), **more):
    """A reading about attacking with 2s."""
    population = Population(hand=[Condition(**each) for each in hand])
    return Policy(
        **BASE,
        kind="policy",
        population=population,
        treated="+attack_2=40",
        baseline="variety",
        **{"margin": 0.5, "panel": ["greedy"], **more},
    ).placed(JIE_LONG, JIE_LONG.variant())


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


def levels(*said):
    """Doses from one on with these verdicts, chips and halves of intervals."""
    return [
        Level(dose_of(str(at)), "", verdict, verdicts.pool([Estimate.symmetric(mean, half, 1000)]), ())
        for at, (verdict, mean, half) in enumerate(said, 1)
    ]


YES, NO, SMALL = ("supported", 2.0, 0.5), ("contradicted", -1.84, 0.5), ("no practical effect", 0.1, 0.2)
OPEN, LITTLE, RARE = ("inconclusive", 0.2, 2.0), ("inconclusive", 0.4, 0.3), ("too rare", 0.0, 9.0)


@pytest.mark.parametrize(
    ("said", "verdict", "headline"),
    [
        ((NO, SMALL, YES), "it depends", "supported from three; with two it matters little; with one it costs 1.8"),
        ((NO, NO, YES, YES), "it depends", "supported from three; with one and two it costs 1.8"),
        ((YES, SMALL, NO), "it depends", "supported with one; with three it costs 1.8; with two it matters little"),
        (
            (SMALL, YES, SMALL),
            "it depends",
            "supported with two; with three it matters little; with one it matters little",
        ),
        ((YES, YES), "supported", "supported"),
        ((SMALL, SMALL), "no practical effect", "no practical effect"),
        ((LITTLE, YES), "it depends", "supported from two; with one it gains little (0.40)"),
        ((("inconclusive", -0.4, 0.3), YES, YES), "it depends", "supported from two; with one it costs little (0.40)"),
        ((OPEN, RARE), "inconclusive", "with two it comes up too rarely to say; with one it is not settled"),
    ],
)
def test_headline_names_the_dose_from_which_a_claim_holds(said, verdict, headline):
    assert judged(levels(*said), chips=True) == (verdict, headline)


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


def test_positions_do_not_depend_on_the_batch_of_deals(monkeypatch):
    sampler = Sampler(JIE_LONG, JIE_LONG.variant(), Population())
    choice = Choice([], [Condition(feature="double")], [], "best_alternative")
    agent, found = make_agent("greedy"), []
    for envs in (4096, 7):
        monkeypatch.setattr("gupai_agents.evaluation.claims.setting.ENVS", envs)
        source = DealSource(sampler, 5)
        parts = list(forks(source, agent, choice, 3, 20))
        deals = np.concatenate([part.deals for part in parts])
        moves = np.concatenate([part.states.moves for part in parts])
        chosen = np.concatenate([part.actions for part in parts])
        found.append(sorted(zip(deals.tolist(), moves.tolist(), chosen.tolist(), strict=True)))
    assert found[0] == found[1]
    assert {deal for deal, *_ in found[0]} <= set(range(3, 23))
    assert max(found[0])[0] >= 20


def test_actions_of_about_equal_pips_differ_by_at_most_one(monkeypatch):
    pips = np.array([5, 4, 6, 7, 3, 5])
    monkeypatch.setattr("gupai_agents.evaluation.claims.setting.action_pips", lambda game: pips)
    monkeypatch.setattr("gupai_agents.evaluation.claims.setting.actions_with", lambda at, what: np.arange(6)[None] == 0)
    monkeypatch.setattr("gupai_agents.evaluation.claims.setting.meets", lambda at, what: np.ones(1, bool))
    score = np.zeros(6)
    monkeypatch.setattr(
        "gupai_agents.evaluation.claims.setting.preferences", lambda agent, turns, chosen: score[None].copy()
    )
    at = SimpleNamespace(game=None, masks=np.ones((1, 6), bool))
    taken = set()
    for best in range(1, 6):  # whichever is liked most: the one taken is among those
        score[:] = 0
        score[best] = 1
        one, other, *_ = Choice([], [1], [], "pip_matched").sides(at, None, None, np.zeros(1, int))
        assert one.tolist() == [0]
        taken.add(int(other[0]))
    assert taken == {1, 2, 5}


# --- deals to look at -----------------------------------------------------------------------------


def test_examples_are_largest_gain_largest_loss_and_median():
    greedy = Compared(np.array([10, 11, 12]), np.array([3.0, -1.0, 1.0]), None, 0)
    shown = Compared(np.array([20]), np.array([99.0]))
    variety = Compared(np.array([30, 31]), np.array([-7.0, 0.5]), None, 2)
    found = examples(["greedy", "random", "variety"], [[greedy], [shown], [variety]])
    assert [(each["what"], each["player"], each["stream"], each["deal"], each["gain"]) for each in found] == [
        (GAIN, "greedy", 0, 10, 3.0),
        (LOSS, "variety", 2, 30, -7.0),
        (MEDIAN, "variety", 2, 31, 0.5),
    ]
    only = examples(["greedy"], [[Compared(np.array([4, 5]), np.array([2.0, 1.0]))]])
    assert [(each["what"], each["deal"]) for each in only] == [(GAIN, 4), (MEDIAN, 5)]
    assert examples(["greedy"], [[Compared(np.zeros(0, int), np.zeros(0))]]) == ()
    nothing = examples(["greedy"], [[Compared(np.array([4, 5]), np.zeros(2))]])  # played otherwise, and won as much
    assert [(each["what"], each["deal"]) for each in nothing] == [(MEDIAN, 4)]


# --- pooling and words ----------------------------------------------------------------------------


def test_opponents_are_pooled_as_by_hand():
    """Two of equal errors: the mean of both; their difference is 5 of its errors, 4 of which no chance explains."""
    found = verdicts.pool([wide(0, 1), wide(5 * 2**0.5, 1)])
    assert found.effect.mean == pytest.approx(2.5 * 2**0.5)
    assert found.q == pytest.approx(25, rel=0.01)
    assert found.i2 == pytest.approx(24 / 25, rel=0.01)
    assert found.effect.half_width == pytest.approx(1.96 * 0.5**0.5, rel=0.01)
    assert found.differ and found.range == (0, pytest.approx(5 * 2**0.5))
    assert verdicts.pool([wide(0, 1), wide(0.5, 1)]).i2 == 0
    assert verdicts.pool([wide(0, 1), wide(10, 3)]).effect.mean == 5


def test_intervals_of_several_doses_hold_together():
    """Of three intervals each may be missed by 1 - 0.95^(1/3), 1.70%: 2.388 errors of the normal."""
    one, three = (verdicts.pool([wide(2, 1)], among) for among in (1, 3))
    assert three.effect.half_width / one.effect.half_width == pytest.approx(2.388 / 1.96, rel=0.005)
    assert three.p == one.p


@pytest.mark.parametrize(("mean", "less"), [(0.5, False), (-0.5, False), (0.49, True), (-0.49, True)])
def test_effect_of_just_the_margin_is_worth_naming(mean, less):
    said = sentence_of(Estimate.symmetric(mean, 0.1, 100), 0.5, "it")
    assert ("less than the 0.5 worth naming" in said) is less
    assert ("gains" in said) is (mean > 0)


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


def test_block_names_the_seats_in_question_and_their_partners():
    variant = JIE_LONG.variant()
    sampler = Sampler(JIE_LONG, variant, Population(partner={"away": 3}))
    block: Block = next(DealSource(sampler, 5).blocks(0, 30))
    assert (block.seats[:, 1] == (block.seats[:, 0] + 3) % 4).all()
    assert set(block.seats[:, 0].tolist()) == {0, 1, 2, 3}


def test_actions_that_never_occur_have_no_effect_and_no_bounds():
    found = policy_with().effect("greedy", np.zeros(0), 900)
    assert (found.label, found.verdict, found.p, found.counted) == ("greedy", verdicts.TOO_RARE, 1.0, True)
    assert found.as_numbers().items() >= {"mean": None, "low": None, "high": None, "n": 900}.items()
    assert not policy_with().effect(UNSKILLED, np.zeros(0), 900).counted
    assert verdicts.judge(found.estimate, 0.5, "greater") == verdicts.Judged(verdicts.TOO_RARE)
    assert verdicts.p_value(found.estimate) == 1.0
    assert sentence_of(found.estimate, 0.5, "the trait") == "The trait did not occur in 900 deals."


def test_single_value_bounds_nothing():
    one = estimate(np.array([0.3]))
    for alternative in ("greater", "different"):
        assert verdicts.Rated(one).bounds(alternative) == (-np.inf, np.inf)
    judged = verdicts.judge_rate(one, -np.inf, np.inf, 0.1, "greater")
    assert judged == verdicts.Judged(verdicts.INCONCLUSIVE)
    assert verdicts.judge_rate(one, -np.inf, np.inf, None, "greater") == verdicts.Judged(verdicts.MEASURED)


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


@pytest.mark.parametrize(
    ("verdicts_found", "said"),
    [
        (["supported"] * 2, ("supported", "")),
        (["supported", "contradicted", "no practical effect"], ("inconclusive", "it depends on who plays")),
        (["supported", "no practical effect"], ("inconclusive", "not clear with every player")),
        (["too rare"], ("too rare", "there is no verdict on what comes up in fewer than 200 deals")),
        (["too few deals"] * 2, ("too few deals", "there is no verdict from fewer than 200 deals")),
        (["measured", "too rare"], ("measured", "")),
    ],
)
def test_players_agree_or_are_said_to_disagree(verdicts_found, said):
    assert effects.joint_verdict(verdicts_found) == said


def test_effect_in_words_names_differences_between_opponents():
    found = Estimate.symmetric(0.25, 0.5, 40)
    apart = verdicts.Pooled(found, 0.3, 9.0, 0.001, 0.8, (-1.0, 1.5))
    alike = verdicts.Pooled(found, 0.3, 0.5, 0.6, 0.0, (0.2, 0.3))
    told = [sentence_of(found, 0.1, "the trait", what, each) for what in ("", "lockouts") for each in (apart, alike)]
    assert told == [
        "The trait changes chips by -1.00 to +1.50 by opponent, by +0.25 on average (95% interval -0.25 to +0.75).",
        "The trait gains 0.25 chips (95% interval -0.25 to +0.75) when it comes up.",
        "The trait changes this by -1.000 to +1.500 by opponent, on average +0.250 (95% interval -0.25 to +0.75): "
        "lockouts.",
        "The trait changes this by +0.250 (95% interval -0.25 to +0.75): lockouts.",
    ]
    level = Level(dose_of("3+"), "", "inconclusive", alike, ())
    assert effects.dose_text(level, "") == "with three or more it gains 0.25 chips (-0.25 to +0.75)"
    rare = level.__class__(dose_of("4"), "", "too rare", alike._replace(effect=Estimate.symmetric(0.0, np.inf, 1)), ())
    assert effects.dose_text(rare, "") == "with four +0.00 (1 deal: no interval)"
    never = dataclasses.replace(rare, pooled=alike._replace(effect=NOTHING._replace(samples=900)))
    assert effects.dose_text(never, "") == "with four it did not occur in 900 deals"
    changed = Changed(agent="greedy", discards="random")
    assert [effects.player_text(each) for each in ("same", "tuned", changed)] == [
        "the opponent itself",
        "tuned",
        "greedy, discards random",
    ]
