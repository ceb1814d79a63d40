"""The page of a claim in words: what turns a verdict around, its headline, its table and its chart."""

import numpy as np
import pytest

from gupai_app.claims.page import _headline, _table, dose_chart, failures
from readings import POOLED, effect, reading


@pytest.mark.parametrize(
    ("alternative", "mean", "half", "p", "turns"),
    [
        ("greater", -1.0, 0.5, 0.01, True),
        ("greater", -1.0, 1.0, 0.04, False),  # the interval reaches zero
        ("greater", -1.0, 0.5, 0.05, False),
        ("greater", 1.0, 0.5, 0.01, False),
        ("less", 1.0, 0.5, 0.01, True),
        ("less", -1.0, 0.5, 0.01, False),
        ("greater", -1.0, None, 0.01, False),
    ],
)
def test_opposite_finding_turns_the_sentence_around(alternative, mean, half, p, turns):
    each = effect("greedy", mean, half, p=p)
    said = failures(reading(about={"alternative": alternative}, effects=[each]))
    assert said.startswith("It turns around with: greedy (" if turns else "No opponent is shown to turn")


def test_analyses_are_listed_where_nothing_turns_around():
    good = [effect("a", 1.0, 0.5, p=0.01)]
    assert (
        failures(reading(effects=good, doses=[{"label": "", "effects": good}]))
        == "No opponent or dose is shown to turn it around."
    )
    found = failures(reading(effects=good, doses=[], subgroups=[effect("b", -1.0, 0.5, p=0.01), *good]))
    assert found == "It turns around with: b (-1.00 ±0.50)."


def test_headline_gives_chips_only_where_chips_are_meant():
    more = {"pooled": POOLED, "frequency": 0.25, "per_hundred": 37.5}
    assert list(_headline(reading(**more))) == [
        ("+1.50 ±0.25", "chips per deal when it comes up"),
        ("25%", "of a seat's deals is how often it comes up"),
        ("+37.5", "chips in a hundred deals"),
    ]
    assert next(_headline(reading(unit="share of deals", **more)))[0] == "25%"
    assert next(_headline(reading(kind="action", unit="x", frequency=1.5)))[0] == "1.5"


def test_table_of_shares_is_in_per_cent():
    heads, row = _table([effect("a", 0.125, 0.0625, p=0.04, verdict="supported")], "share of deals")
    assert heads[1] == "mean (%)"
    assert row == ["a", "+12.500", "+6.250 to +18.750", "1,200", "0.04", "supported"]
    assert list(_table([effect("a", 0.125, None)], "chips"))[1][1:3] == ["+0.125", "none"]


def test_chart_has_an_interval_for_every_dose_and_opponent():
    doses = [
        {
            "dose": dose,
            "label": f"carrying 2: {dose}",
            "effects": [effect("greedy", one, 0.5), effect("variety", two, 0.5)],
        }
        for dose, one, two in (("4", 1.0, -1.0), ("5", 3.0, 0.0))
    ]
    drawn = dose_chart([*doses, {"dose": "6", "label": "carrying 2: 6", "effects": [effect("greedy", 0.0, None)]}])
    lines = [part.partition('"/>')[0] for part in drawn.split('<line class="interval" ')[1:]]
    places = [dict(pair.split("=") for pair in line.replace('"', "").split()) for line in lines]
    assert len(places) == 4
    middles = [(float(each["y1"]) + float(each["y2"])) / 2 for each in places]
    assert np.argsort(middles).tolist() == [2, 0, 3, 1]
    across = [float(each["x1"]) for each in places]
    assert across[0] < across[1] < across[2] < across[3]
    for each in places:
        assert each["x1"] == each["x2"]
        assert float(each["y1"]) - float(each["y2"]) == pytest.approx(
            float(places[0]["y1"]) - float(places[0]["y2"]), abs=0.2
        )
    assert dose_chart([{"dose": "1", "label": "", "effects": [effect("a", 0.0, None)]}]) == ""
