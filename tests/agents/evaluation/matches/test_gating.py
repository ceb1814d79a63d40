"""The gate: which of two players is better, and whether a recipe is."""

import json

import numpy as np
import pytest

from commands import gupai
from gupai_agents import make_agent
from gupai_agents.evaluation import duel, gate, read_games, recipe_gain
from gupai_agents.evaluation.matches.gating import ACCEPTED, REJECTED, UNDECIDED
from gupai_agents.evaluation.statistics import estimate, gsprt
from gupai_env.core.rng import derive


def test_gate_accepts_better_players_only():
    assert gate("jie-long", "variety", "greedy", seed=1).verdict == ACCEPTED
    assert gate("jie-long", "greedy", "variety", seed=1).verdict == REJECTED
    quick = gate("jie-long", "random", "greedy", seed=1)
    assert quick.verdict == REJECTED
    assert 100 <= quick.test.samples < 300
    assert gate("jie-long", "variety", "greedy", most=40, gain=0.1).verdict == UNDECIDED


def test_gate_keeps_its_error_rates():
    for challenger, champion, verdict in (("variety", "greedy", 1), ("greedy", "variety", -1)):
        found = gate("jie-long", challenger, champion, alpha=0.001, beta=0.2, seed=1)
        won = duel("jie-long", challenger, champion, found.test.samples, seed=1).chips[:, :, 0].mean(1)
        assert found.test == gsprt(won, 1.0, alpha=0.001, beta=0.2) and found.test.verdict == verdict


def test_gate_depends_on_the_deals_alone(monkeypatch):
    found = gate("jie-long", "variety", "greedy", seed=4)
    monkeypatch.setattr("gupai_agents.evaluation.matches.gating.BLOCK", 37)
    assert gate("jie-long", "variety", "greedy", seed=4) == found
    won = duel("jie-long", "variety", "greedy", found.test.samples, seed=4).chips[:, :, 0].mean(1)
    assert found.chips == estimate(won)


def test_equal_players_pass_the_gate_at_most_alpha_often():
    """Two that draw with different chance: of equal strength, but every deal differs."""

    class Other:
        name = "other random"
        inside = make_agent("random")

        def act(self, turns):
            return self.inside.act(turns._replace(rng_keys=turns.rng_keys ^ 1))

    verdicts = [gate("jie-long", Other(), make_agent("random"), gain=8.0, seed=seed).verdict for seed in range(40)]
    assert verdicts.count(ACCEPTED) <= 5  # 5% of 40, and chance
    assert verdicts.count(REJECTED) >= 35


@pytest.mark.parametrize(
    ("limits", "line"),
    [({"alpha": 0.6}, "alpha=0.6"), ({"beta": 0}, "beta=0"), ({"gain": -1}, "gain=-1"), ({"most": 0}, "most=0")],
)
def test_gate_with_impossible_numbers_is_refused(limits, line):
    with pytest.raises(ValueError, match=f"{line} is not allowed"):
        gate("jie-long", "greedy", "variety", **limits)


def test_gate_runs_on_the_command_line(tmp_path):
    words = ["gate", "jie-long", "variety", "greedy", "--seed", 1]
    printed = gupai(*words, "--record", tmp_path / "games.jsonl")
    assert printed.stdout.startswith("Accepted: variety wins more than greedy.")
    found = json.loads(gupai(*words, "--json").stdout)
    assert found["verdict"] == "accepted"
    assert f"after {found['deals']:,} deals" in " ".join(printed.stdout.split())
    assert sum(1 for _ in read_games(tmp_path / "games.jsonl")) >= 4 * found["deals"]
    wrong = gupai("gate", "jie-long", "variety", "greedy", "--alpha", "0.7")
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (2, 1)


def test_recipe_is_judged_over_its_seeds():
    greedy = make_agent("greedy")
    recipe = ["variety", "variety+attack_2=40", "random"]
    found = recipe_gain("jie-long", recipe, greedy, 40, seed=1)
    means = [
        duel("jie-long", agent, greedy, 40, seed=derive(1, number)).mean(0).mean for number, agent in enumerate(recipe)
    ]
    assert found == pytest.approx(estimate(np.array(means)))
    assert found.samples == 3


def test_recipe_interval_includes_the_luck_of_deals():
    """Seeds that are all alike: what is uncertain are the deals alone."""
    found = recipe_gain("jie-long", ["variety"] * 8, "greedy", 100, seed=2)
    assert found.half_width == pytest.approx(
        duel("jie-long", "variety", "greedy", 800, seed=3).mean(0).half_width, rel=0.7
    )
