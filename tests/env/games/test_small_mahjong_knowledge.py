"""Knowledge of Small Mahjong: what a hand lacks, what others may see, and hands drawn as all histories weigh them."""

from collections import Counter
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from gupai_env.positions.small_mahjong import from_tiles

from adapters import FACES
from facts import MahjongTable, Sight, completing, small_mahjong_facts, tiles_of, triplet, without
from gupai_env import VectorEnv
from gupai_env.core.episode import NOBODY
from gupai_env.core.keys import derive_each
from gupai_env.core.tiles import tiles_in
from gupai_env.games.small_mahjong.rules import BEGUN, STEPS, THROWN
from gupai_env.games.small_mahjong.triplets import TILES
from mahjong_hands import DISCARDER, GAME, IDLE, OFFERED
from referees import small_mahjong as referee
from walks import views_of

CHOSEN = 2  # positions: those whose hands weigh most unevenly
DRAWS = 50  # for each pair of hands


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


class Pasts:
    """In how many ways each other seat can have come to a hand, as the turns that a viewer saw tell."""

    def __init__(self, variant: Any, state: np.record, viewer: int) -> None:
        self.auto_win, self.seats = variant.auto_win, variant.players
        self.sight = Sight("small-mahjong", variant, state, viewer)
        self.table = MahjongTable(self.sight)
        self.turns: list[list[tuple]] = [[] for _ in range(self.seats)]
        seat, known = int(state.leader), [[] for _ in range(self.seats)]
        for turn in range(int(state.turns)):
            seat = self.sight.seat_after(seat, int(state.log[turn, STEPS]))
            begun, thrown = int(state.log[turn, BEGUN]), int(state.log[turn, THROWN])
            if turn == state.turns - 1 and state.offer >= 0 and self.table.offer is None:
                thrown = -1
            offer = FACES[state.log[turn - 1, THROWN]] if begun else None
            if begun < 0:
                known[seat].append(offer)
            tile = FACES[thrown] if thrown >= 0 else None
            self.turns[seat].append((begun, offer, int(state.log[turn, STEPS]), tuple(known[seat]), tile))
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
            claims = (state.log[: state.turns, BEGUN] != 0).sum()
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
