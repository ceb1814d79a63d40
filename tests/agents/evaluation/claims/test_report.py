"""A verdict in words: each figure in its unit and digits, what is not tested, and how to repeat it."""

import pytest

from gupai_agents.evaluation.claims import claim_of, try_claim
from gupai_agents.evaluation.claims.report import command_of, figures, markdown, master_sentence, percent, remarks, text
from gupai_agents.evaluation.claims.results import Masters
from gupai_agents.evaluation.statistics import Estimate
from readings import ATTACK, POOLED, effect, reading


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


@pytest.mark.parametrize(("share", "said"), [(0.5, "50%"), (0.12345, "12.3%"), (0.00012345, "0.0123%"), (1, "100%")])
def test_share_in_per_cent(share, said):
    assert percent(share) == said


def test_untested_parts_are_listed_and_nothing_else():
    untested = claim_of(ATTACK | {"readings": [], "untested": "nobody can see it"})
    exact = {"name": "one", "kind": "exact", "enumerate": "tiles_per_number", "expect": [{"fact": "2", "equals": 7}]}
    for claim, said in ((untested, True), (claim_of(ATTACK | {"readings": [exact]}), False)):
        content = try_claim(claim).content({"seed": 0, "deals": None, "panel": None})
        for printed in (text(content), markdown([content])):
            assert ("Not tested: nobody can see it" in printed) == ("Not tested" in printed) == said


@pytest.mark.parametrize(
    ("chooses", "other", "deals", "verdict", "printed"),
    [
        ((38, 31, 46), (3, 1, 6), 128, "prefers it", "it takes the claimed action in 38% (31 to 46)"),
        ((31, 29, 33), (69, 67, 71), 299, "prefers the other", "the other in 69% ±2"),
        ((44, 38, 50), (42, 36, 49), 242, "no clear preference", "of 242 decisions where both are open"),
        ((50, 5, 95), (0, 0, 60), 4, "too few decisions", "a, too few decisions: both are open in 4"),
    ],
)
def test_strong_player_prefers_what_it_takes_more_often(chooses, other, deals, verdict, printed):
    shares = (Estimate(*(part / 100 for part in share), deals) for share in (chooses, other))
    master = Masters("a", deals, *shares, None, "chips")
    assert master.verdict == verdict
    assert printed in master_sentence(master.as_numbers())
