"""Da Ling: the worked examples of its page, what a hand can match at best, and what nobody sees too early."""

import pytest
from gupai_env.positions.da_ling import settle, strength

from gupai_env import VectorEnv, da_ling_v0, get_game
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.tiles import PIPS
from gupai_env.games.da_ling.rules import DaLing

GAME = get_game("da-ling")
FACES = [(int(high), int(low)) for high, low in PIPS]

# Worked examples

RED_SEVEN = "[6:6][3:2]"  # target 7, six red pips
BLACK_FOUR = "[6:5][2:1]"
A, B = "[4:3] / [6:5][5:1] / [1:1][6:3][3:3]", "[5:2] / [6:6][4:1] / [2:2][2:2][5:4]"


def strengths(table, split):
    return [strength(table, group) for group in split.split("/")]


def test_both_are_absolute_winners_and_b_wins_by_its_red_pips():
    assert strengths(RED_SEVEN, A) == [4, 1, 2]
    assert strengths(RED_SEVEN, B) == [0, 11, 4]
    assert settle(RED_SEVEN, [A, B]) == [-25, 25]


def test_black_game_two_two_beats_three_one_and_ties_with_itself():
    assert (strength(BLACK_FOUR, "[2:2]"), strength(BLACK_FOUR, "[3:1]")) == (4, 3)
    two_two = "[2:2] / [6:1][1:1] / [6:6][6:4][5:5]"
    assert settle(BLACK_FOUR, [two_two, "[3:1] / [6:1][1:1] / [6:2][5:4][3:3]"]) == [3, -3]
    assert settle(BLACK_FOUR, [two_two, "[2:2] / [6:3][5:1] / [6:6][6:4][5:5]"]) == [0, 0]


def test_wild_tile_counts_three_and_keeps_its_own_pips():
    assert (strength(BLACK_FOUR, "[4:2][6:5]"), strength(BLACK_FOUR, "[6:6][1:1]")) == (13, 6)


def test_absolute_winner_among_five_with_the_fee():
    others = [
        "[6:6] / [6:4][4:4] / [6:5][5:5][2:2]",
        "[6:1] / [6:4][3:1] / [5:5][5:1][2:2]",
        "[5:3] / [6:2][4:4] / [4:1][3:3][4:2]",
        "[3:1] / [6:1][5:4] / [5:2][2:1][1:1]",
    ]
    assert settle(RED_SEVEN, [A, *others], casino_fee=1) == [100 - 1, -25, -25, -25, -25]
    assert settle(RED_SEVEN, [A, *others]) == [100, -25, -25, -25, -25]


# Settlement


TIE = ["[3:3] / [1:1][3:1] / [4:4][6:1][6:5]", "[3:3] / [3:1][6:6] / [5:1][5:5][6:4]"]  # 12 red pips each
TIE_TABLE, BESIDE = "[6:2][4:4]", "[2:2] / [6:5][5:5] / [1:1][6:6][6:1]"


def test_tied_absolute_winners_settle_by_group_or_push():
    assert [strengths(TIE_TABLE, split) for split in TIE] == [[0, 3, 9], [0, 7, 5]]
    assert settle(TIE_TABLE, TIE) == [15 - 7, 7 - 15]
    assert settle(TIE_TABLE, TIE, absolute_tie="push", casino_fee=1) == [0, 0]
    assert strengths(TIE_TABLE, BESIDE) == [None] * 3
    assert settle(TIE_TABLE, [*TIE, BESIDE], casino_fee=1) == [30 - 7, 14 - 15, -22]
    assert settle(TIE_TABLE, [*TIE, BESIDE], absolute_tie="push") == [0, 0, 0]


# The best that a hand can do


def test_error_names_the_splits_of_the_hand():
    env = da_ling_v0.env()
    env.reset(seed=1)
    with pytest.raises(IllegalActionError) as error:
        env.step(60)
    view = VectorEnv(GAME, 1).views()[0][0]
    first = GAME.action_name(int(env.infos[env.agent_selection]["action_mask"].argmax()), view)
    assert first.count(" / ") == 2
    assert str(error.value).count(" / ") == 2 * 12  # so many legal ones are listed


# Options


@pytest.mark.parametrize("stakes", [(1, 2), (1, 2, -3), (1, 2, "3"), (1, 2, float("inf")), 25])
def test_stakes_are_three_numbers(stakes):
    with pytest.raises(ValueError, match="stakes"):
        DaLing(stakes=stakes)


def test_stakes_are_read_from_configurations_and_command_lines():
    assert DaLing(stakes=[1, 2, 3]) == DaLing.parse(["stakes=1,2,3"]) == DaLing(stakes=(1, 2, 3))
    assert DaLing.parse(["stakes=0.5,1,2"]).stakes == (0.5, 1, 2)
    with pytest.raises(ValueError, match="write numbers"):
        DaLing.parse(["stakes=few"])


def test_fee_is_not_negative():
    with pytest.raises(ValueError, match="casino_fee"):
        DaLing(casino_fee=-1)
