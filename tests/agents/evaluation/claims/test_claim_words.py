"""A verdict in words: each figure in its unit and digits, what turns it around, and what is no more than chance."""

import numpy as np
import pytest

from gupai_agents.evaluation.claims.report import command_of, figures, markdown, percent, remarks
from gupai_agents.evaluation.claims.verdicts import RATE, corrected
from gupai_agents.intervals import interval
from gupai_app.claims.page import _headline, _table, dose_chart, failures

POOLED = {**interval(1.5, 1.25, 1.75, 3600), "q": 8.0, "p_q": 0.004, "i2": 0.75}


def effect(label, mean, half, **more):
    half = np.inf if half is None else half
    return {"label": label, **interval(mean, mean - half, mean + half, 1200), **more}


def reading(kind="policy", **more):
    return {
        "name": "it",
        "kind": kind,
        "variant": {},
        "verdict": "supported",
        "sentence": "So.",
        "unit": "chips",
        **more,
    }


@pytest.mark.parametrize(
    ("each", "unit", "printed"),
    [
        (effect("greedy", 0.5, 0.25), "chips", "greedy: +0.500 ±0.250 (1,200 deals)"),
        (effect("greedy", -1.5, 0.25), "chips", "greedy: -1.50 ±0.25 (1,200 deals)"),
        (effect("greedy", 0.5, None), "chips", "greedy: +0.500 (all 1,200 deals alike: no interval)"),
        (effect("greedy", 0.125, 0.03), "share of deals", "greedy: +12.50% ±3.00 (1,200 deals)"),
        (
            effect("greedy", 2.0, 0.5, p=0.04, changed=0.125, verdict="supported"),
            "chips",
            "greedy: +2.00 ±0.50 (1,200 deals, play differs in 12.5%, p 0.04 adjusted, supported)",
        ),
    ],
)
def test_figure_in_its_unit(each, unit, printed):
    assert list(figures(reading(unit=unit, effects=[each]), "effects")) == [printed]


def test_p_of_subgroups_is_corrected_for_their_number():
    printed = {
        which: next(figures({which: [effect("a", 2.0, 0.5, p=0.04)]}, which)) for which in ("effects", "subgroups")
    }
    assert printed["effects"].endswith("p 0.04 adjusted)")
    assert printed["subgroups"].endswith("p 0.04 adjusted for their number)")


@pytest.mark.parametrize(
    ("more", "printed"),
    [
        (
            {"frequency": 0.125, "frequency_is_exact": True, "per_hundred": -18.75},
            "It comes up in exactly 12.5% of a seat's deals; that makes -18.8 chips in a hundred deals.",
        ),
        ({"frequency": 0.125, "frequency_is_exact": False}, "It comes up in about 12.5% of a seat's deals."),
        (
            {"kind": "action", "frequency": 0.125, "frequency_is_exact": False},
            "It comes up 0.125 times in a deal of a seat.",
        ),
        (
            {"deals_needed": 12_000},
            "To decide it would take about 12,000 deals against each player, were the mean right.",
        ),
        (
            {"deals_needed": 10**9},
            "To decide it would take more deals than can be played against each player, were the",
        ),
        ({"pooled": POOLED}, "Differences between opponents: Q 8.0, p 0.004, I² 75%."),
        ({"q": 0.2, "p": 0.0004, "tests": 9}, "p <0.001; of all 9 tests made together q 0.2."),
        (
            {"q": 0.2, "p": 0.04, "tests": 9, "stands": False},
            "p 0.04; of all 9 tests made together q 0.2: among so many it may be chance.",
        ),
        ({"variant": {"players": 3}}, "Variant: players=3."),
    ],
)
def test_remarks_give_frequency_size_and_certainty(more, printed):
    assert printed in "\n".join(remarks(reading(**more)))


@pytest.mark.parametrize(
    ("more", "printed"),
    [
        ({}, "Variant: the defaults. Players: a, b."),
        ({"kind": "rate"}, "Variant: the defaults. Players: a, b."),
        ({"kind": "ordering"}, "Variant: the defaults."),  # which are what is ordered
        ({"effects": []}, "Variant: the defaults."),
    ],
)
def test_players_are_named_with_the_variant(more, printed):
    effects = [effect("a", 1, 1), effect("b", 1, 1)]
    (line,) = (each for each in remarks(reading(**{"effects": effects} | more)) if each.startswith("Variant"))
    assert line == printed


def test_opponents_without_a_difference_get_no_remark():
    assert "Differences" not in "\n".join(remarks(reading(pooled={**POOLED, "i2": 0.0})))


def test_verdict_table_marks_what_holds_after_correction():
    asked = {"seed": 3, "deals": 50, "panel": ["greedy", "variety"], "strong": True}
    one = {"id": "a", "game": "g", "statement": "s", "source": "who", "asked": asked}
    readings = [
        reading(),
        reading(verdict="contradicted", q=0.01, p=0.001, tests=2),
        reading(q=0.2, p=0.04, tests=2, stands=False),
        reading(verdict="inconclusive"),
    ]
    lines = markdown(
        [{**one, "readings": readings}, {**one, "id": "b", "readings": [], "untested": "why"}]
    ).splitlines()
    assert lines[2:7] == [
        "| [a](#a) | s | it | ✔ supported |  |",
        "|  |  | it | ✘ contradicted | 0.01 |",
        "|  |  | it | supported, but not among so many tests | 0.2 |",
        "|  |  | it | inconclusive |  |",
        "| [b](#b) | s | | not tested | |",
    ]
    command = "gupai claim run a --seed 3 --deals 50 --panel 'greedy' --panel 'variety' --strong"
    assert command_of(one) == command
    assert f"To repeat it: `{command}`" in lines
    assert command_of({**one, "asked": {"seed": 0, "deals": None, "panel": None}}) == "gupai claim run a"


@pytest.mark.parametrize(("p", "stands"), [(RATE, True), (RATE + 1e-9, False)])
def test_verdict_stands_up_to_the_rate(p, stands):
    (found,) = corrected([{"readings": [{"verdict": "supported", "p": p}, {"verdict": "proved"}]}])
    assert (found["readings"][0]["stands"], found["readings"][0]["tests"]) == (stands, 1)
    assert "q" not in found["readings"][1]


@pytest.mark.parametrize(("share", "said"), [(0.5, "50%"), (0.12345, "12.3%"), (0.00012345, "0.0123%"), (1, "100%")])
def test_share_in_per_cent(share, said):
    assert percent(share) == said


# --- the page -------------------------------------------------------------------------------------


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
