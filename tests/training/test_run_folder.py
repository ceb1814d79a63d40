"""Folders of runs: one for each, rows after the last save dropped, new deals in the final table."""

from types import SimpleNamespace

import pytest

from gupai_env import get_game
from gupai_training import run
from gupai_training.run import _covered_by, next_folder


def test_simultaneous_runs_get_separate_folders(tmp_path):
    made = [next_folder(tmp_path / "runs", "a") for _ in range(3)]
    assert [folder.name for folder in made] == ["a-1", "a-2", "a-3"]
    made[1].rmdir()
    assert next_folder(tmp_path / "runs", "a").name == "a-2"


@pytest.mark.parametrize(
    ("line", "covered"),
    [
        ('{"targets": 5, "decisions": 7}', True),
        ('{"targets": 6, "decisions": 7}', False),
        ('{"targets": 5, "decisions": 8}', False),
        ('{"targets": 4, "decisions": 0}', True),
        ('{"targets": 5}', True),
        ('{"targets": "x", "decisions": 7}', True),
        ("[]", True),
        ("{", True),
    ],
)
def test_row_after_the_last_save_is_dropped(line, covered):
    assert _covered_by(line, 5, 7) == covered


def test_final_table_seed_differs_from_all_evaluations(monkeypatch):
    seeds = []

    def duel(game, hero, villain, deals, *, seed, progress):
        seeds.append((hero, villain, deals, seed))

    monkeypatch.setattr(run, "duel", duel)
    config = SimpleNamespace(evaluation=SimpleNamespace(final_deals=70), seed=3)
    players = {"player": lambda spec: "me", "agent_file": "f", "baselines": {"a": "A"}}
    results = run.Run.results(
        SimpleNamespace(game="g", variant=get_game("jie-long").variant(), config=config, **players)
    )
    assert [(row.hero, row.villain) for row in results] == [("trained", "a"), ("a", "trained")]
    assert seeds == [("me", "A", 70, 1_000_006), ("A", "me", 70, 1_000_006)]
