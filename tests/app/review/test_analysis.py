"""Looking back at a game: what a decision lost, how sure that is, and what the tiles were worth."""

from dataclasses import fields, replace
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
from gupai_app.review.analysis import MOST_LOSSES, Decision, decision, expected, judged, largest_losses, luck, mistakes
from gupai_app.review.document import MOST_BARS, again_from, values
from gupai_app.review.routes import line_in
from gupai_app.server.players import NAMED
from gupai_env.games import GAMES, get_game

every_game = pytest.mark.parametrize("game", GAMES)


NAN = float("nan")
HINTS = SimpleNamespace(sort_of=lambda view, action: "act")


def decided(action, means, halves, deals=None):
    """A decision by the means of actions, and half of the intervals of their differences from the best."""
    means = np.array(means)
    turn = DecisionBatch([None], np.isfinite(means)[None], np.zeros(1, np.int64))
    deals = np.where(np.isfinite(means), 200, 0) if deals is None else np.array(deals)
    best = int(np.nanargmax(means))
    errors, gains = np.full(len(means), 3 / WIDE), means - means[best]
    rows = (each[None] for each in (means, errors, deals, gains, np.array(halves) / WIDE))
    return decision(HINTS, (7, 2, 0, action), turn, Values(*rows, np.array([best]), np.array([NAN])), 0)


@pytest.mark.parametrize(
    ("action", "loss", "half", "text"),
    [(1, 0.0, 0.0, "0"), (0, 5.0, 1.25, "5.0 ±1.2"), (3, 2.0, 2.5, "2.0 ±2.5")],  # the first is the best itself
)
def test_loss_is_as_uncertain_as_the_paired_difference(action, loss, half, text):
    found = decided(action, [1.0, 6.0, NAN, 4.0], [1.25, 0.0, NAN, 2.5])
    assert (found.number, found.seat, found.kind, found.played.action) == (7, 2, "act", action)
    assert (found.played.loss, found.played.half, found.lost) == (pytest.approx(loss), pytest.approx(half), text)
    assert found.sure is (loss > half)


def test_actions_are_ranked_with_those_left_out_early_at_the_end():
    found = decided(0, [1.0, 6.0, NAN, 4.0], [2.0, 0.0, NAN, 0.5], deals=[40, 200, 0, 200])
    assert [(value.action, value.dropped) for value in found.ranked] == [(1, False), (3, False), (0, True)]
    assert found.played is found.ranked[-1]


def lost(number, loss, half=0.0, seat=0, kind="play", deal=0, value=0.0):
    best, other = (MoveValue(at, value + most, loss - most, half, 1.0, 200, False) for at, most in ((0, loss), (1, 0)))
    return Decision(number, seat, deal, kind, None, other if loss else best, [best, other])


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
    with pytest.raises(ValueError, match="no game 2; this is game 1"):
        line_in("a\n", 2)


def test_losses_within_noise_are_neither_listed_nor_summed():
    found = [lost(1, 3.0, 1.0), lost(2, 2.0, 2.5), lost(3, 0.5, 0.4, kind="discard"), lost(4, 1.0, 0.1, seat=1)]
    found += [lost(5, 1.5, 0.0), lost(6, 0.0)]
    assert [each.number for each in largest_losses(found)] == [1, 5, 4, 3]
    first, second, third = (
        mistakes([turn for turn in found if turn.seat == seat], name) for seat, name in enumerate("abc")
    )
    assert first[:3] == ("a", 5, 5.0) and first.half == pytest.approx(1.16**0.5)
    assert first.kinds == [("play", 2, 4.5), ("discard", 1, 0.5)]
    assert second == ("b", 1, 1.0, pytest.approx(0.1), [("play", 1, 1.0)]) and third == ("c", 0, 0.0, 0.0, [])


@pytest.fixture(scope="module")
def match():
    game = get_game("jie-long")
    session = Session(game, game.variant(deals=2), 5)
    while not session.terminated:
        session.play(int(session.mask().argmax()))
    return session.record(["human", "greedy", "checkpoint:elsewhere", "random"])


def test_expected_result_ends_at_the_payoff_and_marks_its_fall(match):
    payoffs = [each[0] for each in match.payoffs]
    own = [lost(2, 3.0, 1.0, value=-7.0), lost(6, 0.0, value=2.5), lost(8, 2.0, 4.0)]
    own.append(lost(len(match.actions) - 1, 0.0, deal=1, value=40.0))
    points = expected(match, own)
    assert [number for number, _, _ in points][:4] == [2, 2, 6, 8] and points[-1][0] == len(match.actions)
    chips = [-4, -7, 2.5, 0, payoffs[0], payoffs[0] + 40, sum(payoffs)]
    assert [value for _, value, _ in points] == pytest.approx(chips)
    assert [half for _, _, half in points] == pytest.approx([1, 2**0.5, 1, 17**0.5, 0, 1, 0])
    assert expected(match, []) == []


def test_decision_is_tried_again_at_the_same_table(match):
    query = again_from(match, lost(7, 1.0, seat=1), "greedy", NAMED)
    there = WebGame(Address.read(dict(parse_qsl(query))))
    assert there.address.seating == ["greedy", "human", "greedy", "random"]  # for a person, and who is not known here
    assert there.session.actions[:6] == list(match.actions[:6])
    assert there.address.variant == match.variant and there.address.seed == match.seed
    assert again_from(replace(match, order=(1, 2)), lost(7, 1.0), "greedy", NAMED) == ""


def seats_of(game):
    """All numbers of seats of a game."""
    return next(option.metadata["choices"] for option in fields(game.variant()) if option.name == "players")


# A game with payments among all, one of tricks and sides, and a split.
@pytest.mark.parametrize(
    ("name", "players"),
    [(name, n) for name in ("jie-long", "pai-gow") for n in seats_of(GAMES[name])] + [("deer-hunt", 4)],
)
def test_game_of_any_number_of_seats_by_another_program_is_reviewed_in_words(name, players):
    game = GAMES[name]
    session = Session(game, game.variant(players=players), 11)
    while not session.terminated:
        session.play(int(session.mask().argmax()))
    record = session.record([f"their program {seat}" for seat in range(players)])
    found = values(record, "", NAMED)
    assert len(found["seats"]) == len(found["luck"]) == players
    assert found["turns"].keys() == {str(turn.number) for turn in judged(record).decisions}
    kinds = {turn.kind for turn in judged(record).decisions}
    assert kinds <= {"pai-gow": {"split"}, "deer-hunt": {"lead", "follow"}, "jie-long": {"play", "discard"}}[name]
    for turn in found["turns"].values():
        assert bool(turn["lost"]) == turn["sentences"][0].startswith("It loses")
        assert 1 < len(turn["bars"]) <= MOST_BARS and [bar["played"] for bar in turn["bars"]].count(True) == 1
    losses = [found["turns"][number]["lost"] for number in found["losses"]]
    assert losses and all(losses)
    assert any(len(found["turns"][number]["sentences"]) > 1 for number in found["losses"])  # it is said why
    assert found["curve"][-1][:2] == [len(record.actions), sum(paid[0] for paid in record.payoffs)]


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
