"""The worked examples of the rulebook page `tien-gow.md`, by number, and small positions for what they omit."""

import random
from collections import Counter
from functools import cache
from itertools import combinations, product

import pytest

from . import TienGow
from .examples import hands, play_all
from .tien_gow import CLASSES, HONG_KONG, class_of, order_in, settle
from .tiles import DECK, tiles


def combo(text):
    return tuple(sorted(tiles(text), reverse=True))


def face_up(text):
    return ("play", combo(text))


def down(text):
    """The moves that discard these tiles."""
    return [("discard", tile) for tile in sorted(tiles(text))]


def beats(one, other, civil_supreme=False):
    led = class_of(other, civil_supreme)
    order = order_in(led, one, civil_supreme)
    return order is not None and order > order_in(led, other, civil_supreme)


def last_trick(texts, tricks, leader=0, banker=0, **options):
    """Everybody's last tiles, with the tricks taken so far; `leader` leads."""
    referee = TienGow(hands(*texts), banker, **options)
    referee.tricks = list(tricks)
    referee.trick_leader = referee.winner = referee.to_act = leader
    return referee


# Combinations


@cache
def all_combinations():
    """Every combination by kind, by looking at all sets of one to four tiles of the deck."""
    found = set()
    for size in (1, 2, 3, 4):
        for tiles_of_set in combinations(sorted(DECK, reverse=True), size):
            if class_of(tiles_of_set):
                found.add(tiles_of_set)
    return sorted(found)


def test_combinations_are_61_in_nine_classes():
    counted = Counter(class_of(combination) for combination in all_combinations())
    expected = {"c1": 11, "m1": 10, "c2": 11, "m2": 4, "sup": 1, "x11": 8, "x21": 8, "x12": 4, "x22": 4}
    assert counted == expected
    assert sum(expected.values()) == 61
    with_civil = Counter(class_of(combination, civil_supreme=True) for combination in all_combinations())
    assert with_civil == expected | {"c2": 10, "civil sup": 1}


def test_combinations_beat_as_listed():
    won = Counter()
    for one, other in product(all_combinations(), repeat=2):
        if beats(one, other):
            assert class_of(one) == class_of(other)
            assert not beats(other, one)
            won[class_of(one)] += 1
    assert won == {"c1": 55, "m1": 41, "c2": 55, "m2": 6, "x11": 24, "x21": 24, "x12": 6, "x22": 6}
    civil = sum(beats(one, other, civil_supreme=True) for one, other in product(all_combinations(), repeat=2))
    assert civil == sum(won.values()) - 10 + 1


def test_ranks_of_single_tiles_and_families():
    civil = "[6:6] [1:1] [4:4] [3:1] [5:5] [3:3] [2:2] [6:5] [6:4] [6:1] [5:1]"
    for high, low in combinations(tiles(civil), 2):
        assert beats((high,), (low,))
        assert beats((high, high), (low, low))
    military = ["[6:3] [5:4]", "[6:2] [5:3]", "[5:2] [4:3]", "[4:2]", "[4:1] [3:2]", "[2:1]"]
    for high, low in combinations(military, 2):
        assert all(beats((one,), (other,)) for one in tiles(high) for other in tiles(low))
    for text in ("[6:6] [5:4]", "[6:6] [6:6] [6:3]", "[6:6] [6:3] [5:4]", "[6:6] [6:6] [6:3] [5:4]"):
        assert class_of(tuple(tiles(text)))
    families = ["[6:6] [6:3]", "[1:1] [5:3]", "[4:4] [5:2]", "[3:1] [4:1]"]
    for high, low in combinations(families, 2):
        assert beats(combo(high), combo(low))


@pytest.mark.parametrize(
    "text",
    [
        "[6:6] [1:1]",
        "[6:6] [6:2]",
        "[5:5] [6:4]",
        "[4:2] [4:1]",
        "[4:2] [5:1]",
        "[6:3] [6:2]",
        "[6:6] [6:6] [1:1]",
        "[4:4] [5:2] [6:3]",
        "[6:6] [6:6] [1:1] [1:1]",
        "[6:6] [4:2] [2:1]",
        "[6:6] [6:6] [4:2] [2:1]",
    ],
)
def test_invalid_combinations(text):
    assert class_of(tuple(tiles(text))) is None


# Worked examples: settlement


def test_example_1_debts():
    tricks = [0, 1, 4, 6]
    assert [-settle([taken, 0], 1, 9, 1)[0] for taken in tricks] == [5, 3, 0, -2]


@pytest.mark.parametrize(
    ("tricks", "winner", "banker", "multiplier", "options", "payoffs"),
    [
        pytest.param((1, 4, 0, 3), 3, 0, 2, {}, [-6, 0, -5, 11], id="2"),
        pytest.param((5, 1, 0, 2), 3, 0, 3, {}, [1, -3, -5, 7], id="3"),
        pytest.param((5, 1, 0, 2), 3, 0, 3, {"banker_over": "multiplied"}, [3, -3, -5, 5], id="3, multiplied"),
        pytest.param((3, 0, 4, 1), 0, 0, 2, {}, [16, -10, 0, -6], id="4"),
        pytest.param((1, 6, 0, 1), 0, 1, 2, {}, [6, 2, -5, -3], id="5"),
        pytest.param((1, 6, 0, 1), 0, 1, 2, {"banker_over": "multiplied"}, [4, 4, -5, -3], id="5, multiplied"),
        pytest.param((1, 6, 0, 1), 0, 1, 5, {"banker_over": "multiplied"}, [-2, 10, -5, -3], id="5, multiplied by 5"),
        pytest.param((2, 2, 2, 2), 0, 0, 2, {"factor": 2}, [24, -8, -8, -8], id="7"),
        pytest.param((4, 2, 1, 1), 0, 1, 2, {"factor": 4}, [40, -16, -12, -12], id="8"),
        pytest.param((5, 2, 0, 1), 1, 0, 3, {"captured_seat": 0}, [-31, 31, 0, 0], id="9"),
        pytest.param((0, 8, 0, 0), 1, 0, 2, {"factor": 2}, [-20, 40, -10, -10], id="10, one tile"),
        pytest.param((0, 8, 0, 0), 1, 0, 2, {"factor": 4}, [-40, 80, -20, -20], id="10, two or more"),
    ],
)
def test_examples_2_to_10_settlement(tricks, winner, banker, multiplier, options, payoffs):
    assert settle(tricks, winner, banker, multiplier, **options) == payoffs


# Each hand is eight tiles; nobody but seat 0 has anything to say in the first trick.
SUPREME_HANDS = (
    "[4:2] [2:1] [5:1] [5:1] [6:1] [6:1] [6:4] [6:4]",
    "[6:6] [6:6] [1:1] [1:1] [4:4] [4:4] [3:1] [3:1]",
    "[5:5] [5:5] [3:3] [3:3] [2:2] [2:2] [6:5] [6:5]",
    "[6:3] [5:4] [6:2] [5:3] [5:2] [4:3] [4:1] [3:2]",
)


def discard_all(referee, seats=3):
    """The next seats discard the first tiles they may."""
    for _ in range(seats):
        seat = referee.to_act
        while referee.to_act == seat and not referee.terminated and referee.lead:
            referee.play(next(move for move in referee.moves() if move[0] == "discard"))
    return referee


@pytest.mark.parametrize(("leader", "payoffs"), [(0, [12, -4, -4, -4]), (2, [-4, -2, 8, -2])])
def test_example_6_supreme_bonus(leader, payoffs):
    dealt = hands(*SUPREME_HANDS)
    dealt[0], dealt[leader] = dealt[leader], dealt[0]
    referee = TienGow(dealt, 0, supreme_bonus=2)
    referee.to_act = referee.trick_leader = leader
    referee.play(face_up("[4:2] [2:1]"))
    assert all(move[0] == "discard" for move in referee.moves())
    discard_all(referee)
    assert referee.bonuses == payoffs
    assert referee.to_act == leader


def test_example_7_supreme_pair_wins_the_last_trick():
    texts = ("[4:2] [2:1]", "[6:6] [6:6]", "[6:3] [5:4]", "[1:1] [6:2]")
    for last_supreme, payoffs in ((True, [24, -8, -8, -8]), (False, [12, -4, -4, -4])):
        referee = last_trick(texts, [0, 2, 2, 2], last_supreme=last_supreme, supreme_bonus=2)
        discard_all(play_all(referee, face_up("[4:2] [2:1]")))
        assert referee.terminated
        assert referee.tricks == [2, 2, 2, 2]
        assert referee.payoffs() == payoffs  # and no bonus at once


def test_example_8_four_tiles_win_the_last_trick():
    texts = ("[6:6] [6:6] [6:3] [5:4]", "[1:1] [1:1] [6:2] [5:3]", "[5:5] [5:5] [3:3] [3:3]", "[2:2] [2:2] [3:2] [4:1]")
    for leads, tricks in ((0, [0, 2, 1, 1]), (1, [0, 2, 1, 1])):
        referee = last_trick(texts, tricks, leader=leads, banker=1, last_four=True, four_bonus=4)
        referee.play(face_up(texts[leads]))
        while not referee.terminated:
            plays = [move for move in referee.moves() if move[0] == "play"]
            referee.play(plays[0] if plays else referee.moves()[0])
        assert referee.tricks == [4, 2, 1, 1]
        assert referee.payoffs() == [40, -16, -12, -12]


def test_example_9_capture():
    referee = last_trick(("[2:1]", "[4:2]", "[6:6]", "[1:1]"), [5, 1, 0, 1], capture=True, banker="growing", streak=2)
    play_all(referee, face_up("[2:1]"), face_up("[4:2]"), *down("[6:6]"), *down("[1:1]"))
    assert referee.tricks == [5, 2, 0, 1]
    assert referee.payoffs() == [-31, 31, 0, 0]
    referee.capture = False
    assert referee.payoffs() == [1, 7, -5, -3]


@pytest.mark.parametrize(
    ("texts", "lead", "tricks", "payoffs"),
    [
        (("[5:1]", "[6:6]", "[2:2]", "[3:3]"), "[6:6]", 7, [-20, 40, -10, -10]),
        (("[5:1] [6:1]", "[6:6] [6:6]", "[2:2] [4:4]", "[3:3] [3:1]"), "[6:6] [6:6]", 6, [-40, 80, -20, -20]),
    ],
)
def test_example_10_slam(texts, lead, tricks, payoffs):
    referee = last_trick(texts, [0, tricks, 0, 0], leader=1, slam=True)
    discard_all(play_all(referee, face_up(lead)))
    assert referee.tricks == [0, 8, 0, 0]
    assert referee.payoffs() == payoffs
    referee.slam = False
    assert referee.payoffs() == [-10, 20, -5, -5]


# Worked examples: play


def test_example_11_what_beats_what():
    assert beats(combo("[6:6] [6:6] [6:3]"), combo("[1:1] [1:1] [6:2]"))
    assert not beats(combo("[6:6] [6:3] [5:4]"), combo("[1:1] [1:1] [6:2]"))
    assert not beats(combo("[1:1] [6:2]"), combo("[6:3] [5:4]"))
    assert not beats(combo("[5:4]"), combo("[6:3]"))
    assert not beats(combo("[6:3]"), combo("[5:4]"))


def test_example_12_early_death():
    texts = ("[5:1]", "[6:6]", "[3:3]", "[2:1]")
    referee = play_all(last_trick(texts, [7, 0, 0, 0]), face_up("[5:1]"))
    assert referee.moves() == down("[6:6]")
    referee = play_all(last_trick(texts, [7, 0, 0, 0], early_death=False), face_up("[5:1]"))
    assert set(referee.moves()) == {face_up("[6:6]"), *down("[6:6]")}

    texts = ("[2:2] [2:2]", "[6:6] [6:6]", "[3:3] [3:1]", "[2:1] [4:1]")
    referee = play_all(last_trick(texts, [6, 0, 0, 0]), face_up("[2:2] [2:2]"))
    assert face_up("[6:6] [6:6]") in referee.moves()
    discard_all(play_all(referee, face_up("[6:6] [6:6]")), seats=2)
    assert (referee.tricks, referee.winner) == ([6, 2, 0, 0], 1)
    assert referee.next_leader() == 1


def test_early_death_spares_seats_with_a_trick():
    referee = play_all(last_trick(("[5:1]", "[6:6]", "[3:3]", "[2:1]"), [6, 1, 0, 0]), face_up("[5:1]"))
    assert face_up("[6:6]") in referee.moves()
    texts = ("[5:1] [2:2]", "[6:6] [1:1]", "[3:3] [4:4]", "[2:1] [4:2]")
    referee = play_all(last_trick(texts, [6, 0, 0, 0]), face_up("[5:1]"))
    assert face_up("[6:6]") in referee.moves()


WHOLE_DEAL = (
    "[6:3] [6:2] [6:1] [5:5] [5:2] [4:2] [1:1] [1:1]",
    "[6:4] [5:4] [4:4] [4:1] [3:3] [3:3] [3:2] [2:2]",
    "[6:6] [6:6] [6:5] [5:5] [5:1] [4:3] [2:2] [2:1]",
    "[6:5] [6:4] [6:1] [5:3] [5:1] [4:4] [3:1] [3:1]",
)
FOUR_TRICKS = [
    [face_up("[1:1] [1:1] [6:2]"), *down("[6:4] [4:1] [3:2]"), *down("[6:5] [5:1] [2:1]"), *down("[6:4] [6:1] [5:1]")],
    [face_up("[5:2]"), face_up("[5:4]"), *down("[2:2]"), *down("[6:5]")],
    [face_up("[3:3] [3:3]"), face_up("[6:6] [6:6]"), *down("[5:3] [3:1]"), *down("[6:1] [4:2]")],
    [face_up("[5:5]"), *down("[3:1]"), *down("[5:5]"), face_up("[4:4]")],
]


def to_the_last_trick(**options):
    referee = TienGow(hands(*WHOLE_DEAL), 0, **options)
    assert Counter(sum(referee.hands, [])) == Counter(DECK)
    tricks_after = [[3, 0, 0, 0], [3, 1, 0, 0], [3, 1, 2, 0], [3, 2, 2, 0]]
    for moves, tricks in zip(FOUR_TRICKS, tricks_after, strict=True):
        play_all(referee, *moves)
        assert referee.tricks == tricks
    return play_all(referee, face_up("[2:2]"), *down("[4:3]"))


def test_example_13_whole_deal():
    referee = to_the_last_trick()
    assert referee.moves() == down("[4:4]")
    play_all(referee, *down("[4:4]"), *down("[6:3]"))
    assert referee.terminated
    assert referee.tricks == [3, 3, 2, 0]
    assert referee.payoffs() == [-2, 9, -2, -5]
    assert (referee.next_leader(), referee.next_streak()) == (1, 1)


def test_example_13_without_early_death():
    referee = to_the_last_trick(early_death=False)
    play_all(referee, face_up("[4:4]"), *down("[6:3]"))
    assert (referee.tricks, referee.winner) == ([3, 2, 2, 1], 3)
    assert referee.payoffs() == [-2, -2, -2, 6]


# Leads, beats and discards


@pytest.mark.parametrize(
    ("option", "classes"),
    [
        ("modern", {"c1", "m1", "c2", "m2", "sup", "x11", "x21", "x12", "x22"}),
        ("pairs", {"c1", "m1", "c2", "m2", "sup", "x11"}),
        ("pure", {"c1", "m1", "c2", "m2", "sup"}),
        ("single", {"c1", "m1"}),
    ],
)
def test_leads_that_are_legal(option, classes):
    """The hand may hold any combination; a leader may play part of a larger set."""
    referee = TienGow([list(DECK), [], [], []], 0, combinations=option)
    expected = {("play", each) for each in all_combinations() if class_of(each) in classes}
    assert set(referee.moves()) == expected
    assert len(referee.moves()) == len(expected)


@pytest.mark.parametrize("option", CLASSES)
def test_civil_supreme_pair_can_be_led_wherever_pairs_can(option):
    referee = TienGow(hands("[5:1] [5:1]", "[6:1] [6:1]"), 0, combinations=option, civil_supreme=True)
    assert (face_up("[5:1] [5:1]") in referee.moves()) == (option != "single")


def test_discards_reach_every_choice_of_tiles_in_one_way():
    hand = tiles("[6:6] [6:6] [4:2] [4:1] [2:2] [2:2] [1:1] [6:5]")
    for lead in ("[6:5]", "[3:3] [3:3]", "[4:4] [5:2] [4:3]", "[1:1] [1:1] [6:2] [5:3]"):
        size = len(tiles(lead))
        reached = []
        paths = [[]]
        while paths:
            path = paths.pop()
            referee = TienGow([tiles(lead) + tiles("[5:1]"), hand], 0)
            play_all(referee, face_up(lead), *path)
            if len(path) == size:
                assert referee.to_act == 0 or referee.terminated
                reached.append(tuple(tile for _, tile in path))
            else:
                assert referee.to_act == 1
                paths += [[*path, move] for move in referee.moves() if move[0] == "discard"]
        assert len(reached) == len(set(reached))
        assert set(reached) == set(combinations(sorted(hand), size))


def test_beating_set_may_be_discarded_and_a_begun_discard_goes_on():
    referee = TienGow(hands("[1:1] [1:1] [2:2]", "[6:6] [6:6] [5:1]"), 0)
    referee.play(face_up("[1:1] [1:1]"))
    assert set(referee.moves()) == {face_up("[6:6] [6:6]"), ("discard", (5, 1)), ("discard", (6, 6))}
    referee.play(("discard", (6, 6)))
    assert (referee.to_act, referee.moves()) == (1, [("discard", (6, 6))])
    referee.play(("discard", (6, 6)))
    assert (referee.to_act, referee.tricks) == (0, [2, 0])


def test_supreme_tiles_are_otherwise_military_and_beat_nothing():
    referee = TienGow(hands("[4:1] [6:1]", "[4:2] [2:1]"), 0)
    referee.play(face_up("[4:1]"))
    assert set(referee.moves()) == {face_up("[4:2]"), ("discard", (4, 2)), ("discard", (2, 1))}
    referee = TienGow(hands("[4:1] [3:2] [5:1]", "[4:2] [2:1] [5:1]"), 0)
    referee.play(face_up("[4:1] [3:2]"))
    assert {move[0] for move in referee.moves()} == {"discard"}


def test_highest_so_far_has_to_be_beaten():
    referee = TienGow(hands("[5:1] [5:5]", "[3:3] [5:5]", "[2:2] [4:4]", "[3:3] [6:6]"), 0)
    play_all(referee, face_up("[5:1]"), face_up("[3:3]"))
    assert set(referee.moves()) == {face_up("[4:4]"), ("discard", (2, 2)), ("discard", (4, 4))}
    referee.play(("discard", (4, 4)))
    assert face_up("[3:3]") not in referee.moves()
    referee.play(face_up("[6:6]"))
    assert (referee.to_act, referee.tricks) == (3, [0, 0, 0, 1])


# The banker


def test_multiplier_of_the_banker():
    def multipliers(banker):
        return [TienGow(hands("[6:6]", "[1:1]"), 0, banker=banker, streak=streak).multiplier() for streak in (1, 2, 3)]

    assert multipliers("none") == [1, 1, 1]
    assert multipliers("double") == [2, 2, 2]
    assert multipliers("growing") == [2, 3, 4]


def test_winner_is_the_next_banker_and_its_streak_grows():
    referee = discard_all(play_all(last_trick(("[6:6]", "[1:1]", "[3:3]", "[2:1]"), [4, 1, 1, 1]), face_up("[6:6]")))
    assert (referee.next_leader(), referee.next_streak()) == (0, 2)
    referee.streak = 3
    assert referee.next_streak() == 4
    referee.leader = 1
    assert (referee.next_leader(), referee.next_streak()) == (0, 1)


def test_deal_without_bonuses_moves_at_most_30_chips():
    most = max(
        max(settle(tricks, winner, banker, 2))
        for tricks in product(range(9), repeat=4)
        if sum(tricks) == 8
        for winner in range(4)
        if tricks[winner] > 0
        for banker in range(4)
    )
    assert most == 30


# Bonuses


def test_four_bonus_is_paid_to_the_winner_of_the_trick():
    texts = ("[1:1] [1:1] [6:2] [5:3] [2:1]", "[6:6] [6:6] [6:3] [5:4] [5:1]", "[5:5] [5:5] [3:3] [3:3] [2:2]")
    texts += ("[2:2] [3:2] [4:1] [6:1] [6:1]",)
    for four_bonus, bonuses in ((4, [-8, 16, -4, -4]), (2, [-4, 8, -2, -2]), (0, [0, 0, 0, 0])):
        referee = TienGow(hands(*texts), 0, four_bonus=four_bonus)
        play_all(referee, face_up(texts[0][:23]), face_up(texts[1][:23]))
        discard_all(referee, seats=2)
        assert referee.bonuses == bonuses
        assert referee.tricks == [0, 4, 0, 0]


def test_bonuses_are_multiplied_by_the_growing_banker():
    referee = TienGow(hands(*SUPREME_HANDS), 0, **HONG_KONG, streak=3)
    discard_all(play_all(referee, face_up("[4:2] [2:1]")))
    assert referee.bonuses == [24, -8, -8, -8]


def test_bonuses_are_added_to_the_settlement():
    texts = ("[4:2] [2:1] [5:5]", "[6:6] [1:1] [3:1]", "[3:3] [2:2] [6:1]", "[6:5] [6:4] [4:4]")
    referee = last_trick(texts, [1, 2, 1, 1], supreme_bonus=2)
    discard_all(play_all(referee, face_up("[4:2] [2:1]")))
    play_all(referee, face_up("[5:5]"), face_up("[6:6]"), *down("[6:1]"), *down("[6:5]"))
    assert referee.tricks == [3, 3, 1, 1]
    # Seat 1 wins 1 * 2 from the banker, 3 and 3; before, the banker won 2 * 2 from each.
    assert referee.payoffs() == [12 - 2, -4 + 8, -4 - 3, -4 - 3]


def lowest(texts, moves, **options):
    referee = last_trick(texts, [3, 2, 1, 1], **options)
    return play_all(referee, *moves)


def test_last_lowest():
    texts = ("[2:1]", "[6:6]", "[4:2]", "[5:1]")
    unbeaten = [face_up("[2:1]"), *down("[6:6]"), *down("[4:2]"), *down("[5:1]")]
    for on, payoffs in ((True, [32, -8, -12, -12]), (False, [16, -4, -6, -6])):
        assert lowest(texts, unbeaten, last_lowest=on).payoffs() == payoffs
    beaten = [face_up("[2:1]"), *down("[6:6]"), face_up("[4:2]"), *down("[5:1]")]
    referee = lowest(texts, beaten, last_lowest=True)
    assert referee.payoffs() == lowest(texts, beaten).payoffs() == [-2, -2, 7, -3]


def test_capture_after_2_1_was_beaten_and_by_another_tile():
    texts = ("[2:1]", "[4:1]", "[4:2]", "[5:1]")
    moves = [face_up("[2:1]"), face_up("[4:1]"), face_up("[4:2]"), *down("[5:1]")]
    # Seat 0 owes 1 * 2, seat 1 owes 2, seat 3 owes 3, and seat 0 pays all four times.
    assert lowest(texts, moves, capture=True).payoffs() == [-28, 0, 28, 0]
    texts = ("[2:1]", "[4:2]", "[6:3]", "[5:1]")
    moves = [face_up("[2:1]"), face_up("[4:2]"), face_up("[6:3]"), *down("[5:1]")]
    referee = lowest(texts, moves, capture=True)
    assert referee.captured_seat() is None
    assert referee.payoffs() == [-2, -2, 7, -3]


def test_capture_with_the_banker_winning_and_seats_over_par():
    texts = ("[4:2]", "[2:1]", "[6:6]", "[1:1]")
    referee = last_trick(texts, [1, 1, 5, 0], leader=1, banker=0, capture=True)
    play_all(referee, face_up("[2:1]"), *down("[6:6]"), *down("[1:1]"), face_up("[4:2]"))
    # t = 2, 1, 5, 0: seat 1 owes 3 * 2 and seat 3 owes 5 * 2; the winner pays seat 2 1 * 2.
    assert referee.payoffs() == [62, -64, 2, 0]


def test_lone_2_1_of_an_earlier_trick_counts_for_nothing():
    texts = ("[2:1] [6:6]", "[4:2] [1:1]", "[3:3] [3:1]", "[4:4] [2:2]")
    referee = last_trick(texts, [2, 1, 2, 1], capture=True, last_lowest=True, supreme_bonus=2)
    play_all(referee, face_up("[2:1]"), face_up("[4:2]"), *down("[3:3]"), *down("[4:4]"))
    assert referee.bonuses == [0, 0, 0, 0]
    play_all(referee, face_up("[1:1]"), *down("[3:1]"), *down("[2:2]"), face_up("[6:6]"))
    assert referee.tricks == [3, 2, 2, 1]
    assert referee.payoffs() == [14, -4, -4, -6]


def test_factors_of_the_last_trick_are_multiplied():
    texts = ("[4:2] [2:1]", "[6:6] [1:1]", "[5:5] [3:3]", "[2:2] [6:5]")
    referee = last_trick(texts, [6, 0, 0, 0], slam=True, last_supreme=True)
    discard_all(play_all(referee, face_up("[4:2] [2:1]")))
    assert referee.factor() == 8
    assert referee.payoffs() == [240, -80, -80, -80]
    referee = last_trick(("[2:1]", "[6:6]", "[5:5]", "[3:3]"), [7, 0, 0, 0], slam=True, last_lowest=True)
    discard_all(play_all(referee, face_up("[2:1]")))
    assert referee.factor() == 4
    texts = ("[1:1] [1:1] [6:2] [5:3]", "[5:5] [5:5] [3:3] [2:2]", "[2:2] [3:3] [6:5] [6:5]", "[6:4] [6:4] [6:1] [6:1]")
    referee = last_trick(texts, [4, 0, 0, 0], slam=True, last_four=True)
    discard_all(play_all(referee, face_up("[1:1] [1:1] [6:2] [5:3]")))
    assert referee.factor() == 16


def test_seats_over_par_are_paid_plainly():
    texts = ("[4:2] [2:1]", "[6:6] [1:1]", "[5:5] [3:3]", "[2:2] [6:5]")
    referee = last_trick(texts, [0, 6, 0, 0], last_supreme=True)
    discard_all(play_all(referee, face_up("[4:2] [2:1]")))
    # Seat 1 gets 2 * 2 from the banker; the others owe 5 * 2 * 2.
    assert referee.payoffs() == [36, 4, -20, -20]


# The civil supreme pair

CIVIL_HANDS = ("[5:1] [5:1] [2:2]", "[5:5] [5:5] [3:3]", "[6:1] [6:1] [3:1]", "[6:6] [6:6] [4:1]")


def test_pair_of_6_1_alone_beats_the_civil_supreme_pair():
    referee = TienGow(hands(*CIVIL_HANDS), 0, civil_supreme=True, supreme_bonus=2)
    referee.play(face_up("[5:1] [5:1]"))
    assert face_up("[5:5] [5:5]") not in referee.moves()
    play_all(referee, *down("[5:5] [5:5]"))
    assert face_up("[6:1] [6:1]") in referee.moves()
    referee.play(face_up("[6:1] [6:1]"))
    assert face_up("[6:6] [6:6]") not in referee.moves()
    play_all(referee, *down("[6:6] [6:6]"))
    assert referee.bonuses == [-4, -2, 8, -2]
    assert referee.to_act == 2


def test_civil_supreme_pair_collects_when_it_wins():
    for supreme_bonus, bonuses in ((2, [12, -4, -4, -4]), (0, [0, 0, 0, 0])):
        referee = TienGow(hands(*CIVIL_HANDS), 0, civil_supreme=True, supreme_bonus=supreme_bonus)
        discard_all(play_all(referee, face_up("[5:1] [5:1]")))
        assert referee.bonuses == bonuses


def test_pair_of_5_1_is_the_lowest_civil_pair_without_the_option():
    referee = TienGow(hands(*CIVIL_HANDS), 0, supreme_bonus=2)
    referee.play(face_up("[5:1] [5:1]"))
    assert face_up("[5:5] [5:5]") in referee.moves()
    play_all(referee, *down("[5:5] [5:5]"), face_up("[6:1] [6:1]"))
    assert face_up("[6:6] [6:6]") in referee.moves()
    discard_all(referee, seats=1)
    assert referee.bonuses == [0, 0, 0, 0]


def test_pair_of_6_1_is_ordinary_in_other_tricks():
    referee = TienGow(hands("[6:1] [6:1] [2:2]", "[5:1] [5:1] [3:3]", "[6:4] [6:4] [3:1]"), 0, civil_supreme=True)
    referee.play(face_up("[6:1] [6:1]"))
    assert {move[0] for move in referee.moves()} == {"discard"}
    play_all(referee, *down("[5:1] [5:1]"))
    assert face_up("[6:4] [6:4]") in referee.moves()


def test_civil_supreme_pair_in_the_last_trick():
    texts = ("[5:1] [5:1]", "[5:5] [5:5]", "[6:1] [6:1]", "[6:6] [6:6]")
    options = {"civil_supreme": True, "last_supreme": True, "supreme_bonus": 2}
    referee = last_trick(texts, [0, 2, 2, 2], **options)
    discard_all(play_all(referee, face_up("[5:1] [5:1]")))
    assert referee.payoffs() == [24, -8, -8, -8]
    referee = last_trick(texts, [2, 2, 0, 2], **options)
    play_all(referee, face_up("[5:1] [5:1]"), *down("[5:5] [5:5]"), face_up("[6:1] [6:1]"), *down("[6:6] [6:6]"))
    assert referee.payoffs() == [-4, -2, 8, -2]  # the capturing pair doubles nothing


def test_single_5_1_is_lowest_and_can_be_captured():
    texts = ("[5:1]", "[6:6]", "[6:1]", "[2:1]")
    unbeaten = [face_up("[5:1]"), *down("[6:6]"), *down("[6:1]"), *down("[2:1]")]
    assert lowest(texts, unbeaten, last_lowest=True, civil_supreme=True).factor() == 2
    assert lowest(texts, unbeaten, last_lowest=True).factor() == 1
    captured = [face_up("[5:1]"), *down("[6:6]"), face_up("[6:1]"), *down("[2:1]")]
    assert lowest(texts, captured, capture=True, civil_supreme=True).payoffs() == [-28, 0, 28, 0]
    assert lowest(texts, captured, capture=True).payoffs() == [-2, -2, 7, -3]


def test_hong_kong_preset_has_all_bonuses_and_a_growing_banker():
    off = TienGow(hands("[6:6]", "[1:1]"), 0)
    on = TienGow(hands("[6:6]", "[1:1]"), 0, **HONG_KONG)
    assert (off.multiplier(), on.multiplier()) == (2, 2)
    on.streak = 2
    assert on.multiplier() == 3
    changed = {name for name in vars(off) if getattr(off, name) != getattr(on, name)} - {"streak"}
    assert changed == set(HONG_KONG)


# The tiny deck and random play

TINY = tiles("[6:6] [6:6] [6:3] [5:4] [4:2] [2:1] [5:1] [5:1]")


def test_tiny_deck_has_par_two_and_three_for_no_trick():
    assert settle([0, 4], 1, 1, 2, par=2) == [-6, 6]
    assert settle([1, 3], 1, 0, 1, par=2) == [-1, 1]
    assert settle([3, 1], 1, 0, 2, par=2) == [1, -1]
    rng = random.Random(2)
    for _ in range(100):
        deck = rng.sample(TINY, 8)
        referee = TienGow([deck[:4], deck[4:]], rng.randrange(2), par=2)
        while not referee.terminated:
            referee.play(rng.choice(referee.moves()))
        assert sum(referee.tricks) == 4
        assert sum(referee.payoffs()) == 0
        assert max(referee.payoffs()) <= 6


def test_random_deals_have_eight_tricks_and_31_decisions():
    rng = random.Random(31)
    decisions = 0
    for number in range(120):
        deck = rng.sample(DECK, 32)
        options = HONG_KONG if number % 2 else {}
        referee = TienGow([deck[8 * seat : 8 * seat + 8] for seat in range(4)], rng.randrange(4), **options)
        while not referee.terminated:
            referee.play(rng.choice(referee.moves()))
            decisions += 1
        assert sum(referee.tricks) == 8
        assert sum(referee.payoffs()) == sum(referee.bonuses) == 0
        assert referee.tricks[referee.winner] > 0
        for seat in range(4):
            assert len(referee.played[seat]) + len(referee.discards[seat]) == 8
    assert decisions / 120 == pytest.approx(31, abs=0.5)
