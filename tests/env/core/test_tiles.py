"""The tiles of the rulebook ("The tiles"), and sets of them as integers."""

import random
from collections import Counter

import numpy as np
import pytest

from gupai_env.core import tiles
from gupai_env.core.tiles import (
    BLACK,
    CARRYING,
    COPIES,
    DECK,
    DOUBLES,
    FULL_SET,
    HIGH_IS,
    KINDS,
    LOW_IS,
    MOST_TILES,
    ONE,
    PIPS,
    RED,
    WEIGHT,
    count,
    deck_of,
    kind_of,
    kinds_in,
    number_of,
    parse_tiles,
    set_name,
    shuffle_deck,
    size,
    tile_name,
    tile_set,
    tiles_in,
    weight,
    write_counts,
    write_kinds,
)


def test_set_has_32_tiles_of_21_kinds_and_227_pips():
    assert (len(DECK), KINDS, size(FULL_SET), weight(FULL_SET)) == (32, 21, 32, 227)
    assert (COPIES.sum(), (COPIES * WEIGHT).sum()) == (32, 227)


def test_civil_kinds_have_two_copies_and_military_kinds_one():
    civil = parse_tiles("66 55 44 33 22 11 31 51 61 64 65")
    military = parse_tiles("21 32 41 42 43 52 53 54 62 63")
    assert sorted(civil + military) == list(range(KINDS))
    assert set(COPIES[civil]) == {2}
    assert set(COPIES[military]) == {1}


def test_tiles_are_counted_by_their_numbers():
    by_number = [size(FULL_SET & (CARRYING[number] * 7)) for number in (6, 1, 5, 4, 3, 2)]
    assert by_number == [10, 10, 9, 8, 8, 7]
    without_doubles = [size(FULL_SET & (CARRYING[n] * 7) & ~(DOUBLES * 7)) for n in (6, 1, 5, 4, 3, 2)]
    assert without_doubles == [8, 8, 7, 6, 6, 5]


def test_two_is_short():
    """Jie Long, "Two is short"."""
    assert Counter(tiles_in(FULL_SET & (CARRYING[2] * 7))) == Counter(parse_tiles("22 22 62 52 42 32 21"))


def test_ones_and_fours_are_red_and_half_of_the_double_six():
    names = "43 11 66 52"
    colours = {name: (RED[kind], BLACK[kind]) for name, kind in zip(names.split(), parse_tiles(names), strict=True)}
    assert colours == {"43": (4, 3), "11": (2, 0), "66": (6, 6), "52": (0, 7)}
    assert (RED + BLACK == WEIGHT).all()


def test_kinds_are_numbered_by_high_then_low_pip():
    assert [tile_name(kind) for kind in (0, 1, 2, 3, 20)] == ["[1:1]", "[2:1]", "[2:2]", "[3:1]", "[6:6]"]
    assert (PIPS[:, 0] >= PIPS[:, 1]).all()
    assert [kind_of(*face) for face in PIPS.tolist()] == list(range(KINDS))
    assert kind_of(4, 6) == kind_of(6, 4)


def test_tile_tables_equal_what_the_tiles_show():
    for number in range(1, 7):
        for kind, (high, low) in enumerate(PIPS.tolist()):
            assert bool(CARRYING[number] & ONE[kind]) == (number in (high, low))
            assert bool(HIGH_IS[number] & ONE[kind]) == (number == high)
            assert bool(LOW_IS[number] & ONE[kind]) == (number == low)
            assert bool(DOUBLES & ONE[kind]) == (high == low)
    assert CARRYING[0] == HIGH_IS[0] == LOW_IS[0] == tiles.ALL_KINDS


@pytest.fixture(params=range(20))
def copies(request):
    """Up to four copies of each kind."""
    return np.random.default_rng(request.param).integers(0, 5, KINDS)


def test_tile_set_counts_weighs_and_lists_its_tiles(copies):
    tile_set_ = (ONE * copies).sum()
    assert [count(tile_set_, kind) for kind in range(KINDS)] == copies.tolist()
    assert size(tile_set_) == copies.sum()
    assert weight(tile_set_) == (copies * WEIGHT).sum()
    assert tiles_in(tile_set_) == np.repeat(np.arange(KINDS), copies).tolist()
    assert deck_of(tile_set_).dtype == np.int8
    assert tile_set(tiles_in(tile_set_)) == tile_set_


def test_set_of_kinds_forgets_the_copies(copies):
    kinds = kinds_in((ONE * copies).sum())
    assert kinds == (ONE * (copies > 0)).sum()
    assert number_of(kinds) == (copies > 0).sum()
    out = np.full(KINDS + 2, 9, np.int8)
    write_kinds(kinds, out, 1)
    assert out.tolist() == [9, *(copies > 0).astype(int), 9]
    write_counts((ONE * copies).sum(), out, 1)
    assert out.tolist() == [9, *copies, 9]


def test_sets_are_joined_by_plus_and_divided_by_minus():
    deck = DECK.tolist()
    random.Random(1).shuffle(deck)
    assert tile_set(deck[:20]) + tile_set(deck[20:]) == FULL_SET
    assert tiles_in(FULL_SET - tile_set(deck[:20])) == sorted(deck[20:])


def test_dealing_keeps_all_tiles():
    order = np.empty(MOST_TILES, np.int8)
    dealt = order[: shuffle_deck(DECK, 5, order)].tolist()
    assert sorted(dealt) == DECK.tolist() != dealt


@pytest.mark.parametrize("text", ["[6:4]", "6:4", "64", "46", "[4:6]", " [ 6 : 4 ] "])
def test_tile_is_read_in_every_common_notation(text):
    assert parse_tiles(text) == [kind_of(6, 4)]


@pytest.mark.parametrize("text", ["7:1", "0:1", "6", "641", "[6;4]", "six four"])
def test_invalid_tile_is_refused(text):
    with pytest.raises(ValueError, match="is not a tile"):
        parse_tiles(text)


def test_several_tiles_are_parsed_in_order():
    assert parse_tiles("[6:4][1:1] 66, 52") == [kind_of(6, 4), 0, 20, kind_of(5, 2)]
    assert parse_tiles("") == []
    with pytest.raises(ValueError, match="'x' is not a tile"):
        parse_tiles("[6:4]x[1:1]")


def test_set_is_named_heaviest_tile_first():
    assert set_name(tile_set(parse_tiles("11 64 66 64"))) == "[6:6][6:4][6:4][1:1]"


def test_hands_are_drawn_evenly_and_leave_the_rest():
    deck = tiles.tile_set(tiles.parse_tiles("66 66 64 21"))
    drawn = Counter()
    for key in range(3000):
        hand, rest = tiles.draw_hand(tiles.bit_each(deck), 2, key)
        other, none = tiles.draw_hand(rest, 2, key)
        assert hand + other == deck and none == 0
        drawn[tiles.set_name(hand)] += 1
    # Of the six pairs of places one has both [6:6], and four have one of them.
    shares = {name: times / 3000 for name, times in drawn.items()}
    expected = {"[6:6][6:6]": 1 / 6, "[6:6][6:4]": 1 / 3, "[6:6][2:1]": 1 / 3, "[6:4][2:1]": 1 / 6}
    assert shares == pytest.approx(expected, abs=0.03)
