"""Comparison of runs: by recipe, on points and figures that all have, each run once."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest

from gupai_agents.evaluation.statistics import estimate
from gupai_agents.networks.checkpoint import AGENT_FILE, read_checkpoint, write_checkpoint
from gupai_training.comparison import Comparison
from small_runs import copy_of


def test_runs_are_compared_by_recipe(runs):
    found = Comparison(runs)
    assert {name: len(each) for name, each in found.recipes.items()} == {"ppo.entropy=0.01": 2, "ppo.entropy=0.05": 1}
    assert found.axes() == ["decisions", "seconds"]
    means = [run.evaluations[-1]["greedy"]["mean"] for run in runs[:2]]
    row = next(
        row
        for row in found.rows()
        if (row["recipe"], row["against"], row["over"], row["at"]) == ("ppo.entropy=0.01", "greedy", "decisions", 4096)
    )
    assert row["mean"] == pytest.approx(np.mean(means)) and row["n"] == 2
    assert (row["low"], row["high"]) == pytest.approx(estimate(np.array(means), runs=True)[1:3])
    assert all(row["low"] is None for row in found.rows() if row["recipe"] == "ppo.entropy=0.05")


def test_curves_use_points_reached_by_all_runs_of_a_recipe(runs):
    """With times of our own: on a busy machine one run may begin after the other has ended."""
    found = Comparison(runs[:2])
    spans = [[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]
    found.recipes["jie-long"] = [
        SimpleNamespace(evaluations=[{"seconds": at, "random": {"mean": 10 * at}} for at in span]) for span in spans
    ]
    points, values = found.curve("jie-long", "random", "seconds")
    assert points[0] == max(span[0] for span in spans) and points[-1] == min(span[-1] for span in spans)
    assert values.shape == (len(points), 2)
    assert points.tolist() == [2, 3, 4, 5] and values.tolist() == [[10 * at] * 2 for at in points]


def test_losses_are_compared_where_all_runs_have_them(runs):
    found = Comparison(runs)
    assert found.losses == ["policy_loss", "value_loss"]
    noted = [row["losses"]["value_loss"] for row in runs[2].evaluations]
    points, values = found.curve(list(found.recipes)[1], "value_loss", "decisions")
    assert values[:, 0].tolist() == noted and points[-1] == 4096
    assert {row["against"] for row in found.rows(found.losses)} == set(found.losses)
    assert all(row["against"] in found.baselines for row in found.rows())


def test_runs_are_compared_by_changed_settings_and_common_rivals(runs):
    searched = [{**row, "targets": 5, "decisions": 0, "tuned": row["greedy"]} for row in runs[0].evaluations]
    other = copy.copy(runs[2])
    vars(other).update(evaluations=searched)
    for order in ((runs[0], other), (other, runs[0])):
        found = Comparison(order)
        assert found.axes() == ["targets", "decisions", "seconds"] and found.baselines == ["random", "greedy"]


def test_runs_without_common_figures_are_not_compared(runs):
    def like(**other):
        run = copy.copy(runs[1])
        vars(run).update(other)
        return run

    variety = {key: value for key, value in runs[1].evaluations[-1].items() if key not in runs[1].baselines}
    variety |= {"variety": runs[1].evaluations[-1]["greedy"]}
    for other, said in (
        (like(variant=runs[0].game.variant.make(players=3)), "its game or variant is not that of"),
        (like(evaluations=[variety]), "no player was compared with all of these runs"),
    ):
        with pytest.raises(ValueError, match=said):
            Comparison((runs[0], other))


def test_long_curve_is_drawn_through_some_points_end_to_end(runs, monkeypatch):
    long = copy.copy(runs[0])
    rows = [{**runs[0].evaluations[0], "decisions": 10 * at} for at in range(9)]
    vars(long).update(evaluations=rows)
    monkeypatch.setattr("gupai_training.comparison.MOST_POINTS", 3)
    found = Comparison((long,))
    points, values = found.curve(next(iter(found.recipes)), "greedy", "decisions")
    assert points.tolist() == [0, 40, 80] and values.shape == (3, 1)


def test_unfinished_run_is_named_and_left_out_or_cut(runs, tmp_path):
    killed = copy_of(runs[0], tmp_path / "killed", rows=runs[0].evaluations[:1], seed=9, killed=True)
    early = copy_of(runs[0], tmp_path / "early", rows=[], seed=8, killed=True)
    stopped = "2,048 of 4,096 decisions"
    assert runs[0].finished and not killed.finished and killed.progress == stopped and not early.finished
    found = Comparison([killed, early, *runs[:2]])
    assert found.recipes == {"jie-long": runs[:2]}
    assert list(map(str, found.notes)) == [
        f"{killed.folder} is left out: unfinished, {stopped}",
        f"{early.folder} is left out: nothing was evaluated there yet",
    ]
    found = Comparison([killed, early, *runs], unfinished=True)
    assert found.recipes == {
        "ppo.entropy=0.01": runs[:2],
        "ppo.entropy=0.05": runs[2:],
        f"ppo.entropy=0.01, {stopped}": [killed],
    }
    assert len(found.notes) == 1
    points, values = found.curve(f"ppo.entropy=0.01, {stopped}", "greedy", "decisions")
    assert points.tolist() == [2048] and values.tolist() == [[runs[0].evaluations[0]["greedy"]["mean"]]]
    assert found.curve("ppo.entropy=0.01", "greedy", "decisions")[0][-1] == 4096
    with pytest.raises(
        ValueError, match=rf"^none of these runs is finished: .*killed \({stopped}\); compare unfinished"
    ):
        Comparison([killed, early])
    with pytest.raises(ValueError, match=r"^nothing was evaluated yet in these runs$"):
        Comparison([early], unfinished=True)


@pytest.mark.parametrize("same_weights", [True, False])
@pytest.mark.parametrize("same_figures", [True, False])
def test_equal_digests_of_a_seed_count_once(same_figures, same_weights, runs, tmp_path):
    rows = [{**row, "seconds": row["seconds"] + 5} for row in runs[0].evaluations]
    if not same_figures:
        rows[-1]["greedy"] = {**rows[-1]["greedy"], "mean": rows[-1]["greedy"]["mean"] - 0.125}
    copied = copy_of(runs[0], tmp_path / "copied", rows=rows)
    header, tensors = read_checkpoint(copied.folder / AGENT_FILE)
    tensors = tensors if same_weights else {name: tensor + 1 for name, tensor in tensors.items()}
    write_checkpoint(copied.folder / AGENT_FILE, {**header, "time": "later"}, tensors)
    found = Comparison([*runs[:2], copied])
    same = same_figures and same_weights
    assert len(found.recipes["jie-long"]) == (2 if same else 3)
    said = "is the same run as" if same else "has the seed of"
    assert [str(note) for note in found.notes if str(note).startswith(f"{copied.folder} {said} {runs[0].folder}")]
    other = copy_of(runs[0], tmp_path / "other", seed=9)
    found = Comparison([runs[0], other])
    assert found.recipes == {"jie-long": [runs[0], other]} and not found.notes
