"""Ding Niu: the worked examples of its page, the blocks a layout can come to, and what follows them."""

import numpy as np
import pytest
from gupai_env.positions.ding_niu import from_tiles, settle, suan_zhang

from gupai_env import VectorEnv, get_game
from gupai_env.core.position import read_line
from gupai_env.core.rng import derive
from gupai_env.games.ding_niu.rules import CLASSIC, NONE, DingNiu, has_no_way_out, off_layout
from walks import views_of

GAME = get_game("ding-niu")


# Payment


def test_adam_boris_celine_and_dominik():
    assert settle([10, 5, 5, 10]) == [-3, 6, -1, -2]


def test_same_with_10_15_15_10():
    assert settle([10, 15, 15, 10]) == [6, -3, -2, -1]


def test_leader_is_the_lowest_hand():
    assert settle([5, 5, 10, 10], leader=1) == [-1, 6, -3, -2]


def test_maker_who_comes_first_is_paid_twice():
    assert settle([10, 5, 5, 10], maker=1) == [-6, 12, -2, -4]


# Suan zhang

LINES = {
    "ones": ("[1:3][3:1][1:5][5:1][1:6][6:1]", "classic", (1,)),
    "two-three": ("[3:3][3:3][3:1][1:3][3:6][6:2]", "classic", (2, 3)),
    "fours": ("[4:6][6:4]", "classic", (4,)),
    "fives": ("[5:6][6:5][5:1][1:5]", "classic", (5,)),
    "smothered fives": ("[6:3][3:1][1:6][6:5][5:6][6:1][1:3]", "smothered", (5,)),
    "smothered (killed) fours": ("[2:6][6:3][3:1][1:6][6:5][5:6][6:1]", "smothered", (4,)),
}


@pytest.mark.parametrize(("line", "kind", "numbers"), LINES.values(), ids=LINES)
def test_worked_example_becomes_a_suan_zhang_at_either_end(line, kind, numbers):
    tiles = line.replace("][", "] [").split()
    assert [suan_zhang("".join(tiles[:laid])) for laid in range(1, len(tiles))] == [None] * (len(tiles) - 1)
    assert suan_zhang(line) == suan_zhang(line, last="right") == (kind, numbers)
    back = [(b, a) for a, b in reversed(read_line(line))]
    assert suan_zhang(back) == suan_zhang(back, last="left") == (kind, numbers)


def test_doubles_may_follow_a_suan_zhang_of_another_tile():
    assert suan_zhang("[5:6][6:5][5:1][1:5][5:5]") == ("classic", (5,))
    assert suan_zhang("[5:6][6:5][5:1][1:5][5:5]", last="left") == ("classic", (5,))  # [5:6] came last
    assert suan_zhang("[4:4][4:6][6:4][4:4]") == ("classic", (4,))
    assert suan_zhang("[4:4][4:6][6:4][4:4]", last="left") is None
    assert suan_zhang("[6:2]") is suan_zhang("") is suan_zhang("", last="left") is None
    assert str(suan_zhang(LINES["two-three"][0])) == "classic suan zhang of twos and threes"
    with pytest.raises(ValueError, match="last='top' is not allowed; choose None, 'left' or 'right'"):
        suan_zhang("[6:2]", last="top")


def test_smothered_numbers_are_those_of_the_variant():
    fives, fours = LINES["smothered fives"][0], LINES["smothered (killed) fours"][0]
    assert suan_zhang(fives, smothered_numbers=(4,)) is None
    assert suan_zhang(fours, smothered_numbers=(5,)) is None
    assert suan_zhang(fours, smothered_numbers=(4,)) == ("smothered", (4,))
    assert suan_zhang(fours, smothered_numbers=()) is None
    assert suan_zhang(LINES["ones"][0], smothered_numbers=()) == ("classic", (1,))
    cut_off = "[6:5][5:6][6:1][1:3][3:1][1:1][1:6]"  # of all tiles that lead to a one or a five only [5:1] is left
    assert suan_zhang(cut_off, smothered_numbers=(1, 2, 3, 4, 5, 6)) == ("smothered", (1, 5))


# What follows

FOURS = {"hands": ["44 11", "64 55 22", "66 44 33", "33 22 55"], "layout": "[4:6]"}  # seat 1 can block


SMOTHERED_FIVES = {
    "hands": ["66", "44", "31 22", "55 22"],
    "layout": "[6:3][3:1][1:6][6:5][5:6][6:1]",  # seat 2 is to lay the last tile of the example
}


def test_layout_that_ended_the_deal_is_refused_as_a_suan_zhang():
    for options in ({}, {"after_suan_zhang": "play_on"}):
        with pytest.raises(ValueError, match=r"\[1:3\] is a smothered suan zhang of fives, which ends the deal"):
            from_tiles(["66", "44", "22", "55 22"], SMOTHERED_FIVES["layout"] + "[1:3]", **options)
    with pytest.raises(ValueError, match=r"^\[4:6\]\[6:4\] is a classic suan zhang of fours, which ends the deal"):
        from_tiles(["44", "11", "66 33", "33 22"], "[4:6][6:4]")


BLOCKED = {"hands": ["11", "22", "66", "55"], "layout": "[4:4][4:6][6:4][4:4]", "after_suan_zhang": "play_on"}


def test_maker_of_a_suan_zhang_can_be_given_and_decides_the_payment():
    paid = {}
    for maker in (1, 2, None):
        position = from_tiles(**BLOCKED, maker=maker)
        assert maker in (None, position.state.maker)
        while not position.terminated:
            position.play(position.legal()[0])
        paid[maker] = position.payoffs()
    assert paid[1] == settle([2, 4, 12, 10], maker=1) == [12, -12, 0, 0]
    assert paid[2] == settle([2, 4, 12, 10], maker=2) == [12, 0, -12, 0]
    assert paid[None] in paid.values()


def test_maker_is_accepted_only_for_a_suan_zhang_it_can_have_made():
    for maker in (0, 3):  # who led, and who can only have laid the last double
        with pytest.raises(ValueError, match="no order of play"):
            from_tiles(**BLOCKED, maker=maker)
    with pytest.raises(ValueError, match="maker=1 is not allowed, for the layout is not a suan zhang"):
        from_tiles(**FOURS, maker=1)
    with pytest.raises(ValueError, match="maker=4 is not allowed; choose a seat"):
        from_tiles(**BLOCKED, maker=4)


# The maker without a choice

TWO_THREE = {"hands": ["55", "44", "11", "62 44"], "layout": "[3:1][1:3][3:6]"}  # seat 3 must make it


@pytest.mark.parametrize("forced_play", [True, False])
def test_hidden_makers_redealt_hand_decides_whether_it_was_forced(forced_play):
    options = {"after_suan_zhang": "play_on", "exempt_forced_maker": True, "forced_play": forced_play}
    envs = VectorEnv(GAME, 400, seed=3, **options)
    made = envs.states.copy()  # the states in which the suan zhang was made
    seen = np.zeros(2, int)
    for step in range(150):
        fresh = envs.states.suan_zhang == NONE
        made[fresh] = envs.states[fresh]
        envs.step(envs.sample(step))
        states = envs.states[(envs.states.suan_zhang == CLASSIC) & (envs.states.turn > 0)]
        before = made[(envs.states.suan_zhang == CLASSIC) & (envs.states.turn > 0)]
        for state, then in zip(states, before, strict=True):
            maker = int(state.maker)
            if state.drops[maker] > then.drops[maker]:
                continue  # a tile discarded since would have to be found among the discards
            views = views_of(envs, np.array([state]).view(np.recarray), (maker + 1) % 4)
            drawn = GAME.new_states(1)
            envs.kernels.determinize(envs.rules, views, np.array([derive(step, maker)]), drawn)
            hand = drawn.hands[0, maker] + state.played[maker] - then.played[maker]
            forced = has_no_way_out(envs.rules, hand, off_layout(envs.rules, then.played), then.ends)
            assert drawn.exempt[0] == forced
            seen[int(forced)] += 1
    assert seen.min() > 20


# For beginners


def test_layouts_are_never_a_suan_zhang_without_the_option():
    assert suan_zhang("[4:6][6:4]", suan_zhang=False) is None
    assert from_tiles(["44", "11", "66 33", "33 22"], "[4:6][6:4]", suan_zhang=False).seat == 2
    with pytest.raises(ValueError, match=r"^maker=1 is not allowed with suan_zhang=False"):
        settle([10, 5, 5, 10], maker=1, suan_zhang=False)


# What a seat sees


# Options


@pytest.mark.parametrize("numbers", [(0,), (7,), (4, 4), ("4",), 4])
def test_smothered_numbers_are_different_numbers_of_a_tile(numbers):
    with pytest.raises(ValueError, match="smothered_numbers"):
        DingNiu(smothered_numbers=numbers)


def test_smothered_numbers_are_read_from_configurations():
    assert DingNiu(smothered_numbers=[5]) == DingNiu.parse(["smothered_numbers=5"]) == DingNiu(smothered_numbers=(5,))
    assert DingNiu.parse(["smothered_numbers=4,5"]) == DingNiu()


def test_points_show_a_suan_zhang_as_lost_to_the_seat_behind():
    options = {"settlement": "points", "exempt_forced_maker": True}
    for hand, is_losing in (("62 44", True), ("62 51", False)):
        position = from_tiles([*TWO_THREE["hands"][:3], hand], TWO_THREE["layout"], **options)
        view = position.view(int(position.state.to_act))
        assert [bool(view.losing[action]) for action in np.flatnonzero(view.makes)] == [is_losing]
