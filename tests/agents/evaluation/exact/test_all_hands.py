"""Exact worth of policies by all hands: what the search of all play says on a deck small enough, and known figures."""

import functools
import itertools

import numpy as np
import pytest

from benchmarks.pai_gow import opponent_by, pairs_table
from gupai_agents import make_agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.claims.exacts import answer, questions_of
from gupai_agents.evaluation.exact.all_hands import (
    Equilibrium,
    Hands,
    HandTree,
    batch_of,
    build_hand_tree,
    list_hands,
    offers_hands,
    role_worth,
    solve_hands,
)
from gupai_agents.evaluation.exact.tree import build_tree, solve
from gupai_env import get_game
from gupai_env.core.tiles import KINDS
from gupai_env.games.claims import BANKER, PLAYER
from gupai_env.games.pai_gow.groups import NO_VALUE
from gupai_env.games.pai_gow.policies import WAYS
from gupai_env.games.pai_gow.policies.house_way import READINGS
from gupai_env.games.pai_gow.rules import paid, settled

GAME = get_game("pai-gow")
TINY = {"deck": "tiny", "players": 2}
OPTIONS = [
    {},
    {"zero": "tile", "copy": "push", "leader": 1},
    {"pay": "roads", "commission": 5, "copy": "push"},
    {"wild": False, "gong_four": False, "commission": 5, "leader": 0},
]


@pytest.fixture(scope="module")
def whole():
    return build_tree("pai-gow")


@functools.cache
def tiny_trees(which):
    """All play of the tiny deck with some of the OPTIONS, as a search finds it and by hands."""
    options = {**TINY, **OPTIONS[which]}
    return build_tree("pai-gow", **options), build_hand_tree("pai-gow", **options)


@pytest.mark.parametrize("which", range(len(OPTIONS)), ids=map(str, OPTIONS))
def test_hand_values_equal_exhaustive_search(which):
    (tree, hands), options = tiny_trees(which), OPTIONS[which]
    for names in (("greedy", "balanced"), ("random", "greedy"), ("balanced", "random")):
        agents = [make_agent(name, GAME, **TINY, **options) for name in names]
        one, other = tree.policy(agents), hands.policy(agents)
        np.testing.assert_allclose(hands.values(other), tree.values(one), atol=1e-6)  # chips are float32 there
        np.testing.assert_allclose(hands.best_responses(other), tree.best_responses(one), atol=1e-6)
    assert hands.deals == tree.deals
    assert hands.sets == tree.sets
    assert tree.nodes <= hands.nodes == 1 + tree.deals * (1 + 3 + 9)  # three splits, and three answers to each


@pytest.mark.parametrize("which", range(2), ids=map(str, OPTIONS[:2]))
def test_solvers_find_equilibria_of_the_same_value(which):
    tree, hands = tiny_trees(which)
    rounds: list[int] = []
    one, other = solve(tree, 200), solve_hands(hands, 200, rounds.append)
    assert rounds == [1] * 200
    assert tree.exploitability(one) < 1e-4
    assert hands.exploitability(other) < 1e-4
    np.testing.assert_allclose(hands.values(other), tree.values(one), atol=2e-4)


def test_plain_players_win_as_in_a_duel_and_lose_what_is_known_to_a_best_response(whole):
    """The rulebook page: 0.025 from a banker with the highest high group, 0.061 with the highest low group."""
    assert isinstance(whole, HandTree)
    assert whole.sets == 2 * 2 * 8130
    agents = [make_agent(name, GAME) for name in ("greedy", "balanced")]
    policy = whole.policy(agents)
    won = duel(GAME, *agents, 20_000, seed=5).mean(0)
    assert won.low - 0.01 < whole.values(policy)[0] < won.high + 0.01
    best = np.where(whole.by_tiles.masks, whole._worth(policy)[:, PLAYER], -np.inf).max(2).sum(1)
    assert best == pytest.approx([0.061, 0.025], abs=5e-4)  # each seat from the other


def test_two_seats_are_nearly_solved_after_some_rounds(whole):
    """The rulebook page: the player wins between -0.0097 and -0.0091 chips a deal."""
    policy = solve_hands(whole, 8)
    assert whole.exploitability(policy) < 0.004
    worth = (whole._worth(policy) * policy).sum((2, 3))[0]
    assert worth[PLAYER] == pytest.approx(-0.0094, abs=1e-3)
    assert worth[BANKER] == pytest.approx(-worth[PLAYER], abs=1e-12)


def test_equilibrium_gives_the_value_of_every_split():
    _, tree = tiny_trees(0)
    found = Equilibrium(tree, 100).chips(tree.batches[0])
    assert (np.isnan(found) == ~tree.batches[0].masks).all()
    policy = solve_hands(tree, 100)
    times = np.tile(tree.by_tiles.times, 2)
    best = (np.nanmax(found, 1) * times).reshape(2, -1).sum(1) / tree.by_tiles.times.sum()
    np.testing.assert_allclose(best.mean(), tree.best_responses(policy)[0], atol=1e-12)


def test_banker_wins_equally_from_each_of_several_players():
    _, tree = tiny_trees(0)
    equilibrium, hands = Equilibrium(tree, 10), tree.by_tiles.hands[:3]
    of_two, of_five = (
        equilibrium.chips(batch_of(GAME, GAME.variant.make(players=players), hands, 0)) for players in (2, 5)
    )
    np.testing.assert_allclose(of_five, of_two * np.repeat([1, 4], len(hands))[:, None])


@pytest.mark.parametrize("options", [{}, {"copy": "push"}, {"copy": "push", "pay": "roads"}], ids=str)
def test_hands_with_zero_groups_are_paid_by_the_rules(options):
    """The smallest deck has no two of them."""
    rules = GAME.variant.make(players=2, **options).as_rules()
    every = list_hands(GAME, rules)
    poor = np.flatnonzero((every.groups == NO_VALUE).any((1, 2)))
    two = [poor[0], next(each for each in poor if not set(every.hands[each]) & set(every.hands[poor[0]]))]
    copies = np.bincount(every.hands[two].ravel(), minlength=KINDS)
    hands = Hands(every.hands[two], np.ones(2, np.int64), every.groups[two], every.masks[two], copies)
    splits = np.full((2, 3), 1 / 3)  # of each hand one of three, alike

    def paid_to(player, banker):
        return paid(rules, *(settled(rules, *values) for values in zip(player, banker, strict=True)))

    for role in (PLAYER, BANKER):
        found = role_worth(hands, rules, GAME, role, splits)
        for hand, split in itertools.product(range(2), range(3)):
            own, others = hands.groups[hand, split], hands.groups[1 - hand]
            chips = [paid_to(own, each) if role == PLAYER else -paid_to(each, own) for each in others]
            assert found[hand, split] == pytest.approx(np.mean(chips) / 2), (role, hand, split)


def test_games_that_depend_on_more_than_hands_are_refused():
    for options in ({"players": 3}, {"deals": 2}, {"small": True}):
        assert not offers_hands(GAME, GAME.variant.make(**options))
        with pytest.raises(ValueError, match="hands alone do not decide a policy"):
            build_hand_tree("pai-gow", **options)
    with pytest.raises(ValueError, match="hands alone do not decide a policy"):
        build_hand_tree("da-ling", players=2)
    with pytest.raises(ValueError, match="1 players for 2 seats"):
        build_hand_tree("pai-gow", **TINY).policy([make_agent("random", GAME)])


@functools.cache
def against(reading):
    """A seat that splits by a reading of the house way."""
    return opponent_by(READINGS[reading])


@pytest.mark.parametrize(
    ("name", "win", "lose", "push", "edge"),
    [
        ("house-way", 29.38, 30.33, 40.29, 2.42),
        ("new-zealand", 29.38, 30.37, 40.25, 2.46),
        ("wizard-basic", 29.01, 29.57, 41.41, 2.01),  # published: 1.98, against an optimum of 1.66
        ("jb-player", 29.31, 29.77, 40.92, 1.93),
    ],
)
def test_ways_win_their_exact_figures_from_the_house_way_as_written(name, win, lose, push, edge):
    opponent = against("as written")
    figures = opponent.figures(PLAYER, opponent.splits(WAYS[name]))
    assert figures == pytest.approx((win, lose, push, edge), abs=0.0051)


def test_optimum_as_banker_wins_after_commission():
    """Published: -0.20."""
    opponent = against("as written")
    assert opponent.figures(BANKER, opponent.best(BANKER)).edge == pytest.approx(-0.20, abs=0.0051)


def test_pairs_are_split_with_the_tiles_that_strategies_name():
    """JB's player way: fives for 7/7, sixes for 7/8 (and 6/8), nines for 9/9; never fours, tens and elevens."""
    rows = {row[0]: row[1:] for row in pairs_table(against("as written"))["rows"]}
    assert {name for name, (tiles, *_) in rows.items() if tiles == "-"} == {"H4", "L4", "H10", "L10", "11"}
    assert (rows["5"][0], rows["5"][-2]) == ("12: 2", "0.062")
    assert (rows["H6"][0], rows["H6"][2]) == ("12: 2, 11; 2: 11", "8/8")
    assert (rows["9"][0], rows["9"][2], rows["9"][3]) == ("12: 2, 10; 2: 10; H10: L10", "9/9", "0.000")
    assert rows["G"][0] == "H6: L6, 5, 4; L6: 5, 4"


@pytest.mark.parametrize(
    ("question", "facts"),
    [
        ("house_edges", {"edge of the last rules alone": 3.38, "gap closed by jb-player": 63.04}),
        # M. Shackleford: split fives only with 2 and 12.
        ("pair_partners", {"what to split [4:1][3:2] with": "[6:6][1:1]"}),
        ("pair_house_way", {"chips lost per 100 hands by the house way with [1:1][1:1]": 0.098}),
        # Casino Canberra's house way, rules 2, and 4.2 to 4.4 with high three and seven.
        ("strong_orders", {"best order": "high nine, gong, wong", "high nine, wong, gong": 1.994}),
        ("strong_bounds", {"best bound of the low group": "4 [3:3]", "4 [3:3]": 1.117, "3 [3:3]": 1.505}),
        ("point_bounds", {"best low and high bound": "5/7", "5/7": 0.306, "3 [3:3]/7": 0.956}),
    ],
)
def test_rules_of_the_house_way_lose_their_exact_figures(question, facts):
    found = answer(GAME, questions_of(GAME)[question])
    assert {name: found[name] for name in facts} == facts
