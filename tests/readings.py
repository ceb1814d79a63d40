"""Claims, readings and figures that tests try."""

import copy

import numpy as np

from gupai_agents.evaluation.claims import check, verdicts
from gupai_agents.evaluation.claims.policies import Policy
from gupai_agents.evaluation.claims.results import Effect, Finding, Level, Request, Verdict
from gupai_agents.evaluation.claims.schema import Condition, Population, dose_of
from gupai_agents.evaluation.claims.setting import Meter, Setting
from gupai_agents.evaluation.statistics import Estimate
from gupai_env import __version__, get_game

JIE_LONG = get_game("jie-long")
FOUR_TWOS = Population(hand=[Condition(feature="carrying", number=2, at_least=4)])

ATTACK = {
    "id": "some-claim",
    "statement": "Leave 2 open.",
    "source": "somebody",
    "game": "jie-long",
    "readings": [
        {
            "name": "attack",
            "kind": "policy",
            "population": {"hand": [{"feature": "carrying", "number": 2, "at_least": 4}]},
            "treated": "+attack_2=40",
            "baseline": "variety",
            "panel": ["greedy", "variety"],
            "margin": 0.5,
            "plan": {"least": 1000, "most": 1000},
        }
    ],
}


def changed(**changes) -> dict:
    """The claim above, with other values in its reading."""
    content = copy.deepcopy(ATTACK)
    content["readings"][0] |= changes
    return content


def a_reading(game="jie-long", **reading) -> dict:
    """A claim of another kind of reading."""
    return ATTACK | {"game": game, "readings": [{"name": "one", "panel": ["greedy"], **reading}]}


BASE = {"name": "it", "variant": {}}


def setting(deals=None):
    return Setting(JIE_LONG, check.variant_of(JIE_LONG, {}), 0, deals, Meter([1.0] * 20))


def wide(mean, error):
    return Estimate.symmetric(mean, 1.96 * error, 1000)


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


def levels(*said):
    """Doses from one on with these verdicts, chips and halves of intervals."""
    return [
        Level(dose_of(str(at)), "", verdict, verdicts.pool([Estimate.symmetric(mean, half, 1000)]))
        for at, (verdict, mean, half) in enumerate(said, 1)
    ]


YES, NO, SMALL = ("supported", 2.0, 0.5), ("contradicted", -1.84, 0.5), ("no practical effect", 0.1, 0.2)


def effect(label, mean, half, **more):
    return Effect(label, Estimate.symmetric(mean, np.inf if half is None else half, 1200), **more)


def finding(kind="policy", **more):
    """What a reading has come to."""
    own = {"name": "it", "variant": {}, "verdict": "supported", "sentence": "So.", "unit": "chips"}
    return Finding(kind=kind, **own | more)


def a_verdict(*findings, **more):
    """A verdict with these findings."""
    head = {"format": "gupai-verdict-1", "gupai": __version__, "id": "a", "statement": "s", "source": "who"}
    request = Request(seed=0, deals=None, panel=None)
    head |= {"game": "g", "seed": 0, "findings": findings, "messages": {}, "request": request, "file": {}}
    return Verdict(**head | more)
