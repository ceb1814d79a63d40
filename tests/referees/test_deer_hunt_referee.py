"""The worked examples of the rulebook page `deer-hunt.md`, by number, and small positions for what they omit."""

import random
from collections import Counter

import pytest

from . import DeerHunt, deer_hunt
from .examples import hands, play_all
from .tiles import DECK, red_pips, tiles

STRENGTH = tiles(
    "[6:6] [6:5] [6:4] [6:3] [6:2] [6:1] [5:5] [5:4] [5:3] [5:2] [5:1] [4:4] [4:3] [4:2]"
    "[4:1] [3:3] [3:2] [3:1] [2:2] [2:1] [1:1]"
)


def one_trick(text, leader=0, **options):
    """The trick of these tiles, played in this order from the leader on; nothing is left in hand."""
    played = tiles(text)
    dealt = [[played[(seat - leader) % 4]] for seat in range(4)]
    return play_all(DeerHunt(dealt, leader, **options), *(("play", tile) for tile in played))


# The tiles


def test_strength_goes_by_the_larger_half_then_the_smaller():
    assert set(STRENGTH) == set(DECK)
    for place, tile in enumerate(STRENGTH):
        for weaker in STRENGTH[place + 1 :]:
            assert deer_hunt.strongest([tile, weaker]) == 0
            assert deer_hunt.strongest([weaker, tile]) == 1


def test_set_has_64_red_pips_on_19_tiles():
    by_red = {
        8: "[4:4] [4:4]",
        6: "[6:6] [6:6]",
        5: "[4:1]",
        4: "[6:4] [6:4] [5:4] [4:3] [4:2]",
        2: "[1:1] [1:1]",
        1: "[6:1] [6:1] [5:1] [5:1] [3:1] [3:1] [2:1]",
        0: "[6:5] [5:5] [3:3] [2:2] [6:5] [5:5] [3:3] [2:2] [6:3] [6:2] [5:3] [5:2] [3:2]",
    }
    for red, text in by_red.items():
        assert Counter(tiles(text)) == Counter(tile for tile in DECK if red_pips(tile) == red)
    assert sum(map(red_pips, DECK)) == 64
    assert sum(red_pips(tile) > 0 for tile in DECK) == 19


# Worked examples


def test_example_1_partner_takes_14():
    referee = one_trick("[6:4] [4:4] [6:5] [1:1]")
    assert referee.taken[2] == tiles("[6:4] [4:4] [6:5] [1:1]")
    assert referee.points() == [14, 0, 14, 0]


def test_example_2_larger_half_counts_first():
    assert one_trick("[5:5] [6:1] [5:5] [3:3]").points() == [0, 1, 0, 1]


def test_example_3_first_of_two_equal_tiles_wins():
    referee = one_trick("[5:4] [5:5] [5:5] [4:4]")
    assert len(referee.taken[1]) == 4
    assert referee.points() == [0, 12, 0, 12]


def test_example_4_values():
    assert [red_pips(tile) for tile in tiles("[4:4] [6:6] [4:1] [6:4] [1:1] [3:1] [5:3]")] == [8, 6, 5, 4, 2, 1, 0]


def test_examples_5_and_6_payoffs():
    assert deer_hunt.settle(40, 24) == [16, -16, 16, -16]
    assert deer_hunt.settle(32, 32) == [0, 0, 0, 0]
    assert deer_hunt.settle(64, 0) == [64, -64, 64, -64]


def test_example_7_red_trick_escapes():
    referee = DeerHunt(hands("[4:1] [5:5]", "[4:4] [3:3]", "[6:4] [2:2]", "[1:1] [6:1]"), 0, escape=True)
    play_all(referee, *(("play", tile) for tile in tiles("[4:1] [4:4] [6:4] [1:1]")))
    assert sum(map(red_pips, referee.escaped)) == 19
    assert referee.points() == [0, 0, 0, 0]
    assert referee.to_act == 2
    play_all(referee, *(("play", tile) for tile in tiles("[2:2] [6:1] [5:5] [3:3]")))
    assert referee.payoffs() == [-1, 1, -1, 1]  # not 2 * 0 - 64
    assert one_trick("[4:1] [4:4] [6:4] [1:1]").payoffs() == [19, -19, 19, -19]


def test_example_7_rest_is_45():
    assert sum(map(red_pips, DECK)) - sum(map(red_pips, tiles("[4:1] [4:4] [6:4] [1:1]"))) == 45


def test_example_8_led_6_6_wins_for_sure():
    assert deer_hunt.strongest(tiles("[6:6] [6:6] [6:5] [6:5]")) == 0
    takers = [tile for tile in set(DECK) if deer_hunt.strongest([(6, 5), tile]) == 1]
    assert takers == [(6, 6)]


def test_example_9_deer_on_the_partners_trick():
    assert one_trick("[6:6] [6:3] [4:4] [5:2]").points() == [14, 0, 14, 0]
    assert one_trick("[6:4] [4:4] [6:5] [3:3]", leader=1).points() == [0, 12, 0, 12]  # 8 of them are the [4:4]


def deal_four(rng):
    """The two packs of K's rule, one to each side, and the other 24 tiles."""
    dealt = [[], [], [], []]
    for side in (0, 1):
        pack = rng.sample(deer_hunt.FOUR, 4)
        dealt[side] += pack[:2]
        dealt[side + 2] += pack[2:]
    rest = list(DECK)
    for tile in deer_hunt.FOUR * 2:
        rest.remove(tile)
    rng.shuffle(rest)
    return [hand + rest[6 * seat : 6 * seat + 6] for seat, hand in enumerate(dealt)]


def test_example_10_fair_deals_of_four():
    rng = random.Random(10)
    for _ in range(50):
        dealt = deal_four(rng)
        DeerHunt(dealt, 0, fair_deal="four")
        DeerHunt(dealt, 0, fair_deal="heaven")


@pytest.mark.parametrize(
    "pairs",
    [
        ("[6:6] [6:6]", "[6:5] [6:4]", "[4:4] [6:4]", "[6:5] [4:4]"),  # one side has both [6:6]
        ("[6:6] [6:5] [6:4]", "[6:6] [6:5]", "[4:4]", "[6:4] [4:4]"),  # a seat has three of the eight
    ],
)
def test_example_10_unfair_deals_of_four(pairs):
    rest = [tile for tile in DECK if tile not in deer_hunt.FOUR]
    dealt = []
    for pair in hands(*pairs):
        dealt.append(pair + rest[: 8 - len(pair)])
        rest = rest[8 - len(pair) :]
    DeerHunt(dealt, 0)
    with pytest.raises(ValueError, match="not dealt by"):
        DeerHunt(dealt, 0, fair_deal="four")


def test_fair_deal_heaven_gives_a_6_6_to_each_side():
    deck = sorted(DECK, reverse=True)
    dealt = [deck[0:1] + deck[2:9], deck[1:2] + deck[9:16], deck[16:24], deck[24:32]]
    DeerHunt(dealt, 0, fair_deal="heaven")
    with pytest.raises(ValueError, match="not dealt by"):
        DeerHunt([dealt[0], dealt[2], dealt[1], dealt[3]], 0, fair_deal="heaven")
    with pytest.raises(ValueError, match="not dealt by"):
        DeerHunt(dealt, 0, fair_deal="four")  # seat 1 holds [6:6] and too few of the others


# What the examples omit


def test_tiles_may_all_be_played_and_equal_ones_are_one_move():
    referee = DeerHunt(hands("[6:6] [1:1]", "[2:2] [2:2]", "[5:1] [4:1]", "[3:2] [5:5]"), 1)
    assert referee.moves() == [("play", (2, 2))]
    referee.play(("play", (2, 2)))
    assert (referee.to_act, set(referee.moves())) == (2, {("play", (5, 1)), ("play", (4, 1))})


def test_taker_leads_and_the_next_dealer_is_the_next_seat():
    referee = DeerHunt(hands("[1:1] [1:1]", "[2:2] [2:2]", "[3:3] [3:3]", "[6:6] [6:6]"), 2)
    play_all(referee, *(("play", tile) for tile in tiles("[3:3] [6:6] [1:1] [2:2]")))
    assert referee.to_act == 3
    play_all(referee, *(("play", tile) for tile in tiles("[6:6] [1:1] [2:2] [3:3]")))
    assert referee.terminated
    assert referee.payoffs() == [-16, 16, -16, 16]
    assert referee.next_leader() == 3
    assert DeerHunt(referee.hands, 3).next_leader() == 0


def test_settlement_win_pays_one_chip_by_the_sign():
    assert one_trick("[6:4] [4:4] [6:5] [1:1]", settlement="win").payoffs() == [1, -1, 1, -1]
    assert one_trick("[5:5] [6:1] [5:5] [3:3]", settlement="win").payoffs() == [-1, 1, -1, 1]
    assert one_trick("[5:5] [6:5] [5:5] [3:3]", settlement="win").payoffs() == [0, 0, 0, 0]
    escaped = one_trick("[4:1] [4:4] [6:4] [1:1]", settlement="win", escape=True)
    assert escaped.payoffs() == [0, 0, 0, 0]


def test_trick_with_one_tile_without_red_does_not_escape():
    assert one_trick("[4:1] [4:4] [6:6] [6:5]", escape=True).points() == [19, 0, 19, 0]
    assert one_trick("[4:1] [4:4] [6:6] [6:1]", escape=True).points() == [0, 0, 0, 0]


def test_random_deals_count_64_and_11_percent_all_red_tricks():
    rng = random.Random(64)
    escaped = 0
    for _ in range(300):
        deck = rng.sample(DECK, 32)
        dealt = [deck[8 * seat : 8 * seat + 8] for seat in range(4)]
        with_escape = DeerHunt(dealt, rng.randrange(4), escape=True)
        plain = DeerHunt(dealt, with_escape.leader)
        while not plain.terminated:
            assert plain.moves() == with_escape.moves()
            move = rng.choice(plain.moves())
            plain.play(move)
            with_escape.play(move)
        points = plain.points()
        assert points[0] + points[1] == 64
        assert plain.payoffs()[0] == 2 * points[0] - 64
        missing = sum(map(red_pips, with_escape.escaped))
        assert sum(with_escape.points()[:2]) == 64 - missing
        escaped += len(with_escape.escaped) // 4
    assert escaped / (300 * 8) == pytest.approx(0.11, abs=0.025)
