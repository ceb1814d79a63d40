"""The bar that every long command shows is full when its work is done, and never fuller."""

import pytest

from commands import gupai
from gupai_app.shell import screen
from gupai_app.tournaments import terminal

COUNTED = {  # commands and the work that their bar counts
    "tournament jie-long greedy random tuned --deals 30 --table all": (6 + 6 + 3) * 30,
    "ladder tiu-u --deals 8 --few 2": 2 * 1 * 8 + 1 * 2 * 2,
    "exploitability tiu-u --solve --rounds 5": 5,
    "best-response tiu-u greedy --method tuning --generations 2 --candidate-deals 20 --deals 40": None,
    "discover tiu-u --seeds 4 --generations 1 --again 1 --candidate-deals 10 --deals 20": None,
    "benchmark greedy --tasks tiu-u --deals 2 --out card.json": None,
}


class Bar:
    """A bar that is read: what it counts up to, and each step."""

    def __init__(self, *columns, **how) -> None:
        self.total, self.steps = None, []
        BARS.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def add_task(self, what, total):
        self.total = total
        return 0

    def advance(self, task, number):
        self.steps.append(number)

    def update(self, task, completed, description):
        self.steps.append(completed - sum(self.steps))


BARS: list[Bar] = []


@pytest.fixture(autouse=True)
def read(monkeypatch, tmp_path):
    """Bars are read, in a folder of their own."""
    BARS.clear()
    monkeypatch.setattr(screen, "Progress", Bar)
    monkeypatch.setattr(terminal, "ladder_players", lambda *asked: ["greedy", "random", "search:playouts=2"])
    monkeypatch.chdir(tmp_path)


def steps_of(words: str) -> list[Bar]:
    done = gupai(*words.split())
    assert done.exit_code == 0, done.output
    return BARS


@pytest.mark.parametrize("words", COUNTED)
def test_bar_is_full_at_the_end_and_never_fuller(words):
    (bar,) = steps_of(words)
    assert sum(bar.steps) == bar.total and all(step >= 0 for step in bar.steps)
    assert COUNTED[words] in (None, bar.total)


def test_bar_of_a_gate_counts_the_deals_that_it_took():
    (bar,) = steps_of("gate jie-long variety greedy --seed 1 --most 5000")
    assert bar.total == 5000 and 0 < sum(bar.steps) < 5000


@pytest.mark.parametrize(
    "words", ["claim run jl-attack-2 --deals 40 --no-masters", "claim run jl-only-2 --deals 9", "claim run dn-deck"]
)
def test_share_of_a_claim_grows_to_the_whole(words):
    (bar,) = steps_of(words)
    assert bar.total == 1 and sum(bar.steps) == pytest.approx(1) and all(step > -1e-9 for step in bar.steps)
