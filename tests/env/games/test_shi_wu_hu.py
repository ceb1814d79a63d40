"""Shi Wu Hu: the worked examples of its page, its decks, what matches under each option, and the bounds of payoffs."""

from itertools import product

import numpy as np
import pytest
from gupai_env.positions.shi_wu_hu import from_tiles, matches, points, settle

from gupai_env import get_game
from gupai_env.core.tiles import PIPS
from gupai_env.games.shi_wu_hu.rules import DECKS, ShiWuHu
from referees import shi_wu_hu as referee

GAME = get_game("shi-wu-hu")
FACES = [(int(high), int(low)) for high, low in PIPS]
TILES = {"deck": "tiles"}


def plays(lake, bait, **options):
    """What a bait may do with a lake."""
    return from_tiles([bait, "[3:2]"], lake, **options).legal()


# Worked examples


def test_examples_1_catch_of_tiles():
    catch = "66 66 66 54 54 63", "44 44 43", "61", "65 65 65 65", "55 55", "33 51", "42 42 21 21", "11 11 11 11"
    assert [points(each, **TILES) for each in catch] == [180, 60, 10, 120, 20, 20, 220, 40]
    assert points(" ".join(catch), **TILES) == 670


@pytest.mark.parametrize(
    ("catch", "counted"),
    [
        ("63 66 66", 90),
        ("63 54 54", 30),
        ("53 11 11", 60),
        ("53 62 62", 30),
        *(
            (" ".join([kind] * number), counted)
            for kind in ("55", "64", "65")
            for number, counted in enumerate((10, 20, 30, 120), 1)
        ),
        ("55 55 55 55 64 64 64 64 65 65 65 65", 660),
    ],
)
def test_examples_2_to_5_groups_of_tiles(catch, counted):
    assert points(catch, **TILES) == counted


@pytest.mark.parametrize(
    ("catch", "counted"),
    [
        ("63 66 66", 30),
        ("63 54 66", 90),
        ("53 11 11", 30),
        ("53 62 11", 60),
        ("42 42 42", 30),
        ("42 42 42 21", 120),
        ("42 42 42 42 21 21 21 21", 540),
        ("66 63 54 " * 4, 660),
        ("66 63 54 " * 3 + "66 63", 330),
    ],
)
def test_examples_6_to_9_groups_of_cards(catch, counted):
    assert points(catch) == counted


def test_examples_10_and_11_settlements():
    assert settle([1010, 700]) == [620, -620]
    assert settle([1100, 1040]) == [60, -60]
    assert settle([990, 300]) == [690, -690]
    assert (settle([1000, 990]), settle([1000, 1000])) == ([20, -20], [0, 0])
    assert settle([1050, 900, 400]) == [1600, 200, -1800]
    assert settle([1050, 900, 400], thousand=False) == [800, 350, -1150]


def test_example_12_bait_catches():
    assert plays("11 11 11 21", "11") == ["lay [1:1]", "[1:1] catches [1:1]", "[1:1] catches three"]
    assert plays("44 44 44", "44") == ["lay [4:4]", "[4:4] catches [4:4]"]
    assert plays("55", "64") == ["lay [6:4]"]
    assert plays("42", "21") == ["lay [2:1]"]


# Options


@pytest.mark.parametrize(
    "options",
    [
        {"supreme_match": word, "tens_match": tens, "heaven_earth": ends}
        for word, tens, ends in product(("none", "pair", "sixes"), (False, True), (False, True))
    ],
    ids=str,
)
def test_matches_equal_the_referee(options):
    for bait, fish in product(FACES, repeat=2):
        assert matches(bait, fish, **options) == referee.match(bait, fish, **options)


def test_deck_decides_the_rules_left_to_it():
    for deck, group, bonus in (("cards", 0, 300), ("tiles", 1, 100), ("tiny", 0, 300)):
        rules = ShiWuHu(deck=deck).as_rules()
        assert (rules.group, rules.supreme_bonus) == (group, bonus)
    rules = ShiWuHu(deck="tiles", group="one_two", supreme_bonus=0).as_rules()
    assert (rules.group, rules.supreme_bonus) == (0, 0)
    assert points("42 42 21 21", deck="tiles", supreme_bonus=200) == 120 + 200
    assert points("66 63", group="one_one") == 60


# Decks, and the largest numbers


@pytest.mark.parametrize(
    ("options", "everything", "bound"),
    [({}, 2740, 5480), (TILES, 2060, 4120), ({"players": 3}, 2740, 10960), ({"thousand": False}, 2740, 2740)],
    ids=str,
)
def test_whole_deck_caught_by_one_seat_is_the_payoff_bound(options, everything, bound):
    variant = ShiWuHu(**options)
    deck = [FACES[kind] for kind in DECKS[variant.as_rules().deck]]
    assert points(deck, deck=variant.deck) == everything
    position = from_tiles([""] * variant.players, catches=[deck] + [""] * (variant.players - 1), **options)
    assert position.payoffs()[0] == bound == GAME.payoff_bound(variant)
    observation = np.zeros(GAME.encoder.layout.size, np.int8)
    GAME.encode(position.view(0), observation)
    assert (observation <= GAME.encoder.layout.high).all()
    section = GAME.encoder.layout.split(observation)
    assert int(section["hundreds"][0]) * 100 + int(section["tens"][0]) * 10 == everything


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: from_tiles(["[5:2] " * 3, ""], **TILES), r"\[5:2\] is given 3 times; the deck has 2"),
        (lambda: settle([1000, 5000]), "a catch has 0 to 3000 points"),
        (lambda: ShiWuHu(players=4), "players=4 is not allowed"),
        (lambda: ShiWuHu(supreme_bonus=50), "supreme_bonus=50 is not allowed; choose by_deck, 0, 100, 200 or 300"),
        (lambda: ShiWuHu(deck="full"), "deck='full' is not allowed; choose cards, tiles or tiny"),
    ],
)
def test_bad_input_is_refused_with_one_line(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)
