"""Every bound of what is read from disk: the last value that is allowed, and the first that is not."""

import copy
import json
import math
import os

import pytest

from gupai_agents.evaluation.benchmark.models import MOST_TASKS, Card, Suite
from gupai_agents.evaluation.statistics import Interval
from gupai_agents.evaluation.tournaments.folder import MOST_AGENTS, Manifest, Summary
from gupai_env.storage.models import MOST_NUMBER, MOST_TEXT, DamagedError, parse_stored, read_stored, small_file
from gupai_training.curves import Evaluation

DIGEST = "0123456789abcdef" * 4
PLAYER = {"name": "a", "spec": "a", "files": {"a.yaml": DIGEST}, "moves": DIGEST}
MEAN = {"mean": 1.0, "low": 0.5, "high": 1.5, "n": 4}
TOTAL = {**MEAN, "win_share": 0.5, "p": 0.5, "places": [0.5, 0.5], "action_types": {"play": 1.0}}
TOTAL |= {"rating": 0.0, "rating_width": 1.0, "alpha_rank": None}
PLAYED = {"game": "jie-long", "version": 0, "variant": {}, "agents": ["a", "b"], "deals": 2, "seed": 1}
RESULT = {"task": "t", "player": PLAYER, "chips": {"a": [0.0, 1.0]}, "against": {"a": MEAN}, "score": MEAN}
TASK = {"name": "t", "game": "jie-long", "version": 0, "options": {}, "population": {"a": DIGEST, "b": DIGEST}}
TASK |= {"zero": [0.0, 1.0], "hundred": [1.0, 2.0]}
FILES = {  # a whole one of each kind
    Manifest: {
        **PLAYED,
        **{"format": 4, "command": None, "players": [PLAYER, PLAYER], "table": "one", "rules": "r", "versions": {}},
    },
    Summary: {
        **PLAYED,
        "duels": [{**MEAN, "hero": 0, "villain": 1, "p": 0.5}, {**MEAN, "hero": 1, "villain": 0, "p": 0.5}],
        "totals": [{**TOTAL, "hero": hero} for hero in (0, 1)],
        "rating_orders": [[[0], [1]]],
    },
    Suite: {"name": "v1", "made_with": "1", "seed": 1, "tasks": [TASK]},
    Card: {
        **{"format": 1, "suite": "v1", "digest": DIGEST, "agent": "a", "deals": 2, "whole": False, "score": MEAN},
        "results": [RESULT],
    },
    Evaluation: {"targets": 0, "decisions": 0, "updates": 0, "seconds": 0.0, "random": MEAN},
}
COUNT = ([0, (1 << 63) - 1], [-1, 1 << 63, 1.0, "1", True])
NUMBER = ([-MOST_NUMBER, MOST_NUMBER], [-1.001 * MOST_NUMBER, 1.001 * MOST_NUMBER, None, "1"])
SHARE = ([0.0, 1.0], [-0.001, 1.001])
NAME = (["", "x" * MOST_TEXT], ["x" * (MOST_TEXT + 1), None])
HASH = ([DIGEST], [DIGEST[1:], DIGEST + "0", DIGEST.upper(), DIGEST[:-1] + "g"])
HERO = ([0], [2, 3, -1])  # of two agents


def agents(count):
    return [str(number) for number in range(count)]


def tasks(count):
    return [{**RESULT, "task": str(number)} for number in range(count)]


BOUNDS = [
    (Manifest, ["format"], COUNT),
    (Manifest, ["agents"], ([agents(2), agents(MOST_AGENTS)], [agents(0), agents(1), agents(MOST_AGENTS + 1)])),
    (Manifest, ["players"], ([[], [PLAYER] * MOST_AGENTS], [[PLAYER] * (MOST_AGENTS + 1)])),
    (Manifest, ["players", 0, "files", "a.yaml"], HASH),
    (Manifest, ["players", 1, "moves"], ([None, DIGEST], [DIGEST[1:]])),
    (Manifest, ["command"], (["x" * (1 << 20)], ["x" * ((1 << 20) + 1)])),
    (Manifest, ["deals"], ([1, (1 << 31) - 1], [0, 1 << 31])),
    (Manifest, ["seed"], COUNT),
    (Manifest, ["table"], NAME),
    (Summary, ["agents"], ([agents(2)], [agents(1), agents(3)])),
    (Summary, ["duels", 0, "hero"], HERO),
    (Summary, ["duels", 1, "villain"], HERO),
    (Summary, ["duels", 1, "p"], SHARE),
    (Summary, ["totals", 1, "hero"], ([1], [0, 2])),
    (Summary, ["totals", 0, "win_share"], SHARE),
    (Summary, ["totals", 0, "p"], SHARE),
    (Summary, ["totals", 0, "rating"], NUMBER),
    (Summary, ["rating_orders", 0, 1, 0], HERO),
    (Summary, ["totals", 0, "mean"], NUMBER),
    (Summary, ["totals", 0, "low"], ([None, 1.5, -MOST_NUMBER], [1.501, -1.1 * MOST_NUMBER])),
    (Summary, ["duels", 1, "high"], ([0.5, MOST_NUMBER], [None, 0.499, 1.1 * MOST_NUMBER])),
    (Suite, ["tasks"], ([[TASK], [TASK] * MOST_TASKS], [[], [TASK] * (MOST_TASKS + 1)])),
    (Suite, ["tasks", 0, "population"], ([TASK["population"]], [{}, {"a": DIGEST}])),
    (Suite, ["tasks", 0, "zero"], ([[0.0] * 2], [[0.0], []])),
    (Card, ["deals"], ([2, (1 << 31) - 1], [1, 1 << 31])),
    (Card, ["results"], ([tasks(1), tasks(MOST_TASKS)], [[], tasks(MOST_TASKS + 1), [RESULT] * 2])),
    (Card, ["results", 0, "chips", "a"], ([[0.0] * 2], [[0.0], []])),
    (Card, ["score", "mean"], ([None, MOST_NUMBER], [1.1 * MOST_NUMBER])),
    (Evaluation, ["targets"], COUNT),
    (Evaluation, ["seconds"], ([0.0, 1e12], [-0.1, 1.1e12])),
    (Evaluation, ["random", "low"], ([1.5], [1.501])),
]


def with_value(model, place, value):
    """The text of a whole file in which one value is another."""
    content = copy.deepcopy(FILES[model])
    inner = content
    for key in place[:-1]:
        inner = inner[key]
    if place[-1] == "low" and value is None:
        inner["high"] = None  # without an interval both ends are missing
    inner[place[-1]] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    ("model", "place", "values"), BOUNDS, ids=[f"{model.__name__} {'.'.join(map(str, at))}" for model, at, _ in BOUNDS]
)
def test_stored_values_keep_their_bounds(model, place, values):
    allowed, refused = values
    for value in allowed:
        parse_stored(with_value(model, place, value), model, "x.json")
    for value in refused:
        with pytest.raises(DamagedError, match=r"^x\.json: ") as error:
            parse_stored(with_value(model, place, value), model, "x.json")
        assert "\n" not in str(error.value) and len(str(error.value)) < 300


def test_file_of_the_largest_size_is_read(tmp_path):
    file = tmp_path / "some.json"
    file.write_bytes(bytes(100))
    assert small_file(file, 100) == file
    with pytest.raises(DamagedError, match=r"^some\.json: it is larger than 99 bytes$"):
        small_file(file, 99)
    with pytest.raises(DamagedError, match="this is not a regular file"):
        small_file(tmp_path, 1 << 20)


def test_file_replaced_by_one_of_equal_size_is_read_again(tmp_path):
    file, other = tmp_path / "some.json", tmp_path / "other"
    for mean in (1.0, 2.0):
        other.write_text(json.dumps({**MEAN, "mean": mean}))
        os.utime(other, (1, 1))
        other.replace(file)
        assert read_stored(file, Interval, 1000).mean == mean
    assert read_stored(file, Interval, 1000) is read_stored(file, Interval, 1000)


def test_half_width_is_half_the_interval():
    assert Interval(mean=1.0, low=0.5, high=2.0, n=4).estimate.half_width == 0.75
    assert Interval(mean=1.0, low=None, high=None, n=1).estimate.half_width == math.inf
