"""Looking back at a game: what a decision lost, how sure that is, and what the tiles were worth."""

import re
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import parse_qsl

import numpy as np
import pytest

from gupai_agents.agent import DecisionBatch
from gupai_agents.players.search import Values
from gupai_app.play.address import Address
from gupai_app.play.moves import WIDE, MoveValue
from gupai_app.play.session import Session
from gupai_app.play.table import WebGame
from gupai_app.review.analysis import (
    MOST_BARS,
    MOST_LOSSES,
    Bar,
    Decision,
    decision,
    expected_result,
    largest_losses,
    luck,
    mistakes,
)
from gupai_app.review.routes import again_from, line_in
from gupai_app.server.players import NAMED
from gupai_env.core.move import Move
from gupai_env.games import GAMES, get_game
from gupai_env.messages import word

every_game = pytest.mark.parametrize("game", GAMES)


def act(action, view):
    return Move("act", name=f"act [1:{action}]")


RECORD = SimpleNamespace(game=SimpleNamespace(move=act, action_name=lambda action, view: act(action, view).name))


NAN = float("nan")


def decided(action, means, halves, chances=None, deals=None):
    """A decision by the means of actions, and half of the intervals of their differences from the best."""
    means = np.array(means)
    turn = DecisionBatch([None], np.isfinite(means)[None], np.zeros(1, np.int64))
    chances = np.linspace(0, 1, len(means)) if chances is None else np.array(chances)
    deals = np.where(np.isfinite(means), 200, 0) if deals is None else np.array(deals)
    best = int(np.nanargmax(means))
    errors, gains = np.full(len(means), 3 / WIDE), means - means[best]
    rows = (each[None] for each in (means, errors, deals, gains, np.array(halves) / WIDE))
    values = Values(*rows, np.array([best]), np.array([NAN]))
    return decision(RECORD, (7, 2, 0, action), turn, chances, values)


@pytest.mark.parametrize(
    ("action", "loss", "half", "text"),
    [(1, 0.0, 0.0, "0"), (0, 5.0, 1.25, "5.0 ±1.2"), (3, 2.0, 2.5, "2.0 ±2.5")],  # the first is the best itself
)
def test_loss_is_as_uncertain_as_the_paired_difference(action, loss, half, text):
    found = decided(action, [1.0, 6.0, NAN, 4.0], [1.25, 0.0, NAN, 2.5])
    assert (found.number, found.seat, found.words) == (7, 2, f"act [1:{action}]")
    assert (found.loss, found.half, found.lost) == (pytest.approx(loss), pytest.approx(half), text)
    assert found.sure is (loss > half)


def test_action_left_out_early_has_a_bound_and_no_strip():
    found = decided(0, [1.0, 6.0, NAN, 4.0], [2.0, 0.0, NAN, 0.5], deals=[40, 200, 0, 200])
    assert [word(bar.chips) for bar in found.bars] == ["+6.00", "+4.00 ±0.50", "at most +4.1 (dropped after 40 deals)"]
    assert [bool(strip) for strip in found.strips] == [True, True, False]


def test_bars_show_the_best_first_and_always_the_played_one():
    means = np.arange(12.0)
    found = decided(0, means, (11 - means) / 10)
    assert [bar.words for bar in found.bars] == [f"act [1:{each}]" for each in [*range(11, 4, -1), 0]]
    assert len(found.bars) == MOST_BARS
    assert [bar.played for bar in found.bars] == [False] * 7 + [True]
    assert found.loss == 11
    for bar, action in zip(found.bars, [*range(11, 4, -1), 0], strict=True):
        assert (bar.value.mean, bar.value.half) == (action, pytest.approx((11 - action) / 10))
        assert bar.probability == pytest.approx(action / 11)
    found = decided(4, means, (11 - means) / 10)  # the first that does not fit of itself
    assert [bar.words for bar in found.bars] == [f"act [1:{each}]" for each in range(11, 3, -1)]
    assert [bar.played for bar in found.bars] == [False] * 7 + [True]


def lost(number, loss, half=0.0, seat=0, kind="play", deal=0, value=0.0):
    best, other = (MoveValue(at, value + most, loss - most, half, 1.0, 200, False) for at, most in ((0, loss), (1, 0)))
    bars = [Bar("best", 1.0, best, "", not loss), *([Bar("other", 0.0, other, "", True)] if loss else [])]
    return Decision(number, seat, deal, "other", kind, "best", bars)


def test_largest_losses_come_first_and_zero_is_no_loss():
    losses = [0.0, 3.0, -0.0, 1.0, 2.0, *[0.5] * MOST_LOSSES]
    found = largest_losses([lost(n, loss) for n, loss in enumerate(losses)])
    assert [each.number for each in found] == [1, 4, 3, *range(5, 5 + MOST_LOSSES - 3)]


def test_game_of_several_is_numbered_from_1():
    sent = "a\r\n\n  \nb\n"
    assert [line_in(sent, number) for number in (1, 2)] == ["a\n", "b\n"]
    for number in (0, 3):
        with pytest.raises(ValueError, match=f"no game {number}; these are games 1 to 2"):
            line_in(sent, number)


def test_agents_choice_and_type_of_the_played_action_are_named():
    found = decided(0, [1.0, 6.0, 4.0], [0.0] * 3, [0.2, 0.3, 0.5])
    assert (found.preferred, found.kind, found.played) == ("act [1:2]", "act", found.bars[-1])
    assert found.value_of_preferred == found.bars[1]


def test_losses_within_noise_are_neither_listed_nor_summed():
    found = [lost(1, 3.0, 1.0), lost(2, 2.0, 2.5), lost(3, 0.5, 0.4, kind="discard"), lost(4, 1.0, 0.1, seat=1)]
    found += [lost(5, 1.5, 0.0), lost(6, 0.0)]
    assert [each.number for each in largest_losses(found)] == [1, 5, 4, 3]
    first, second, third = mistakes(found, ["a", "b", "c"])
    assert first[:3] == ("a", 5, 5.0) and first.half == pytest.approx(1.16**0.5)
    assert first.kinds == [("play", 2, 4.5), ("discard", 1, 0.5)]
    assert second == ("b", 1, 1.0, 0.1, [("play", 1, 1.0)]) and third == ("c", 0, 0.0, 0.0, [])


@pytest.fixture(scope="module")
def match():
    game = get_game("jie-long")
    session = Session(game, game.variant(deals=2), 5)
    while not session.terminated:
        session.play(int(session.mask().argmax()))
    return session.record(["human", "greedy", "checkpoint:elsewhere", "random"])


def test_expected_result_ends_at_the_payoff_and_marks_its_fall(match):
    payoffs = [each[0] for each in match.payoffs]
    own = [lost(2, 3.0, 1.0, value=-7.0), lost(6, 0.0, value=2.5), lost(8, 2.0, 4.0), lost(9, 9.0, seat=1)]
    own.append(lost(len(match.actions) - 1, 0.0, deal=1, value=40.0))
    drawn = expected_result(match, own, 0)
    assert drawn.count('class="fall"') == 1 and "Move 2: other loses 3.0 ±1.0 chips" in drawn
    points = re.search(r'<polyline[^>]*points="([^"]*)"', drawn)[1].split()
    x, y = zip(*(map(float, point.split(",")) for point in points), strict=True)
    assert len(points) == 2 + 1 + 1 + 1 + 1 + 1 and x[0] == x[1] and list(x) == sorted(x)
    values = [-4, -7, 2.5, 0, payoffs[0], payoffs[0] + 40, sum(payoffs)]
    up = (y[5] - y[1]) / (values[5] - values[1])  # pixels of a chip
    assert [y[1] + up * (value - values[1]) for value in values] == pytest.approx(y, abs=0.2)
    assert expected_result(match, own, 3) == ""


def test_decision_is_tried_again_at_the_same_table(match):
    query = again_from(match, lost(7, 1.0, seat=1), "greedy", NAMED)
    there = WebGame(Address.read(dict(parse_qsl(query))))
    assert there.address.seating == ["greedy", "human", "greedy", "random"]  # for a person, and who is not known here
    assert there.session.actions[:6] == list(match.actions[:6])
    assert there.address.variant == match.variant and there.address.seed == match.seed
    assert again_from(replace(match, order=(1, 2)), lost(7, 1.0), "greedy", NAMED) == ""


def test_bars_of_a_decision_share_a_scale():
    strips = decided(0, [-2.0, 6.0, NAN, 2.0], [1.0, 1.0, NAN, 0.0]).strips
    x = [float(re.search(r'cx="([\d.]+)"', each)[1]) for each in strips]
    zero = {re.search(r'class="zero" x1="([\d.]+)"', each)[1] for each in strips}
    assert len(zero) == 1 and x[0] - x[1] == pytest.approx(x[1] - x[2], abs=0.3) and x[2] < float(zero.pop()) < x[1]


@every_game
def test_tile_values_do_not_depend_on_the_play(game):
    found = []
    for pick in (0, -1):
        session = Session(GAMES[game], GAMES[game].variant(), 4)
        while not session.terminated:
            session.play(int(np.flatnonzero(session.mask())[pick]))
        found.append(luck(session.record(["a"] * session.variant.players)))
        assert [each.won for each in found[-1]] == list(session.payoffs[0])
    assert [each.value for each in found[0]] == [each.value for each in found[1]]
    assert any(each.value.mean and each.value.has_interval for each in found[0])


def test_tile_values_of_a_match_add_up_over_its_deals(monkeypatch):
    def pays(envs, agents):
        envs.states.payoff[:, :4] = 3, 1, -1, -3

    monkeypatch.setattr("gupai_app.review.analysis.play_out", pays)
    session = Session(get_game("jie-long"), get_game("jie-long").variant(deals=3), 404)
    while not session.terminated:
        session.play(int(session.mask().argmax()))
    found = luck(session.record(["a"] * 4))
    assert [each.value.mean for each in found] == [9, 3, -3, -9]
    assert [each.won for each in found] == session.state.total[:4].tolist()
