"""Positions of Small Mahjong: what triplets and wins count, and what may be claimed, against all splits of a hand."""

from collections import Counter
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from gupai_env.positions.small_mahjong import claims, from_tiles, settle, triplet_points, win_points

from adapters import FACES
from gupai_env.core.episode import NOBODY
from gupai_env.core.tiles import COPIES, DECK, KINDS, parse_tiles, tile_set
from gupai_env.games.small_mahjong.rules import SmallMahjong
from gupai_env.games.small_mahjong.triplets import TRIPLETS, prospects
from gupai_env.positions import small_mahjong
from mahjong_hands import DOUBLE_SET, DOUBLE_STRAIGHT, OFFERED, OTHERS, SET_AND_STRAIGHT, SIX, points_of


@pytest.mark.parametrize(
    ("tiles", "points"),
    [
        ("[2:2][5:2][5:5]", 3),
        ("[3:2][5:4][5:5]", 2),
        ("[2:1][4:3][5:3]", 1),
        ("[5:2][3:3][4:4]", 1),
        ("[2:1][3:1][3:2]", 1),  # 123 123
        ("[4:3][5:4][4:4]", 0),
    ],
)
def test_combinations_of_the_page(tiles, points):
    assert triplet_points(tiles) == points


def three_tiles():
    """All kinds of three tiles that one set can show."""
    for three in combinations_with_replacement(range(KINDS), 3):
        if all(three.count(kind) <= COPIES[kind] for kind in three):
            yield three


def reading(numbers, places):
    """The points of six numbers, those at some places being one group; 0 if these and the rest are not two."""
    groups = [sorted(numbers[place] for place in places)]
    groups.append(sorted(numbers[place] for place in range(6) if place not in places))
    sets = [group for group in groups if len(set(group)) == 1]
    straights = [group for group in groups if group == list(range(group[0], group[0] + 3))]
    if len(sets) + len(straights) < 2 or (len(sets) == 1 and sets[0][0] in straights[0]):
        return 0
    return 1 + len(sets)


def test_three_tile_kinds_equal_a_brute_force():
    by_points = Counter()
    for three in three_tiles():
        numbers = [number for kind in three for number in FACES[kind]]
        readings = {reading(numbers, places) for places in combinations(range(6), 3)} - {0}
        assert len(readings) <= 1
        assert points_of(three) == (readings.pop() if readings else 0), three
        by_points[points_of(three)] += 1
    assert by_points.total() == 1550
    assert by_points == {0: 1428, 1: 59, 2: 48, 3: 15}


def splits(hand):
    """The points of every way to split six kinds into two triplets."""
    for places in combinations(range(6), 3):
        one = points_of(hand[place] for place in places)
        other = points_of(hand[place] for place in range(6) if place not in places)
        if one and other:
            yield one + other


def random_hands(tiles, num, seed):
    rng = np.random.default_rng(seed)
    return [DECK[rng.permutation(len(DECK))[:tiles]].tolist() for _ in range(num)]


def winning_hands(num, seed):
    """Random pairs of triplets that one set of tiles can form together."""
    rng, hands = np.random.default_rng(seed), []
    while len(hands) < num:
        hand = [kind for at in rng.integers(len(TRIPLETS), size=2) for kind in TRIPLETS[at][1]]
        if all(hand.count(kind) <= COPIES[kind] for kind in hand):
            hands.append(rng.permutation(hand).tolist())
    return hands


def test_win_counts_its_best_split():
    several = 0
    for hand in [*random_hands(6, 200, 1), *winning_hands(300, 1)]:
        found = list(splits(hand))
        assert win_points([FACES[kind] for kind in hand]) == max(found, default=0)
        several += len(set(found)) > 1
    assert several > 5


def test_exposed_triplet_is_not_split_again():
    assert win_points("[6:6][5:5][4:4] [6:5][4:1][3:2]") == 5  # 666 555 and 123 444 too
    assert win_points("[6:6][5:5][4:4]", ["[6:5][4:1][3:2]"]) == 2
    assert win_points("", ["[6:6][5:5][4:4]", "[6:5][4:1][3:2]"]) == 2


def test_waits_and_claims_equal_trying_every_tile():
    for hand in [*random_hands(5, 30, 3), *(hand[:5] for hand in winning_hands(40, 3))]:
        waits, *near_to_far = map(int, prospects(tile_set(hand)))
        for kind in range(KINDS):
            if hand.count(kind) == COPIES[kind]:
                continue
            wins = any(splits([*hand, kind]))
            assert bool(waits >> (3 * kind) & 1) == wins
            best = max(points_of([kind, *pair]) for pair in combinations(hand, 2))
            for steps, kinds in enumerate(near_to_far, 1):
                assert bool(kinds >> (3 * kind) & 1) == (best >= steps)
                assert bool(claims([FACES[each] for each in hand], FACES[kind], steps)) == (wins or best >= steps)


@pytest.mark.parametrize(("triplet", "farthest"), [(DOUBLE_STRAIGHT, 1), (SET_AND_STRAIGHT, 2), (DOUBLE_SET, 3)])
@pytest.mark.parametrize("seat", [1, 2, 3])
def test_claim_reaches_one_seat_for_every_point(triplet, farthest, seat):
    hand = triplet.replace(OFFERED, "") + "[6:6][6:5][1:1]"
    assert claims(hand, OFFERED, seat) == [triplet] * (seat <= farthest)


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_claim_that_completes_a_win_comes_from_any_distance(seat):
    assert claims("[3:3][4:4]" + "[2:1][4:3][5:3]", OFFERED, seat) == [DOUBLE_STRAIGHT]
    assert claims("[3:3][4:4]", OFFERED, seat, melds=["[2:1][4:3][5:3]"]) == [DOUBLE_STRAIGHT]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: from_tiles(["[5:2][5:2]", *OTHERS]), r"\[5:2\] is given 2 times; the deck has 1"),
        (lambda: from_tiles([SIX, *OTHERS[:2], "[6:3]"]), "seat 3 has 1 tiles"),
        (lambda: from_tiles(["[2:2][5:2][5:5] [2:1][4:3]", *OTHERS]), "cannot draw"),
        (lambda: from_tiles([SIX, *OTHERS], turn=4), "turn=4 is not allowed"),
        (lambda: from_tiles(["22 33", *OTHERS], melds=[["43 54 44"], [], [], []]), "is not a triplet"),
        (
            lambda: from_tiles(["21 33", *OTHERS], melds=[["22 52 55"], [], [], []], expose_claims=False),
            "melds are not",
        ),
        (
            lambda: from_tiles([SIX, *OTHERS], claimed=["", "", "66", ""], expose_claims=False),
            r"\[6:6\] is given 1 times; the deck has 0",
        ),
        (lambda: from_tiles([SIX, *OTHERS], claimed=["", OTHERS[0][:5], "", ""]), "claimed is only allowed with"),
        (lambda: from_tiles([SIX]), "players=1 is not allowed"),
        (lambda: triplet_points("11 22"), "a triplet is three tiles, not 2"),
        (lambda: win_points("11 22 33"), "a win is 6 tiles, not 3"),
        (lambda: claims("11 22 33", OFFERED, 1), "a seat that claims has 5 tiles, not 3"),
        (lambda: claims("11 22 33 44 55", OFFERED, 4), "seats_away=4 is not allowed"),
        (lambda: settle(4, SIX), "winner=4 is not allowed"),
        (lambda: settle(0, "11 22 41 44 55 66"), "not two triplets"),
        (lambda: SmallMahjong(players=2), "players=2 is not allowed"),
    ],
)
def test_bad_input_is_refused_with_one_line(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("players", [3, 4])
def test_second_triplet_set_up_by_hand_was_claimed_from_before(players):
    hands, second = ["66 66 65 65 64", "11 11 31 31 61", "44 44 62 63 41", ""], "21 43 53"
    for turn, leader in product(range(players), repeat=2):
        laid_out = [["22 52 55", second] if seat == turn else [] for seat in range(players)]
        held = [hands[(seat - turn - 1) % players] if seat != turn else "" for seat in range(players)]
        position = small_mahjong.from_tiles(held, melds=laid_out, turn=turn, leader=leader)
        for seat in range(players):
            view = position.view(seat)
            whose = (seat + view.leader + np.cumsum(view.steps[: view.turns])) % players
            assert whose.tolist() == [(turn - 1) % players, turn]
            assert (view.mover + seat) % players == turn
            assert view.thrown[: view.turns].tolist() in [[kind, NOBODY] for kind in parse_tiles(second)]
