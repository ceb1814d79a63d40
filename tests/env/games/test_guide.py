"""What newcomers read: what is to be done, the rules when they first matter, why a deal ended so, and who pays whom."""

import numpy as np
import pytest

from gupai_app.words.sentences import compass, names_at
from gupai_env.core.tiles import parse_tiles, tile_set
from gupai_env.games import GAMES, get_game
from gupai_env.games.guide import Guide, Payment, between, direct, guide_of
from gupai_env.games.small_mahjong.guide import best_triplets
from sessions import decisions

every_game = pytest.mark.parametrize("game", GAMES)
DEALS = 12


def ended(game, seed, **options):
    """The end of such a deal: its guide, the views of all seats and the chips."""
    *_, session = decisions(game, seed, **options)
    guide = guide_of(session.game, session.variant)
    return guide, session.as_paid(session.payoffs[0]).views(), session.payoffs[0]


def paid(payments, seats):
    """The chips of every seat by payments, all of which are of some chips."""
    sums = np.zeros(seats)
    for payer, winner, chips in payments:
        sums[payer] -= chips
        sums[winner] += chips
        assert chips > 0
    return sums


@every_game
def test_decisions_have_a_task_and_the_first_a_lesson(game):
    taught = set()
    for session in decisions(game, 3):
        if session.terminated:
            break
        guide, view, mask = guide_of(session.game, session.variant), session.view(session.seat), session.mask()
        task = guide.task(view, mask)
        assert task and task[0].islower() and not task.endswith(".") and task != "choose your move"
        lessons = list(guide.lessons_at(view, mask))
        assert all(each[0].isupper() and each.endswith(".") for each in lessons)
        taught.update(lessons)
    assert len(taught) > 1
    assert guide.goal.endswith(".") and "\n" not in guide.goal and guide.terms


@every_game
def test_payments_equal_those_paid_and_have_a_payer_and_a_payee(game):
    for seed in range(DEALS):
        guide, views, payoffs = ended(game, seed)
        names = names_at(len(payoffs), 0, 0)
        assert list(guide.reasons(views, names, payoffs))
        assert np.allclose(paid(guide.payments(views, payoffs), len(payoffs)), payoffs), seed


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("jie-long", {"all_laid_doubles": True, "open_ends": 2, "forced_play": True}),
        ("jie-long", {"settlement": "kkoribuchigi", "forced_play": True}),
        ("jie-long", {"stake": 2.5}),
        ("ce-deng", {"stake": 0.5}),
        ("ding-niu", {"settlement": "points"}),
        ("ding-niu", {"suan_zhang": False}),
        ("tiu-u", {"settlement": "points", "players": 3}),
        ("deer-hunt", {"settlement": "win", "escape": True}),
        ("pai-gow", {"players": 8, "pay": "roads"}),
        ("shi-wu-hu", {"players": 3, "deck": "tiles"}),
        ("tien-gow", {"slam": True, "capture": True}),
    ],
)
def test_payments_follow_the_options(game, options):
    some = 0
    for seed in range(DEALS):
        guide, views, payoffs = ended(game, seed, **options)
        found = guide.payments(views, payoffs)
        # Some settlements have payments that payoffs alone do not tell: then none is shown.
        assert not found or np.allclose(paid(found, len(payoffs)), payoffs), seed
        some += bool(found)
    assert some


def test_six_tiles_are_shown_as_two_triplets():
    hand = tile_set(parse_tiles("61 62 63 22 52 55"))
    assert sorted(best_triplets(hand, [])) == sorted(
        [(tile_set(parse_tiles("61 62 63")), 2), (tile_set(parse_tiles("22 52 55")), 3)]
    )
    meld = tile_set(parse_tiles("22 52 55"))
    assert best_triplets(tile_set(parse_tiles("61 62 63")), [meld])[0] == (meld, 3)
    of_several = best_triplets(tile_set(parse_tiles("66 65 55 44 42 22")), [])  # another split has three points
    assert sum(points for _, points in of_several) == 6


def test_game_without_a_guide_gets_a_plain_one():
    game = get_game("jie-long")
    plain = Guide(game, game.variant())
    assert plain.goal == game.hints(game, game.variant()).reminder()
    assert plain.payments([], [3.0, -1.0, -2.0]) == [Payment(1, 0, 1.0), Payment(2, 0, 2.0)]


def test_two_winners_and_two_losers_leave_payers_open():
    assert direct([1.0, 2.0, -1.0, -2.0]) == []
    assert direct([1.0, 2.0, -3.0]) == [Payment(2, 0, 1.0), Payment(2, 1, 2.0)]
    assert between([5.0, 5.0, -4.0, -6.0], lambda seat, other: float(other - seat)) == []


def test_seats_of_a_table_have_distinct_places():
    for players in range(2, 9):
        assert len(set(compass(players))) == players and compass(players, 1)[1] == "South"
    assert names_at(4, 2, 0) == ["You", "West", "South", "East"]
