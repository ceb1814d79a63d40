"""The worked examples of the rulebook page `pai-gow.md`, by number, its counts, and positions for what they omit."""

import random
from collections import Counter
from itertools import combinations, combinations_with_replacement

import pytest

from . import PaiGow, pai_gow
from .examples import hands
from .pai_gow import points, rank, value
from .tiles import DECK, tiles

# One tile of each of the 16 pairs: the other tile of the pair is worth the same. The supreme pair has no such
# tile, but as [2:1] beside another tile counts 3 or 6, [4:2] there is the same too.
PAIRS = [pair[0] for pair in pai_gow.RANKS]
GROUPS = list(combinations_with_replacement(range(16), 2))  # by the ranks of their tiles


def tiles_of(group):
    """Two tiles of the set with these ranks."""
    low, high = group
    if low == high:
        pair = pai_gow.RANKS[low]
        return (pair[0], pair[-1])
    return (PAIRS[low], PAIRS[high])


def split(text):
    """[a][b] | [c][d] as the two groups of a move."""
    return pai_gow.face_up_groups([tuple(tiles(group)) for group in text.split("|")])


def settled(banker, *players, **options):
    """The deal in which the banker, seat 0, and the players split their tiles like this."""
    splits = [split(text) for text in (banker, *players)]
    referee = PaiGow([[tile for group in groups for tile in group] for groups in splits], 0, **options)
    for groups in splits:
        referee.play(("split", groups))
    assert referee.terminated
    return referee


def compare(player, banker, **options):
    """1 if the player's group is higher, -1 if the banker's is, 0 for a copy."""
    mine, theirs = value(tiles(player), **options), value(tiles(banker), **options)
    return (mine > theirs) - (mine < theirs)


# Worked examples


@pytest.mark.parametrize(
    ("group", "total"), [("[3:1] [3:2]", 9), ("[3:2] [6:5]", 6), ("[5:5] [6:4]", 0), ("[2:1] [6:5]", 7)]
)
def test_examples_1_to_4_points(group, total):
    assert points(tiles(group)) == total


def test_example_4_without_wild_tiles():
    assert points(tiles("[2:1] [6:5]"), wild=False) == 4


@pytest.mark.parametrize(
    ("player", "banker", "result"),
    [
        pytest.param("[4:3] [2:2]", "[6:5] [5:5]", -1, id="5"),
        pytest.param("[2:2] [6:1]", "[2:2] [4:3]", 0, id="6"),
        pytest.param("[6:5] [5:1]", "[6:5] [4:2]", 0, id="7"),
        pytest.param("[6:6] [4:2]", "[2:1] [3:3]", -1, id="8, points"),
        pytest.param("[6:6] [4:3]", "[1:1] [5:2]", 1, id="8, nines"),
        pytest.param("[1:1] [5:4]", "[6:6] [5:4]", -1, id="8, wong"),
        pytest.param("[2:1] [4:1]", "[4:2] [3:2]", 0, id="9"),
    ],
)
def test_examples_5_to_9_two_groups(player, banker, result):
    assert compare(player, banker) == result


def test_examples_5_to_9_named_points():
    named = [("[4:3] [2:2]", 1), ("[6:5] [5:5]", 1), ("[2:2] [6:1]", 1), ("[2:2] [4:3]", 1)]
    named += [("[6:5] [5:1]", 7), ("[6:5] [4:2]", 7), ("[6:6] [4:2]", 8), ("[2:1] [3:3]", 9)]
    named += [("[6:6] [4:3]", 9), ("[1:1] [5:2]", 9), ("[2:1] [4:1]", 8), ("[4:2] [3:2]", 8)]
    assert [points(tiles(group)) for group, _ in named] == [total for _, total in named]


def test_example_10_a_real_choice():
    referee = PaiGow(hands("[6:6] [1:1] [6:3] [4:4]", "[5:1] [5:1] [2:2] [2:2]"), 0)
    splits = ["[6:6] [1:1] | [6:3] [4:4]", "[6:6] [6:3] | [1:1] [4:4]", "[6:6] [4:4] | [1:1] [6:3]"]
    assert set(referee.moves()) == {("split", split(text)) for text in splits}
    classes = [[value(group) for group in split(text)] for text in splits]
    assert [sorted(each, reverse=True) for each in classes] == [
        [(1, 7, 13), (1, 4, 15)],
        [(3, 0, 15), (2, 0, 14)],  # wong with [6:6], gong with [1:1]
        [(3, 0, 14), (2, 0, 15)],  # wong with [1:1], gong with [6:6]
    ]


def test_example_11_three_players_against_the_banker():
    banker = "[1:1] [6:2] | [4:4] [6:1]"  # gong with [1:1], and 8 + 7 = 5 with [4:4]
    players = [
        "[6:6] [6:3] | [3:3] [5:4]",  # wong, and 5 with [3:3]
        "[2:2] [2:2] | [6:4] [5:1]",  # a civil pair, and 6
        "[1:1] [5:3] | [4:4] [4:3]",  # both copies
    ]
    referee = settled(banker, *players)
    assert [referee.results(player) for player in (1, 2, 3)] == [[1, -1], [1, 1], [-1, -1]]
    assert referee.payoffs() == [0, 0, 1, -1]


def test_example_12_zero_against_zero():
    assert compare("[3:1] [3:3]", "[5:5] [6:4]") == 0
    assert compare("[3:1] [3:3]", "[5:5] [6:4]", zero="tile") == 1
    low_groups = ("[6:6] [6:6] | [5:5] [6:4]", "[1:1] [1:1] | [3:1] [3:3]")
    assert settled(*low_groups).results(1) == [-1, -1]
    assert settled(*low_groups, zero="tile").results(1) == [-1, 1]


# The order of the groups (sections 1 and 2)


def test_tiles_have_16_single_ranks():
    ranks = [
        ("[6:6]", "[1:1]", "[4:4]", "[3:1]", "[5:5]", "[3:3]", "[2:2]", "[6:5]", "[6:4]", "[6:1]", "[5:1]"),
        ("[6:3] [5:4]", "[6:2] [5:3]", "[5:2] [4:3]", "[4:1] [3:2]", "[4:2] [2:1]"),
    ]
    expected = [(tile, 15 - place) for place, pair in enumerate(sum(ranks, ())) for tile in tiles(pair)]
    assert len(expected) == len(set(DECK)) == 21
    assert all(rank(tile) == number for tile, number in expected)


def test_pair_wong_and_gong_classes_are_ordered_like_the_page():
    order = ["[4:2] [2:1]"]
    civil = ("[6:6]", "[1:1]", "[4:4]", "[3:1]", "[5:5]", "[3:3]", "[2:2]", "[6:5]", "[6:4]", "[6:1]", "[5:1]")
    order += [f"{tile} {tile}" for tile in civil]
    order += ["[6:3] [5:4]", "[6:2] [5:3]", "[5:2] [4:3]", "[4:1] [3:2]"]
    order += ["[6:6] [5:4]", "[1:1] [6:3]", "[6:6] [4:4]", "[1:1] [5:3]", "[6:6] [5:2]", "[1:1] [4:3]", "[4:4] [5:5]"]
    for place, group in enumerate(order):
        for lower in order[place + 1 :]:
            assert compare(group, lower) == 1


def test_groups_of_two_tiles_are_496_by_class():
    names = {6: "pair", 5: "pair", 4: "pair", 3: "wong", 2: "gong"}
    counted = Counter(
        names.get(kind, total) for kind, total, _ in (value(group) for group in combinations(sorted(DECK), 2))
    )
    expected = {"pair": 16, "wong": 8, "gong": 16}
    expected |= dict(zip(range(9, -1, -1), (48, 56, 52, 56, 44, 52, 48, 44, 32, 24), strict=True))
    assert counted == expected


def test_groups_have_102_values_and_pair_tiles_are_equal():
    assert len(GROUPS) == 136
    assert len({value(tiles_of(group)) for group in GROUPS}) == 102
    for one, other in combinations(sorted(DECK), 2):
        group = tuple(sorted((rank(one), rank(other))))
        assert value((one, other)) == value((other, one)) == value(tiles_of(group))


def higher(one, other):
    """Is the first group (of ranks) strictly higher? The words of section 2 once more, class by class."""

    def supreme(group):
        return group == (0, 0)

    def civil_pair(group):
        return group[0] == group[1] >= 5

    def military_pair(group):
        return 1 <= group[0] == group[1] <= 4

    def wong(group):
        return group[0] == 4 and group[1] in (14, 15)

    def gong(group):
        return group in [(3, 14), (3, 15), (13, 14), (13, 15)]

    pips_of = {15: 2, 14: 2, 13: 8, 12: 4, 11: 0, 10: 6, 9: 4, 8: 1, 7: 0, 6: 7, 5: 6, 4: 9, 3: 8, 2: 7, 1: 5}

    def pips_of_group(group):
        low, high = group
        if low == 0:
            return max((3 + pips_of[high]) % 10, (6 + pips_of[high]) % 10)
        return (pips_of[low] + pips_of[high]) % 10

    for in_class in (supreme, civil_pair, military_pair):
        if in_class(one) or in_class(other):
            return in_class(one) and (not in_class(other) or one > other)
    for in_class in (wong, gong):
        if in_class(one) or in_class(other):
            heaven_against_earth = 15 in one and 15 not in other
            return in_class(one) and (not in_class(other) or heaven_against_earth)
    if pips_of_group(one) != pips_of_group(other):
        return pips_of_group(one) > pips_of_group(other)
    return pips_of_group(one) > 0 and max(one) > max(other)


def test_comparisons_of_136_groups_follow_the_page():
    for one in GROUPS:
        for other in GROUPS:
            assert (value(tiles_of(one)) > value(tiles_of(other))) == higher(one, other), (one, other)


def test_options_of_the_order():
    assert compare("[6:6] [4:4]", "[5:5] [5:4]") == 1  # a gong above nine points
    assert value(tiles("[6:6] [4:4]"), gong_four=False) == pai_gow.NOTHING
    assert value(tiles("[1:1] [4:4]"), gong_four=False, zero="tile") == (1, 0, 14)
    assert value(tiles("[6:6] [6:2]"), gong_four=False) == (2, 0, 15)
    assert compare("[2:1] [6:5]", "[6:4] [5:1]") == 1  # 7 against 6
    assert compare("[2:1] [6:5]", "[6:4] [5:1]", wild=False) == -1  # 4 against 6


def test_wild_tiles_count_what_gives_more_and_are_one_pair():
    assert [points(tiles(f"[4:2] {tile}")) for tile in ("[1:1]", "[2:2]", "[6:1]", "[5:5]")] == [8, 7, 3, 6]
    for other in sorted(set(DECK) - set(pai_gow.SUPREME)):
        assert value([(4, 2), other]) == value([(2, 1), other])
    assert value(tiles("[4:2] [2:1]")) == value(tiles("[4:2] [2:1]"), wild=False) == (6, 0, 0)


# Hands, splits and settlement


def hands_by_rank():
    """All hands of four by the ranks of their tiles, with how many hands of different tiles each stands for."""
    return Counter(tuple(sorted(hand)) for hand in combinations([rank(tile) for tile in DECK], 4))


def test_hands_are_3620_and_a_third_have_no_choice():
    """Splits that are not dominated by another: 33.4 % of hands have one, 37.5 % two, 29.1 % three."""
    worth = {group: value(tiles_of(group)) for group in GROUPS}
    counted = hands_by_rank()
    assert (len(counted), sum(counted.values())) == (3620, 35960)
    by_choices = Counter()
    for (a, b, c, d), copies in counted.items():
        ways = {((a, b), (c, d)), ((a, c), (b, d)), ((a, d), (b, c))}
        splits = {tuple(sorted((worth[group] for group in way), reverse=True)) for way in ways}
        good = [
            split
            for split in splits
            if not any(high >= split[0] and low >= split[1] and (high, low) != split for high, low in splits)
        ]
        by_choices[len(good)] += copies
    shares = [round(100 * by_choices[choices] / 35960, 1) for choices in (1, 2, 3)]
    assert shares == [33.4, 37.5, 29.1]


def test_equal_splits_are_one_move_and_at_most_three_remain():
    referee = PaiGow(hands("[5:5] [5:5] [6:4] [6:4]", "[5:5] [5:5] [6:4] [6:1]", "[6:3] [5:4] [2:2] [3:3]"), 0)
    splits = ["[6:4] [6:4] | [5:5] [5:5]", "[6:4] [5:5] | [6:4] [5:5]"]
    assert set(referee.moves()) == {("split", split(text)) for text in splits}
    referee.play(referee.moves()[0])
    assert len(referee.moves()) == 2
    referee.play(referee.moves()[0])
    assert len(referee.moves()) == 3  # two of them are worth the same, but they are different tiles


@pytest.mark.parametrize(
    ("banker", "player", "results", "payoffs"),
    [
        # copy, pay: (banker, both), (push, both), (banker, roads), (push, roads)
        ("[1:1] [1:1] | [6:5] [5:1]", "[6:6] [6:6] | [6:5] [6:1]", [1, 1], [1, 1, 3, 3]),
        ("[1:1] [1:1] | [6:5] [5:1]", "[6:6] [6:6] | [6:5] [4:2]", [1, 0], [0, 1, 1, 2]),
        ("[1:1] [1:1] | [6:5] [6:1]", "[6:6] [6:6] | [6:5] [5:1]", [1, -1], [0, 0, 1, 1]),
        ("[6:6] [6:6] | [6:5] [5:1]", "[1:1] [1:1] | [6:5] [6:1]", [-1, 1], [0, 0, -1, -1]),
        ("[1:1] [6:3] | [6:5] [5:1]", "[1:1] [5:4] | [6:5] [6:1]", [0, 1], [0, 1, -1, 1]),
        ("[1:1] [6:3] | [6:5] [6:1]", "[1:1] [5:4] | [6:5] [5:1]", [0, -1], [-1, -1, -3, -1]),
        ("[1:1] [6:3] | [6:5] [5:1]", "[1:1] [5:4] | [6:5] [4:2]", [0, 0], [-1, 0, -3, 0]),
        ("[6:6] [6:6] | [6:5] [5:1]", "[1:1] [1:1] | [6:5] [4:2]", [-1, 0], [-1, -1, -3, -2]),
        ("[6:6] [6:6] | [6:5] [6:1]", "[1:1] [1:1] | [6:5] [5:1]", [-1, -1], [-1, -1, -3, -3]),
    ],
)
def test_result_pairs_under_each_copy_and_pay(banker, player, results, payoffs):
    assert settled(banker, player, copy="push").results(1) == results
    variants = [(copy, pay) for pay in ("both", "roads") for copy in ("banker", "push")]
    for (copy, pay), won in zip(variants, payoffs, strict=True):
        assert settled(banker, player, copy=copy, pay=pay).payoffs() == [-won, won]
        assert settled(banker, player, copy=copy, pay=pay, stake=2.5).payoffs() == [-2.5 * won, 2.5 * won]


def test_zero_against_zero_is_the_bankers_where_copies_push():
    zeros = ("[1:1] [1:1] | [5:5] [6:4]", "[6:6] [6:6] | [3:1] [3:3]")
    assert settled(*zeros, copy="push").results(1) == [1, -1]
    same = ("[1:1] [1:1] | [5:5] [6:4]", "[6:6] [6:6] | [5:5] [6:4]")
    assert settled(*same, copy="push").results(1) == [1, -1]
    assert settled(*same, copy="push", zero="tile").results(1) == [1, 0]
    assert settled(*same, zero="tile").results(1) == [1, -1]


def test_commission_is_kept_of_what_a_seat_has_won_in_the_deal():
    players = ["[6:6] [6:6] | [6:5] [6:1]", "[5:5] [5:5] | [6:4] [5:4]"]
    assert settled("[1:1] [1:1] | [6:5] [5:1]", players[0], commission=5).payoffs() == [-1, 0.95]
    assert settled("[1:1] [1:1] | [6:6] [6:3]", players[1], commission=5).payoffs() == [0.95, -1]
    three = settled("[1:1] [1:1] | [6:5] [5:1]", players[0], "[2:2] [2:2] | [5:1] [4:1]", commission=5)
    assert three.payoffs() == [0, 0.95, -1]


def test_small_is_one_group_and_no_decision():
    referee = PaiGow(hands("[5:5] [6:5]", "[6:6] [6:3]", "[4:3] [2:2]"), 2, small=True)
    for seat in (2, 0, 1):
        assert referee.to_act == seat
        assert referee.moves() == [("split", (tuple(sorted(referee.hands[seat], reverse=True)),))]
        referee.play(referee.moves()[0])
    assert referee.payoffs() == [1, 1, -2]
    for pay in ("both", "roads"):
        referee = PaiGow(hands("[2:2] [4:3]", "[6:1] [2:2]"), 0, small=True, pay=pay)
        for _ in range(2):
            referee.play(referee.moves()[0])
        assert referee.payoffs() == [1, -1]
        referee.copy = "push"
        assert referee.payoffs() == [0, 0]


@pytest.mark.parametrize(("banker", "following"), [("next", [1, 2, 0]), ("fixed", [0, 1, 2]), ("random", [None] * 3)])
def test_next_banker(banker, following):
    dealt = hands("[6:6] [1:1] [6:3] [4:4]", "[5:1] [5:1] [2:2] [2:2]", "[6:5] [6:5] [6:1] [6:1]")
    assert [PaiGow(dealt, seat, banker=banker).next_leader() for seat in range(3)] == following


def test_random_tables_of_eight_pay_by_the_formula():
    """Section 4: a player wins as many stakes as he wins groups, less one."""
    rng = random.Random(4)
    for _ in range(40):
        deck = rng.sample(DECK, 32)
        referee = PaiGow([deck[4 * seat : 4 * seat + 4] for seat in range(8)], rng.randrange(8))
        while not referee.terminated:
            referee.play(rng.choice(referee.moves()))
        bankers = sorted((value(group) for group in referee.splits[referee.leader]), reverse=True)
        expected = []
        for seat, groups in enumerate(referee.splits):
            mine = sorted((value(group) for group in groups), reverse=True)
            wins = sum(high > bankers_group for high, bankers_group in zip(mine, bankers, strict=True))
            expected.append(0 if seat == referee.leader else wins - 1)
        expected[referee.leader] = -sum(expected)
        assert referee.payoffs() == expected
