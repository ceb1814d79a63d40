"""Looking back at a game: what a decision lost, how sure that is, and what the tiles were worth."""

from types import SimpleNamespace

import numpy as np
import pytest

from gupai_agents.agent import DecisionBatch
from gupai_app.moves import WIDE
from gupai_app.web.review import MOST_BARS, MOST_LOSSES, Decision, _decision, largest_losses, line_in

RECORD = SimpleNamespace(game=SimpleNamespace(action_name=lambda action, view: f"a{action}"))


def decided(action, means, errors, chances=None):
    means = np.array(means)
    turn = DecisionBatch([None], np.isfinite(means)[None], np.zeros(1, np.int64))
    chances = np.linspace(0, 1, len(means)) if chances is None else np.array(chances)
    return _decision(RECORD, (7, 2, action), turn, chances, means, np.array(errors))


NAN = float("nan")


@pytest.mark.parametrize(
    ("action", "loss", "half"),
    [
        (1, 0.0, 0.0),  # the best itself: nothing to be unsure of
        (0, 5.0, WIDE * 5.0),  # errors 3 and 4
        (3, 2.0, WIDE * 13.0),  # 5 and 12 would be 13; see below
    ],
)
def test_a_loss_is_as_unsure_as_both_that_it_compares(action, loss, half):
    errors = [3.0, 4.0, NAN, 0.0]
    if action == 3:
        errors = [3.0, 5.0, NAN, 12.0]
    found = decided(action, [1.0, 6.0, NAN, 4.0], errors)
    assert (found.number, found.seat, found.words) == (7, 2, f"a{action}")
    assert found.loss == pytest.approx(loss)
    assert found.half == pytest.approx(half)


def test_bars_stand_best_first_and_the_one_played_is_always_among_them():
    means = np.arange(12.0)
    found = decided(0, means, means / 10)
    assert [bar.words for bar in found.bars] == [f"a{each}" for each in [*range(11, 4, -1), 0]]
    assert len(found.bars) == MOST_BARS
    assert [bar.played for bar in found.bars] == [False] * 7 + [True]
    assert found.loss == 11
    for bar, action in zip(found.bars, [*range(11, 4, -1), 0], strict=True):
        assert (bar.mean, bar.half) == (action, pytest.approx(WIDE * action / 10))
        assert bar.probability == pytest.approx(action / 11)
    found = decided(4, means, means / 10)  # the first that does not fit of itself
    assert [bar.words for bar in found.bars] == [f"a{each}" for each in range(11, 3, -1)]
    assert [bar.played for bar in found.bars] == [False] * 7 + [True]


def test_the_largest_losses_come_first_and_what_lost_nothing_is_none():
    losses = [0.0, 3.0, -0.0, 1.0, 2.0, *[0.5] * MOST_LOSSES]
    found = largest_losses([Decision(n, 0, "", [], loss, 0.0) for n, loss in enumerate(losses)])
    assert [each.number for each in found] == [1, 4, 3, *range(5, 5 + MOST_LOSSES - 3)]


def test_a_game_of_several_is_told_by_its_number_from_1():
    sent = "a\r\n\n  \nb\n"
    assert [line_in(sent, number) for number in (1, 2)] == ["a\n", "b\n"]
    for number in (0, 3):
        with pytest.raises(ValueError, match=f"no game {number}; these are games 1 to 2"):
            line_in(sent, number)
