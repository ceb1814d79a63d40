"""Knowledge of Small Mahjong: what a hand lacks, what others may see, and hands drawn as all histories weigh them."""

from collections import Counter
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from gupai_env.positions.small_mahjong import claims, from_tiles

from adapters import FACES
from facts import MahjongTable, Sight, completing, small_mahjong_facts, tiles_of, triplet, without
from gupai_env import VectorEnv
from gupai_env.core.episode import NOBODY
from gupai_env.core.keys import derive_each
from gupai_env.core.rng import derive
from gupai_env.core.tiles import COPIES, KINDS, count, kind_of, tile_set, tiles_in
from gupai_env.games.small_mahjong.triplets import TILES, TRIPLETS, best_split
from mahjong_hands import DISCARDER, DOUBLE_SET, GAME, IDLE, OFFERED, ONE, OTHER, offered, points_of
from referees import small_mahjong as referee
from walks import random_walk, views_of

CHOSEN = 2  # positions: those whose hands weigh most unevenly
DRAWS = 50  # for each pair of hands


def test_view_shows_what_completes_the_hand():
    walk = random_walk(GAME, GAME.variant(auto_win=False), 60, 30, seed=6)
    compared = Counter()
    for state in walk.positions(100, seed=6):
        view = views_of(walk.envs, np.array([state]).view(np.recarray), int(state.to_act))[0]
        hand, laid_out = tiles_in(view.hand), int(view.meld_points[0])
        for discarded in set(hand) if len(hand) % 3 == 0 else [None]:
            left = int(view.hand) - (0 if discarded is None else tile_set([discarded]))
            waits = view.waits if discarded is None else view.waits_after[discarded]
            for kind in range(KINDS):
                if count(left, kind) < COPIES[kind]:
                    wins = best_split(left + tile_set([kind]), laid_out) > 0
                    assert bool(waits >> (3 * kind) & 1) == wins
                    compared[wins] += 1
        in_triplets = {kind for three in combinations(hand, 3) if points_of(three) for kind in three}
        assert set(tiles_in(view.triplets)) == in_triplets
        for kind in set(hand):
            others = hand.copy()
            others.remove(kind)
            partners = {third for _, three in TRIPLETS for other in others if (third := third_of(three, kind, other))}
            assert set(tiles_in(view.partners[kind])) == {third - 1 for third in partners}
    assert compared[True] > 200


def third_of(three, one, other):
    """One more than the kind that completes a triplet beside two others; 0 if they are not in it."""
    left = list(three)
    for kind in (one, other):
        if kind not in left:
            return 0
        left.remove(kind)
    return left[0] + 1


@pytest.mark.parametrize("options", [{}, {"players": 3, "auto_win": False}, {"expose_claims": False}])
def test_table_stays_unchanged_for_seats_that_are_not_asked(options):
    """While others are asked, a seat sees what it saw before the discard, or, once asked, what it was asked."""
    envs, asked_before = VectorEnv(GAME, 300, seed=3, **options), 0
    for step in range(40):
        before = envs.states.copy()
        envs.step(envs.sample(step))
        after = envs.states
        asking = (after.offer != NOBODY) & (before.moves + 1 == after.moves)
        for seat in range(envs.variant.players):
            views = [views_of(envs, states[asking], seat) for states in (before, after)]
            seen = after.asked[asking] >> seat & 1 == 1
            now = seen & (after.to_act[asking] == seat)
            np.testing.assert_array_equal(views[0][~now], views[1][~now])
            np.testing.assert_array_equal(views[1].offer[seen], after.offer[asking][seen])
            assert (views[1].offer[~seen] == NOBODY).all()
            asked_before += (seen & ~now).sum()
    assert asked_before > 20


def test_passed_claims_leave_no_trace():
    rest = [IDLE, "[6:6][4:4][4:4][4:3][2:1]"]
    was_asked = from_tiles([DISCARDER, "[5:5][6:6][6:5][1:1][2:2]", *rest], offered=OFFERED, wall="[6:4][3:2]")
    was_not = from_tiles([DISCARDER, "[5:5][6:6][6:5][1:1][3:2]", *rest], offered=OFFERED, wall="[6:4][2:2]")
    assert was_asked.state.offer != NOBODY
    was_asked.play("pass")
    assert was_asked.state.to_act == was_not.state.to_act == 1
    for seat in (0, 2, 3):
        assert was_asked.view(seat) == was_not.view(seat)


def test_redealt_seat_had_no_undeclared_win():
    """Seat 1 claims and discards [1:1]; with `auto_win` its last two tiles then were not a triplet with [1:1]."""
    discarded = kind_of(1, 1)
    for auto_win in (True, False):
        position = offered(ONE, IDLE, OTHER, auto_win=auto_win).play(f"claim {DOUBLE_SET}", "discard [1:1]")
        while position.state.offer != NOBODY:
            position.play("pass")
        view = position.view(0)
        unseen = tiles_in(view.unseen)
        possible = Counter(pair for pair in combinations(unseen, 2) if not (auto_win and points_of([discarded, *pair])))
        assert (possible.total() < len(unseen) * (len(unseen) - 1) // 2) == auto_win
        num = 30 * possible.total()
        envs = VectorEnv(GAME, 1, auto_win=auto_win)
        views = np.zeros(num, GAME.view).view(np.recarray)
        views[:] = view
        drawn = GAME.new_states(num)
        envs.kernels.determinize(envs.rules, views, np.array([derive(9, at) for at in range(num)]), drawn)
        found = Counter(tuple(tiles_in(hand)) for hand in drawn.hands[:, 1])
        assert found.keys() == possible.keys()
        chi_square = sum((found[pair] - 30 * times) ** 2 / (30 * times) for pair, times in possible.items())
        assert chi_square < len(possible) + 5 * np.sqrt(2 * len(possible))


def test_redealt_hand_could_make_its_hidden_claims():
    walk = random_walk(GAME, GAME.variant(expose_claims=False, players=3), 200, 30, seed=8)
    states, checked = walk.states[5:].reshape(-1).view(np.recarray), 0
    just_claimed = (states.new_tile == NOBODY) & (states.offer == NOBODY)
    states = states[just_claimed][:300]
    for seat in range(3):
        views = views_of(walk.envs, states, seat)
        drawn = GAME.new_states(len(states))
        rng_keys = np.array([derive(seat, at) for at in range(len(states))])
        walk.envs.kernels.determinize(walk.envs.rules, views, rng_keys, drawn)
        for state in drawn[drawn.mover != seat]:
            turn = int(state.turns) - 1
            claimed, steps = int(state.thrown[turn - 1]), int(state.steps[turn])
            hand = [FACES[kind] for kind in tiles_in(state.hands[state.mover])]
            hand.remove(FACES[claimed])
            assert claims(hand, FACES[claimed], steps)
            checked += 1
    assert checked > 100


class Pasts:
    """In how many ways each other seat can have come to a hand, as the turns that a viewer saw tell."""

    def __init__(self, variant: Any, state: np.record, viewer: int) -> None:
        self.auto_win, self.seats = variant.auto_win, variant.players
        self.sight = Sight("small-mahjong", variant, state, viewer)
        self.table = MahjongTable(self.sight)
        self.turns: list[list[tuple]] = [[] for _ in range(self.seats)]
        seat, known = int(state.leader), [[] for _ in range(self.seats)]
        for turn in range(int(state.turns)):
            seat = self.sight.seat_after(seat, int(state.steps[turn]))
            begun, thrown = int(state.begun[turn]), int(state.thrown[turn])
            if turn == state.turns - 1 and state.offer >= 0 and self.table.offer is None:
                thrown = -1
            offer = FACES[state.thrown[turn - 1]] if begun else None
            if begun < 0:
                known[seat].append(offer)
            tile = FACES[thrown] if thrown >= 0 else None
            self.turns[seat].append((begun, offer, int(state.steps[turn]), tuple(known[seat]), tile))
            if tile in known[seat]:
                known[seat].remove(tile)
        self.ways = cache(self.ways)

    def ways(self, seat: int, turns: int, hand: tuple) -> int:
        """How often a seat has just this hand, sorted, after so many of its turns."""
        if turns == 0:
            return 1
        begun, offer, steps, known, thrown = self.turns[seat][turns - 1]
        laid = [each[0] for each in self.turns[seat][:turns] if each[0] > 0]
        melds = [triplet_faces(number) for number in laid]
        tiles = [*hand, thrown] if thrown else list(hand)
        if thrown and self.auto_win and referee.best_split(tiles, melds) is not None:
            return 0  # it would have declared
        if begun == 0:
            drawn = list(tiles)
            for tile in known:
                drawn.remove(tile)
            return sum(self.ways(seat, turns - 1, tuple(sorted(without(tiles, tile)))) for tile in drawn)
        if begun < 0:
            tiles.remove(offer)
            most = max(triplet(offer, *pair) for pair in combinations(tiles, 2))
            if most < steps and offer not in completing(tiles):
                return 0
        else:
            if triplet(*melds[-1]) < steps and referee.best_split(tiles, melds) is None:
                return 0
            tiles += without(list(melds[-1]), offer)
        return self.ways(seat, turns - 1, tuple(sorted(tiles)))

    def expected(self) -> Counter:
        """The weight of each possible pair of hands of the two others."""
        one, other = self.sight.others
        unseen = tiles_of_counts(small_mahjong_facts(self.sight)["unseen"])
        known = {seat: self.table.known[seat] for seat in (one, other)}
        sizes = {seat: len(self.table.hands[seat]) - len(known[seat]) for seat in (one, other)}
        found: Counter = Counter()
        for places in combinations(range(len(unseen)), sizes[one]):
            first = tuple(sorted([*known[one], *(unseen[place] for place in places)]))
            ways = self.ways(one, len(self.turns[one]), first)
            rest = [tile for place, tile in enumerate(unseen) if place not in places]
            for others in combinations(rest, sizes[other]) if ways else ():
                second = tuple(sorted([*known[other], *others]))
                if more := self.ways(other, len(self.turns[other]), second):
                    found[first, second] += ways * more
        return found


def triplet_faces(number: int) -> tuple:
    return tuple(FACES[kind] for kind in tiles_in(TILES[number]))


def tiles_of_counts(copies: list[int]) -> list:
    return [face for face, count in zip(FACES, copies, strict=True) for _ in range(count)]


@pytest.mark.parametrize(("expose_claims", "auto_win"), [(False, True), (True, False)])
def test_redealt_hands_of_small_mahjong_weigh_all_histories(expose_claims, auto_win):
    """Late positions of three players, with claims of others behind them."""
    envs = VectorEnv("small-mahjong", 600, seed=3, players=3, expose_claims=expose_claims, auto_win=auto_win)
    puzzles: list[tuple[float, Counter, np.record, int]] = []
    for step in range(120):
        for lane in np.flatnonzero(envs.states.top >= 16)[:40]:
            state, viewer = envs.states[lane].copy(), step % 3
            claims = (state.begun[: state.turns] != 0).sum()
            unseen = sum(small_mahjong_facts(Sight("small-mahjong", envs.variant, state, viewer))["unseen"])
            if claims > 1 and 6 <= unseen <= 9 and len(puzzles) < 5:
                expected = Pasts(envs.variant, state, viewer).expected()
                weights = np.array(list(expected.values()))
                if 15 < len(weights) < 400:
                    puzzles.append((weights.std() / weights.mean(), expected, state, viewer))
        envs.step(envs.sample(step))
    assert len(puzzles) >= CHOSEN
    puzzles.sort(key=lambda each: each[0], reverse=True)
    for _, expected, state, viewer in puzzles[:CHOSEN]:
        num = DRAWS * len(expected)
        views = np.repeat(views_of(envs, np.array([state]).view(np.recarray), viewer), num)
        drawn = envs.game.new_states(num)
        envs.kernels.determinize(envs.rules, views.view(np.recarray), derive_each(8, 0, num), drawn)
        one, other = Sight("small-mahjong", envs.variant, state, viewer).others
        found = Counter(
            (tuple(sorted(tiles_of(each[one]))), tuple(sorted(tiles_of(each[other])))) for each in drawn.hands
        )
        assert found.keys() <= expected.keys()
        total = sum(expected.values())
        wanted = {each: num * weight / total for each, weight in expected.items()}
        chi_square = sum((found[each] - wanted[each]) ** 2 / wanted[each] for each in wanted)
        assert chi_square < len(wanted) + 5 * np.sqrt(2 * len(wanted))
