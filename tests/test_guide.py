"""What newcomers read: what is to be done, the rules when they first matter, why a deal ended so, and who pays whom."""

import numpy as np
import pytest

from gupai_app.session import Session
from gupai_app.words import compass, names_at, payment, winners
from gupai_env.core.guide import Guide, Payment, between, direct, guide_of
from gupai_env.core.phrases import capitalized, says
from gupai_env.core.rng import draw
from gupai_env.core.tiles import parse_tiles, tile_set
from gupai_env.games import GAMES, get_game
from gupai_env.games.small_mahjong.guide import best_triplets
from gupai_env.games.small_mahjong.rules import WIN

SAID = [
    ("West", "have laid all tiles", "West has laid all tiles"),
    ("You", "have laid all tiles", "You have laid all tiles"),
    ("West", "catch [6:4]", "West catches [6:4]"),
    ("You", "pass", "You pass"),
]

every_game = pytest.mark.parametrize("game", GAMES)
DEALS = 12


def decisions(game, seed, **options):
    """A session before each decision of a deal in which every seat plays at random, and at its end."""
    variant = get_game(game).variant.make(**options)
    session = Session(get_game(game), variant, seed)
    while not session.terminated:
        yield session
        legal = session.mask().nonzero()[0]
        session.play(int(legal[draw(seed, len(session.actions), len(legal))]))
    yield session


def ended(game, seed, **options):
    """The end of such a deal: its guide, the views of all seats and the chips."""
    *_, session = decisions(game, seed, **options)
    guide = guide_of(session.game, session.variant)
    return guide, session.shown(session.payoffs[0]).views(), session.payoffs[0]


def paid(payments, seats):
    """The chips of every seat by payments, all of which are of some chips."""
    sums = np.zeros(seats)
    for payer, winner, chips in payments:
        sums[payer] -= chips
        sums[winner] += chips
        assert chips > 0
    return sums


def test_nobody_is_told_to_keep_five_tiles_who_can_only_win():
    session = next(decisions("small-mahjong", 3))
    guide, view, mask = guide_of(session.game, session.variant), session.view(session.seat), session.mask()
    assert any("keep five" in lesson for lesson in guide.lessons(view, mask))
    mask = np.arange(len(mask)) == WIN
    assert guide.task(view, mask) == "declare your win"
    assert [lesson.partition(":")[0] for lesson in guide.lessons(view, mask)] == ["Your six tiles are two triplets"]


@every_game
def test_every_decision_has_a_task_and_the_first_a_lesson(game):
    taught = set()
    for session in decisions(game, 3):
        if session.terminated:
            break
        guide, view, mask = guide_of(session.game, session.variant), session.view(session.seat), session.mask()
        task = guide.task(view, mask)
        assert task and task[0].islower() and not task.endswith(".") and task != "choose your move"
        lessons = list(guide.lessons(view, mask))
        assert all(each[0].isupper() and each.endswith(".") for each in lessons)
        taught.update(lessons)
    assert len(taught) > 1
    assert guide.goal().endswith(".") and "\n" not in guide.goal() and guide.terms


@every_game
def test_payments_are_what_was_paid_and_somebody_always_pays_somebody(game):
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


def test_what_is_told_of_the_end():
    guide, views, payoffs = ended("jie-long", 5)
    points = [int(guide.points(views)[seat]) for seat in range(4)]
    ranked = sorted(range(4), key=lambda seat: points[seat])
    said = ", ".join(f"{compass(4)[seat]} {points[seat]}" for seat in ranked)
    assert list(guide.reasons(views, compass(4), payoffs)) == [f"Fewest points: {said}."]


def test_a_block_tells_what_was_left_in_hand():
    for seed in range(40):
        guide, views, payoffs = ended("ce-deng", seed)
        said = list(guide.reasons(views, compass(4), payoffs))
        blocked = any(view.hand for view in views)
        assert blocked == any(each.startswith("A block") for each in said)
        assert sum("left" in each and "pips" in each for each in said) == sum(bool(view.hand) for view in views)


def test_six_tiles_are_told_as_their_two_triplets():
    hand = tile_set(parse_tiles("61 62 63 22 52 55"))
    assert sorted(best_triplets(hand, [])) == sorted(
        [(tile_set(parse_tiles("61 62 63")), 2), (tile_set(parse_tiles("22 52 55")), 3)]
    )
    meld = tile_set(parse_tiles("22 52 55"))
    assert best_triplets(tile_set(parse_tiles("61 62 63")), [meld])[0] == (meld, 3)


def test_a_game_without_a_guide_gets_a_plain_one():
    game = get_game("jie-long")
    plain = Guide(game, game.variant())
    assert plain.goal() == plain.hints.reminder()
    assert plain.payments([], [3.0, -1.0, -2.0]) == [Payment(1, 0, 1.0), Payment(2, 0, 2.0)]


def test_two_winners_and_two_losers_do_not_tell_who_pays_whom():
    assert direct([1.0, 2.0, -1.0, -2.0]) == []
    assert direct([1.0, 2.0, -3.0]) == [Payment(2, 0, 1.0), Payment(2, 1, 2.0)]
    assert between([5.0, 5.0, -4.0, -6.0], lambda seat, other: float(other - seat)) == []


def test_a_payment_and_the_winners_in_sentences():
    names = ["You", "North"]
    assert payment(Payment(0, 1, 1.0), names) == "You pay North 1 chip."
    assert payment(Payment(1, 0, 2.0), names) == "North pays you 2 chips."
    assert winners(names, [1.0, -1.0]) == "You win 1 chip." and winners(names, [0.0, 0.0]) == "Nobody wins."
    assert winners(["You", "East", "North", "West"], [2.0, -2.0, 2.0, -2.0]) == "You and North win 2 chips each."


def test_every_seat_of_a_table_has_a_place_of_its_own():
    for players in range(2, 9):
        assert len(set(compass(players))) == players and compass(players, 1)[1] == "South"
    assert names_at(4, 2, 0) == ["You", "West", "South", "East"]


@pytest.mark.parametrize(("name", "what", "sentence"), SAID)
def test_a_verb_agrees_with_who_does_it(name, what, sentence):
    assert says(name, what) == sentence


def test_a_sentence_begins_with_a_capital_and_keeps_the_rest():
    assert (capitalized("your [6:4] of Heaven"), capitalized("")) == ("Your [6:4] of Heaven", "")
