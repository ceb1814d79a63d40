"""A verdict in words: each figure in its unit and digits, what is not tested, and how to repeat it."""

import pytest

from gupai_agents.evaluation.claims.report import command_of, figures, markdown, master_sentence
from gupai_agents.evaluation.claims.results import Masters
from gupai_agents.evaluation.statistics import Estimate
from readings import effect, reading


def test_p_of_subgroups_is_corrected_for_their_number():
    printed = {
        which: next(figures({which: [effect("a", 2.0, 0.5, p=0.04)]}, which)) for which in ("effects", "subgroups")
    }
    assert printed["effects"].endswith("p 0.04 adjusted)")
    assert printed["subgroups"].endswith("p 0.04 adjusted for their number)")


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
