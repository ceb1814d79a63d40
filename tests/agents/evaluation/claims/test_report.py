"""A verdict in words: each figure in its unit and digits, what is not tested, and how to repeat it."""

import pytest

from gupai_agents.evaluation.claims.report import command_of, figures, markdown, master_sentence, master_words
from gupai_agents.evaluation.claims.results import Masters, Request
from gupai_agents.evaluation.claims.verdicts import WORDS
from gupai_agents.evaluation.statistics import Estimate
from readings import a_verdict, effect, finding


def test_p_of_subgroups_is_corrected_for_their_number():
    printed = {
        which: next(figures(finding(**{which: (effect("a", 2.0, 0.5, p=0.04),)}), which=which))
        for which in ("effects", "subgroups")
    }
    assert printed["effects"].endswith("p 0.04 adjusted)")
    assert printed["subgroups"].endswith("p 0.04 adjusted for their number)")


def test_verdict_table_marks_what_holds_after_correction():
    one = a_verdict(
        finding(),
        finding(verdict="contradicted", q=0.01, p=0.001, tests=2),
        finding(q=0.2, p=0.04, tests=2, stands=False),
        finding(verdict="inconclusive"),
        request=Request(seed=3, deals=50, panel=["greedy", "variety"], strong=True),
    )
    lines = markdown([one, a_verdict(id="b", untested="why")]).splitlines()
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
    assert command_of(a_verdict()) == "gupai claim run a"


@pytest.mark.parametrize(
    ("chooses", "other", "worth", "deals", "printed"),
    [
        (
            (38, 31, 46),
            (3, 1, 6),
            (0.4, 0.7),
            128,
            "a takes it more often: the claimed action in 38% (31 to 46) of 128 decisions where both are open, the "
            "other in 3% (1 to 6); it values neither clearly more: +0.40 ±0.70 chips",
        ),
        (
            (31, 29, 33),
            (69, 67, 71),
            None,
            299,
            "a takes the other more often: the claimed action in 31% ±2 of 299 decisions where both are open, the other"
            " in 69% ±2",
        ),
        (
            (44, 38, 50),
            (42, 36, 48),
            (1.17, 0.47),
            351,
            "a takes neither clearly more often: the claimed action in 44% ±6 of 351 decisions where both are open, the"
            " other in 42% ±6; it values it more: +1.17 ±0.47 chips",
        ),
        ((50, 5, 95), (0, 0, 60), (-2.0, 0.5), 4, "a, too few decisions: both are open in 4"),
    ],
)
def test_each_figure_of_a_strong_player_has_a_word_of_its_own(chooses, other, worth, deals, printed):
    shares = [Estimate(*(part / 100 for part in share), deals) for share in (chooses, other)]
    value = worth and Estimate.symmetric(*worth, deals)
    master = Masters("a", deals, deals, *shares, value, "chips")
    assert master_sentence(master) == printed
    often, chosen, rest, of_value, figure = master_words(master)
    turned = master_words(master, -1)
    assert turned[1:3] == (rest, chosen) and bool(of_value) == bool(worth and deals >= 20)
    swap = {words[1 + way]: words[2 - way] for words in (WORDS["share"], WORDS["value"]) for way in (0, 1)}
    assert (turned[0], turned[3]) == (swap.get(often, often), swap.get(of_value, of_value))
    assert figure == turned[4] == "" or figure[1:] == turned[4][1:]
