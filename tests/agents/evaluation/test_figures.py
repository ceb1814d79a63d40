"""Figures of evaluations worked out by hand: what each counts, over what, and in which stream of deals."""

from types import SimpleNamespace

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.evaluation import Standings, ablation, best_response, duel
from gupai_agents.evaluation.ablation import Budget, Problem, Searched, contributions_over, families, search_seed
from gupai_agents.evaluation.best_response import Effort, gain_of, tuned_against
from gupai_agents.evaluation.statistics import estimate, estimate_columns, holm, t_test
from gupai_agents.evaluation.tournaments import ladder
from gupai_agents.evaluation.tournaments.ladder import speed
from gupai_agents.evaluation.tournaments.tournament import schedule
from gupai_agents.players.tune import Contest, DecisionSample
from gupai_env import get_game
from gupai_env.core.rng import derive

JIE_LONG = get_game("jie-long")
NAMES = [feature.name for feature in JIE_LONG.features]


# --- tournaments ----------------------------------------------------------------------------------


def test_intervals_of_standings_are_over_deals():
    chips = np.random.default_rng(3).normal(size=(3, 3, 7, 4))
    found = Standings(("a", "b", "c"), chips, 0)
    others = chips[1][[0, 2]]
    assert found.against(1, 2) == estimate(chips[1, 2].mean(1))
    assert found.total(1) == pytest.approx(estimate(others.mean(0).mean(1)))
    assert found.at_seat(1, 3) == pytest.approx(estimate_columns(others.mean(0))[3])


def test_forms_of_a_tournament_are_those_of_its_chips():
    played = schedule("jie-long", list("abc"), 40, seed=1).empty()
    generator = np.random.default_rng(2)
    played.chips[:] = generator.normal(size=played.chips.shape).round(1)
    played.chips[:2] += 0.4  # agent 0 as the hero
    played.action_types[:] = generator.integers(0, 5, played.action_types.shape)
    by_deal = [played.chips_of(agent) for agent in range(3)]
    assert [performance.p for performance in played.performances] == holm([t_test(chips) for chips in by_deal])
    assert played.performances[0].p < 0.05
    for agent, performance in enumerate(played.performances):
        assert performance.chips == estimate(by_deal[agent])
        rows = [at for at, line_up in enumerate(played.line_ups) if line_up.agents[0] == agent]
        own, others = played.chips[rows][..., :1], played.chips[rows][..., 1:]
        first = (own > others).all(-1) + ((own >= others).all(-1) / (1 + (own == others).sum(-1))) * (
            own == others
        ).any(-1)
        assert performance.win_share == performance.places[0] == pytest.approx(first.mean())
        last = (own < others).all(-1) + ((own <= others).all(-1) / (1 + (own == others).sum(-1))) * (own == others).any(
            -1
        )
        assert performance.places[3] == pytest.approx(last.mean())
        assert sum(performance.places) == pytest.approx(1)
        assert list(performance.action_types.values()) == pytest.approx(
            played.action_types[rows][..., 0, :].mean((0, 1, 2))
        )


# --- the ladder -----------------------------------------------------------------------------------


def test_pace_of_a_player_is_decisions_per_second(monkeypatch):
    """One that takes 10 ms a decision is asked for 8, then 16, then 32 of them, which take long enough."""
    clock, asked = [0.0], []

    def ask(agent, game, variant, turns, memory=None):
        asked.append(len(turns.rng_keys))
        clock[0] += 0.01 * len(turns.rng_keys)

    monkeypatch.setattr(ladder, "ask", ask)
    turns = SimpleNamespace(rng_keys=range(100), at=lambda rows: SimpleNamespace(rng_keys=range(100)[rows]))
    assert speed(None, None, None, turns, lambda: clock[0]) == pytest.approx(100)
    assert asked == [2, 8, 16, 32]
    quick = SimpleNamespace(rng_keys=range(12), at=lambda rows: SimpleNamespace(rng_keys=range(12)[rows]))
    assert speed(None, None, None, quick, lambda: clock[0]) == pytest.approx(100)
    assert asked[4:] == [2, 8, 12]
    steps = iter([0, 0, 1, 1, 1, 2])  # a clock that has not moved at first
    assert speed(None, None, None, quick, lambda: next(steps)) == 12
    assert asked[7:] == [2, 8, 12, 12]


# --- best responses -------------------------------------------------------------------------------


def test_best_response_gain_exceeds_the_agents_own_result():
    """In Da Ling the house takes a share: equals lose, and gain nothing on each other."""
    game = get_game("da-ling")
    variant = game.variant.make(casino_fee=5)
    agent, same = (make_agent("greedy", game, casino_fee=5) for _ in range(2))
    found = gain_of(game, variant, agent, same, 30, 2)
    assert found.mean == 0 and not found.has_interval
    assert duel(game, agent, same, 30, seed=2, casino_fee=5).mean(0).high < 0


class Asked:
    """An agent that no compiled loop knows."""

    def __init__(self, agent):
        self.name, self.act = agent.name, agent.act


def test_heuristic_among_frozen_agents_wins_its_tuning_payoff():
    agent = make_agent("greedy", "jie-long", forced_play=True)
    heuristics = np.array(
        [JIE_LONG.heuristic("variety"), JIE_LONG.heuristic({"pips": -1.0}), JIE_LONG.heuristic("greedy")]
    )
    found = Contest(JIE_LONG, {"forced_play": True}).values(heuristics, [Asked(agent)], 22, 9)
    expected = Contest(JIE_LONG, {"forced_play": True}).values(heuristics, agent.weights[None], 22, 9)
    np.testing.assert_array_equal(found, expected)
    assert len(set(found.mean(1))) == 3


def test_best_response_starts_greedy_is_chosen_elsewhere_and_scaled(monkeypatch):
    variant, agent, began, rng_keys = JIE_LONG.variant(), make_agent("variety@2"), [], []

    class Still:
        def __init__(self, base, *_):
            began.append(base.copy())
            self.mean = base

        def ask(self):
            return np.array([self.mean])

        def tell(self, chips):
            pass

    def won(table, candidates, rivals, deals, key):
        rng_keys.append((len(candidates), deals, key))
        return np.arange(len(candidates))[:, None] * [[-1.0, -1.0]]

    monkeypatch.setattr(best_response, "Evolution", Still)
    monkeypatch.setattr(Contest, "values", won)
    effort = Effort(generations=3, candidate_deals=10).checked(agent, 4)
    spec = tuned_against(JIE_LONG, variant, agent, effort, 5)
    assert began[0].tolist() == [*agent.weights[:-1].tolist(), 0.0]
    assert agent.weights[-1] == 2.0
    assert [deals for _, deals, _ in rng_keys] == [10, 10, 10, 40]
    assert len({key for *_, key in rng_keys}) == 4
    assert DecisionSample(JIE_LONG, {}).apart(make_agent(spec).weights) == pytest.approx(1, abs=1e-4)
    tuned_against(JIE_LONG, variant, make_agent("random"), effort, 5)
    assert began[1].tolist() == make_agent("tuned").weights.tolist()  # the strongest, against whoever has no weights


# --- ablation -------------------------------------------------------------------------------------


def searched(monkeypatch, again, play=None):
    """What a seed finds where tuning finds 3 for both features, and tuning on adds `again`; and the keys it used."""
    used = {"evolve": [], "play": []}

    class Begun:
        def __init__(self, base, units, chosen, population, seed, spread):
            self.base, self.chosen = base.copy(), list(chosen)
            used["evolve"].append((seed, spread))

    def evolved(play, evolution, generations, deals, key):
        used["evolve"].append((key, generations))
        found = evolution.base.copy()
        found[evolution.chosen] += again if generations == 2 else 3
        return found

    def plays(heuristics, deals, key):
        used["play"].append((deals, key))
        return np.repeat(heuristics[:, :2].sum(1)[:, None], 2, 1)

    monkeypatch.setattr(ablation, "Evolution", Begun)
    monkeypatch.setattr(ablation, "evolved", evolved)
    looks = SimpleNamespace(apart=lambda weights: 2.0)
    problem = Problem(JIE_LONG, np.zeros(4), [0, 1], np.ones(3), [(0,)], looks, play or plays)
    budget = Budget(seeds=2, generations=5, again=2, population=4, deals=10, fresh=77)
    return search_seed(problem, budget, 21, 6), used


def test_further_tuning_that_lowers_chips_is_undone(monkeypatch):
    found, _ = searched(monkeypatch, again=1)
    assert (found.seed, found.weights[:2], found.chips) == (6, [2.0, 2.0], 8.0)  # 3 + 1 over 2
    assert found.dropped == [4.0]  # one of both 4s set to zero
    assert found.lost == [4.0]  # without the first: 0 and 3 + 1
    worse, _ = searched(monkeypatch, again=-1)
    assert (worse.weights[:2], worse.chips) == ([1.5, 1.5], 6.0)
    assert (worse.dropped, worse.lost) == ([3.0], [3.0])


def test_seed_separates_deals_of_tuning_choosing_and_measuring(monkeypatch):
    _, used = searched(monkeypatch, again=1)
    key = derive(21, 6)
    streams = [derive(key, number) for number in range(4)]
    first, tuned, *again = used["evolve"]
    assert (first, tuned) == ((streams[0], ablation.SPREAD), (streams[0], 5))
    assert again == [(streams[1], ablation.AGAIN_SPREAD), (streams[1], 2)] * 2
    assert used["play"] == [(10 * ablation.SELECTING, streams[2]), (77, streams[3])]
    assert len(set(streams)) == 4


def test_contributions_are_over_seeds_largest_loss_first():
    problem = SimpleNamespace(game=JIE_LONG, groups=[(0,), (2, 1), (3,)])
    found = [
        Searched(seed, [1.0 + seed, 2.0, 3.0 - seed, 4.0], 0.0, [5.0 + seed, 6.0, 7.0], [0.1 * seed, 2.0 + seed, 1.0])
        for seed in range(4)
    ]
    scores = contributions_over(problem, found)
    assert [score.features for score in scores] == [(NAMES[2], NAMES[1]), (NAMES[3],), (NAMES[0],)]
    assert [score.weight.mean for score in scores] == [1.5, 4.0, 2.5]
    assert [score.dropped.mean for score in scores] == [6.0, 7.0, 6.5]
    assert [score.lost.mean for score in scores] == pytest.approx([3.5, 1.0, 0.15])
    assert {score.lost.samples for score in scores} == {4}


def test_family_has_two_members_or_more():
    leaves = [at for at, name in enumerate(NAMES) if name.startswith("leave_")]
    assert families(JIE_LONG, leaves) == [tuple(leaves)]
    assert families(JIE_LONG, leaves[:1]) == []
    assert families(JIE_LONG, [0, *leaves[1:3]]) == [tuple(leaves[1:3])]
