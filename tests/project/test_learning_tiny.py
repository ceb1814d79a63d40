"""Learning on tiny decks: each method is judged by its own policy, and the record becomes a table and a picture."""

import itertools
import json
import math
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks import learning_tiny
from benchmarks.learning_tiny import METHODS, discounted, made, names_of_sets, picture, table
from checkout import ROOT
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
    assert row.count("|") == len(METHODS) + 3
    assert "| 0.5 | 10.00% |" in row and "| 30.00% (20.0% to 40.0%) |" in row
    root = ElementTree.fromstring(picture(found))
    charts = [each for each in root if each.tag.endswith("svg")]
    titles = [each.text for each in root if each.tag.endswith("text")]
    assert len(charts) == 1 and titles == [game.title for game in GAMES.values()]


def test_page_and_picture_show_the_record():
    found = json.loads((ROOT / "results" / "benchmark" / "learning-tiny.json").read_text(encoding="utf-8"))
    assert table(found) in (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    assert picture(found) == (ROOT / "docs" / "static" / "learning-tiny.svg").read_text(encoding="utf-8")
