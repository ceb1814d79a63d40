"""Positions: moves and tiles in every spelling, what a position tells, and what is refused in one line."""

import re

import numpy as np
import pytest

from gupai_env import get_game
from gupai_env.games.connecting.rules import KINDS
from gupai_env.positions import ce_deng, da_ling, ding_niu, jie_long, small_mahjong, tiu_u

HANDS = ["66", "65", "64", "63"]
REFUSED = [
    (jie_long, {"hands": ["77", "65", "64", "63"]}, "is not a tile"),
    (jie_long, {"hands": [[(6, 7)], "65", "64", "63"]}, "is not a tile"),
    (jie_long, {"hands": ["63 63", "65 65", "64 64", "11 22"]}, "[6:3] is given 2 times; the deck has 1"),
    (jie_long, {"hands": HANDS, "layout": "[1:2][3:1]"}, "do not join"),
    (jie_long, {"hands": HANDS, "layout": "[1:2]"}, "5 tiles cannot be shared equally by 4 seats"),
    (jie_long, {"hands": ["", "", "", ""]}, "0 tiles cannot be shared"),
    (jie_long, {"hands": HANDS, "discards": ["11", "22", "33", "44"]}, "seat 0 led but has laid no tile"),
    (jie_long, {"hands": ["66 11", "65", "64", "63"], "layout": "[1:2][2:2][2:2]"}, "seat 0 has shed 0 of 3 tiles"),
    (jie_long, {"hands": ["66 11 33", "65", "64", "63 22"], "layout": "21"}, "more than its share"),
    (jie_long, {"hands": HANDS, "discards": ["11"]}, "one entry for each of the 4 seats"),
    (jie_long, {"hands": HANDS, "leader": 4}, "leader=4"),
    (jie_long, {"hands": HANDS, "players": 3}, "players=3 is not allowed with the tiles of 4 seats"),
    (jie_long, {"hands": HANDS, "forced": True}, "did you mean forced_play"),
    (
        jie_long,
        {"hands": ["33", "21", "41", "51"], "layout": "[6:1]", "discards": ["", "44", "55", "66"], "forced_play": True},
        "no order of play",
    ),
    (ding_niu, {"hands": ["21", "65", "64", "63"]}, "[2:1] is given 1 times; the deck has 0"),
    (ding_niu, {"hands": HANDS[:3]}, "players=3"),
    (da_ling, {"table": "11", "hands": ["22 33 44 55 66 65", "31 41 51 61 62 63"]}, "2 tiles lie on the table"),
    (da_ling, {"table": "11 11", "hands": ["22 33 44 55 66 11", "31 41 51 61 62 63"]}, "[1:1] is given 3 times"),
]


@pytest.mark.parametrize(("module", "tiles", "message"), REFUSED, ids=[message for *_, message in REFUSED])
def test_impossible_position_is_refused_in_one_line(module, tiles, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        module.from_tiles(**tiles)
    assert "\n" not in str(error.value)


TWO = {"table": "11 22", "hands": ["22 33 44 55 66 65", "31 41 51 61 62 63"]}


@pytest.mark.parametrize(
    "split", ["22 / 33 44", "22 33 / 44 55 / 66 65", "11 / 33 44 / 55 66 65", "22 / 33 44 / 55 66 64"]
)
def test_split_of_other_tiles_or_sizes_is_refused(split):
    with pytest.raises(ValueError, match="does not split the hand"):
        da_ling.from_tiles(**TWO, splits=[split, None])


def test_seats_split_in_the_order_of_turn():
    first, second = "66 / 65 55 / 22 33 44", "31 / 41 51 / 61 62 63"
    assert da_ling.from_tiles(**TWO, splits=[first, None]).state.to_act == 1
    assert da_ling.from_tiles(**TWO, splits=[first, second]).terminated
    with pytest.raises(ValueError, match="seat 0 has not split its hand"):
        da_ling.from_tiles(**TWO, splits=[None, second])


def test_moves_are_played_by_name_or_number_and_refused_by_name():
    position = jie_long.from_tiles(["66 11", "65 44", "64 33", "63 22"])
    position.play("[6:6]", KINDS + 19)  # [6:5], leaving the five open
    assert position.state.ends[0] == 5
    with pytest.raises(ValueError, match=r"seat 2: \[6:4\] .* is not legal; legal: discard"):
        position.play("[6:4]")
    with pytest.raises(ValueError, match="'six' is not an action of jie-long; legal: discard"):
        position.play("six")
    with pytest.raises(ValueError, match="not over"):
        position.payoffs()


def test_split_is_played_by_the_names_of_its_tiles():
    position = da_ling.from_tiles(**TWO).play("[2:2] / [4:4][3:3] / [6:6][6:5][5:5]")
    assert get_game("da-ling").action_name(int(position.state.splits[0]), position.view(0)).startswith("[2:2] / ")


LINE = ["66 51", "65 44", "64 33", "63 22"]


@pytest.mark.parametrize(
    "tiles",
    [
        [["6:6", "1:5"], ["65", "[4:4]"], ["6 4 33"], ["63", (2, 2)]],
        [[(6, 6), (1, 5)], ((5, 6), (4, 4)), [[6, 4], [3, 3]], np.array([[6, 3], [2, 2]])],
        np.array([["66", "51"], ["65", "44"], ["64", "33"], ["63", "22"]]),
        [[(np.int64(6), np.int8(6)), "51"], "6544", "64,33", ("63", "22")],
    ],
    ids=["texts", "pairs", "array", "mixed"],
)
def test_tiles_are_texts_or_pairs_in_any_sequence(tiles):
    hands = jie_long.from_tiles(LINE).state.hands
    np.testing.assert_array_equal(jie_long.from_tiles(tiles).state.hands, hands)
    np.testing.assert_array_equal(jie_long.from_tiles(iter(tiles)).state.hands, hands)


def test_seats_and_options_may_be_integers_of_numpy():
    position = jie_long.from_tiles(["66 51", "65 11", "44 33", "63 22"], leader=np.int64(2), players=np.int64(4))
    assert position.state.to_act == 2
    assert position.view(np.int8(2)).tobytes() == position.view(2).tobytes()
    assert position.after(np.int64(9)).state.ends[0] == 4
    assert ding_niu.settle(np.array([10, 5, 5, 10]), maker=np.int8(1)) == [-6, 12, -2, -4]
    assert ce_deng.settle([50, 40], np.array([0, 2]), leader=np.int8(1)) == [-20, 20]


@pytest.mark.parametrize(
    ("moves", "ends"),
    [
        (["[6:6]", "65"], 5),
        (["6:6", "5:6"], 5),  # only the five can stay open
        ([(6, 6), (6, 5)], 5),
        ([[(6, 6)], ["6:5"]], 5),
        (["66", "65 ", " [ 4 : 6 ] "], None),
        (["[5:1]"], 1),
        (["[1:5]"], 5),
        (["15"], 5),
    ],
)
def test_tile_is_played_with_its_open_end_last_where_both_fit(moves, ends):
    position = jie_long.from_tiles(LINE)
    if ends is None:
        with pytest.raises(ValueError, match=r"seat 2: \[4:6\] .* is not legal"):
            position.play(*moves)
    else:
        assert position.play(*moves).state.ends[0] == ends


def test_move_words_and_tiles_may_be_spelled_freely():
    position = jie_long.from_tiles(LINE, forced_play=False).play("66", "DISCARD 44")
    assert position.state.drops[1] == 1
    fishing = tiu_u.from_tiles(["53 11", "22 33"], "44 62", "31")
    assert fishing.legal()[-2:] == ["[5:3] catches [4:4]", "[5:3] catches [6:2]"]
    assert fishing.after("35 catches 2:6").state.last_player == 0
    with pytest.raises(ValueError, match="is not an action of tiu-u"):
        fishing.play("[5:3][6:2]")
    hands = ["66 65 54 63 42 52", "55 22 65 43 41", "64 33 21 51 53", "55 44 44 61 61"]
    claiming = small_mahjong.from_tiles(hands, "31").play("discard 2:5")
    assert "claim [2:2][5:2][5:5]" in claiming.legal()
    assert claiming.after("claim 55 22 25").legal() == claiming.after("claim [2:2][5:2][5:5]").legal()


def test_split_groups_and_their_tiles_come_in_any_order():
    action = da_ling.from_tiles(**TWO).play("[2:2] / [4:4][3:3] / [6:6][6:5][5:5]").state.splits[0]
    for split in ("33 44 / 56 66 55 / 22", "6:6 5:5 6:5/2:2/4:4 3:3", "[2:2]/[3:3][4:4]/[5:5][5:6][6:6]"):
        assert da_ling.from_tiles(**TWO).play(split).state.splits[0] == action
        assert da_ling.from_tiles(**TWO, splits=[split, None]).state.splits[0] == action
    groups = ["66 55 65", "22", [(3, 3), "44"]]
    assert da_ling.from_tiles(**TWO, splits=[groups, None]).state.splits[0] == action
    splits = ["22 / 33 44 / 55 66 65", "31 / 41 51 / 61 62 63"]
    assert da_ling.settle("11 22", [groups, splits[1]]) == da_ling.settle("11 22", splits)


def test_tiny_deck_groups_have_one_tile_and_their_order_counts():
    tiny = {"table": "21 32", "hands": ["64 55 51", "64 55 51"], "deck": "tiny"}
    orders = ["64/55/51", "55/64/51", "51/55/64"]
    played = {int(da_ling.from_tiles(**tiny).play(split).state.splits[0]) for split in orders}
    given = {int(da_ling.from_tiles(**tiny, splits=[split, None]).state.splits[0]) for split in orders}
    assert played == given
    assert len(played) == 3


@pytest.mark.parametrize("move", ["six", "", "7:7", "6:4 5:5 4:4", 2.5, None, True, (6, 7), b"64", [None]])
def test_invalid_move_is_refused_in_one_line_with_a_dozen(move):
    position = da_ling.from_tiles(**TWO)
    before = position.state.tobytes()
    with pytest.raises(ValueError, match=r"is not an action of da-ling; legal: .* and 48 more$") as error:
        position.play(move)
    assert str(error.value).count(" / ") == 24
    assert "\n" not in str(error.value)
    assert position.state.tobytes() == before


def test_position_shows_its_table():
    position = ding_niu.from_tiles(["44", "64 11", "55 55", "11 22"], "[4:6]")
    shown = repr(position)
    assert "(4) [4:6]* (6)" in shown
    assert "> Seat 1" in shown
    assert "[5:5] [5:5]" in shown  # all tiles are face up
    assert "chips" not in shown
    assert "-12 chips" in repr(position.after("64"))


def test_moves_can_be_tried_without_changing_the_position():
    position = ding_niu.from_tiles(["44", "64 11", "55 55", "11 22"], "[4:6]")
    before = position.state.tobytes()
    assert position.after("[6:4]").payoffs() == [12, -12, 0, 0]
    assert not position.after("[4:6]").terminated
    assert position.state.tobytes() == before


def test_hidden_tiles_are_redealt():
    position = jie_long.from_tiles([*LINE])
    drawn = [position.redealt(0, key) for key in range(20)]
    for each in drawn:
        assert each.view(0).tobytes() == position.view(0).tobytes()
    assert len({int(each.state.hands[1]) for each in drawn}) > 10
    assert position.redealt(0, 3).state.tobytes() == drawn[3].state.tobytes()
    with pytest.raises(ValueError, match="a seed is a whole number"):
        position.redealt(0, -1)
    with pytest.raises(ValueError, match="seat=4 is not allowed"):
        position.redealt(4, 1)


def played_out(position):
    while not position.terminated:
        position.play(position.legal()[-1])
    return position


def test_winner_and_next_leader_follow_the_rules():
    ended = played_out(jie_long.from_tiles(LINE, leader=1))
    points, before = ended.state.points.tolist(), ended.state.tobytes()
    assert ended.winner() == ended.next_leader() == points.index(min(points))
    assert ended.state.tobytes() == before
    blocked = ding_niu.from_tiles(["44", "64 11", "55 55", "11 22"], "[4:6]").play("64")
    assert (blocked.winner(), blocked.next_leader()) == (0, 0)
    eight = ["11 11 22 22 33 33 44 44", "66 65 65 64 64 63 62 61", "66 61 55 55 54 53 52 51", "51 43 42 41 32 31 31 21"]
    declared = ce_deng.from_tiles(eight[1:] + eight[:1]).play("declare eight doubles")
    assert (declared.winner(), declared.next_leader()) == (3, 3)
    caught = played_out(tiu_u.from_tiles(["66", "11"], leader=1))
    assert caught.next_leader() == 0
    with pytest.raises(ValueError, match="the rules of tiu-u name no winner; ask for payoffs"):
        caught.winner()


def test_small_mahjong_is_won_by_the_declarer_and_a_draw_by_nobody():
    hands = ["22 52 55 33 63 66", "62 64 65 43 41", "64 33 21 51 53", "55 44 44 61 61"]
    won = small_mahjong.from_tiles(hands, "31", turn=0)
    assert won.play("win").winner() == won.next_leader() == 0
    drawn = played_out(
        small_mahjong.from_tiles(["66 65 54 63 42 52", *hands[1:]], turn=0, leader=2, claim_last_discard=False)
    )
    assert (drawn.winner(), drawn.next_leader()) == (None, 2)


def test_da_ling_is_won_by_matching_three_with_most_pips():
    splits = ["43 / 65 51 / 11 63 33", "52 / 66 41 / 22 22 54"]  # of the worked example: B wins
    hands = [split.replace("/", "") for split in splits]
    assert da_ling.from_tiles("66 32", hands, splits).winner() == 1
    assert da_ling.from_tiles("66 32", hands[::-1], splits[::-1], leader=1).winner() == 0
    assert da_ling.from_tiles(**TWO, splits=["22/33 44/55 66 65", "31/41 51/61 62 63"]).winner() is None


def test_winner_is_unknown_before_the_end():
    position = jie_long.from_tiles(LINE)
    for ask in (position.winner, position.next_leader, position.payoffs):
        with pytest.raises(ValueError, match="the deal is not over"):
            ask()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: jie_long.from_tiles("66 65 64 63"), "hands must be a sequence with one entry for each seat"),
        (lambda: jie_long.from_tiles(None), "hands must be a sequence with one entry for each seat, not None"),
        (lambda: jie_long.from_tiles([None, "65", "64", "63"]), "None is not a tile"),
        (lambda: jie_long.from_tiles([[(6.0, 6.0)], "65", "64", "63"]), "(6.0, 6.0) is not a tile"),
        (lambda: jie_long.from_tiles([[(True, True)], "65", "64", "63"]), "(True, True) is not a tile"),
        (lambda: jie_long.from_tiles([np.array(6), "65", "64", "63"]), "is not a tile"),
        (lambda: jie_long.from_tiles(HANDS, leader=True), "leader=True is not allowed"),
        (lambda: jie_long.from_tiles(HANDS, last_player=9), "last_player=9 is not allowed"),
        (lambda: jie_long.from_tiles(HANDS).view(-1), "seat=-1 is not allowed; choose a seat of [0, 1, 2, 3]"),
        (lambda: jie_long.settle(["63 63", "", "", ""]), "[6:3] is given 2 times; the deck has 1"),
        (lambda: jie_long.settle([1]), "players=1 is not allowed"),
        (lambda: jie_long.settle([1, 2, 3, 87]), "discards of 87 pips are not allowed; a hand has 0 to 86"),
        (lambda: jie_long.settle([1, 2, 3, True]), "True is not a tile"),
        (lambda: jie_long.settle(["66 66 65 65 64 64 55 55 54", 1, 2, 3]), "discards of 9 tiles"),
        (lambda: ce_deng.settle(["66 66 66", 1], [5, 1]), "[6:6] is given 3 times"),
        (lambda: ce_deng.settle(["66 66", 1], [5, 1]), "seat 0 has 5 plays and 2 tiles left; together they are 8"),
        (lambda: ce_deng.settle([1, 2], [1]), "plays must hold one entry for each of the 2 seats, not 1"),
        (lambda: ce_deng.settle([1, 2], [9, 1]), "plays=9 is not allowed"),
        (lambda: ce_deng.settle_declaration(["11 11", ""], 2), "declarer=2 is not allowed"),
        (lambda: ce_deng.settle_declaration(["11 11", "11"], 0), "[1:1] is given 3 times"),
        (lambda: ding_niu.settle([1, 2, 3]), "players=3"),
        (lambda: ding_niu.settle([1, 2, 3, 4], maker=4), "maker=4 is not allowed"),
        (lambda: ding_niu.settle([1, 2, 3, 70]), "a hand has 0 to 66"),
        (lambda: da_ling.settle("11 22", [None, None]), "None is not a split"),
        (lambda: da_ling.settle("11 22", ["22/33 44", "66"]), "2 tiles lie on the table and 6 are in each hand"),
        (lambda: da_ling.from_tiles(**TWO, splits=[7, None]), "7 is not a split"),
        (lambda: small_mahjong.settle(None, "11 22"), "in a draw nobody shows tiles"),
        (lambda: small_mahjong.settle(0, "63 63 11 22 33 44"), "[6:3] is given 2 times"),
        (lambda: small_mahjong.from_tiles(["11"] * 3, turn=3), "turn=3 is not allowed"),
        (lambda: small_mahjong.claims("11 22 33 44 55", "66 65", 1), "tile='66 65' is not one tile"),
        (lambda: tiu_u.settle(["62 62 62", ""]), "[6:2] is given 3 times; the deck has 2"),
        (lambda: tiu_u.matches("53 11", "44"), "bait='53 11' is not one tile"),
    ],
)
def test_bad_input_of_any_kind_is_refused_in_one_line(call, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        call()
    assert "\n" not in str(error.value)
