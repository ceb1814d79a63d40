"""What the charts of a run show: every figure at its own place, and where one stage ends and the next begins."""

import json
import re

import pytest

from gupai_env.storage.models import DamagedError
from gupai_training.config import METRICS_FILE, SEARCH_STAGE
from gupai_training.curves import MOST_BASELINES, baselines_of, evaluations_of, exploitability, losses, strength


def row(targets, decisions, seconds, chips, **more):
    won = {"mean": chips, "low": chips - 1, "high": chips + 1, "n": 9}
    head = {"targets": targets, "decisions": decisions, "updates": 1, "seconds": seconds}
    return {**head, "random": {**won, "mean": chips + 50.0, "high": chips + 51}, "greedy": won, **more}


def places(drawn):
    """Where the points of each curve are, by the names of the curves."""
    names = re.search(r'aria-label="(.*?)"', drawn)[1].split("; ")
    lines = re.findall(r'<polyline class="curve"[^>]*points="([^"]*)"', drawn)
    points = [[tuple(map(float, point.split(","))) for point in line.split()] for line in lines]
    return dict(zip(names, points, strict=True))


def test_stages_part_at_the_last_search_evaluation():
    rows = [row(10, 0, 1.0, -3.0), row(20, 0, 2.0, 1.0), row(20, 64, 4.0, 2.0), row(20, 128, 5.0, 4.0)]
    drawn = str(strength(rows))
    (points,) = places(drawn).values()
    parted = float(re.search(r'<line class="zero" x1="([\d.]+)" x2="\1" y1', drawn)[1])
    assert len(points) == 4 and parted == points[1][0] and SEARCH_STAGE in drawn
    assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)  # upwards
    x = [at for at, _ in points]
    assert (x[2] - x[1]) / (x[1] - x[0]) == pytest.approx(2, abs=0.05)
    assert SEARCH_STAGE not in strength(rows[:2]) and SEARCH_STAGE not in strength(rows[2:])
    only = [{key: value for key, value in each.items() if key != "greedy"} for each in rows]
    assert list(places(str(strength(only)))) == ["against random"]
    assert strength(rows[:1]) == "" and strength([]) == ""


def test_exploitability_methods_and_losses_are_separate_curves():
    rows = [
        row(
            at, 0, float(at), 0.0, exploitability={"best": 9.0 - at, "drawn": 1.0 * at}, losses={"value_loss": 1.0 * at}
        )
        for at in (1, 2, 3)
    ]
    best, drawn = places(str(exploitability(rows))).values()
    assert best[0][1] < best[2][1] and drawn[0][1] > drawn[2][1]  # falls, and grows
    assert list(places(str(losses(rows)))) == ["value loss"] and losses(rows[:1]) == ""


def test_evaluations_keep_order_and_the_last_of_a_place(tmp_path):
    rows = [row(10, 0, 1.0, 0.0), row(20, 64, 5.0, 0.0), row(20, 0, 3.0, 7.0), row(20, 0, 4.0, 8.0)]
    (tmp_path / METRICS_FILE).write_text("".join(json.dumps(each) + "\n" for each in rows))
    found = evaluations_of(tmp_path)
    assert [(each["targets"], each["decisions"], each["seconds"]) for each in found] == [
        (10, 0, 1.0),
        (20, 0, 4.0),
        (20, 64, 5.0),
    ]


def test_evaluations_of_identical_deals_are_points(tmp_path):
    alike = row(10, 0, 1.0, -3.0, greedy={"mean": -3.0, "low": None, "high": None, "n": 2})
    (tmp_path / METRICS_FILE).write_text("".join(f"{json.dumps(each)}\n" for each in (alike, row(20, 0, 2.0, 1.0))))
    (points,) = places(str(strength(evaluations_of(tmp_path)))).values()
    assert len(points) == 2


def test_targets_are_drawn_in_thousands():
    drawn = str(strength([row(2000, 0, 1.0, 0.0), row(8000, 0, 2.0, 1.0)], "thousand targets"))
    assert {"2", "4", "6", "8"} <= set(re.findall(r">([\d.]+)</text>", drawn)) and ">thousand targets<" in drawn


@pytest.mark.parametrize("number", [MOST_BASELINES, MOST_BASELINES + 1])
def test_baselines_are_bounded(number, tmp_path):
    won = {"mean": 1.0, "low": 0.0, "high": 2.0, "n": 9}
    head = {"targets": 1, "decisions": 1, "updates": 1, "seconds": 1.0}
    (tmp_path / METRICS_FILE).write_text(json.dumps({**head, **{f"p{each}": won for each in range(number)}}) + "\n")
    if number <= MOST_BASELINES:
        assert len(baselines_of(evaluations_of(tmp_path))) == number
    else:
        with pytest.raises(DamagedError, match=f"at most {MOST_BASELINES}$"):
            evaluations_of(tmp_path)
