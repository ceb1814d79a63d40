"""Tien Gow: the worked examples of its page, what beats what, discards, the options, and what stays hidden."""

import numpy as np
import pytest
from gupai_env.positions.tien_gow import beats, combination_class, from_tiles, paid_at_once, settle

from gupai_env import get_game
from gupai_env.core.position import Position
from gupai_env.core.tiles import DECK, KINDS, parse_tiles, tile_set, tiles_in
from gupai_env.games.tien_gow.combinations import BEATEN_BY, COMBINATIONS, beatable_by, combinations_in
from gupai_env.games.tien_gow.rules import ACTIONS, DISCARD, TienGow

GAME = get_game("tien-gow")
FAMILY = "[6:6][6:6][6:3][5:4]"


def dealt(hands, leader=0, **options):
    """A deal from its beginning."""
    position = Position(GAME, GAME.variant.make(leader=leader, **options))
    position.start(0, [kind for hand in hands for kind in parse_tiles(hand)])
    return position


# Worked examples, by their numbers on the page


def test_example_1_debts_without_doubling():
    paid = {t: settle([t, 8 - t - x, x, 0], 2, leader=2, banker="none")[0] for t, x in ((0, 4), (1, 4), (4, 2), (6, 1))}
    assert paid == {0: -5, 1: -3, 4: 0, 6: 2}


def test_example_2_banker_pays_double():
    assert settle([1, 4, 0, 3], 3) == [-6, 0, -5, 11]


def test_example_3_losing_banker_with_five_tricks_gets_one():
    growing = {"banker": "growing", "streak": 2, "deals": 2}
    assert settle([5, 1, 0, 2], 3, **growing) == [1, -3, -5, 7]
    assert settle([5, 1, 0, 2], 3, banker_over="multiplied", **growing) == [3, -3, -5, 5]


@pytest.mark.parametrize("tricks", [[1, 2, 2, 2], [3, 2, 2, 2]])
def test_tricks_add_up_to_those_of_a_deal(tricks):
    with pytest.raises(ValueError, match=f"^the tricks add up to {sum(tricks)}, not to 8$"):
        settle(tricks, 0)


def test_winner_of_the_last_trick_led_it_by_default():
    captured = {"lead": "21", "best": "42", "capture": True}
    assert settle([2, 2, 2, 2], 1, **captured) == settle([2, 2, 2, 2], 1, led_by=1, **captured) == [0, 0, 0, 0]
    assert settle([2, 2, 2, 2], 1, led_by=2, **captured)[2] < 0


def test_example_4_banker_wins():
    assert settle([3, 0, 4, 1], 0) == [16, -10, 0, -6]


def test_example_5_winner_with_one_trick_and_banker_with_six():
    assert settle([1, 6, 0, 1], 0, leader=1) == [6, 2, -5, -3]
    assert settle([1, 6, 0, 1], 0, leader=1, banker_over="multiplied") == [4, 4, -5, -3]
    growing = {"banker": "growing", "streak": 4, "deals": 4, "banker_over": "multiplied"}
    assert settle([1, 6, 0, 1], 0, leader=1, **growing) == [-2, 10, -5, -3]


def test_example_6_supreme_pair_is_paid_at_once():
    assert paid_at_once("42 21", 0, supreme_bonus=2) == [12, -4, -4, -4]
    assert paid_at_once("42 21", 2, supreme_bonus=2) == [-4, -2, 8, -2]
    assert paid_at_once("42 21", 2) == [0, 0, 0, 0]


def test_four_tiles_are_paid_at_once_times_those_of_the_banker():
    assert paid_at_once(FAMILY, 1, four_bonus=4) == [-8, 16, -4, -4]
    assert paid_at_once(FAMILY, 0, four_bonus=2, banker="growing", streak=3, deals=3) == [24, -8, -8, -8]
    assert paid_at_once(FAMILY, 1) == [0, 0, 0, 0]


def test_example_7_supreme_pair_wins_the_last_trick():
    assert settle([2, 2, 2, 2], 0, lead="42 21", last_supreme=True) == [24, -8, -8, -8]


def test_example_8_four_tiles_win_the_last_trick():
    assert settle([4, 2, 1, 1], 0, leader=1, lead=FAMILY, last_four=True) == [40, -16, -12, -12]


def test_example_9_capture_is_paid_by_the_leader():
    options = {"lead": "21", "best": "42", "led_by": 0, "banker": "growing", "streak": 2, "deals": 2}
    assert settle([5, 2, 0, 1], 1, capture=True, **options) == [-31, 31, 0, 0]


def test_example_10_all_tricks():
    assert settle([0, 8, 0, 0], 1, slam=True) == [-20, 40, -10, -10]
    assert settle([0, 8, 0, 0], 1, lead="66 66", slam=True) == [-40, 80, -20, -20]


def test_example_11_what_beats_what():
    assert beats("66 66 63", "11 11 62")
    assert not beats("66 63 54", "11 11 62")
    assert not beats("11 62", "63 54")
    assert not beats("54", "63")


def test_example_12_early_death():
    last = ["51", "66", "44", "22"]
    assert from_tiles(last, [7, 0, 0, 0]).play("51").legal() == ["discard [6:6]"]
    assert from_tiles(last, [7, 0, 0, 0], early_death=False).play("51").legal() == ["[6:6]", "discard [6:6]"]
    two = from_tiles(["22 22", "66 66", "44 65", "65 55"], [6, 0, 0, 0]).play("22 22", "66 66")
    two.play("discard [4:4]", "discard [6:5]", "discard [5:5]", "discard [6:5]")
    assert two.winner() == 1
    assert two.state.taken.tolist() == [6, 2, 0, 0]


HANDS = ["63 62 61 55 52 42 11 11", "64 54 44 41 33 33 32 22", "66 66 65 55 51 43 22 21", "65 64 61 53 51 44 31 31"]
PLAY = [
    *["[6:2][1:1][1:1]", "d32", "d41", "d64", "d21", "d51", "d65", "d51", "d61", "d64"],
    *["[5:2]", "[5:4]", "d22", "d65"],
    *["[3:3][3:3]", "[6:6][6:6]", "d31", "d53", "d42", "d61"],
    *["[5:5]", "d31", "d55", "[4:4]"],
    *["[2:2]", "d43"],
]  # fmt: skip


def played(**options):
    moves = [f"discard [{move[1]}:{move[2]}]" if move[0] == "d" else move for move in PLAY]
    return dealt(HANDS, **options).play(*moves)


def test_example_13_whole_deal():
    position = played()
    assert position.legal() == ["discard [4:4]"]
    position.play("discard [4:4]", "discard [6:3]")
    assert position.state.taken.tolist() == [3, 3, 2, 0]
    assert position.payoffs() == [-2, 9, -2, -5]
    assert (position.winner(), position.next_leader()) == (1, 1)
    other = played(early_death=False).play("[4:4]", "discard [6:3]")
    assert other.state.taken.tolist() == [3, 2, 2, 1]
    assert other.payoffs() == [-2, -2, -2, 6]


# Combinations


def test_combinations_are_61_in_nine_classes():
    classes = [combination_class(name) for name in GAME.action_names[:DISCARD]]
    counted = {of: classes.count(of) for of in dict.fromkeys(classes)}
    assert counted == {
        "m1": 10, "c1": 11, "c2": 11, "m2": 4, "sup": 1, "x11": 8, "x21": 8, "x12": 4, "x22": 4
    }  # fmt: skip
    assert (len(COMBINATIONS), GAME.num_actions) == (61, 82) == (DISCARD, ACTIONS)


def test_tables_of_parts_say_what_tiles_hold_and_beat():
    rng = np.random.default_rng(1)
    for size in rng.integers(0, 32, 300):
        kinds = rng.permutation(DECK)[:size].tolist()
        counts, tiles = np.bincount(kinds, minlength=KINDS), tile_set(kinds)
        held = [c for c, each in enumerate(COMBINATIONS) if all(counts[k] >= each.kinds.count(k) for k in each.kinds)]
        assert combinations_in(tiles) == sum(1 << c for c in held)
        for civil_supreme in (0, 1):
            beaten = {c for c in range(61) for h in held if BEATEN_BY[civil_supreme, c] >> h & 1}
            assert beatable_by(civil_supreme, tiles) == sum(1 << c for c in beaten)


# Discards


def test_discard_under_way_leaves_tiles_that_may_follow():
    """Seat 1 has discarded one of three; the eight tiles it was dealt are uniform, but for that."""
    position = dealt(HANDS).play("[6:2][1:1][1:1]", "discard [3:2]")
    found = [position.redealt(2, key) for key in range(2000)]
    shown = np.zeros(KINDS)
    for each in found:
        (kind,) = tiles_in(int(each.state.discards[1]))
        shown[kind] += 1
        assert each.state.floor == kind
        assert sum(other >= kind for other in tiles_in(int(each.state.hands[1]))) >= 2
        assert each.mask().any()
    # The k-th lowest of eight is discarded first equally often for k up to six.
    assert shown[20] == 0


# Options


def test_preset_of_hong_kong():
    variant = TienGow.make(preset="hong-kong", deals=8)
    assert variant == TienGow.parse(["preset=hong-kong", "deals=8"])
    assert (variant.banker, variant.supreme_bonus, variant.four_bonus, variant.deals) == ("growing", 2, 4, 8)
    assert all(getattr(variant, f"last_{name}") for name in ("supreme", "four", "lowest"))
    assert all((variant.capture, variant.slam, variant.civil_supreme))
    assert TienGow.make(preset="hong-kong", slam=False).slam is False
    with pytest.raises(ValueError, match="preset='macau' is not allowed; choose hong-kong"):
        TienGow.make(preset="macau")


def test_lowest_tile_led_last_pays_its_bonus():
    options = {"leader": 3, "banker": "none"}
    for lead, best, civil in (("21", "42", False), ("51", "61", True)):
        plain = settle([4, 2, 1, 1], 0, lead=lead, last_lowest=False, civil_supreme=civil, **options)
        double = settle([4, 2, 1, 1], 0, lead=lead, last_lowest=True, civil_supreme=civil, **options)
        assert (plain, double) == ([8, -2, -3, -3], [16, -4, -6, -6])
        taken = settle([4, 2, 1, 1], 0, lead=lead, best=best, led_by=1, capture=True, civil_supreme=civil, **options)
        assert taken == [32, -32, 0, 0]
    assert settle([4, 2, 1, 1], 0, lead="51", last_lowest=True, **options) == [8, -2, -3, -3]


def test_bonuses_of_the_last_trick_multiply():
    options = {"slam": True, "last_four": True, "banker": "none"}
    assert settle([8, 0, 0, 0], 0, lead=FAMILY, **options) == [240, -80, -80, -80]
    assert settle([3, 5, 0, 0], 0, lead=FAMILY, **options) == [39, 1, -20, -20]


def test_payoff_bound_is_never_exceeded():
    assert GAME.payoff_bound(GAME.variant()) == 30
    assert settle([8, 0, 0, 0], 0) == [30, -10, -10, -10]


def test_chips_beyond_the_observation_are_shown_as_the_maximum():
    view, seen = np.zeros(1, GAME.view).view(np.recarray)[0], np.zeros(GAME.encoder.layout.size, np.int8)
    view.best, view.bonus, view.multiplier = -1, [-300, 300, 0, -128], 200
    GAME.encode(view, seen)
    parts = GAME.encoder.layout.split(seen)
    assert parts["bonus"].tolist() == [-127, 127, 0, -127] and parts["multiplier"].tolist() == [127]
