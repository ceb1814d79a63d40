"""Learning on tiny decks: each method is judged by its own policy, and the record becomes a table and a picture. Every
learner on every task: cells are tuned, and made once.
"""

import itertools
import json
import math
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks import learners, learning_tiny
from benchmarks.entries import exponent
from benchmarks.learners import SEEDS, TRIALS, fill, trials_of
from benchmarks.learning_tiny import METHODS, discounted, made, names_of_sets, picture, table
from checkout import ROOT
from gupai_agents.evaluation.benchmark.models import read_card, read_suite
from gupai_agents.evaluation.exact.tree import solve
from gupai_env import GAMES
from trees import tiny_tree

NAME = "ding-niu"


def test_dcfr_with_these_powers_equals_cfr_plus():
    tree = tiny_tree(NAME)
    *_, policy = itertools.islice(discounted(tree, math.inf, -math.inf, 1), 6)
    assert policy == pytest.approx(solve(tree, 6), abs=1e-12)


def test_dcfr_comes_near_an_equilibrium():
    tree = tiny_tree(NAME)
    *_, policy = itertools.islice(discounted(tree, 1.5, 0, 2), 100)
    assert tree.exploitability(policy) < tree.exploitability(tree.uniform()) / 500


def test_openspiel_policy_is_as_exploitable_there_as_here(monkeypatch):
    tree = tiny_tree(NAME)
    pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import exploitability, external_sampling_mccfr

    solvers, names, whole = [], [], external_sampling_mccfr.ExternalSamplingSolver.__init__
    monkeypatch.setattr(
        external_sampling_mccfr.ExternalSamplingSolver,
        "__init__",
        lambda self, game: (solvers.append(self), whole(self, game))[1],
    )
    monkeypatch.setattr(learning_tiny, "names_of_sets", lambda *both: names.extend(names_of_sets(*both)) or names)
    monkeypatch.setattr(learning_tiny, "EVALUATIONS", 1)
    ((_, ours),) = METHODS["MCCFR"](tree, 1, 1000)
    theirs = exploitability.exploitability(solvers[0]._game, solvers[0].average_policy())
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert ours < 0.95 * tree.exploitability(tree.uniform())
    assert len({name for name, _ in names}) == tree.sets
    assert [count for _, count in names] == np.diff(tree.first).tolist()


def test_self_play_learns_what_the_tutorial_stream_does_not():
    left = {
        method: (curve := made(NAME, method, 1, 40_000)["curve"])[-1][1] / curve[0][1]
        for method in ("self-play", "PPO as in the tutorial")
    }
    assert left["self-play"] < 0.6 < 0.7 < left["PPO as in the tutorial"], left


def test_record_becomes_a_table_and_one_picture():
    found = {
        f"{NAME} CFR+ 1": {"curve": [[0, 0.5], [10, 0.25], [100, 0.05]], "seconds": 1.0},
        f"{NAME} self-play 1": {"curve": [[0, 0.5], [10, 0.2]], "seconds": 1.0},
        f"{NAME} self-play 2": {"curve": [[0, 0.5], [10, 0.1]], "seconds": 1.0},
    }
    (row,) = table(json.loads(learning_tiny.as_lines(found))).splitlines()[2:]
    assert row.count("|") == 2 + 3  # of two methods, no column of another
    assert "| 0.5 | 10.00% |" in row and "| 30.00% (20.0% to 40.0%) |" in row
    root = ElementTree.fromstring(picture(found))
    charts = [each for each in root if each.tag.endswith("svg")]
    titles = [each.text for each in root if each.tag.endswith("text")]
    assert len(charts) == 1 and titles == [game.title for game in GAMES.values()]


def test_page_and_picture_show_the_record():
    found = json.loads((ROOT / "results" / "benchmark" / "learning-tiny.json").read_text(encoding="utf-8"))
    assert table(found) in (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    assert picture(found) == (ROOT / "docs" / "static" / "learning-tiny.svg").read_text(encoding="utf-8")


# --- every learner on every task ------------------------------------------------------------------


def test_cell_is_tuned_by_trials_and_not_made_again(tmp_path, monkeypatch, capsys):
    rates, suite = [], read_suite()

    def learner(task, budget, seed, name, settings):
        rates.append(settings["rate"])
        return "greedy" if settings["rate"] > 1 else "random"

    monkeypatch.setattr(learners, "TRIAL_DEALS", 20)
    monkeypatch.setattr(learners, "DEALS", 20)
    monkeypatch.setitem(learners.METHODS, "cloning", ("Fake", learner, "deals"))
    monkeypatch.setitem(learners.SMALL, "cloning", {})
    monkeypatch.setitem(learners.RANGES, "cloning", {"rate": (0.5, 2.0)})
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        fill("cloning", suite, suite.task("tiu-u"), math.inf)
    tried, chosen = rates[:TRIALS], rates[TRIALS:]
    assert min(tried) < 1 < max(tried) and chosen == [chosen[0]] * len(SEEDS) and chosen[0] in tried and chosen[0] > 1
    assert [trial["settings"]["rate"] for trial in trials_of("cloning-tiu-u")] == tried
    cards = [read_card(tmp_path / f"cloning-tiu-u-{seed}.json") for seed in SEEDS]
    assert {card.deals for card in cards} == {20}
    rows = learners.table("v1", tmp_path)
    assert f"| `tiu-u` | {' | ' * 5}{learners.score_text(cards)} |" in rows and "`ce-deng`" not in rows
    assert "1 of 72 cells" in rows


def test_no_player_begins_to_learn_after_the_end(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fill("cloning", read_suite(), read_suite().task("tiu-u"), -math.inf)
    assert not list(tmp_path.iterdir())


def test_exponent_is_that_of_a_power_of_the_budget():
    curve = {str(budget): [100 - far * budget**-0.25 for far in (40, 50)] for budget in (1_000, 10_000, 100_000)}
    assert exponent(curve).mean == pytest.approx(-0.25)


def test_page_shows_the_cells():
    page = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    assert learners.BEGIN + learners.table("v1", ROOT / "results" / "benchmark" / "learners") + learners.END in page
