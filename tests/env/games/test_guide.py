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


LED = ["61 31", "64 52", "51 41", "33 22"]  # seat 1 leads [6:4], seat 2 may lay [4:1], seat 3 has neither
TRICK = ["66 63 21 22", "43 53 31 54", "44 65 32 42", "51 33 41 55"]
DEER = ["66 61 11 21", "43 22 31", "44 65 55", "51 33 41"]
CAUGHT = ["42 41 51 51 64", "22 55 66 65 11", "61 61 31 31 63", "22 55 66 65 62"]  # seats 1 and 3 make [2:2][5:2][5:5]
DOUBLES = ["11 22 33 44 55 66 66 65", "65 64 64 63 62 61 61 54", "53 52 51 51 43 42 41 32", "31 31 21 11 22 33 44 55"]
LOCK = {"layout": "52", "discards": ["", "33", "31", "44"], "double_lock": True}
DEER_RULES = ["The tile with the larger half", "Only red pips count"]
TOLD = {  # a deal with what was played, the task, and how each lesson begins
    "lead": (("jie-long", LED, {}), "lead any tile", ["You lead"]),
    "match": (("jie-long", LED, {"leader": 1}, "64"), "match the 4, or discard a tile", ["You may discard"]),
    "forced": (
        ("jie-long", LED, {"leader": 1, "forced_play": True}, "64"),
        "match the 4",
        ["As long as one of your tiles fits"],
    ),
    "both ends": (
        ("jie-long", LED, {"leader": 1, "open_ends": 2}, "64", "41", "discard 33"),
        "match the 1 or 6, or discard a tile",
        ["You may discard"],
    ),
    "nothing fits": (
        ("jie-long", LED, {"leader": 1}, "64", "41"),
        "discard a tile face down, for none of yours has a 1",
        ["Nothing fits"],
    ),
    "locked": (
        ("jie-long", ["22 66 62", "65 64 54", "63 61 43", "55 11 41"], LOCK),
        "match the 2, or discard a tile",
        ["You may discard", "The turn came back"],
    ),
    "declaration": (
        ("ce-deng", DOUBLES, {}),
        "declare your doubles or demand a redeal if you may, or play on",
        ["Many doubles"],
    ),
    "nobody drank": (("ce-deng", LED, {"leader": 1}, "64"), "match the 4", ["As long as"]),
    "one drank": (
        ("ce-deng", LED, {"leader": 1}, "64", "41", "discard 33"),
        "match the 1",
        ["As long as", "If all others drink"],
    ),
    "no block": (("ding-niu", ["44 31", "64 65", "63 61", "55 62"], {"leader": 1}, "64"), "match the 4 or 6", ["As"]),
    "a block": (
        ("ding-niu", ["44 31", "64 65", "64 61", "55 62"], {"leader": 1}, "64"),
        "match the 4 or 6",
        ["As", "One of your tiles would make a suan zhang"],
    ),
    "target": (
        ("da-ling", ["66 65 64 55 42 21", "63 62 61 51 41 11"], {"table": "66 32"}),
        "split your hand into a single, a pair and a triple whose pips end in 7",
        ["The pips on the table end in 7", "Of the groups that match the one with most red pips"],
    ),
    "black": (
        ("da-ling", ["66 65 64 55 42 21", "63 62 61 51 41 11"], {"table": "53 32"}),
        "split your hand into a single, a pair and a triple whose pips end in 3",
        ["The pips on the table end in 3", "Of the groups that match the one with most black pips"],
    ),
    "lay": (("shi-wu-hu", ["66 54", "11"], {"lake": "22"}), "lay a tile into the lake", ["None of", "Every tile"]),
    "catch": (
        ("shi-wu-hu", ["66 54", "11"], {"lake": "66"}),
        "choose a bait from your hand, then its fish, or lay a tile into the lake",
        ["A bait from your hand", "Every tile"],
    ),
    "lay the stock": (
        ("tiu-u", ["66 54", "11"], {"lake": "22", "stock": "66"}, "lay 54"),
        "lay [6:6] from the stock into the lake",
        ["The top tile", "A tile of eight"],
    ),
    "catch with the stock": (
        ("tiu-u", ["66 54", "11"], {"lake": "66", "stock": "66"}, "lay 54"),
        "catch a fish with [6:6] from the stock",
        ["The top tile", "A tile of eight"],
    ),
    "heaven pair": (
        ("tiu-u", ["66 66", "11"], {"lake": "54", "heaven_pair": True}),
        "lay a tile into the lake",  # the pair catches nothing
        ["None of your tiles catches", "A tile of eight", "You hold two [6:6]"],
    ),
    "a win": (
        (
            "small-mahjong",
            ["22 52 55 21 43 53", "66 66 65 65 64", "11 11 31 31 61", "44 44 62 63 41"],
            {"auto_win": False},
        ),
        "declare your win, or discard and hope for more",
        ["Your six tiles are two triplets", "You hold six"],
    ),
    "a claim": (("small-mahjong", CAUGHT, {"offered": "52", "wall": "64"}), "claim [5:2], or pass", ["You may take"]),
    "six tiles": (("small-mahjong", CAUGHT, {"wall": "52"}), "discard a tile", ["You hold six"]),
    "lead a trick": (("tien-gow", TRICK, {}), "lead a tile, or several that belong together", ["You lead"]),
    "no trick": (
        ("tien-gow", TRICK, {"leader": 1}, "31"),
        "beat [3:1] (a civil tile) with a higher one of the same class, or discard a tile face down",
        ["Only the same class", "Keep something strong"],
    ),
    "cannot beat": (
        ("tien-gow", TRICK, {}, "66 63"),
        "discard 2 tiles face down, for you cannot beat [6:6][6:3]",
        ["Only the same class", "Keep something strong"],
    ),
    "discarding": (
        ("tien-gow", TRICK, {}, "66 63", "discard 31"),
        "discard another tile",
        ["Only the same class", "Keep something strong"],
    ),
    "last trick": (
        ("tien-gow", [hand[:2] for hand in TRICK], {"tricks": [4, 0, 3, 0]}, "66"),
        "discard a tile face down, for you cannot beat [6:6]",
        ["Only the same class", "Keep something strong", "This is the last trick"],
    ),
    "lead deer": (
        ("deer-hunt", [*DEER[:1], "43 22 31 42", "44 65 55 63", "51 33 41 52"], {}),
        "lead any tile",
        DEER_RULES,
    ),
    "the partner's": (
        ("deer-hunt", DEER, {"trick": "54 64 32", "leader": 1, "to_act": 0}),
        "play any tile; so far [6:4] takes the trick, your partner's",
        [*DEER_RULES, "Your partner"],
    ),
    "the others'": (
        ("deer-hunt", DEER, {"trick": "54 53 64", "leader": 1, "to_act": 0, "escape": True}),
        "play any tile; so far [6:4] takes the trick, the others'",
        [*DEER_RULES, "If all four"],
    ),
    "banker": (
        ("pai-gow", ["66 63 44 11", "55 22 33 21"], {}),
        "split your four tiles into two groups, which meet those of everybody",
        ["Your better group", "From the top"],
    ),
    "player": (
        ("pai-gow", ["66 63 44 11", "55 22 33 21"], {"splits": ["66 63 / 44 11", None]}),
        "split your four tiles into two groups, which meet the banker's two",
        ["Your better group", "From the top"],
    ),
    "two tiles": (
        ("pai-gow", ["66 63", "55 22"], {"small": True}),
        "show your two tiles, for there is nothing to decide",
        ["From the top"],
    ),
}


@pytest.mark.parametrize(("deal", "task", "lessons"), TOLD.values(), ids=TOLD)
def test_task_and_lessons_match_the_position(deal, task, lessons):
    game, hands, options, *moves = deal
    position = get_game(game).positions.from_tiles(hands=hands, **options).play(*moves)
    guide, view, mask = guide_of(position.game, position.variant), position.view(position.state.to_act), position.mask()
    assert guide.task(view, mask) == task
    found = list(guide.lessons(view, mask))
    assert [lesson[: len(begins)] for lesson, begins in zip(found, lessons, strict=True)] == lessons


SUPREME = ["42 21", "43 53", "44 65", "51 33"]
SUPREME_LED = ["42 21", *(f"discard {tile}" for tile in ("43", "53", "44", "65", "33", "51"))]
ENDS = {  # a deal that is over with what was played, and why it ended so
    "classic": (
        ("ding-niu", ["55 31", "64 65", "64 61", "51 62"], {"leader": 1, "after_suan_zhang": "stop"}, "64", "64"),
        [
            "North made a classic suan zhang: nothing more could be laid.",
            "Fewest points: North 7, East 11, South 14, West 14.",
        ],
    ),
    "smothered": (
        ("ding-niu", ["", "", "61", "11"], {"layout": "[2:6][6:3][3:1][1:6][6:5][5:6]"}, "61"),
        [
            "North made a smothered suan zhang: nothing more could be laid.",
            "Fewest points: South 0, East 0, North 0, West 0.",
        ],
    ),
    "push": (
        (
            "da-ling",
            ["33 11 31 44 61 65", "33 31 66 51 55 64"],
            {"table": "62 44", "splits": ["33 / 11 31 / 44 61 65", "33 / 31 66 / 51 55 64"], "absolute_tie": "push"},
        ),
        ["The best of those who match with all three groups tie: nothing is paid."],
    ),
    "groups of two": (
        (
            "da-ling",
            ["33 11 31 44 61 65", "33 31 66 51 55 64"],
            {"table": "62 44", "splits": ["33 / 11 31 / 44 61 65", "33 / 31 66 / 51 55 64"]},
        ),
        [
            "North has the best pair: it matches with most red pips.",
            "South has the best triple: it matches with most red pips.",
            "The single is nobody's: none matches, or the best ones tie.",
        ],
    ),
    "deer": (
        ("deer-hunt", [""] * 4, {"taken": ["66 32 53 22", "", "44 41 31 11", "54 33 43 21"]}),
        ["Most red pips: South and North 22, East and West 9."],
    ),
    "deer of the others": (
        ("deer-hunt", [""] * 4, {"taken": ["", "44 41 31 11", "22 32 53 33", ""]}),
        ["Most red pips: East and West 16, South and North 0."],
    ),
    "groups": (
        ("shi-wu-hu", [""] * 3, {"catches": ["66 63 54", "42 21", "11"]}),
        [
            "Most points: South 90, East 60, West 10.",
            "South has full groups: Heaven-nine.",
            "East has full groups: Supreme.",
        ],
    ),
    "banker": (
        ("tien-gow", SUPREME, {}, *SUPREME_LED),
        [
            "South won the last trick with [4:2][2:1].",
            "Tricks: South 8, East 0, North 0, West 0. Everybody owes the winner for those that they lack of four.",
            "South is the banker: payments count 2 times.",
        ],
    ),
    "at once": (
        (
            "tien-gow",
            [f"{hand} {more}" for hand, more in zip(SUPREME, ("66", "62", "63", "52"), strict=True)],
            {"leader": 1, "to_lead": 0, "supreme_bonus": 2},
            *SUPREME_LED,
            *("66", "discard 62", "discard 63", "discard 52"),
        ),
        [
            "South won the last trick with [6:6].",
            "Tricks: South 3, East 5, North 0, West 0. Everybody owes the winner for those that they lack of four.",
            "East is the banker: payments count 2 times.",
            "South won 8 chips at once for tricks.",
        ],
    ),
    "declaration": (
        (
            "ce-deng",
            [DOUBLES[1], DOUBLES[2], "11 22 33 44 55 66 66 11", "31 31 21 65 22 33 44 55"],
            {"leader": 2},
            "declare eight doubles",
        ),
        ["North declared eight doubles: all others pay twice the pips in their hand."],
    ),
}


@pytest.mark.parametrize(("deal", "reasons"), ENDS.values(), ids=ENDS)
def test_end_of_a_deal_is_explained_for_the_right_seats(deal, reasons):
    game, hands, options, *moves = deal
    position = get_game(game).positions.from_tiles(hands=hands, **options).play(*moves)
    seats = range(position.variant.players)
    found = guide_of(position.game, position.variant).reasons(
        [position.view(seat) for seat in seats], compass(len(seats)), position.paid()
    )
    assert list(found) == reasons


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
