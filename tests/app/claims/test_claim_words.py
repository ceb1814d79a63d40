"""The page of a claim in words: what turns a verdict around, its headline, its table and its chart."""

import pytest

from gupai_app.claims.page import failures
from readings import effect, finding


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
    said = failures(finding(about={"alternative": alternative}, effects=(each,)))
    assert said.startswith("It turns around with: greedy (" if turns else "No opponent is shown to turn")
