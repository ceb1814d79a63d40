"""Pai Gow: the worked examples of its page, the order of all groups, and what nobody sees too early."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from gupai_env.positions.pai_gow import from_tiles, settle, value

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_env import VectorEnv, get_game, pai_gow_v0
from gupai_env.core.tiles import DECK, PIPS
from gupai_env.games.claims import Outcome
from gupai_env.games.pai_gow.claims import house_hands, open_hands, share_of_choices
from gupai_env.games.pai_gow.groups import CLASS, CLASS_NAMES, VALUE
from gupai_env.games.pai_gow.hands import groups_by_split
from gupai_env.games.pai_gow.rules import paid, settled, table_of
from referees import pai_gow as referee

GAME = get_game("pai-gow")
FACES = [(int(high), int(low)) for high, low in PIPS]
TABLE = table_of(GAME.variant().as_rules())


def made(group):
    a, b = (FACES.index((int(tile[0]), int(tile[1]))) for tile in group.split())
    return CLASS_NAMES[CLASS[TABLE, a, b]]


# Worked examples


def test_points_are_pips_modulo_ten_and_wild_tiles_three_or_six():
    assert [made(each) for each in ("31 32", "65 32", "55 64", "65 21")] == ["nine", "six", "zero", "seven"]


def test_equal_points_are_decided_by_the_highest_tile():
    assert value("43 22") < value("65 55")
    assert value("22 61") == value("22 43")
    assert value("65 51") == value("65 42")


def test_comparisons_of_the_page():
    assert value("66 42") < value("21 33")
    assert value("66 43") > value("11 52")
    assert value("11 54") < value("66 54")
    assert value("21 41") == value("42 32")


def test_hand_with_wong_or_gong_in_two_ways_is_a_real_choice():
    hand = from_tiles(["66 11 63 44", "53 62 51 61"])
    assert hand.legal() == ["[6:6][6:3] / [4:4][1:1]", "[6:3][1:1] / [6:6][4:4]", "[6:3][4:4] / [6:6][1:1]"]
    values = [tuple(map(int, each)) for each in hand.view(0).values]
    assert (made("66 63"), made("44 11"), made("11 63"), made("66 44")) == ("wong", "gong", "wong", "gong")
    assert values[0][0] > values[1][0] and values[0][1] < values[1][1]


def test_groups_of_a_split_come_in_any_order():
    hand = from_tiles(["66 11 63 44", "53 62 51 61"])
    moves = ("66 63 / 44 11", "11 44 / 63 66", "[1:1][4:4] / [6:6][3:6]")
    assert len({int(hand.after(move).state.splits[0]) for move in moves}) == 1


def test_zero_groups_stay_the_bankers_where_copies_push():
    won = ["55 55 / 31 33", "66 66 / 51 22"]  # the player wins the high group; the low ones are 0 : 0
    assert settle(won, copy="push") == [0, 0]
    assert settle(won, copy="push", pay="roads") == [-1, 1]
    assert settle(["31 33", "55 64"], copy="push", small=True) == [1, -1]
    # Ranks decide with "tile", and push where they are equal too.
    assert settle(["31 33", "55 64"], copy="push", zero="tile", small=True) == [1, -1]
    assert settle(["55 64", "31 33"], copy="push", zero="tile", small=True) == [-1, 1]
    assert settle(["55 64", "55 64"], copy="push", zero="tile", small=True) == [0, 0]
    assert settle(["55 64", "55 64"], copy="push", small=True) == [1, -1]


def test_groups_are_settled_one_by_one_with_the_house_share():
    deal = ["55 55 / 22 43", "66 66 / 22 61"]
    assert settle(deal, pay="roads") == [-1, 1]  # two won, one lost
    assert settle(deal, pay="roads", copy="push") == [-2, 2]
    np.testing.assert_allclose(settle(deal, pay="roads", copy="push", commission=5), [-2, 1.9], atol=1e-6)


# All groups


@pytest.mark.parametrize(("zero", "gong_four", "wild"), list(product(("banker", "tile"), (True, False), (True, False))))
def test_group_comparisons_equal_the_referee(zero, gong_four, wild):
    options = {"zero": zero, "gong_four": gong_four, "wild": wild}
    table = table_of(GAME.variant(**options).as_rules())
    groups = sorted(set(combinations(DECK.tolist(), 2)))
    ours = np.array([VALUE[table, a, b] for a, b in groups], int)
    theirs = [referee.value((FACES[a], FACES[b]), **options) for a, b in groups]
    places = {each: place for place, each in enumerate(sorted(set(theirs)))}
    rank = np.array([places[each] for each in theirs])
    np.testing.assert_array_equal(ours[:, None] < ours, rank[:, None] < rank)
    np.testing.assert_array_equal(ours[:, None] == ours, rank[:, None] == rank)
    assert (VALUE[table] == VALUE[table].T).all()


def test_groups_have_102_values_and_known_counts_by_class():
    pairs = list(combinations(DECK.tolist(), 2))
    found = Counter(int(CLASS[TABLE, a, b]) for a, b in pairs)
    assert len(pairs) == 496
    assert len({int(VALUE[TABLE, a, b]) for a, b in pairs}) == 102
    assert [found[points] for points in range(10)] == [24, 32, 44, 48, 52, 44, 56, 52, 56, 48]
    assert (found[10], found[11], found[12] + found[13] + found[14]) == (16, 8, 16)


def test_two_thirds_of_hands_are_a_real_choice():
    shares = share_of_choices()
    assert [round(100 * shares[name], 1) for name in ("one", "two", "three")] == [33.4, 37.5, 29.1]


def test_gain_by_an_open_hand_equals_counting_all_hands_of_the_banker():
    variant = GAME.variant(players=3, commission=5)
    rules = variant.as_rules()
    states = VectorEnv(GAME, 40, seed=4, players=3, commission=5).states
    gains = open_hands(Outcome(variant, states, np.zeros((40, 1), int)), 1)
    row = int(gains.argmax())
    seats = (states.leader[row] + states.direction[row] * np.array([1, 2])) % 3
    own, seen = states.tiles[row, seats]
    own_groups = groups_by_split(TABLE, own[None])[0]
    hands, bankers = house_hands(TABLE)

    def wins(known):
        remaining = (Counter(DECK.tolist()) - Counter(known.tolist())).elements()
        times = Counter(combinations(sorted(remaining), 4))
        chips = np.zeros(3)
        for tiles, groups in zip(hands.tolist(), bankers, strict=True):
            for split, values in enumerate(own_groups if times[tuple(tiles)] else ()):
                won = paid(rules, settled(rules, values[0], groups[0]), settled(rules, values[1], groups[1]))
                chips[split] += times[tuple(tiles)] * (0.95 * won if won > 0 else won)
        return chips / times.total()

    blind, seeing = wins(own), wins(np.append(own, seen))
    assert gains[row] == pytest.approx(seeing.max() - seeing[blind.argmax()])
    assert gains[row] > 0.001


def test_open_hands_of_a_full_table_show_the_banker():
    variant = GAME.variant(players=8)
    states = VectorEnv(GAME, 20, seed=4, players=8).states
    gains = open_hands(Outcome(variant, states, np.zeros((20, 1), int)), 6)
    assert set(gains.tolist()) <= {0, 1, 2} and gains.any()


def test_action_is_named_by_the_tiles_of_the_hand():
    env = pai_gow_v0.env(players=2, small=True)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"is not legal.*\[\d:\d\]\[\d:\d\]"):
        env.step(2)


# Published ways of splitting


@pytest.mark.parametrize(
    ("name", "hand", "split"),
    [
        ("house-way", "66 66 31 54", "66 54 / 66 31"),  # to make six and a wong
        ("house-way", "66 66 42 31", "66 66 / 31 42"),  # six and eight, but seven and a pair are better
        ("house-way", "66 66 54 65", "66 54 / 66 65"),  # the exception
        ("house-way", "63 54 55 64", "55 54 / 64 63"),  # nine and nine
        ("house-way", "62 53 54 65", "65 53 / 54 62"),  # seven and nine
        ("house-way", "52 43 11 64", "11 52 / 64 43"),  # seven and a high nine
        ("house-way", "52 43 65 64", "52 43 / 65 64"),
        ("house-way", "51 51 66 11", "51 51 / 66 11"),  # sixes never
        ("house-way", "66 61 62 55", "66 61 / 55 62"),  # the high nine before the gong
        ("house-way", "66 61 62 51", "66 61 / 51 62"),
        ("house-way", "66 62 54 22", "66 62 / 22 54"),  # the exception: three and a gong
        ("house-way", "44 53 54 64", "44 54 / 64 53"),  # the exception: high seven and low eight
        ("new-zealand", "42 21 33 51", "33 21 / 51 42"),
        ("new-zealand", "52 43 65 64", "65 52 / 64 43"),
        ("wizard-basic", "41 32 66 11", "41 32 / 66 11"),  # 16 points rather than 14
        ("jb-player", "41 32 66 11", "66 41 / 11 32"),
        ("jb-player", "66 66 44 54", "66 66 / 44 54"),
        ("jb-player", "66 11 32 42", "66 42 / 11 32"),  # the exception: seven and a high eight
    ],
)
def test_published_ways_split_examples_as_their_rules_say(name, hand, split):
    deal = from_tiles([hand, "22 61 65 31"])
    view = deal.view(0)
    action, expected = GAME.policies[name](view), deal.after(split).state.splits[0]
    assert view.values[action].tolist() == view.values[expected].tolist(), GAME.action_name(action, view)


@pytest.mark.parametrize("options", [{}, {"wild": False, "zero": "tile"}, {"gong_four": False}, {"small": True}])
@pytest.mark.parametrize("name", GAME.policies)
def test_published_ways_split_legally_under_every_option(name, options):
    envs = VectorEnv(GAME, 200, **options)
    views, _ = envs.views()
    batch = DecisionBatch(views, envs.masks, np.zeros(200, np.int64))
    actions = make_agent(name, GAME, **options).act(batch)
    assert envs.masks[np.arange(200), actions].all()


def test_published_way_takes_no_weights():
    with pytest.raises(ValueError, match="house-way weighs no features"):
        make_agent("search:heuristic=house-way", GAME)
