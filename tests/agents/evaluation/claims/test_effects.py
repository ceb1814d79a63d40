"""Effects in words, by subgroup and by dose, and the deals that show them."""

import numpy as np
import pytest

from gupai_agents.evaluation.claims import effects
from gupai_agents.evaluation.claims.effects import GAIN, LOSS, MEDIAN, Compared, examples, judged
from gupai_agents.evaluation.claims.results import Effect
from gupai_agents.evaluation.claims.schema import Condition
from gupai_agents.evaluation.statistics import Estimate
from readings import NO, SMALL, YES, levels

OPEN, LITTLE, RARE = ("inconclusive", 0.2, 2.0), ("small effect", 0.4, 0.3), ("too rare", 0.0, 9.0)


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
        ((("small effect", -0.4, 0.3), YES, YES), "it depends", "supported from two; with one it costs little (0.40)"),
        (
            (("it depends", 1.43, 0.25), RARE),
            "it depends",
            "with two it comes up too rarely to say; with one it depends on the opponents (+1.4 to +1.4)",
        ),
        ((OPEN, RARE), "inconclusive", "with two it comes up too rarely to say; with one it is not settled"),
    ],
)
def test_headline_names_the_dose_from_which_a_claim_holds(said, verdict, headline):
    assert judged(levels(*said), chips=True) == (verdict, headline)


def test_examples_are_largest_gain_largest_loss_and_median():
    greedy = Compared(np.array([10, 11, 12]), np.array([3.0, -1.0, 1.0]), None, 0)
    shown = Compared(np.array([20]), np.array([99.0]))
    variety = Compared(np.array([30, 31]), np.array([-7.0, 0.5]), None, 2)
    found = examples(["greedy", "random", "variety"], [[greedy], [shown], [variety]])
    assert [(each.what, each.player, each.stream, each.deal, each.gain) for each in found] == [
        (GAIN, "greedy", 0, 10, 3.0),
        (LOSS, "variety", 2, 30, -7.0),
        (MEDIAN, "variety", 2, 31, 0.5),
    ]
    only = examples(["greedy"], [[Compared(np.array([4, 5]), np.array([2.0, 1.0]))]])
    assert [(each.what, each.deal) for each in only] == [(GAIN, 4), (MEDIAN, 5)]
    assert examples(["greedy"], [[Compared(np.zeros(0, int), np.zeros(0))]]) == ()
    nothing = examples(["greedy"], [[Compared(np.array([4, 5]), np.zeros(2))]])  # played otherwise, and won as much
    assert [(each.what, each.deal) for each in nothing] == [(MEDIAN, 4)]


@pytest.mark.parametrize(
    ("verdicts_found", "p", "said"),
    [
        (["supported"] * 2, [0.01, 0.04], ("supported", "", 0.04)),
        (
            ["supported", "contradicted", "no practical effect"],
            [0.01, 0.02, 0.6],
            ("it depends", "it depends on who plays", 0.04),  # Holm: twice the second of three
        ),
        (["supported", "contradicted"], [0.01, 0.06], ("inconclusive", "not clear with every player", 0.06)),
        (["supported", "no practical effect"], [0.01, 0.6], ("inconclusive", "not clear with every player", 0.6)),
        (["too rare"], [1.0], ("too rare", "there is no verdict on what comes up in fewer than 200 deals", None)),
        (["too few deals"] * 2, [1.0] * 2, ("too few deals", "there is no verdict from fewer than 200 deals", None)),
        (["measured", "too rare"], [1.0] * 2, ("measured", "", None)),
    ],
)
def test_players_agree_or_are_said_to_disagree(verdicts_found, p, said):
    assert effects.joint_verdict(verdicts_found, p) == said


def test_surest_subgroup_of_many_stays_surest():
    groups = [Effect(str(p), Estimate.symmetric(1.0, 0.1, 40), p=p) for p in (0.5, 0.0, 0.01)]
    assert [each.p for each in effects.discovered(groups)] == pytest.approx([0.5, 0.0, 0.015])


@pytest.mark.parametrize(("number", "shown"), [(29, False), (30, True)])
def test_subgroup_of_just_enough_deals_is_shown(number, shown):
    values, groups = np.arange(number, dtype=float), np.zeros((number, 1), int)
    assert bool(effects.subgroups_of([Condition(feature="lead")], values, groups, "greedy")) == shown
