"""Small Mahjong: triplets, claims and wins of its page, who is asked, and what shows of it."""

from collections import Counter
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest

from gupai_env import get_game
from gupai_env.core.tiles import COPIES, DECK, KINDS, ONE, PIPS, count, set_name, tile_set, tiles_in
from gupai_env.games.small_mahjong import (
    LAY_OUT,
    TRIPLETS,
    best_split,
    prospects,
)
from gupai_env.positions.small_mahjong import claims, triplet_points
from walks import random_walk, views_of

GAME = get_game("small-mahjong")
FACES = [(int(high), int(low)) for high, low in PIPS]
JUNK = "[6:6] [6:5] [5:5] [3:3] [2:2]"  # waits for nothing and claims little


# Triplets


@pytest.mark.parametrize(
    ("tiles", "points"),
    [
        ("[2:2][5:2][5:5]", 3),
        ("[3:2][5:4][5:5]", 2),
        ("[2:1][4:3][5:3]", 1),
        ("[5:2][3:3][4:4]", 1),
        ("[2:1][3:1][3:2]", 1),
        ("[4:3][5:4][4:4]", 0),
    ],
)
def test_the_combinations_of_the_page(tiles, points):
    assert triplet_points(tiles) == points


def test_all_kinds_of_three_tiles_agree_with_a_brute_force_over_their_six_numbers():
    """Every way to choose three of the six numbers is tried; whatever is left is the other group."""
    kinds = [
        three
        for three in combinations_with_replacement(range(KINDS), 3)
        if all(three.count(kind) <= COPIES[kind] for kind in three)
    ]
    assert len(kinds) == 1550
    by_points = Counter()
    for three in kinds:
        numbers = [number for kind in three for number in FACES[kind]]
        readings = {brute_force(numbers, places) for places in combinations(range(6), 3)} - {0}
        assert len(readings) <= 1
        points = triplet_points([FACES[kind] for kind in three])
        assert points == (readings.pop() if readings else 0), three
        by_points[points] += 1
    assert by_points == {0: 1428, 1: 59, 2: 48, 3: 15}


def brute_force(numbers, places):
    """The points of six numbers with those at some places as one group; 0 if these are not two groups."""
    one = sorted(numbers[place] for place in places)
    other = sorted(numbers[place] for place in range(6) if place not in places)
    sets = [group for group in (one, other) if len(set(group)) == 1]
    straights = [group for group in (one, other) if group == [group[0], group[0] + 1, group[0] + 2]]
    if len(sets) + len(straights) < 2 or (len(sets) == 1 and sets[0][0] in straights[0]):
        return 0
    return 1 + len(sets)


def test_the_actions_name_every_triplet_once():
    assert len(TRIPLETS) == len({kinds for _, kinds in TRIPLETS}) == GAME.num_actions - LAY_OUT - 1 == 122
    assert GAME.action_names[-1] == "claim [6:5][6:5][6:5]" or "claim" in GAME.action_names[-1]


# Hands, against all their splits


def splits(hand):
    """The points of every way to split six kinds into two triplets."""
    for places in combinations(range(6), 3):
        one = [FACES[hand[place]] for place in places]
        other = [FACES[hand[place]] for place in range(6) if place not in places]
        if triplet_points(one) and triplet_points(other):
            yield triplet_points(one) + triplet_points(other)


def random_hands(size, num, seed):
    rng = np.random.default_rng(seed)
    return [sorted(DECK[rng.permutation(len(DECK))[:size]].tolist()) for _ in range(num)]


def winning_hands(num, seed):
    """Random pairs of triplets that one set of tiles can form together."""
    rng = np.random.default_rng(seed)
    while num:
        hand = [kind for at in rng.integers(len(TRIPLETS), size=2) for kind in TRIPLETS[at][1]]
        if all(hand.count(kind) <= COPIES[kind] for kind in hand):
            yield hand
            num -= 1


def test_the_best_split_of_six_tiles_is_the_best_of_all():
    several = 0
    for hand in [*random_hands(6, 300, 1), *winning_hands(300, 1)]:
        found = list(splits(hand))
        assert best_split(tile_set(hand), 0) == max(found, default=0)
        several += len(set(found)) > 1
    assert several > 5  # the best of several counts


def test_what_a_hand_waits_for_and_may_claim_agrees_with_trying_every_tile():
    hands = [*random_hands(5, 60, 2), *(hand[:5] for hand in winning_hands(60, 2))]
    for hand in hands:
        waits, *near_to_far = map(int, prospects(tile_set(hand)))
        for kind in range(KINDS):
            if hand.count(kind) == COPIES[kind]:
                continue
            assert waits >> (3 * kind) & 1 == any(splits([*hand, kind]))
            for steps, kinds in enumerate(near_to_far, 1):
                best = max(
                    triplet_points([FACES[kind], FACES[a], FACES[b]]) for a, b in combinations(hand, 2)
                )
                assert kinds >> (3 * kind) & 1 == (best >= steps)
                may = claims([FACES[each] for each in hand], FACES[kind], steps)
                assert bool(may) == bool((waits | kinds) >> (3 * kind) & 1)


def test_the_view_tells_what_completes_the_hand_after_every_discard():
    walk = random_walk(GAME, GAME.variant(auto_win=False), 60, 30, seed=6)
    for state in walk.positions(80, seed=6):
        views = views_of(walk.lanes, np.array([state]).view(np.recarray), int(state.to_act))
        view, laid_out = views[0], int(state.meld_points[state.to_act])
        hand = tiles_in(view.hand)
        for discard in set(hand):
            left = tile_set(hand) - ONE[discard]
            if len(hand) % 3 == 0:
                for kind in range(KINDS):
                    if count(left, kind) < COPIES[kind]:
                        wins = best_split(left + ONE[kind], laid_out) > 0
                        assert view.waits_after[discard] >> (3 * kind) & 1 == wins
        if len(hand) % 3 == 2:
            for kind in range(KINDS):
                if hand.count(kind) < COPIES[kind]:
                    wins = best_split(view.hand + ONE[kind], laid_out) > 0
                    assert view.waits >> (3 * kind) & 1 == wins
        in_triplets = {kind for three in combinations(hand, 3) if is_triplet(three) for kind in three}
        assert set(tiles_in(view.triplets)) == in_triplets
        for kind in range(KINDS):
            others = hand.copy()
            if kind in others:
                others.remove(kind)
                partners = {x for x, y in product(range(KINDS), others) if is_triplet((kind, x, y))}
                partners -= {x for x in partners if not any(is_triplet((kind, x, y)) for y in others)}
                assert set(tiles_in(view.partners[kind])) == partners


def is_triplet(kinds):
    return (
        all(kinds.count(kind) <= COPIES[kind] for kind in kinds)
        and triplet_points([FACES[k] for k in kinds]) > 0
    )


# Claims

OFFERED = "[5:2]"
DOUBLE_STRAIGHT, SET_AND_STRAIGHT, DOUBLE_SET = "[3:3] [4:4]", "[4:3] [6:6]", "[2:2] [5:5]"


@pytest.mark.parametrize(
    ("pair", "farthest"), [("[3:1] [4:3]", 1), ("[3:3] [4:4]", 1), ("[2:2] [4:3]", 2), ("[2:2] [5:5]", 3)]
)
@pytest.mark.parametrize("seat", [1, 2, 3])
def test_how_far_away_a_claim_reaches(pair, farthest, seat):
    rest = {
        "[3:1] [4:3]": "66 61 65",
        "[3:3] [4:4]": "66 61 65",
        "[2:2] [4:3]": "61 65 64",
        "[2:2] [5:5]": "61 65 64",
    }
    triplets = claims(f"{pair} {rest[pair]}", OFFERED, seat)
    expected = set_name(tile_set(kinds(f"{OFFERED} {pair}")))
    assert (expected in triplets) == (seat <= farthest)


def kinds(text):
    return [
        FACES.index((max(int(a), int(b)), min(int(a), int(b))))
        for a, b in zip(*[iter(_digits(text))] * 2, strict=True)
    ]


def _digits(text):
    return [letter for letter in text if letter.isdigit()]
