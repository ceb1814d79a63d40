"""Positions of the connecting games and of Da Ling set up by hand: what they accept, and what they say no to."""

import re

import numpy as np
import pytest

from gupai_env import get_game
from gupai_env.core.tiles import PIPS, tiles_in
from gupai_env.games.connecting.rules import DISCARD, KINDS, join
from gupai_env.positions import ce_deng, da_ling, ding_niu, jie_long
from walks import random_walk

TABLES = {
    "jie-long": (jie_long, {}),
    "jie-long, three": (jie_long, {"players": 3}),
    "jie-long, two forced": (jie_long, {"players": 2, "forced_play": True}),
    "jie-long, both ends": (jie_long, {"open_ends": 2, "forced_play": True}),
    "ce-deng": (ce_deng, {"redeal_doubles": 0, "declare_eight_doubles": False}),
    "ding-niu": (ding_niu, {}),
    "ding-niu, free": (ding_niu, {"forced_play": False, "after_suan_zhang": "stop"}),
    "ding-niu, played on": (ding_niu, {"after_suan_zhang": "play_on"}),
}


def pairs(tiles):
    """A tile set as pairs of numbers."""
    return [tuple(map(int, PIPS[kind])) for kind in tiles_in(tiles)]


def line_of(state, both_ends):
    """The tiles of the record as they lie."""
    line, ends = [], np.zeros(2, np.int8)
    for action in map(int, state.record[: state.turn]):
        if action < DISCARD:
            kind, end = action % KINDS, action // KINDS
            joins, leaves = int(PIPS[kind, 1 - end]), int(PIPS[kind, end])
            if both_ends and line and ends[0] == joins:
                line.insert(0, (leaves, joins))
            else:
                line.append((joins, leaves))
            join(ends, kind, end, both_ends)
    return line


@pytest.mark.parametrize(("module", "options"), TABLES.values(), ids=TABLES)
def test_a_position_of_a_random_deal_is_rebuilt_from_its_tiles(module, options):
    game = module.GAME
    variant = game.variant.make(**options)
    both_ends = game.id == "ding-niu" or options.get("open_ends") == 2
    walk = random_walk(game, variant, 100, 32, seed=3)
    rng = np.random.default_rng(1)
    for _ in range(60):
        at = rng.integers(32), rng.integers(100)
        state, players = walk.states[at], variant.players
        hands, discards = (
            [pairs(place[seat]) for seat in range(players)] for place in (state.hands, state.discards)
        )
        position = module.from_tiles(
            hands, line_of(state, both_ends), discards, leader=int(state.leader), **options
        )
        assert position.state.to_act == state.to_act
        assert sorted(position.state.ends) == sorted(state.ends)
        for field in ("hands", "discards", "points", "plays", "drops", "turn", "unused"):
            np.testing.assert_array_equal(position.state[field], state[field])
        np.testing.assert_array_equal(position.mask(), walk.masks[at])


LOCK = ["22 66", "65 64", "63 61", "55 11"]
LOCKED = {"layout": "52", "discards": ["", "33", "31", "44"], "double_lock": True}


def test_the_lock_of_the_worked_example_ends_the_deal_and_the_two_tiles_count_16():
    position = jie_long.from_tiles(LOCK, **LOCKED)
    assert position.over
    assert position.state.points[0] == 16


def test_had_a_held_six_two_a_would_have_to_play_it_or_discard():
    position = jie_long.from_tiles(["22 66 62", "65 64 54", "63 61 43", "55 11 41"], **LOCKED)
    assert position.legal() == ["[2:6]", "discard [2:2]", "discard [6:2]", "discard [6:6]"]


def test_who_laid_the_last_tile_may_be_told():
    tiles = {
        "hands": ["66", "65", "64", "63 62"],
        "layout": "[1:2][2:2][2:2]",
        "discards": ["11", "33", "44", "55"],
    }
    for seat in (1, 2):
        assert jie_long.from_tiles(**tiles, last_player=seat).state.last_player == seat
    with pytest.raises(ValueError, match="no order of play"):
        jie_long.from_tiles(**tiles, last_player=3)


def test_seats_with_seven_doubles_are_asked_before_the_play_of_ce_deng():
    hands = [
        "11 22 33 44 55 66 66 65",
        "65 64 64 63 62 61 61 54",
        "53 52 51 51 43 42 41 32",
        "31 31 21 11 22 33 44 55",
    ]
    position = ce_deng.from_tiles(hands)
    assert position.legal() == ["demand a redeal", "play on"]
    assert len(position.play("play on").legal()) == 6 + 2 * 1


# Settling


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


# What is refused, in one line

HANDS = ["66", "65", "64", "63"]
REFUSED = [
    (jie_long, {"hands": ["77", "65", "64", "63"]}, "is no tile"),
    (jie_long, {"hands": [[(6, 7)], "65", "64", "63"]}, "is no tile"),
    (jie_long, {"hands": ["63 63", "65 65", "64 64", "11 22"]}, "[6:3] is given 2 times; the deck has 1"),
    (jie_long, {"hands": HANDS, "layout": "[1:2][3:1]"}, "do not join"),
    (jie_long, {"hands": HANDS, "layout": "[1:2]"}, "5 tiles cannot be shared equally by 4 seats"),
    (jie_long, {"hands": ["", "", "", ""]}, "0 tiles cannot be shared"),
    (jie_long, {"hands": HANDS, "discards": ["11", "22", "33", "44"]}, "seat 0 led but has laid no tile"),
    (
        jie_long,
        {"hands": ["66 11", "65", "64", "63"], "layout": "[1:2][2:2][2:2]"},
        "seat 0 has shed 0 of 3 tiles",
    ),
    (jie_long, {"hands": ["66 11 33", "65", "64", "63 22"], "layout": "21"}, "more than its share"),
    (jie_long, {"hands": HANDS, "discards": ["11"]}, "one entry for each of the 4 seats"),
    (jie_long, {"hands": HANDS, "leader": 4}, "leader=4"),
    (jie_long, {"hands": HANDS, "players": 3}, "players=3 is not allowed with the tiles of 4 seats"),
    (jie_long, {"hands": HANDS, "forced": True}, "did you mean forced_play"),
    (
        jie_long,
        {
            "hands": ["33", "21", "41", "51"],
            "layout": "[6:1]",
            "discards": ["", "44", "55", "66"],
            "forced_play": True,
        },
        "no order of play",
    ),
    (ding_niu, {"hands": ["21", "65", "64", "63"]}, "[2:1] is given 1 times; the deck has 0"),
    (ding_niu, {"hands": HANDS[:3]}, "players=3"),
    (
        da_ling,
        {"table": "11", "hands": ["22 33 44 55 66 65", "31 41 51 61 62 63"]},
        "2 tiles lie on the table",
    ),
    (
        da_ling,
        {"table": "11 11", "hands": ["22 33 44 55 66 11", "31 41 51 61 62 63"]},
        "[1:1] is given 3 times",
    ),
]


@pytest.mark.parametrize(("module", "tiles", "message"), REFUSED, ids=[message for *_, message in REFUSED])
def test_what_cannot_be_is_refused_in_one_line(module, tiles, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        module.from_tiles(**tiles)
    assert "\n" not in str(error.value)


TWO = {"table": "11 22", "hands": ["22 33 44 55 66 65", "31 41 51 61 62 63"]}


@pytest.mark.parametrize(
    "split", ["22 / 33 44", "22 33 / 44 55 / 66 65", "11 / 33 44 / 55 66 65", "22 / 33 44 / 55 66 64"]
)
def test_a_split_of_other_tiles_or_sizes_is_refused(split):
    with pytest.raises(ValueError, match="does not split the hand"):
        da_ling.from_tiles(**TWO, splits=[split, None])


def test_seats_split_in_the_order_of_turn():
    first, second = "66 / 65 55 / 22 33 44", "31 / 41 51 / 61 62 63"
    assert da_ling.from_tiles(**TWO, splits=[first, None]).state.to_act == 1
    assert da_ling.from_tiles(**TWO, splits=[first, second]).over
    with pytest.raises(ValueError, match="seat 0 has not split its hand"):
        da_ling.from_tiles(**TWO, splits=[None, second])


# Playing


def test_moves_are_played_by_name_or_number_and_refused_by_name():
    position = jie_long.from_tiles(["66 11", "65 44", "64 33", "63 22"])
    position.play("[6:6]", KINDS + 19)  # [6:5], leaving the five open
    assert position.state.ends[0] == 5
    with pytest.raises(ValueError, match=r"seat 2: \[6:4\] .* is not legal; legal: discard"):
        position.play("[6:4]")
    with pytest.raises(ValueError, match="'six' is no action of jie-long; legal: discard"):
        position.play("six")
    with pytest.raises(ValueError, match="not over"):
        position.payoffs()


def test_a_split_is_played_by_the_names_of_its_tiles():
    position = da_ling.from_tiles(**TWO).play("[2:2] / [4:4][3:3] / [6:6][6:5][5:5]")
    assert (
        get_game("da-ling")
        .action_name(int(position.state.splits[0]), position.view(0))
        .startswith("[2:2] / ")
    )
