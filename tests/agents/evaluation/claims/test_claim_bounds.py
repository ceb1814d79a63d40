"""The bounds of claims at the exact value: what is allowed, met, supported or enough just there, and not beyond."""

from types import SimpleNamespace

import numpy as np
import pytest

from gupai_agents.evaluation.claims import actions, effects, features, sampling, verdicts
from gupai_agents.evaluation.claims.actions import Action
from gupai_agents.evaluation.claims.exacts import Expectation
from gupai_agents.evaluation.claims.schema import Condition
from gupai_agents.evaluation.claims.setting import Meter, Setting
from gupai_env import get_game
from gupai_env.games.claims import ActionFeature, PositionFeature

FIVE = np.arange(5)
BOUNDS = [
    ({"at_least": 2}, [2, 3, 4]),
    ({"at_most": 2}, [0, 1, 2]),
    ({"at_least": 1, "at_most": 3}, [1, 2, 3]),
    ({"at_least": 2, "at_most": 2}, [2]),
    ({"exactly": 2}, [2]),
    ({"exactly": 0}, [0]),
    ({"at_least": 0}, [0, 1, 2, 3, 4]),
    ({"at_most": 0}, [0]),
    ({}, [1, 2, 3, 4]),
]


@pytest.mark.parametrize(("bounds", "met"), BOUNDS)
def test_condition_is_met_at_its_bounds_and_not_beyond(bounds, met, monkeypatch):
    """On positions, on hands dealt to order, and where subgroups are told apart."""
    monkeypatch.setitem(features.POSITIONS, "made", PositionFeature("", lambda at, number: FIVE))
    condition = Condition(feature="made", **bounds)
    found = features.meets(SimpleNamespace(states=FIVE, game=get_game("jie-long")), [condition])
    assert np.flatnonzero(found).tolist() == met
    assert [value for value in FIVE if sampling._meets([condition], np.array([value]))] == met
    many = np.repeat(FIVE, 2 * effects.FEWEST_IN_GROUP)
    groups = effects.subgroups_of([condition], many + 0.5, many[:, None], "greedy")
    assert [each.label for each in groups] == [f"made: {value}, greedy" for value in (met if bounds else FIVE)]
    assert [each.estimate.mean for each in groups] == [value + 0.5 for value in (met if bounds else FIVE)]


def test_minimum_above_maximum_is_refused():
    with pytest.raises(ValueError, match="nothing is at least 3 and at most 2"):
        Condition(feature="made", at_least=3, at_most=2)


@pytest.mark.parametrize(
    ("expected", "fact", "holds"),
    [
        ({"at_most": 3.0}, 3.0, True),
        ({"at_most": 3.0}, 3.001, False),
        ({"at_most": 3.0}, -5.0, True),
        ({"at_least": 3.0}, 3.0, True),
        ({"at_least": 3.0}, 2.999, False),
        ({"at_least": -3.0}, -3.0, True),
        ({"at_most": 0.0}, 0.0, True),
        ({"at_least": 0.0}, 0.0, True),
        ({"at_least": 0.0}, -0.001, False),
        ({"equals": 3.0}, 3.0, True),
        ({"equals": 3.0}, 3.001, False),
        ({"equals": 3.0}, 2.999, False),
        ({"at_most": 3.0}, "three", False),
    ],
)
def test_expectation_holds_at_its_bound(expected, fact, holds):
    assert Expectation(fact="it", **expected).holds(fact) is holds


@pytest.mark.parametrize(("deals", "rare"), [(199, True), (200, False)])
def test_action_that_came_up_just_often_enough_is_judged(deals, rare, monkeypatch):
    values = 1.0 + np.resize([0.0, 0.1], deals)
    taken = actions.ActionGains(
        values, values, np.zeros((deals, 0), int), FIVE[:1].repeat(deals), np.zeros((deals, 3), int), 1000
    )
    monkeypatch.setattr(actions, "action_gains", lambda *_: taken)
    game = get_game("jie-long")
    reading = Action(
        name="it",
        kind="action",
        action=[Condition(feature="double")],
        comparator="uniform",
        panel=["greedy"],
        margin=0.5,
    )
    setting = Setting(game, game.variant(), 0, 1000, Meter([1.0]))
    found = reading.placed(game, game.variant()).test(setting)
    expected = verdicts.TOO_RARE if rare else verdicts.SUPPORTED
    assert found.verdict == expected
    assert [each.verdict for each in found.effects] == [expected]


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        ([{"at_least": 1}], [2, 3]),
        ([{}], [2, 3]),
        ([{"exactly": 1}], [2, 3]),
        ([{"exactly": 0}], [0, 1]),
        ([{"at_most": 0}], [0, 1]),
    ],
)
def test_actions_have_a_feature_or_lack_it(conditions, found, monkeypatch):
    has = np.array([[False, False, True, True, True]])
    made = {"made": ActionFeature("", lambda at, number: has)}
    monkeypatch.setattr(features, "action_features_of", lambda game: made)
    at = SimpleNamespace(game=None, masks=np.array([[True, True, True, True, False]]))
    asked = [Condition(feature="made", **each) for each in conditions]
    assert np.flatnonzero(features.actions_with(at, asked)[0]).tolist() == found
