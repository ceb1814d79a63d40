"""Positions of the connecting games: locks, who laid the last tile, and the counting of points."""

import pytest

from gupai_env.positions import ce_deng, jie_long

LOCK = ["22 66", "65 64", "63 61", "55 11"]


def test_player_of_the_last_tile_may_be_given():
    tiles = {"hands": ["66", "65", "64", "63 62"], "layout": "[1:2][2:2][2:2]", "discards": ["11", "33", "44", "55"]}
    for seat in (1, 2):
        assert jie_long.from_tiles(**tiles, last_player=seat).state.last_player == seat
    with pytest.raises(ValueError, match="no order of play"):
        jie_long.from_tiles(**tiles, last_player=3)


def test_seats_with_seven_doubles_are_asked_before_the_play():
    hands = ["11 22 33 44 55 66 66 65", "65 64 64 63 62 61 61 54", "53 52 51 51 43 42 41 32", "31 31 21 11 22 33 44 55"]
    position = ce_deng.from_tiles(hands)
    assert position.legal() == ["demand a redeal", "play on"]
    assert len(position.play("play on").legal()) == 6 + 2 * 1


def test_four_way_settlement():
    assert jie_long.settle([2, 12, 34, 18]) == [58, 18, -70, -6]
    assert jie_long.settle(["11", "66", "66 65 65", "55 44"], stake=2) == [116, 36, -140, -12]


def test_no_bonus_tail_eight_against_a_pass_and_two_tails():
    assert ce_deng.settle([2, 12, 34, 18], plays=[7, 6, 5, 6]) == [58, 18, -70, -6]
    assert ce_deng.settle([0, 10, 20, 51], plays=[8, 5, 5, 0]) == [264, 72, 12, -348]
    assert ce_deng.settle([50, 40], plays=[0, 0]) == [-10, 10]
    assert ce_deng.settle([50, 40], plays=[0, 2], leader=1) == [-20, 20]


def test_eight_doubles_declared():
    hands = ["11 11 22 22 33 33 44 44", "66 65 65 64", "66 64 63 62 61 61 52", "55 55 54 51 31"]
    assert ce_deng.settle_declaration(hands, 0) == [286, -88, -120, -78]
    with pytest.raises(ValueError, match="seat 1 may not declare"):
        ce_deng.settle_declaration(hands, 1)
