"""The worked examples of the rulebook page `shi-wu-hu.md`, by number, and small positions for what they omit."""

import random
from collections import Counter

import pytest

from . import ShiWuHu
from .examples import hands, play_all
from .shi_wu_hu import CARDS, TILES, count, match, settle
from .tiles import DECK, pips, tiles

KINDS = sorted(set(DECK))


def points_of(text, deck=CARDS, **options):
    return count(tiles(text), deck, **options)


def moves_of(bait, lake, **options):
    """What may be done with this bait, the only tile in hand, before this lake."""
    return set(ShiWuHu([tiles(bait), []], tiles(lake), tiles("[1:1] [1:1]"), 0, **options).moves())


# The decks


def test_decks():
    assert (len(CARDS), len(TILES)) == (84, 64)
    assert set(Counter(CARDS).values()) == {4}
    assert Counter(TILES) == Counter(DECK + DECK)


# Worked examples: `tiles`


def test_example_1_a_catch():
    parts = [
        ("[6:6] [5:4] [6:3] [6:6] [6:6] [6:3]", 180),
        ("[4:4] [4:3] [4:4]", 60),
        ("[6:1]", 10),
        ("[6:5] [6:5] [6:5] [6:5]", 120),
        ("[5:5] [5:5]", 20),
        ("[3:3] [5:1]", 20),
        ("[4:2] [4:2] [2:1] [2:1]", 220),
        ("[1:1] [1:1] [1:1] [1:1]", 40),
    ]
    for text, points in parts:
        assert points_of(text, TILES) == points
    assert points_of("".join(text for text, _ in parts), TILES) == 670


@pytest.mark.parametrize(
    ("text", "points"),
    [
        pytest.param("[6:3] [6:6] [6:6]", 90, id="2"),
        pytest.param("[6:3] [5:4] [5:4]", 30, id="2, no Heaven"),
        pytest.param("[5:3] [1:1] [1:1]", 60, id="3"),
        pytest.param("[5:3] [6:2] [6:2]", 30, id="3, no Earth"),
    ],
)
def test_examples_2_and_3_groups_of_one_and_one(text, points):
    assert points_of(text, TILES) == points


@pytest.mark.parametrize("kind", ["[5:5]", "[6:4]", "[6:5]"])
def test_example_4_jun(kind):
    for deck in (TILES, CARDS):
        assert [points_of(kind * copies, deck) for copies in (1, 2, 3, 4)] == [10, 20, 30, 120]


def test_example_5_all_three_jun():
    for deck in (TILES, CARDS):
        assert points_of("[5:5] [6:4] [6:5]" * 4, deck) == 660
        assert points_of("[5:5] [6:4] [6:5]" * 3 + "[5:5] [6:4]", deck) == 2 * 120 + 30


# Worked examples: `cards`


@pytest.mark.parametrize(
    ("text", "points"),
    [
        pytest.param("[6:3] [6:6] [6:6]", 30, id="6, one kind of nine"),
        pytest.param("[6:3] [5:4] [6:6]", 90, id="6"),
        pytest.param("[5:3] [1:1] [1:1]", 30, id="7, one kind of eight"),
        pytest.param("[5:3] [6:2] [1:1]", 60, id="7"),
        pytest.param("[4:2] [4:2] [4:2]", 30, id="8, alone"),
        pytest.param("[4:2] [4:2] [4:2] [2:1]", 120, id="8"),
        pytest.param("[4:2] [2:1]" * 4, 540, id="8, all eight"),
        pytest.param("[6:6] [6:3] [5:4]" * 4, 660, id="9"),
        pytest.param("[6:6] [6:3] [5:4]" * 3 + "[6:6] [6:3]", 330, id="9, one missing"),
    ],
)
def test_examples_6_to_9_cards(text, points):
    assert points_of(text) == points


# Worked examples: settlement and catches


def test_example_10_settlement_of_two():
    assert settle([1010, 700]) == [620, -620]
    assert settle([1100, 1040]) == [60, -60]
    assert settle([990, 300]) == [690, -690]
    assert settle([1010, 700], thousand=False) == [310, -310]


def test_example_11_settlement_of_three():
    assert settle([1050, 900, 400]) == [1600, 200, -1800]
    assert settle([1050, 900, 400], thousand=False) == [800, 350, -1150]


def test_thousand_tiles_are_enough():
    assert settle([1000, 990]) == [20, -20]
    assert settle([1000, 1000]) == [0, 0]


def test_example_12_catches():
    bait = (1, 1)
    assert moves_of("[1:1]", "[1:1] [1:1] [1:1] [2:1]") == {("catch three", bait), ("catch", bait, bait), ("lay", bait)}
    assert moves_of("[4:4]", "[4:4] [4:4] [4:4]") == {("catch", (4, 4), (4, 4)), ("lay", (4, 4))}
    assert moves_of("[6:4]", "[5:5]") == {("lay", (6, 4))}
    assert moves_of("[2:1]", "[4:2]") == {("lay", (2, 1))}


# Matches (section 2)

GROUPS = [
    "[1:1]",
    "[2:1]",
    "[2:2] [3:1]",
    "[4:1] [3:2]",
    "[3:3] [5:1] [4:2]",
    "[6:1] [5:2] [4:3]",
    "[4:4] [6:2] [5:3]",
    "[6:3] [5:4]",
    "[5:5]",
    "[6:4]",
    "[6:5]",
    "[6:6]",
]


def matching_pairs(**options):
    return {(bait, fish) for bait in KINDS for fish in KINDS if match(bait, fish, **options)}


def test_matches_are_21_own_kinds_and_24_cross_catches():
    expected = {(bait, fish) for group in GROUPS for bait in tiles(group) for fish in tiles(group)}
    assert matching_pairs() == expected
    assert len(expected) == 21 + 24
    cross = Counter(pips(bait) for bait, fish in expected if bait != fish)
    assert cross == {4: 2, 5: 2, 6: 6, 7: 6, 8: 6, 9: 2}


@pytest.mark.parametrize(
    ("options", "more"),
    [
        ({"supreme_match": "pair"}, ["[4:2] [2:1]"]),
        ({"supreme_match": "sixes"}, ["[4:2] [2:1]", "[3:3] [2:1]", "[5:1] [2:1]"]),
        ({"tens_match": True}, ["[5:5] [6:4]"]),
        ({"heaven_earth": True}, ["[6:6] [1:1]"]),
    ],
)
def test_options_of_matching(options, more):
    added = matching_pairs(**options) - matching_pairs()
    pairs = [tuple(tiles(text)) for text in more]
    assert added == {*pairs, *((fish, bait) for bait, fish in pairs)}
    assert matching_pairs() <= matching_pairs(**options)


def alone(**options):
    """The kinds that three in the lake and a fourth as the bait make a catch of three."""
    kinds = []
    for high, low in KINDS:
        tile = f"[{high}:{low}]"
        if ("catch three", (high, low)) in moves_of(tile, tile * 3, **options):
            kinds.append((high, low))
    return set(kinds)


def test_catch_of_three_is_for_kinds_that_match_no_other():
    assert alone() == set(tiles("[1:1] [2:1] [5:5] [6:4] [6:5] [6:6]"))
    assert alone(triple_catch="none") == set()
    assert alone() - alone(supreme_match="pair") == {(2, 1)}
    assert alone() - alone(supreme_match="sixes") == {(2, 1)}
    assert alone() - alone(tens_match=True) == {(5, 5), (6, 4)}
    assert alone() - alone(heaven_earth=True) == {(6, 6), (1, 1)}
    assert alone(supreme_match="sixes", tens_match=True, heaven_earth=True) == {(6, 5)}


def test_must_catch_forbids_laying():
    bait = (6, 6)
    three = "[6:6] [6:6] [6:6]"
    assert moves_of("[6:6]", three, must_catch=True) == {("catch", bait, bait), ("catch three", bait)}
    assert moves_of("[6:6]", three, must_catch=True, triple_catch="none") == {("catch", bait, bait)}
    assert moves_of("[6:6]", "[1:1]", must_catch=True) == {("lay", bait)}
    assert moves_of("[6:6]", "[1:1]", must_catch=True, heaven_earth=True) == {("catch", bait, (1, 1))}


def test_three_are_caught_by_a_bait_of_their_kind_alone():
    lake = "[6:6] [6:6] [6:6]"
    assert moves_of("[1:1]", lake, heaven_earth=True) == {("catch", (1, 1), (6, 6)), ("lay", (1, 1))}
    assert ("catch three", (6, 6)) not in moves_of("[6:6]", "[6:6] [6:6]")


# The turn


def test_turn_is_a_bait_from_the_hand_and_the_top_of_the_stock():
    referee = ShiWuHu(hands("[6:5]", "[1:1]"), tiles("[6:5] [6:5] [6:5]"), tiles("[5:3] [6:2]"), 0, deck=CARDS)
    referee.play(("catch three", (6, 5)))
    assert referee.lake == []
    assert (referee.to_act, referee.moves()) == (0, [("lay", (5, 3))])
    play_all(referee, ("lay", (5, 3)), ("lay", (1, 1)))
    assert referee.to_act == 1
    assert set(referee.moves()) == {("lay", (6, 2)), ("catch", (6, 2), (5, 3))}
    referee.play(("catch", (6, 2), (5, 3)))
    assert referee.terminated
    assert referee.points() == [120, 20]
    assert referee.payoffs() == [100, -100]
    assert referee.next_leader() == 1
    assert ShiWuHu(hands("", ""), [], [], 1).next_leader() == 0


# Counting: what the examples omit


def test_whole_deck_in_one_catch():
    assert count(CARDS, CARDS) == 960 + 720 + 160 + 900 == 2740
    assert count(TILES, TILES) == 720 + 480 + 160 + 700 == 2060
    assert settle([2740, 0]) == [5480, -5480]
    assert settle([2060, 0]) == [4120, -4120]


@pytest.mark.parametrize(
    ("civil", "military", "worth"),
    [
        ("[6:6]", "[6:3] [5:4]", 30),
        ("[1:1]", "[6:2] [5:3]", 20),
        ("[4:4]", "[5:2] [4:3]", 20),
        ("[3:1]", "[4:1] [3:2]", 20),
    ],
)
def test_groups_by_option_whatever_the_deck(civil, military, worth):
    """Two civil tiles with each choice of the two military kinds."""
    one, other = military.split()
    for deck in (CARDS, TILES):
        for group, counts in (("one_two", [10, 10, 10, worth]), ("one_one", [10, worth, worth, worth])):
            for choice, each in zip(["", one, other, one + other], counts, strict=True):
                text = civil * 2 + choice
                assert points_of(text, deck, group=group) == each * len(tiles(text))
            assert points_of(military, deck, group=group) == 20
    by_deck = [points_of(civil + one, deck) for deck in (CARDS, TILES)]
    assert by_deck == [20, 2 * worth]


def test_small_fish_are_always_ten():
    assert points_of("[3:3] [2:2] [6:1] [5:1]" * 4) == 160


def test_bonus_of_heaven_nine_asks_for_all_of_the_deck():
    eight = "[6:6]" * 4 + "[6:3] [5:4]" * 2
    assert points_of(eight, TILES) == 8 * 30 + 300
    assert points_of(eight, CARDS) == 8 * 30
    assert points_of("[6:6]" * 4 + "[6:3] [5:4] [5:4]", TILES) == 7 * 30


@pytest.mark.parametrize("bonus", [0, 100, 200, 300])
def test_supreme_bonus_is_an_option(bonus):
    assert points_of("[4:2] [2:1]" * 4, CARDS, supreme_bonus=bonus) == 240 + bonus
    assert points_of("[4:2] [2:1]" * 2, TILES, supreme_bonus=bonus) == 120 + bonus
    assert points_of("[4:2] [2:1]" * 3 + "[4:2]", CARDS, supreme_bonus=bonus) == 210


def test_bonuses_of_a_tiny_deck_are_for_its_own_tiles():
    tiny = tiles("[6:6] [6:6] [6:3] [4:2] [2:1] [5:5] [5:5] [3:3]")
    assert count(tiny, tiny) == 90 + 300 + 60 + 100 + 30
    assert count(tiles("[3:3]"), tiles("[3:3] [3:3]")) == 10  # no bonus for tiles that the deck does not have


def test_deck_defaults_to_the_tiles_dealt():
    referee = ShiWuHu(hands("[4:2]", "[3:3]"), tiles("[3:3]"), tiles("[2:1] [3:3]"), 0)
    assert Counter(referee.deck) == Counter(tiles("[4:2] [3:3] [3:3] [2:1] [3:3]"))
    referee.catches[0] = tiles("[4:2] [2:1]")
    assert referee.points() == [160, 0]
    assert referee.payoffs() == [160, -160]


# Random play


@pytest.mark.parametrize(("deck", "lake"), [(CARDS, 24), (TILES, 16)])
@pytest.mark.parametrize("players", [2, 3])
def test_random_deals_of_both_decks(deck, lake, players):
    rng = random.Random(players)
    for _ in range(10):
        cards = rng.sample(deck, len(deck))
        in_hand = (len(deck) - lake) // 2
        size = in_hand // players
        dealt = [cards[size * seat : size * seat + size] for seat in range(players)]
        rest = cards[in_hand:]
        referee = ShiWuHu(dealt, rest[:lake], rest[lake:], rng.randrange(players))
        decisions = 0
        while not referee.terminated:
            assert referee.from_stock == bool(decisions % 2)
            referee.play(rng.choice(referee.moves()))
            decisions += 1
        assert decisions == 2 * in_hand == (60 if deck is CARDS else 48)
        assert sum(referee.payoffs()) == 0
        assert Counter(referee.lake + sum(referee.catches, [])) == Counter(deck)
        assert referee.points() == [count(catch, deck) for catch in referee.catches]
