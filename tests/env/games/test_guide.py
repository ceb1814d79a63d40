"""What newcomers read: what is to be done, the rules when they first matter, why a deal ended so, and who pays whom."""

import itertools

import numpy as np
import pytest

from facts import tiles_of
from gupai_app.words.sentences import compass, names_at, payment, winners
from gupai_env.core.tiles import parse_tiles, tile_set
from gupai_env.games import GAMES, get_game
from gupai_env.games.guide import Guide, Payment, between, direct, guide_of
from gupai_env.games.phrases import says
from gupai_env.games.small_mahjong.guide import best_triplets
from gupai_env.games.small_mahjong.rules import WIN
from gupai_env.words.messages import capitalized
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


def test_beginners_who_can_only_win_are_not_told_to_keep_tiles():
    session = next(decisions("small-mahjong", 3))
    guide, view, mask = guide_of(session.game, session.variant), session.view(session.seat), session.mask()
    assert any("keep five" in lesson for lesson in guide.lessons(view, mask))
    mask = np.arange(len(mask)) == WIN
    assert guide.task(view, mask) == "declare your win"
    assert [lesson.partition(":")[0] for lesson in guide.lessons(view, mask)] == ["Your six tiles are two triplets"]


@every_game
def test_decisions_have_a_task_and_the_first_a_lesson(game):
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


def test_jie_long_seats_settle_doubly_where_one_laid_all_tiles():
    doubled = set()
    for seed in range(40):
        guide, views, payoffs = ended("jie-long", seed, all_laid_doubles=True, open_ends=2, forced_play=True)
        points = [sum(sum(tile) for tile in tiles_of(view.discards) + tiles_of(view.hand)) for view in views]
        doubled.add(times := 1 + (0 in points))
        lost = itertools.permutations(range(len(points)), 2)
        expected = {(payer, winner, times * (points[payer] - points[winner])) for payer, winner in lost}
        assert set(guide.payments(views, payoffs)) == {each for each in expected if each[2] > 0}
    assert doubled == {1, 2}


@pytest.mark.parametrize(
    ("game", "options"),
    [("jie-long", {"stake": 2.5}), ("ce-deng", {"stake": 0.5}), ("ding-niu", {"settlement": "points"})],
)
def test_jie_long_seats_settle_their_difference_at_the_stake(game, options):
    for seed in range(4):
        guide, views, payoffs = ended(game, seed, **options)
        pairs = {frozenset(each[:2]) for each in guide.payments(views, payoffs)}
        points = [sum(sum(tile) for tile in tiles_of(view.discards) + tiles_of(view.hand)) for view in views]
        assert pairs == {
            frozenset(pair) for pair in itertools.combinations(range(4), 2) if len({points[s] for s in pair}) > 1
        }


def test_ding_niu_for_beginners_is_explained_without_suan_zhang():
    game = get_game("ding-niu")
    for settlement in ("chips", "points"):
        plain = guide_of(game, game.variant(suan_zhang=False, settlement=settlement))
        assert not {"suan zhang", "smothered", "maker"} & plain.terms.keys()
        assert "suan zhang" not in plain.hints.reminder() and "block" not in plain.goal()
    by_points = guide_of(game, game.variant(settlement="points"))
    assert "suan zhang" in by_points.terms and "maker" not in by_points.terms
    assert "twice" not in by_points.hints.reminder()
    assert "every two players settle their difference" in by_points.hints.reminder()


def test_ce_deng_names_its_numbers_and_its_doubles():
    session = next(decisions("ce-deng", 0))
    guide = guide_of(session.game, session.variant)
    text = " ".join([*guide.lessons(session.view(session.seat), session.mask()), *guide.terms, guide.game.rules_text])
    for name in ("dragon", "plum", "blood", "slant", "two", "nail", "stubborn"):
        assert text.count(name) >= 2, name


def test_end_of_every_game_is_explained():
    guide, views, payoffs = ended("jie-long", 5)
    points = [int(guide.points(views)[seat]) for seat in range(4)]
    ranked = sorted(range(4), key=lambda seat: points[seat])
    said = ", ".join(f"{compass(4)[seat]} {points[seat]}" for seat in ranked)
    assert list(guide.reasons(views, compass(4), payoffs)) == [f"Fewest points: {said}."]


def test_block_names_the_points_left_in_hand():
    for seed in range(40):
        guide, views, payoffs = ended("ce-deng", seed)
        said = list(guide.reasons(views, compass(4), payoffs))
        blocked = any(view.hand for view in views)
        assert blocked == any(each.startswith("A block") for each in said)
        assert sum("left" in each and "pips" in each for each in said) == sum(bool(view.hand) for view in views)


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
    assert plain.goal() == plain.hints.reminder()
    assert plain.payments([], [3.0, -1.0, -2.0]) == [Payment(1, 0, 1.0), Payment(2, 0, 2.0)]


def test_two_winners_and_two_losers_leave_payers_open():
    assert direct([1.0, 2.0, -1.0, -2.0]) == []
    assert direct([1.0, 2.0, -3.0]) == [Payment(2, 0, 1.0), Payment(2, 1, 2.0)]
    assert between([5.0, 5.0, -4.0, -6.0], lambda seat, other: float(other - seat)) == []


def test_payment_and_the_winners_in_sentences():
    names = ["You", "North"]
    assert payment(Payment(0, 1, 1.0), names) == "You pay North 1 chip."
    assert payment(Payment(1, 0, 2.0), names) == "North pays you 2 chips."
    assert winners(names, [1.0, -1.0]) == "You win 1 chip." and winners(names, [0.0, 0.0]) == "Nobody wins."
    assert winners(["You", "East", "North", "West"], [2.0, -2.0, 2.0, -2.0]) == "You and North win 2 chips each."


def test_seats_of_a_table_have_distinct_places():
    for players in range(2, 9):
        assert len(set(compass(players))) == players and compass(players, 1)[1] == "South"
    assert names_at(4, 2, 0) == ["You", "West", "South", "East"]


@pytest.mark.parametrize(("name", "sentence"), [("West", "West catches [6:4]"), ("You", "You catch [6:4]")])
def test_verb_agrees_with_its_subject(name, sentence):
    assert says(name, "{name} catches {fish}", "{name} catch {fish}", fish="[6:4]") == sentence


def test_sentence_begins_with_a_capital_and_keeps_the_rest():
    assert (capitalized("your [6:4] of Heaven"), capitalized("")) == ("Your [6:4] of Heaven", "")
