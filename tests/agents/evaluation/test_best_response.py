"""What is won from a frozen agent is no more than a best response wins, and is measured in deals never met before."""

import json

import numpy as np
import pytest

from commands import gupai
from gupai_agents import DecisionBatch, make_agent
from gupai_agents.evaluation import Effort, find_best_response
from gupai_agents.evaluation import best_response as module
from gupai_agents.evaluation.best_response import gain_of, spec_of
from gupai_agents.evaluation.matches.match import ENVS
from gupai_env import get_game
from gupai_env.vector import VectorEnv
from trees import tiny_tree

TINY = {"deck": "tiny", "players": 2}
SMALL = {"generations": 12, "population": 8, "candidate_deals": 200, "deals": 3000}
JIE_LONG = get_game("jie-long")


class First:
    """Plays the first legal action, which is silly, and is asked outside the compiled loops."""

    name = "first"

    def act(self, batch: DecisionBatch) -> np.ndarray:
        return batch.masks.argmax(1)


@pytest.mark.parametrize(
    ("method", "agent"),
    [("tuning", First()), ("search", make_agent("greedy", "jie-long", **TINY))],
    ids=["tuning", "search"],
)
def test_response_gain_is_at_most_the_best_and_positive(agent, method):
    tree = tiny_tree("jie-long")
    exact, played = tree.exploitability(tree.policy([agent, agent])), []
    found = find_best_response("jie-long", agent, effort=Effort(method, **SMALL), progress=played.append, **TINY)
    assert sum(played) == found.effort.total(JIE_LONG)
    assert found.gain.low > 0.3
    assert found.gain.mean < exact + 2 * found.gain.half_width


def test_gain_is_the_value_of_the_response_over_all_deals():
    tree = tiny_tree("jie-long")
    agent = make_agent("greedy", "jie-long", **TINY)
    found = find_best_response("jie-long", agent, effort=Effort(**SMALL), **TINY)
    hero = make_agent(found.response, "jie-long", **TINY)
    score = (tree.values(tree.policy([hero, agent]))[0] + tree.values(tree.policy([agent, hero]))[1]) / 2
    assert found.gain.mean == pytest.approx(score, abs=2 * found.gain.half_width)


def test_gain_is_measured_in_new_deals(monkeypatch):
    met: dict[str, set] = {"finding": set(), "measuring": set()}
    phase, reset, measure = ["finding"], VectorEnv.reset, module.gain_of

    def noting(envs, seed=None, *, seeds=None):
        if seeds is not None:
            met[phase[0]] |= set(np.asarray(seeds).tolist())
        return reset(envs, seed, seeds=seeds)

    def measuring(*given):
        phase[0] = "measuring"
        return measure(*given)

    monkeypatch.setattr(VectorEnv, "reset", noting)
    monkeypatch.setattr(module, "gain_of", measuring)
    find_best_response("jie-long", First(), effort=Effort(**SMALL), **TINY)
    assert len(met["finding"]) > 2000
    assert 3000 <= len(met["measuring"]) < 3100  # some for the question whether it answers alike
    assert not met["finding"] & met["measuring"]


@pytest.mark.parametrize(("game", "options"), [("jie-long", {}), ("da-ling", {"casino_fee": 1, "deals": 2})])
def test_agent_gains_nothing_from_itself_despite_the_fee(game, options):
    game, agent = get_game(game), make_agent("greedy", game, **options)
    deals = ENVS // 4 + 10  # more than are played at a time
    found = gain_of(game, game.variant.make(**options), agent, agent, deals, 5)
    assert str(found) == f"+0.00 (all {deals:,} deals alike: no interval)"


def test_response_tuned_against_a_random_player_is_deterministic(monkeypatch):
    monkeypatch.setattr(module, "among", lambda *_: lambda candidates, *_: -np.arange(len(candidates))[:, None])
    monkeypatch.setattr(module, "evolved", lambda play, evolution, *_: evolution.mean)
    agent, variant = make_agent("greedy@2", "jie-long", **TINY), JIE_LONG.variant.make(**TINY)
    found = module.tuned_against(JIE_LONG, variant, agent, Effort(**SMALL).checked(agent, 2), 1)
    weights = make_agent(found, "jie-long", **TINY).weights
    np.testing.assert_allclose(weights / weights.max(), [*agent.weights[:-1] / agent.weights[:-1].max(), 0], rtol=1e-5)


@pytest.mark.parametrize("text", ["greedy", "greedy+double=2@3", "random"])
def test_search_plays_others_as_the_agent_and_itself_as_the_best(text):
    agent = make_agent(text, "jie-long")
    found = find_best_response("jie-long", agent, effort=Effort("search", playouts=2, deals=2))
    own, others = make_agent(found.response, "jie-long").heuristics
    np.testing.assert_array_equal(own, make_agent("tuned", "jie-long").weights)
    if text == "random":
        assert not others[:-1].any() and others[-1] > 0  # all actions alike
    else:
        np.testing.assert_array_equal(others, agent.weights)
    assert not found.note


def test_same_seed_finds_the_same_weights():
    small = Effort(generations=3, population=6, candidate_deals=50, deals=100)
    first, again, other = (find_best_response("jie-long", First(), effort=small, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.gain != other.gain


def test_heuristic_text_gives_its_weights_back():
    names = [feature.name for feature in JIE_LONG.features]
    for text in ("tuned", "variety+attack_2=0.1@1.5", "heuristic:pips=0@1"):
        weights = make_agent(text, "jie-long").weights
        np.testing.assert_array_equal(make_agent(spec_of(names, weights), "jie-long").weights, weights)


@pytest.mark.parametrize(
    ("effort", "message"),
    [
        ({"method": "guess"}, "method='guess' is not allowed; choose one of tuning, search"),
        ({"deals": 1}, "deals=1 is not allowed"),
        ({"candidate_deals": 1}, "candidate_deals=1 is not allowed; it must be a whole number from 2 to 1,000,000$"),
        ({"generations": -1}, "generations=-1 is not allowed; it must be a whole number from 0 to 100,000$"),
        ({"population": 3}, "population=3 is not allowed; it must be a whole number from 4 to 10,000$"),
        ({"playouts": 0}, "playouts=0 is not allowed; it must be a whole number from 1 to 1,000,000$"),
        ({"minutes": -1}, "minutes=-1 is not allowed; it must be a number from 0 to 1,000,000$"),
    ],
)
def test_invalid_value_is_refused_in_one_line(effort, message):
    with pytest.raises(ValueError, match=message):
        find_best_response("jie-long", make_agent("greedy"), effort=Effort(**effort))


def test_command_reports_bound_method_sample_variant_and_seed():
    words = ["best-response", "jie-long", "random", "--generations", "2", "--candidate-deals", "50", "--deals", "300"]
    words += ["-o", "deck=tiny", "-o", "players=2", "--seed", "3"]
    shown = gupai(*words).output
    for said in ("at least", "2 generations", "300 other deals", "deck=tiny", "seed 3", "lower bound"):
        assert said in " ".join(shown.split())
    printed = json.loads(gupai(*words, "--json").output)
    assert (printed["method"], printed["deals"], printed["seed"], printed["variant"]) == ("tuning", 300, 3, TINY)
    refused = gupai(*words, "--method", "luck")
    assert refused.exit_code == 2
