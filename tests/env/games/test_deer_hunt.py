"""Deer Hunt: the worked examples of its page, fair deals, and what stays hidden."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from gupai_env.positions.deer_hunt import from_tiles, red_pips, settle

from gupai_env import VectorEnv, get_game
from gupai_env.core.kernels import kernels
from gupai_env.core.tiles import PIPS, count, kind_of, parse_tiles, set_name, size
from gupai_env.games.deer_hunt.rules import DECK_SETS, NUM_SHARES, NUMBERS, PACKS, SHARES

GAME = get_game("deer-hunt")
FACES = [(int(high), int(low)) for high, low in PIPS]


def played(tiles, rest="", leader=0, **options):
    """A trick that seats play in turn from the leader on; each holds one tile more if `rest` has any."""
    hands = [""] * 4
    for turn, tile in enumerate(tiles.split()):
        hands[(leader + turn) % 4] = tile
    for seat, tile in enumerate(rest.split()):
        hands[seat] += tile
    return from_tiles(hands, leader=leader, **options).play(*tiles.split())


# Worked examples


def test_first_example_trick_is_taken_by_six_five():
    position = played("[6:4] [4:4] [6:5] [1:1]", "[2:2] [2:2] [3:3] [3:3]")
    assert position.state.to_act == 2
    assert position.state.red.tolist() == [0, 0, 14, 0]


def test_larger_half_decides_first():
    assert played("[5:5] [6:1] [1:1] [2:1]").state.taking == 1
    order = "66 65 64 63 62 61 55 54 53 52 51 44 43 42 41 33 32 31 22 21 11"
    assert sorted(range(21), reverse=True) == parse_tiles(order)
    for strong, weak in combinations(order.split()[:-1], 2):
        assert played(f"{weak} {strong} 11 11").state.taking == 1


def test_equal_tiles_give_the_trick_to_the_earlier():
    position = played("[5:4] [5:5] [5:5] [4:4]")
    assert position.state.red.tolist() == [0, 12, 0, 0]
    assert played("[6:6] [6:6] [1:1] [2:1]").state.taking == 0
    assert played("[6:5] [6:6] [1:1] [2:1]").state.taking == 1
    assert from_tiles(["11 21", "22", "55", "33 41"], "[6:4] [6:4]", leader=1, to_act=3).state.taking == 1


def test_tiles_that_escaped_before_are_out_of_the_deal():
    position = from_tiles(["11", "22", "55", "33"], escaped="[6:1] [5:1] [4:4] [4:3]", escape=True)
    assert set_name(int(position.view(0).escaped)) == "[6:1][5:1][4:4][4:3]"


def test_red_pips():
    printed = {"44": 8, "66": 6, "41": 5, "64": 4, "11": 2, "31": 1, "53": 0}
    assert {tile: red_pips(tile) for tile in printed} == printed
    assert sum(red_pips([face]) * count(DECK_SETS[0], kind) for kind, face in enumerate(FACES)) == 64


def test_taken_tricks_are_settled():
    assert settle(["[4:4][6:4][6:5][1:1]", "", "[5:3][5:2][6:3][2:1]", "[4:1][6:6][3:3][3:2]"]) == [4, -4, 4, -4]
    with pytest.raises(ValueError, match="whole tricks, of 4 tiles each, not 3"):
        settle(["44 64 65", "", "", ""])


# Fair deals


@pytest.mark.parametrize("fair_deal", ["heaven", "four"])
def test_packs_are_shared_in_every_way_equally_often(fair_deal):
    """Over all sets of places that the tiles of the packs may lie at, every share of both sides comes equally often."""
    number = ("none", "heaven", "four").index(fair_deal)
    tiles, shares = 2 * size(PACKS[number]), NUM_SHARES[number]
    if tiles == 2:
        found = Counter((int(NUMBERS[a, 0] + NUMBERS[b, 1])) % shares**2 for a, b in combinations(range(32), 2))
        assert found == dict.fromkeys(range(4), 124)
    else:  # numbers follow each other from 0 on, so it is enough that what there are is a multiple
        assert (NUMBERS[24:32, range(8)].diagonal().sum() + 1) % shares**2 == 0
    assert len(set(SHARES[number, :shares].tolist())) == shares


@pytest.mark.parametrize("fair_deal", ["heaven", "four"])
def test_fair_deal_is_fair_and_uniform_in_every_place(fair_deal):
    envs = VectorEnv("deer-hunt", 20_000, seed=1, fair_deal=fair_deal, observe=False)
    pack = PACKS[1 + (fair_deal == "four")]
    hands = envs.states.hands
    assert {size(int(hand)) for hand in hands[:200].ravel()} == {8}
    for kind in map(FACES.index, FACES):
        held = hands >> (3 * kind) & 7
        if count(pack, kind):
            assert (held[:, 0] + held[:, 2] == 1).all() and (held[:, 1] + held[:, 3] == 1).all()
            assert np.abs(held.mean(0) - 0.5).max() < 0.02
            both = (held[:, 0] & held[:, 1]).mean()
            assert abs(both - 0.25) < 0.02  # how one side shares it says nothing of the other
        else:
            assert np.abs(held.mean(0) - held.mean()).max() < 0.02
    if fair_deal == "four":
        assert {size(int(hand & 7 * pack)) for hand in hands[:2000].ravel()} == {2}


@pytest.mark.parametrize("fair_deal", ["none", "heaven", "four"])
def test_redeal_is_as_likely_as_the_deals_that_fit(fair_deal):
    """Deals at random in which seat 0 sees the same are compared, by who holds the tiles of the packs."""
    envs = VectorEnv("deer-hunt", 1, seed=5, fair_deal=fair_deal, observe=False)
    for step in range(5):
        envs.step(envs.sample(step))
    seat = int(envs.seats[0])
    views = np.zeros(1, GAME.view).view(np.recarray)
    envs.kernels.view_of(envs.rules, envs.states, seat, views)
    again = GAME.new_states(4000)
    envs.kernels.determinize(envs.rules, np.repeat(views, 4000).view(np.recarray), np.arange(4000), again)
    dealt = again.hands + again.played
    pack = PACKS[("none", "heaven", "four").index(fair_deal)]
    for kind in range(21):
        if count(pack, kind):
            held = dealt >> (3 * kind) & 7
            assert (held[:, 0] + held[:, 2] == 1).all()
    assert (again.hands[:, seat] == views.hand[0]).all()


def test_opponents_of_one_heaven_a_side_are_equally_likely():
    hands = ["66 65 64 63 11 21 31 41", "66 65 64 11 22 22 31 33", "44 44 54 53 51 51 61 61", "62 55 55 52 43 42 33 32"]
    position = from_tiles(hands, fair_deal="heaven")
    heaven = 3 * kind_of(6, 6)
    drawn, views = position.game.new_states(2000), np.repeat(position.view_row(0), 2000).view(np.recarray)
    kernels(position.game).determinize(position.rules, views, np.arange(2000), drawn)
    assert np.abs((drawn.hands >> heaven & 7).mean(0) - [1, 0.5, 0, 0.5]).max() < 0.04
