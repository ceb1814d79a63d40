"""The worked examples of the rulebook pages, by page and name, and small positions for what they omit."""

import random
from collections import Counter
from itertools import combinations, combinations_with_replacement, permutations, product

import pytest

from . import (
    CeDeng,
    DaLing,
    DeerHunt,
    DingNiu,
    JieLong,
    PaiGow,
    ShiWuHu,
    SmallMahjong,
    TienGow,
    TiuU,
    ce_deng,
    da_ling,
    ding_niu,
    jie_long,
    shi_wu_hu,
    small_mahjong,
    tien_gow,
    tiu_u,
)
from .examples import hands, play_all
from .tiles import CIVIL, DECK, MILITARY, black_pips, pips, red_pips, tiles

# The tiles (README)


def test_set_has_32_tiles_of_21_kinds_and_227_pips():
    assert (len(DECK), len(set(DECK)), sum(pips(tile) for tile in DECK)) == (32, 21, 227)
    assert (len(CIVIL), len(MILITARY)) == (11, 10)


def test_tiles_are_counted_by_their_numbers():
    assert [sum(number in tile for tile in DECK) for number in (6, 1, 5, 4, 3, 2)] == [10, 10, 9, 8, 8, 7]


def test_red_and_black_pips_of_the_published_tiles():
    colours = [(red_pips(tile), black_pips(tile)) for tile in tiles("[4:3] [1:1] [6:6] [5:2]")]
    assert colours == [(4, 3), (2, 0), (6, 6), (0, 7)]


# Jie Long


def test_jie_long_four_way_settlement():
    assert jie_long.settle([2, 12, 34, 18]) == [58, 18, -70, -6]
    assert jie_long.settle([2, 12, 34, 18], stake=0.5) == [29, 9, -35, -3]


def test_jie_long_two_is_short():
    twos = [tile for tile in DECK if 2 in tile]
    assert Counter(twos) == Counter(tiles("[2:2] [2:2] [6:2] [5:2] [4:2] [3:2] [2:1]"))


LOCK = ("[6:5] [6:4] [6:3]", "[6:5] [6:4] [6:6]", "[5:5] [5:4] [5:3]")  # B, C and D hold no two


def at_the_lock(hand_of_a, others=LOCK, lead=("play", (5, 2), 2), **options):
    """A plays [5:2] leaving 2 open; B, C and D discard in turn."""
    referee = JieLong(hands(hand_of_a, *others), 0, double_lock=True, **options)
    return play_all(referee, lead, *(("discard", tiles(hand)[0]) for hand in others))


@pytest.mark.parametrize("forced_play", [False, True])
def test_jie_long_lock(forced_play):
    referee = at_the_lock("[5:2] [2:2] [6:6]", forced_play=forced_play)
    assert referee.terminated
    assert referee.moves() == []
    assert referee.points()[0] == 16


def test_jie_long_lock_with_a_tile_that_changes_the_open_end():
    others = [hand + " [4:4]" for hand in LOCK]
    referee = at_the_lock("[5:2] [2:2] [6:6] [6:2]", others)
    discards = {("discard", tile) for tile in tiles("[2:2] [6:6] [6:2]")}
    assert set(referee.moves()) == {("play", (6, 2), 6)} | discards
    referee = at_the_lock("[5:2] [2:2] [6:6] [6:2]", others, forced_play=True)
    assert referee.moves() == [("play", (6, 2), 6)]


def test_jie_long_lock_holds_the_second_time_round():
    others = [hand + " [4:4]" for hand in LOCK]
    referee = at_the_lock("[5:2] [2:2] [6:6] [6:2]", others)
    play_all(referee, ("discard", (6, 2)), ("discard", (6, 4)), ("discard", (6, 4)))
    assert not referee.terminated
    referee.play(("discard", (5, 4)))
    assert referee.terminated  # only [2:2] matches, and it is still locked
    assert referee.points()[0] == 8 + 16


def test_jie_long_no_lock_after_another_play_or_without_a_match():
    referee = JieLong(hands("[5:2] [2:2] [6:6]", "[2:2] [6:4] [6:3]"), 0, double_lock=True)
    play_all(referee, ("play", (5, 2), 2), ("play", (2, 2), 2))
    assert ("play", (2, 2), 2) in referee.moves()
    referee = at_the_lock("[5:2] [5:5] [6:6]")
    assert referee.moves() == [("discard", (5, 5)), ("discard", (6, 6))]


def test_jie_long_lock_has_no_effect_with_two_open_ends():
    referee = at_the_lock("[5:2] [2:2] [6:6]", open_ends=2, lead=("play", (5, 2), 5))
    assert ("play", (2, 2), 2) in referee.moves()


def test_jie_long_without_the_lock_plays_to_the_last_tile():
    referee = JieLong(hands("[5:2] [2:2]", "[6:5] [6:4]"), 0)
    play_all(referee, ("play", (5, 2), 2), ("discard", (6, 5)), ("play", (2, 2), 2), ("discard", (6, 4)))
    assert referee.terminated
    assert referee.points() == [0, 21]
    assert referee.payoffs() == [21, -21]


def test_jie_long_leads_and_discards():
    referee = JieLong(hands("[5:2] [2:2]", "[6:5] [5:5]"), 0)
    assert set(referee.moves()) == {("play", (5, 2), 5), ("play", (5, 2), 2), ("play", (2, 2), 2)}
    referee.play(("play", (5, 2), 5))
    discards = {("discard", (6, 5)), ("discard", (5, 5))}
    assert set(referee.moves()) == {("play", (6, 5), 6), ("play", (5, 5), 5)} | discards


def test_jie_long_with_two_open_ends():
    referee = JieLong(hands("[5:2] [2:2]", "[5:2] [6:5]"), 0, open_ends=2, forced_play=True)
    assert set(referee.moves()) == {("play", (5, 2), 5), ("play", (2, 2), 2)}
    referee.play(("play", (5, 2), 5))
    assert set(referee.moves()) == {("play", (5, 2), 2), ("play", (5, 2), 5), ("play", (6, 5), 6)}
    referee.play(("play", (5, 2), 2))
    assert referee.open == [2, 2]
    assert referee.moves() == [("play", (2, 2), 2)]


def test_jie_long_next_lead_tie_goes_to_the_earlier_seat():
    assert JieLong(hands("[1:1]", "[2:1]", "[1:1]", "[6:6]"), 2).next_leader() == 2
    assert JieLong(hands("[1:1]", "[2:1]", "[1:1]", "[6:6]"), 3).next_leader() == 0


# Kkoribuchigi and Dancing Dragons, options of Jie Long (README)


def test_kkoribuchigi_the_fewest_under_thirty():
    assert jie_long.settle([12, 31, 34, 20], settlement="kkoribuchigi") == [2, -1, -1, 0]
    assert jie_long.settle([12, 31, 34, 20], settlement="kkoribuchigi_difference") == [22 + 19, -19, -22, 0]
    assert jie_long.settle([12, 31, 34, 20], stake=2.5, settlement="kkoribuchigi") == [5, -2.5, -2.5, 0]
    assert jie_long.settle([12, 31, 34, 20], stake=0.5, settlement="kkoribuchigi_difference") == [20.5, -9.5, -11, 0]


def test_kkoribuchigi_two_winners_with_31():
    assert jie_long.settle([31, 31, 34, 40], settlement="kkoribuchigi") == [1, 1, 0, -2]
    assert jie_long.settle([31, 31, 34, 40], settlement="kkoribuchigi_difference") == [9, 9, 0, -18]


@pytest.mark.parametrize(
    ("points", "payoffs"),
    [
        ([20, 20, 20, 20], [0, 0, 0, 0]),
        ([40, 40], [0, 0]),
        ([10, 20, 20], [2, -1, -1]),  # all seats with the most
        ([29, 30, 31, 50], [2, 0, -1, -1]),  # thirty is not more than thirty
        ([30, 31, 40, 50], [1, 0, 0, -1]),  # nor is it under thirty
        ([0, 0, 35, 30], [1, 1, -2, 0]),
        ([0, 35, 35], [2, -1, -1]),
        ([3, 2], [-1, 1]),
    ],
)
def test_kkoribuchigi_winners_and_losers(points, payoffs):
    assert jie_long.settle(points, settlement="kkoribuchigi") == payoffs


def test_kkoribuchigi_pays_by_its_rule_for_any_points():
    """The sentences of the page seat by seat: what j pays i, for all points that matter of three seats."""
    numbers = (0, 12, 29, 30, 31, 32, 50)
    for points in product(numbers, repeat=3):
        fewest, most = min(points), max(points)
        for settlement in ("kkoribuchigi", "kkoribuchigi_difference"):
            payoffs = [0, 0, 0]
            for i, j in permutations(range(3), 2):
                i_wins = points[i] == fewest
                j_loses = points[j] == most or (points[j] > 30 and fewest < 30)
                if i_wins and j_loses and len(set(points)) > 1:
                    chips = 1 if settlement == "kkoribuchigi" else points[j] - points[i]
                    payoffs[i] += chips
                    payoffs[j] -= chips
            assert jie_long.settle(points, settlement=settlement) == payoffs


def test_kkoribuchigi_deck_of_two_and_three_players():
    deck = [tile for tile in DECK if tile not in tiles("[3:3] [4:4] [5:5] [6:6]")]
    assert len(deck) == 24
    rng = random.Random(24)
    for players, size in ((2, 12), (3, 8)):
        dealt, rest = deal(rng, deck, players, size)
        assert rest == []
        referee = JieLong(dealt, 1, forced_play=True, settlement="kkoribuchigi")
        while not referee.terminated:
            referee.play(rng.choice(referee.moves()))
        assert referee.payoffs() == jie_long.settle(referee.points(), settlement="kkoribuchigi")


def all_laid(hand_of_a="[5:2] [2:2]", **options):
    """A lays all his tiles; B discards [6:5] and C [4:3], then B [6:4] and C [4:4]."""
    referee = JieLong(hands(hand_of_a, "[6:5] [6:4]", "[4:3] [4:4]"), 0, **options)
    play_all(referee, ("play", (5, 2), 2), ("discard", (6, 5)), ("discard", (4, 3)))
    moves = referee.moves()
    referee.play(next((move for move in moves if move[0] == "play"), moves[0]))
    return play_all(referee, ("discard", (6, 4)), ("discard", (4, 4)))


def test_dancing_dragons_laying_all_doubles_the_others_points():
    assert all_laid().points() == [0, 21, 15]
    referee = all_laid(all_laid_doubles=True)
    assert referee.points() == [0, 21, 15]  # as counted; the payment doubles them
    assert referee.payoffs() == [72, -42 - 12, -30 + 12]
    assert referee.next_leader() == 0
    assert all_laid("[5:2] [1:1]", all_laid_doubles=True).points() == [2, 21, 15]


def test_dancing_dragons_doubles_before_kkoribuchigi_losers():
    options = {"settlement": "kkoribuchigi_difference"}
    assert all_laid(**options).payoffs() == [21, -21, 0]
    assert all_laid(**options, all_laid_doubles=True).payoffs() == [42, -42, 0]
    assert all_laid("[5:2] [2:2]", settlement="kkoribuchigi", all_laid_doubles=True).payoffs() == [1, -1, 0]


def test_dancing_dragons_two_seats_that_laid_all_double_once():
    referee = JieLong(hands("[5:2]", "[2:2]", "[6:4]"), 0, all_laid_doubles=True)
    play_all(referee, ("play", (5, 2), 2), ("play", (2, 2), 2), ("discard", (6, 4)))
    assert referee.points() == [0, 0, 10]
    assert referee.payoffs() == [20, 20, -40]


def test_dancing_dragons_two_ends_and_forced_play():
    options = {"open_ends": 2, "forced_play": True, "all_laid_doubles": True}
    referee = JieLong(hands("[5:2] [6:6]", "[5:4] [3:3]", "[3:3] [4:2]"), 0, **options)
    referee.play(("play", (5, 2), 5))
    assert referee.moves() == [("play", (5, 4), 4)]
    referee.play(("play", (5, 4), 4))
    assert set(referee.moves()) == {("play", (4, 2), 4), ("play", (4, 2), 2)}
    referee.play(("play", (4, 2), 4))
    assert referee.open == [4, 4]


def test_dancing_dragons_tiles_in_hand_after_a_lock_are_not_laid():
    referee = at_the_lock("[5:2] [2:2] [6:6]", all_laid_doubles=True)
    assert (referee.terminated, referee.points()[0]) == (True, 16)


# Ce Deng

NOBODY = [False] * 4


def test_ce_deng_no_bonus():
    assert ce_deng.settle([2, 12, 34, 18], NOBODY, NOBODY) == [58, 18, -70, -6]


def test_ce_deng_tail_eight_against_a_pass():
    passes, tails = [True, False, False, False], [False, False, False, True]
    assert ce_deng.settle([0, 10, 20, 51], passes, tails) == [264, 72, 12, -348]


def test_ce_deng_two_tails():
    assert ce_deng.settle([50, 40], [False, False], [True, True]) == [-10, 10]
    assert ce_deng.settle([50, 40], [True, True], [False, False]) == [-10, 10]  # nor two pass players


EIGHT_DOUBLES = "[6:6] [6:6] [5:5] [4:4] [3:3] [2:2] [1:1] [1:1]"
SEVEN_DOUBLES = "[5:5] [4:4] [3:3] [2:2] [1:1] [1:1] [6:6] [2:1]"
PLAIN = "[2:1] [3:2] [4:1] [4:2] [4:3] [5:2] [5:3] [5:4]"


def test_ce_deng_eight_doubles_declared():
    others = ("[6:5] [6:5] [6:5] [6:5]", "[6:4] [6:4] [6:4] [6:4] [6:4] [6:4]", "[6:5] [6:5] [6:5] [5:1]")
    referee = CeDeng(hands(others[0], EIGHT_DOUBLES, *others[1:]), 3)
    assert [sum(map(pips, hand)) for hand in referee.hands] == [44, 56, 60, 39]
    assert referee.to_act == 1
    assert referee.moves() == [("declare",), ("redeal",), ("play on",)]
    referee.play(("declare",))
    assert referee.terminated
    assert referee.payoffs() == [-88, 286, -120, -78]
    assert referee.next_leader() == 1


def test_ce_deng_the_stake_is_the_price_of_a_pip():
    referee = CeDeng(hands(PLAIN, EIGHT_DOUBLES, PLAIN), 0, stake=0.5)
    referee.play(("declare",))
    pips_held = sum(map(pips, tiles(PLAIN)))
    assert referee.payoffs() == [-pips_held, 2 * pips_held, -pips_held]
    referee = CeDeng(hands("[5:2]", "[6:6]"), 0, stake=3.0, hand=1, declare_eight_doubles=False, redeal_doubles=0)
    play_all(referee, ("play", (5, 2), 2), ("discard", (6, 6)))
    assert referee.payoffs() == [72, -72]  # a pass and head seven against tail eight: 12 pips, doubled once


def test_ce_deng_redeal_keeps_the_leader_and_pays_nothing():
    referee = CeDeng(hands(PLAIN, PLAIN, SEVEN_DOUBLES, PLAIN), 3)
    assert referee.to_act == 2
    assert referee.moves() == [("redeal",), ("play on",)]
    referee.play(("redeal",))
    assert (referee.terminated, referee.redealt, referee.next_leader()) == (True, True, 3)
    assert referee.payoffs() == [0, 0, 0, 0]


def test_ce_deng_asks_in_turn_order_from_the_leader():
    referee = CeDeng(hands(SEVEN_DOUBLES, PLAIN, EIGHT_DOUBLES, PLAIN), 1)
    assert referee.to_act == 2
    referee.play(("play on",))
    assert referee.to_act == 0
    referee.play(("play on",))
    assert referee.to_act == 1
    assert ("play", (2, 1), 2) in referee.moves()


@pytest.mark.parametrize(
    ("options", "moves"),
    [
        ({"redeal_doubles": 0}, [("declare",), ("play on",)]),
        ({"declare_eight_doubles": False}, [("redeal",), ("play on",)]),
    ],
)
def test_ce_deng_rights_before_the_play_are_options(options, moves):
    assert CeDeng(hands(EIGHT_DOUBLES, PLAIN), 0, **options).moves() == moves


def test_ce_deng_without_rights_nobody_is_asked():
    referee = CeDeng(hands(EIGHT_DOUBLES, PLAIN), 1, redeal_doubles=0, declare_eight_doubles=False)
    assert referee.to_act == 1
    assert referee.moves()[0][0] == "play"


def test_ce_deng_block_ends_the_deal_and_counts_the_hands():
    referee = CeDeng(hands("[5:2] [6:6]", "[6:5] [4:4]"), 0)
    play_all(referee, ("play", (5, 2), 2), ("discard", (6, 5)))
    assert (referee.terminated, referee.blocked) == (True, True)
    assert referee.points() == [12, 19]
    assert referee.heads_and_tails() == [True, True]
    assert referee.passes() == [False, False]
    assert referee.payoffs() == [7, -7]


def test_ce_deng_no_block_while_the_last_player_can_match():
    referee = CeDeng(hands("[5:2] [2:2]", "[6:5] [4:4]"), 0)
    play_all(referee, ("play", (5, 2), 2), ("discard", (6, 5)))
    assert referee.moves() == [("play", (2, 2), 2)]


def test_ce_deng_seat_that_can_match_must_play():
    referee = CeDeng(hands("[5:2] [6:6]", "[6:2] [4:4]"), 0)
    referee.play(("play", (5, 2), 2))
    assert referee.moves() == [("play", (6, 2), 6)]


def test_ce_deng_strict_heads_and_tails_may_have_played_one_more():
    for strict, expected in ((False, [False, False, True]), (True, [True, True, True])):
        referee = CeDeng(hands("[2:1]", "[2:1]", "[2:1]"), 0, strict_head_tail=strict)
        referee.played = hands("[6:6] [6:5]", "[5:5]", "")
        assert referee.heads_and_tails() == expected


def test_ce_deng_pass_of_eight_tiles_against_a_tail_eight():
    """The leader keeps 1 open to the end; the other, without a one, drinks eight times."""
    dealt = hands("[6:1]" + 7 * "[1:1]", "[6:6] [6:6] [5:5] [5:5] [3:3] [3:3] [4:4] [2:2]")
    referee = CeDeng(dealt, 0, declare_eight_doubles=False, redeal_doubles=0)
    referee.play(("play", (6, 1), 1))
    while not referee.terminated:
        referee.play(referee.moves()[0])
    assert (referee.blocked, referee.points()) == (False, [0, 68])
    assert referee.passes() == [True, False]
    assert referee.heads_and_tails() == [False, True]
    assert referee.payoffs() == [4 * 68, -4 * 68]


# Ding Niu

ADAM_TO_DOMINIK = [0, 1, 2, 3]


def test_ding_niu_adam_boris_celine_dominik():
    assert ding_niu.settle([10, 5, 5, 10], ADAM_TO_DOMINIK, maker=None) == [-3, 6, -1, -2]


def test_ding_niu_the_same_with_15():
    assert ding_niu.ranking([10, 15, 15, 10], ADAM_TO_DOMINIK) == [0, 3, 2, 1]
    assert ding_niu.settle([10, 15, 15, 10], ADAM_TO_DOMINIK, maker=None) == [6, -3, -2, -1]


def test_ding_niu_the_order_of_play_starts_with_the_leader():
    assert ding_niu.ranking([5, 5, 5, 5], [2, 3, 0, 1]) == [2, 1, 0, 3]


def test_ding_niu_payment_of_a_maker():
    assert ding_niu.settle([1, 2, 3, 4], ADAM_TO_DOMINIK, maker=0) == [12, -2, -4, -6]
    assert ding_niu.settle([1, 2, 3, 4], ADAM_TO_DOMINIK, maker=2) == [12, 0, -12, 0]


def row(text):
    """A printed row of tiles, as it lies from left to right: the tiles and the two open numbers."""
    numbers = [int(character) for character in text if character.isdigit()]
    assert all(numbers[at] == numbers[at + 1] for at in range(1, len(numbers) - 1, 2))
    return tiles(text), [numbers[0], numbers[-1]]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        pytest.param("classic", "[1:3][3:1][1:5][5:1][1:6][6:1]", id="ones"),
        pytest.param("classic", "[3:3][3:3][3:1][1:3][3:6][6:2]", id="two-three"),
        pytest.param("classic", "[4:6][6:4]", id="fours"),
        pytest.param("classic", "[5:6][6:5][5:1][1:5]", id="fives"),
        pytest.param("smothered", "[6:3][3:1][1:6][6:5][5:6][6:1][1:3]", id="smothered fives"),
        pytest.param("smothered", "[2:6][6:3][3:1][1:6][6:5][5:6][6:1]", id="smothered (killed) fours"),
    ],
)
def test_ding_niu_suan_zhang_comes_with_the_last_tile_of_the_row(kind, text):
    assert ding_niu.suan_zhang(*row(text)) == kind
    for laid in range(1, len(tiles(text))):
        assert ding_niu.suan_zhang(*row(text[: 5 * laid])) is None


def test_ding_niu_the_named_number_alone_is_smothered():
    fives = row("[6:3][3:1][1:6][6:5][5:6][6:1][1:3]")
    fours = row("[2:6][6:3][3:1][1:6][6:5][5:6][6:1]")
    assert ding_niu.suan_zhang(*fives, smothered_numbers=(4,)) is None
    assert ding_niu.suan_zhang(*fours, smothered_numbers=(5,)) is None


def test_ding_niu_for_beginners():
    dealt = hands("[4:6] [4:4]", "[6:4] [5:5]", "[6:6] [4:4]", "[3:3] [2:2]")
    referee = play_all(DingNiu(dealt, 0, suan_zhang=False), ("play", (6, 4), 6), ("play", (6, 4), 4))
    assert (referee.suan_zhang, referee.terminated) == (None, False)
    blocked = play_all(DingNiu(dealt, 0, settlement="points"), ("play", (6, 4), 6), ("play", (6, 4), 4))
    assert (blocked.suan_zhang, blocked.terminated, blocked.maker) == ("classic", True, 1)
    assert blocked.points() == [0, 10, 12, 10]
    assert blocked.payoffs() == [32, -8, -16, -8]


def test_ding_niu_not_a_suan_zhang():
    assert ding_niu.suan_zhang(*row("[6:4][4:6]")) is None
    # A double, whatever it blocks: [1:1] on a row that is blocked in ones.
    referee = DingNiu(hands("[1:1]", "[6:6]", "[5:5]", "[4:4]"), 0)
    referee.layout, referee.open = row("[1:3][3:1][1:5][5:1][1:6][6:1]")
    referee.play(("play", (1, 1), 1))
    assert referee.suan_zhang is None
    # The lead itself: none would be one, even if every number counted as smothered.
    leads = [ding_niu.suan_zhang([tile], tile, (1, 2, 3, 4, 5, 6)) for tile in ding_niu.DECK]
    assert leads == [None] * 24


FOURS = ("[6:4] [6:6]", "[6:4] [5:5]", "[4:4] [1:1]", "[4:4] [6:5]")


def blocked_in_fours(**options):
    """Seat 0 leads [6:4], seat 1 answers with [6:4] on the six."""
    return play_all(DingNiu(hands(*FOURS), 0, **options), ("play", (6, 4), 6), ("play", (6, 4), 4))


def test_ding_niu_after_suan_zhang_doubles():
    referee = blocked_in_fours()
    assert (referee.terminated, referee.suan_zhang, referee.maker) == (True, "classic", 1)
    assert referee.points() == [12, 10, 2, 11]
    assert referee.payoffs() == [0, -12, 12, 0]
    assert referee.next_leader() == 2


def test_ding_niu_after_suan_zhang_stop():
    referee = blocked_in_fours(after_suan_zhang="stop")
    assert referee.terminated
    assert referee.points() == [12, 10, 10, 19]
    assert referee.payoffs() == [-4, 12, -2, -6]  # the lower hand wins the tie: the maker came first


def test_ding_niu_after_suan_zhang_play_on():
    referee = blocked_in_fours(after_suan_zhang="play_on")
    assert not referee.terminated
    assert referee.moves() == [("play", (4, 4), 4)]
    play_all(referee, ("play", (4, 4), 4), ("play", (4, 4), 4), ("discard", (6, 6)), ("discard", (5, 5)))
    assert referee.moves() == [("discard", (1, 1))]
    play_all(referee, ("discard", (1, 1)), ("discard", (6, 5)))
    assert referee.terminated
    assert referee.payoffs() == [0, -12, 12, 0]


SMOTHERED = ("[6:3] [6:5] [6:6]", "[3:1] [6:1] [3:3]", "[6:1] [3:1] [5:5]", "[6:5] [5:1] [4:4]")
TO_SMOTHERED_FIVES = [
    ("play", (6, 3), 6),
    ("play", (3, 1), 1),
    ("play", (6, 1), 6),
    ("play", (6, 5), 5),
    ("play", (6, 5), 6),
    ("play", (6, 1), 1),
    ("play", (3, 1), 3),
]


@pytest.mark.parametrize(
    ("after", "points"), [("doubles", [0, 0, 10, 14]), ("stop", [12, 6, 10, 14]), ("play_on", [12, 6, 10, 14])]
)
def test_ding_niu_after_a_smothered_suan_zhang(after, points):
    referee = play_all(DingNiu(hands(*SMOTHERED), 0, after_suan_zhang=after), *TO_SMOTHERED_FIVES)
    assert (referee.terminated, referee.suan_zhang, referee.maker) == (True, "smothered", 2)
    assert referee.points() == points


def test_ding_niu_smothered_numbers_is_an_option():
    referee = play_all(DingNiu(hands(*SMOTHERED), 0, smothered_numbers=(4,)), *TO_SMOTHERED_FIVES)
    assert not referee.terminated


TO_TWO_THREE = [("play", (3, 3), 3), ("play", (3, 1), 1), ("play", (3, 1), 3), ("play", (6, 3), 6)]


def test_ding_niu_exempt_forced_maker():
    """Seat 0 holds no other tile that fits 3 or 6 than the [6:2] that makes two-three."""
    dealt = hands("[3:3] [6:2] [5:5]", "[3:1] [2:2] [1:1]", "[3:1] [3:3] [6:6]", "[6:3] [2:2] [4:4]")
    for exempt, payoffs in ((False, [-12, 12, 0, 0]), (True, [-2, 6, -3, -1])):
        referee = DingNiu(dealt, 0, exempt_forced_maker=exempt)
        play_all(referee, *TO_TWO_THREE, ("play", (6, 2), 2))
        assert referee.points() == [10, 2, 12, 8]
        assert referee.payoffs() == payoffs


def test_ding_niu_a_maker_with_another_way_is_not_exempt():
    assert blocked_in_fours(exempt_forced_maker=True).payoffs() == [0, -12, 12, 0]


def test_ding_niu_spare_pointless_maker():
    """Seats 0 and 3 end with nothing; the tie for first goes to the lower hand, so the maker is charged."""
    dealt = hands("[3:1] [3:3]", "[3:1] [6:6]", "[6:3] [5:5]", "[6:2] [2:2]")
    for spare, payoffs in ((False, [12, 0, 0, -12]), (True, [6, -3, -2, -1])):
        referee = DingNiu(dealt, 0, spare_pointless_maker=spare)
        play_all(referee, ("play", (3, 1), 3), ("play", (3, 1), 3), ("play", (6, 3), 6), ("play", (6, 2), 2))
        assert (referee.points(), referee.maker) == ([0, 12, 10, 0], 3)
        assert referee.payoffs() == payoffs


def test_ding_niu_equal_arms_are_one_choice():
    referee = DingNiu(hands("[6:4]", "[6:4] [6:1]", "[5:5]", "[5:5]"), 0)
    assert referee.moves() == [("play", (6, 4), 6)]
    referee.play(("play", (6, 4), 6))
    assert set(referee.moves()) == {("play", (6, 4), 4), ("play", (6, 4), 6), ("play", (6, 1), 1)}
    referee = play_all(DingNiu(hands("[6:6]", "[6:4]", "[5:5]", "[5:5]"), 0), ("play", (6, 6), 6))
    assert referee.moves() == [("play", (6, 4), 4)]


def test_ding_niu_discards_are_free_without_forced_play():
    referee = DingNiu(hands("[6:6]", "[6:4]", "[5:5]", "[5:5]"), 0, forced_play=False)
    assert referee.moves() == [("play", (6, 6), 6)]
    referee.play(("play", (6, 6), 6))
    assert set(referee.moves()) == {("play", (6, 4), 4), ("discard", (6, 4))}


# Da Ling

RED_TABLE = tiles("[6:6] [3:2]")
BLACK_TABLE = tiles("[6:5] [2:1]")
NOTHING = [tuple(tiles("[6:6] [5:5]")), tuple(tiles("[6:6] [5:5] [5:5]"))]  # no pair or triple of four


def arrangement(single, pair, triple):
    return [tuple(tiles(group)) for group in (single, pair, triple)]


A = arrangement("[4:3]", "[6:5] [5:1]", "[1:1] [6:3] [3:3]")
B = arrangement("[5:2]", "[6:6] [4:1]", "[2:2] [2:2] [5:4]")


def test_da_ling_two_absolute_winners_on_a_red_table():
    assert da_ling.target(RED_TABLE) == 7
    for groups, red in ((A, [4, 1, 2]), (B, [0, 11, 4])):
        assert all(da_ling.matches(RED_TABLE, group) for group in groups)
        assert [da_ling.colour_pips(RED_TABLE, group) for group in groups] == red
    assert da_ling.settle(RED_TABLE, [A, B]) == [-25, 25]


def test_da_ling_single_on_a_black_table():
    assert da_ling.target(BLACK_TABLE) == 4

    def settle(*singles):
        return da_ling.settle(BLACK_TABLE, [[tuple(tiles(single)), *NOTHING] for single in singles])

    assert settle("[2:2]", "[3:1]") == [3, -3]
    assert settle("[2:2]", "[2:2]") == [0, 0]
    assert settle("[2:2]", "[3:1]", "[2:2]") == [0, 0, 0]


def test_da_ling_pair_on_a_black_table():
    pairs = tiles("[4:2] [6:5]"), tiles("[6:6] [1:1]")
    assert [da_ling.matches(BLACK_TABLE, pair) for pair in pairs] == [True, True]
    assert [da_ling.colour_pips(BLACK_TABLE, pair) for pair in pairs] == [13, 6]
    arranged = [[((6, 6),), tuple(pair), NOTHING[1]] for pair in pairs]
    assert da_ling.settle(BLACK_TABLE, arranged) == [7, -7]


def test_da_ling_five_players_an_absolute_winner_with_the_fee():
    loser = [((6, 6),), *NOTHING]
    payoffs = da_ling.settle(RED_TABLE, [loser, loser, B, loser, loser], casino_fee=1)
    assert payoffs == [-25, -25, 99, -25, -25]


def test_da_ling_absolute_winners_who_tie_on_colour():
    tied = arrangement("[4:3]", "[5:2] [5:5]", "[1:1] [6:1] [6:2]")
    for groups in (A, tied):
        assert all(da_ling.matches(RED_TABLE, group) for group in groups)
        assert sum(da_ling.colour_pips(RED_TABLE, group) for group in groups) == 7
    # Singles tie at 4 red; the pair goes to A (1 against 0), the triple to the other (3 against 2).
    assert da_ling.settle(RED_TABLE, [A, tied]) == [7 - 15, 15 - 7]
    assert da_ling.settle(RED_TABLE, [A, tied], absolute_tie="push") == [0, 0]
    assert da_ling.settle(RED_TABLE, [A, tied], stakes=(1, 2, 3)) == [2 - 3, 3 - 2]
    assert da_ling.settle(RED_TABLE, [A, tied], casino_fee=1) == [7 - 15, 15 - 7]


def test_da_ling_each_wild_tile_counts_three_or_six_by_itself():
    wild = tiles("[4:2] [2:1]")
    totals = [pip for pip in range(10) if da_ling.matches([(6, 4), (min(pip, 5), max(pip - 5, 0))], wild)]
    assert totals == [2, 6, 9]  # 6 + 6, 3 + 3 and 3 + 6
    assert da_ling.target(wild) == 9  # on the table they are 6 and 3


@pytest.mark.parametrize(
    ("hand", "ways"),
    [
        ("[6:6] [5:5] [4:4] [3:3] [2:2] [1:1]", 60),
        ("[6:6] [6:6] [4:4] [3:3] [2:2] [1:1]", 38),
        ("[6:6] [6:6] [5:5] [5:5] [4:4] [4:4]", 15),
    ],
)
def test_da_ling_sixty_ways_fewer_when_tiles_repeat(hand, ways):
    moves = DaLing(RED_TABLE, hands(hand, hand), 0).moves()
    assert len(moves) == ways
    assert all(all_tiles(move[1:]) == Counter(tiles(hand)) for move in moves)


def test_da_ling_asks_every_seat_once_from_the_leader():
    referee = DaLing(RED_TABLE, hands(*["[4:3] [6:5] [5:1] [1:1] [6:3] [3:3]"] * 3), 2)
    for seat in (2, 0, 1):
        assert referee.to_act == seat
        referee.play(("arrange", ((4, 3),), ((6, 5), (5, 1)), ((6, 3), (3, 3), (1, 1))))
    assert referee.terminated
    assert referee.payoffs() == [0, 0, 0]


# Tiu-U


def test_tiu_u_a_catch():
    small = tiles("[2:2] [3:1] [3:3] [5:1] [3:3] [4:2] [5:2] [6:1] [6:1] [4:3]")
    big = tiles("[4:4] [6:2] [6:3] [5:4] [6:5] [6:5]")
    assert sum(map(red_pips, small)) == 12
    assert (tiu_u.count(small), tiu_u.count(big), tiu_u.count(small + big)) == (20, 112, 132)


@pytest.mark.parametrize(
    ("small", "points"), [("[4:3] [2:1] [1:1]", 10), ("[4:3] [4:2] [1:1] [2:1]", 20), ("[5:2]", 0)]
)
def test_tiu_u_red_pips_are_rounded_up_to_tens(small, points):
    assert tiu_u.count(tiles(small)) == points


def moves_of(bait, lake, **options):
    """What may be done with this bait, the only tile in hand, before this lake."""
    return set(TiuU([tiles(bait), []], tiles(lake), tiles("[1:1] [1:1]"), 0, **options).moves())


def test_tiu_u_catches_of_5_3():
    kinds = sorted(set(DECK))
    lake = "".join(f"[{high}:{low}]" for high, low in kinds)
    fish = {move[2] for move in moves_of("[5:3]", lake) if move[0] == "catch"}
    assert fish == set(tiles("[4:4] [6:2] [5:3]"))
    fish = {move[2] for move in moves_of("[4:2]", lake) if move[0] == "catch"}
    assert fish == set(tiles("[4:2] [5:1] [3:3] [2:1]"))


def test_tiu_u_catches_of_2_1():
    assert moves_of("[2:1]", "[5:1] [3:3]") == {("lay", (2, 1))}
    assert moves_of("[2:1]", "[5:1] [3:3] [4:2]") == {("lay", (2, 1)), ("catch", (2, 1), (4, 2))}


def test_tiu_u_three_6_5_in_the_lake():
    bait, lake = (6, 5), "[6:5] [6:5] [6:5]"
    catch_one, catch_three, lay = ("catch", bait, bait), ("catch three", bait), ("lay", bait)

    def moves(**options):
        return moves_of("[6:5]", lake, **options)

    assert moves() == {catch_one, catch_three, lay}
    assert moves(lock_triples=True) == {catch_three, lay}
    assert moves(must_catch=True) == {catch_one, catch_three}
    assert moves(must_catch=True, lock_triples=True) == {catch_three}
    assert moves(triple_catch=False) == {catch_one, lay}


def test_tiu_u_a_closed_pile_cannot_be_caught_by_another_tile():
    assert moves_of("[5:3]", "[4:4] [4:4] [4:4]", lock_triples=True, must_catch=True) == {("lay", (5, 3))}
    assert ("catch", (5, 3), (4, 4)) in moves_of("[5:3]", "[4:4] [4:4]", lock_triples=True)
    assert moves_of("[5:3]", "[4:4] [4:4] [4:4] [4:4]", lock_triples=True) == {("lay", (5, 3))}
    assert ("catch three", (4, 4)) in moves_of("[4:4]", "[4:4] [4:4] [4:4]", lock_triples=True, triple_catch=False)


def test_tiu_u_turn_is_a_bait_and_the_top_of_the_stock():
    referee = TiuU(hands("[6:5]", "[1:1]"), tiles("[6:5] [6:5] [6:5]"), tiles("[5:3] [6:2]"), 0)
    referee.play(("catch three", (6, 5)))
    assert referee.lake == []
    assert referee.to_act == 0
    assert referee.moves() == [("lay", (5, 3))]
    play_all(referee, ("lay", (5, 3)), ("lay", (1, 1)))
    assert referee.to_act == 1
    assert set(referee.moves()) == {("lay", (6, 2)), ("catch", (6, 2), (5, 3))}
    referee.play(("catch", (6, 2), (5, 3)))
    assert referee.terminated
    assert referee.points() == [4 * 22, 32]
    assert referee.payoffs() == [56, -56]
    assert referee.next_leader() == 1


def test_tiu_u_settlements():
    for settlement, payoffs in (("difference", [88 + 56, -88 - 32, 32 - 56]), ("points", [48, -40, -8])):
        referee = TiuU(hands("", "", ""), [], [], 0, settlement=settlement)
        referee.catches = hands("[6:5] [6:5] [6:5] [6:5]", "", "[5:3] [5:3]")
        assert referee.terminated
        assert referee.points() == [88, 0, 32]
        assert referee.payoffs() == payoffs


def test_tiu_u_heaven_pair_is_an_extra_play():
    dealt = hands("[6:6] [6:6]", "[1:1] [1:1]")
    stock = tiles("[2:2] [3:3] [5:5] [6:5]")
    assert ("heaven pair",) not in TiuU(dealt, [], stock, 0).moves()
    referee = TiuU(dealt, [], stock, 0, heaven_pair=True)
    referee.play(("heaven pair",))
    assert referee.catches[0] == [(6, 6), (6, 6)]
    assert (referee.to_act, referee.moves()) == (0, [("lay", (2, 2))])
    play_all(referee, ("lay", (2, 2)), ("lay", (1, 1)), ("lay", (3, 3)))
    assert (referee.to_act, referee.moves()) == (0, [("lay", (5, 5))])
    play_all(referee, ("lay", (5, 5)), ("lay", (1, 1)), ("lay", (6, 5)))
    assert referee.terminated
    assert referee.points() == [48, 0]


def test_tiu_u_no_heaven_pair_before_the_tile_of_the_stock():
    referee = TiuU(hands("[2:1] [6:6] [6:6]", ""), [], tiles("[5:5]"), 0, heaven_pair=True)
    referee.play(("lay", (2, 1)))
    assert referee.moves() == [("lay", (5, 5))]
    referee.play(("lay", (5, 5)))
    assert referee.to_act == 0  # seat 1 has neither hand nor stock


def test_tiu_u_four_6_6_in_hand_are_two_heaven_pairs():
    referee = TiuU(hands("[6:6] [6:6] [6:6] [6:6]", ""), [], tiles("[5:5]"), 0, heaven_pair=True)
    play_all(referee, ("heaven pair",), ("heaven pair",), ("lay", (5, 5)))
    assert (referee.terminated, referee.points()) == (True, [96, 0])


# Small Mahjong


@pytest.mark.parametrize(
    ("triplet", "points"),
    [
        ("[2:2] [5:2] [5:5]", 3),
        ("[3:2] [5:4] [5:5]", 2),
        ("[2:1] [4:3] [5:3]", 1),
        ("[5:2] [3:3] [4:4]", 1),
        ("[1:1] [2:2] [3:3]", 1),
        ("[4:3] [5:4] [4:4]", None),
        ("[6:1] [5:2] [6:2]", None),
    ],
)
def test_small_mahjong_combinations(triplet, points):
    assert small_mahjong.triplet_points(tuple(tiles(triplet))) == points


def test_small_mahjong_triplets_equal_every_split():
    def kind(group):
        low, middle, high = sorted(group)
        if low == high:
            return "set"
        return "straight" if (middle, high) == (low + 1, low + 2) else None

    for triplet in combinations_with_replacement(sorted(set(DECK)), 3):
        if triplet == (triplet[0],) * 3:
            continue  # there are only two copies
        numbers = [number for tile in triplet for number in tile]
        readings = set()
        for places in combinations(range(6), 3):
            one = [numbers[place] for place in places]
            other = [numbers[place] for place in range(6) if place not in places]
            kinds = sorted([str(kind(one)), str(kind(other))])
            if kinds == ["set", "set"]:
                readings.add(3)
            elif kinds == ["set", "straight"] and not set(one) & set(other):
                readings.add(2)
            elif kinds == ["straight", "straight"]:
                readings.add(1)
        assert len(readings) <= 1
        assert small_mahjong.triplet_points(triplet) == (readings.pop() if readings else None)


JUNK = "[6:2] [6:2] [6:2] [6:2] [6:2]"  # makes nothing with any other tile here


def offered_5_2(seat, pair, rest="[6:6] [6:6] [1:1]", wall="[5:2] [6:4] [6:4]", **options):
    """Seat 0 of four has drawn and discarded [5:2]; one seat holds `pair` and `rest`, the others junk."""
    dealt = hands(JUNK, JUNK, JUNK, JUNK)
    dealt[seat] = tiles(pair + rest)
    return play_all(SmallMahjong(dealt, tiles(wall), 0, **options), ("discard", (5, 2)))


@pytest.mark.parametrize(("pair", "farthest"), [("[4:4] [3:3]", 1), ("[4:3] [2:2]", 2), ("[5:5] [2:2]", 3)])
@pytest.mark.parametrize("seat", [1, 2, 3])
def test_small_mahjong_seats_that_may_claim(pair, farthest, seat):
    referee = offered_5_2(seat, pair)
    if seat <= farthest:
        assert referee.to_act == seat
        assert referee.moves() == [("claim", tuple(tiles(pair))), ("pass",)]
    else:
        assert referee.to_act == 1
        assert (6, 4) in referee.hands[1]  # nobody was asked and the next seat has drawn


def test_small_mahjong_claim_is_exposed_and_the_next_seat_follows():
    referee = offered_5_2(2, "[5:5] [2:2]")
    referee.play(("claim", ((5, 5), (2, 2))))
    assert referee.exposed[2] == [((5, 2), (5, 5), (2, 2))]
    assert referee.discards[0] == []
    assert referee.to_act == 2
    assert set(referee.moves()) == {("discard", (6, 6)), ("discard", (1, 1))}
    referee.play(("discard", (1, 1)))
    assert referee.to_act == 3
    assert (6, 4) in referee.hands[3]


def test_small_mahjong_pass_gives_the_draw_to_the_next_seat():
    referee = offered_5_2(3, "[5:5] [2:2]")
    referee.play(("pass",))
    assert referee.to_act == 1
    assert referee.discards[0] == [(5, 2)]
    assert (6, 4) in referee.hands[1]


def test_small_mahjong_winning_claim_comes_from_any_distance():
    referee = offered_5_2(3, "[4:4] [3:3]", rest="[1:1] [6:1] [6:6]")
    assert referee.moves() == [("claim", ((4, 4), (3, 3))), ("pass",)]
    referee.play(("claim", ((4, 4), (3, 3))))
    assert referee.terminated
    assert referee.payoffs() == [-4, -4, -4, 12]
    assert referee.next_leader() == 3


def test_small_mahjong_declaring_is_a_choice_without_auto_win():
    referee = offered_5_2(3, "[4:4] [3:3]", rest="[1:1] [6:1] [6:6]", auto_win=False)
    referee.play(("claim", ((4, 4), (3, 3))))
    assert set(referee.moves()) == {("win",)} | {("discard", tile) for tile in tiles("[1:1] [6:1] [6:6]")}
    referee.play(("win",))
    assert referee.payoffs() == [-4, -4, -4, 12]


def test_small_mahjong_two_exposed_triplets_can_only_win():
    referee = offered_5_2(1, "[5:5] [2:2]", rest="[6:6] [1:1] [6:6]", auto_win=False)
    play_all(referee, ("claim", ((5, 5), (2, 2))), ("discard", (6, 6)))
    assert referee.to_act == 2  # drew [6:4]
    referee.hands[2][0] = (6, 1)
    referee.play(("discard", (6, 1)))
    assert referee.to_act == 1
    referee.play(("claim", ((6, 6), (1, 1))))
    assert referee.moves() == [("win",)]
    referee.play(("win",))
    assert referee.payoffs() == [-6, 18, -6, -6]


def test_small_mahjong_exposed_triplet_counts_in_a_win():
    six = tiles("[1:1] [3:3] [4:4] [5:3] [4:1] [5:5]")  # a 3 is the worst split and a 6 the best
    assert small_mahjong.best_split(six, []) == 6
    exposed = next(triplet for triplet in combinations(six, 3) if small_mahjong.triplet_points(triplet) in (1, 2))
    rest = [tile for tile in six if tile not in exposed]
    assert small_mahjong.best_split(rest, [exposed]) == 3


def test_small_mahjong_hidden_claims_join_the_hand():
    referee = offered_5_2(1, "[4:4] [3:3]", expose_claims=False)
    assert referee.moves() == [("claim",), ("pass",)]
    referee.play(("claim",))
    assert Counter(referee.hands[1]) == Counter(tiles("[5:2] [4:4] [3:3] [6:6] [6:6] [1:1]"))
    assert referee.exposed[1] == []
    assert ("discard", (5, 2)) in referee.moves()


def test_small_mahjong_hidden_claims_may_repeat_until_turn_111():
    """Two seats take [5:2] from each other: the first turn is drawn, the discard of the 110th is the last one asked."""
    pair = "[5:5] [2:2]"
    dealt = hands(pair + "[6:6] [1:1] [6:4]", pair + "[6:6] [1:1] [6:4]", JUNK, JUNK)
    referee = SmallMahjong(dealt, tiles("[5:2] [6:5]"), 0, expose_claims=False)
    for turn in range(1, 111):
        play_all(referee, ("discard", (5, 2)), ("claim",))
        assert (referee.to_act, referee.turns) == (turn % 2, turn + 1)
    referee.play(("discard", (5, 2)))
    assert ("claim",) not in referee.moves()
    assert (referee.to_act, len(referee.wall)) == (1, 0)  # drew instead


def test_small_mahjong_the_leader_may_win_with_his_first_draw():
    winning = "[2:2] [5:2] [5:5] [1:1] [6:1]"
    referee = SmallMahjong(hands(JUNK, winning, JUNK), tiles("[6:6] [6:4]"), 1)
    assert referee.terminated
    assert referee.payoffs() == [-6, 12, -6]
    assert ("win",) in SmallMahjong(hands(JUNK, winning, JUNK), tiles("[6:6]"), 1, auto_win=False).moves()


def test_small_mahjong_the_last_discard_and_the_draw():
    referee = offered_5_2(2, "[5:5] [2:2]", wall="[5:2]", claim_last_discard=False)
    assert referee.terminated
    referee = offered_5_2(2, "[5:5] [2:2]", wall="[5:2]")
    assert referee.moves() == [("claim", ((5, 5), (2, 2))), ("pass",)]
    referee.play(("pass",))
    assert referee.terminated
    assert referee.payoffs() == [0, 0, 0, 0]
    assert referee.next_leader() == 0


# What every game must keep (README)


def deal(rng, deck, seats, size):
    """Hands of `size` tiles and the rest of the shuffled deck."""
    shuffled = rng.sample(deck, len(deck))
    return [shuffled[seat * size : (seat + 1) * size] for seat in range(seats)], shuffled[seats * size :]


def deal_tiu_u(rng, seats, **options):
    dealt, rest = deal(rng, DECK + DECK, seats, 24 // seats)
    return TiuU(dealt, rest[:16], rest[16:], rng.randrange(seats), **options)


def deal_shi_wu_hu(rng, seats, deck, lake, **options):
    dealt, rest = deal(rng, deck, seats, (len(deck) - lake) // (2 * seats))
    return ShiWuHu(dealt, rest[:lake], rest[lake:], rng.randrange(seats), **options)


def deal_da_ling(rng, seats, **options):
    dealt, _ = deal(rng, DECK[2:], seats, 6)
    return DaLing(DECK[:2], dealt, rng.randrange(seats), **options)


def deal_small_mahjong(rng, seats, **options):
    dealt, wall = deal(rng, DECK, seats, 5)
    return SmallMahjong(dealt, wall, rng.randrange(seats), **options)


DEALS = {
    "jie long": lambda rng: JieLong(deal(rng, DECK, 4, 8)[0], 1),
    "jie long, forced and locked": lambda rng: JieLong(
        deal(rng, DECK, 2, 16)[0], 0, forced_play=True, double_lock=True
    ),
    "jie long, two ends": lambda rng: JieLong(deal(rng, DECK, 3, 10)[0], 2, open_ends=2, stake=0.5),
    "kkoribuchigi": lambda rng: JieLong(deal(rng, DECK, 4, 8)[0], 1, forced_play=True, settlement="kkoribuchigi"),
    "dancing dragons": lambda rng: JieLong(
        deal(rng, DECK, 3, 10)[0], 1, forced_play=True, open_ends=2, all_laid_doubles=True, stake=0.5
    ),
    "ce deng": lambda rng: CeDeng(deal(rng, DECK, 4, 8)[0], 3, redeal_doubles=5, strict_head_tail=True),
    "ding niu": lambda rng: DingNiu(deal(rng, ding_niu.DECK, 4, 6)[0], 2),
    "ding niu, for beginners": lambda rng: DingNiu(
        deal(rng, ding_niu.DECK, 4, 6)[0], 1, suan_zhang=False, settlement="points"
    ),
    "ding niu, play on": lambda rng: DingNiu(
        deal(rng, ding_niu.DECK, 4, 6)[0], 2, after_suan_zhang="play_on", forced_play=False
    ),
    "da ling": lambda rng: deal_da_ling(rng, 5),
    "tiu-u": lambda rng: deal_tiu_u(rng, 2, heaven_pair=True),
    "tiu-u, locked": lambda rng: deal_tiu_u(rng, 3, lock_triples=True, must_catch=True),
    "deer hunt": lambda rng: DeerHunt(deal(rng, DECK, 4, 8)[0], 3),
    "deer hunt, escape": lambda rng: DeerHunt(deal(rng, DECK, 4, 8)[0], 1, escape=True, settlement="win"),
    "pai gow": lambda rng: PaiGow(deal(rng, DECK, 8, 4)[0], 7),
    "pai gow, roads": lambda rng: PaiGow(deal(rng, DECK, 3, 4)[0], 1, pay="roads", copy="push", zero="tile"),
    "pai gow, small": lambda rng: PaiGow(deal(rng, DECK, 4, 2)[0], 2, small=True, stake=2.0),
    "tien gow": lambda rng: TienGow(deal(rng, DECK, 4, 8)[0], 2),
    "tien gow, pairs": lambda rng: TienGow(deal(rng, DECK, 4, 8)[0], 0, combinations="pairs", early_death=False),
    "tien gow, hong kong": lambda rng: TienGow(deal(rng, DECK, 4, 8)[0], 3, streak=2, **tien_gow.HONG_KONG),
    "shi wu hu": lambda rng: deal_shi_wu_hu(rng, 2, shi_wu_hu.CARDS, 24),
    "shi wu hu, tiles": lambda rng: deal_shi_wu_hu(rng, 3, shi_wu_hu.TILES, 16, must_catch=True, tens_match=True),
    "small mahjong": lambda rng: deal_small_mahjong(rng, 4),
    "small mahjong, by choice": lambda rng: deal_small_mahjong(rng, 3, auto_win=False),
    "small mahjong, hidden": lambda rng: deal_small_mahjong(rng, 4, expose_claims=False),
}


def all_tiles(value):
    """Every tile in nested lists and tuples."""
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(number, int) for number in value):
        return Counter([value])
    return sum((all_tiles(each) for each in value), Counter())


def tiles_of(referee):
    """The tiles of a deal wherever they lie, whichever places its game has."""
    if isinstance(referee, CeDeng | TienGow):
        places = ("hands", "played", "discards")
    else:
        places = (
            "hands",
            "layout",
            "discards",
            "lake",
            "stock",
            "catches",
            "wall",
            "exposed",
            "trick",
            "taken",
            "escaped",
        )
    return sum((all_tiles(getattr(referee, place, [])) for place in places), Counter())


@pytest.mark.parametrize("game", DEALS)
def test_tiles_are_conserved_moves_distinct_and_payoffs_zero_sum(game):
    rng = random.Random(game)
    for _ in range(8):
        referee = DEALS[game](rng)
        dealt = tiles_of(referee)
        while not referee.terminated:
            moves = referee.moves()
            assert moves
            assert len(set(moves)) == len(moves)
            with pytest.raises(ValueError, match="may not"):
                referee.play(("sing",))
            referee.play(rng.choice(moves))
            assert tiles_of(referee) == dealt
        assert referee.moves() == []
        assert sum(referee.payoffs()) == pytest.approx(0)
        assert referee.next_leader() in range(len(referee.hands))
        with pytest.raises(ValueError, match="may not"):
            referee.play(moves[0])
