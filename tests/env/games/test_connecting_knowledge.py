"""Positions drawn from a view are uniform over all that it allows, as a referee who tries every one finds.

In some late positions every filling of the hidden places (tiles in other hands, face down and unused) is tried;
it counts if the referee lets the moves that were seen happen with it. Fillings are equally likely, which makes
a distribution of the tiles as likely as there are orders of its discards.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, permutations
from math import factorial, prod
from typing import NamedTuple

import numpy as np
import pytest

from adapters import ADAPTERS, FACES
from gupai_env import VectorEnv, get_game
from gupai_env.core.keys import derive_each
from gupai_env.core.rng import derive
from gupai_env.core.tiles import CARRYING, DOUBLES, ONE, tiles_in
from walks import views_of

PLACES, FILLINGS = range(4, 7), range(60, 361)  # few enough to try them all
TRIED, CHOSEN = 2, 1  # positions of each case: the most constrained of those tried is chosen
DRAWS = 50  # for each distribution of the tiles


class Place(NamedTuple):
    """The hand of a seat, or its discard at a turn; without a seat, a tile that is not used."""

    seat: int | None = None
    turn: int | None = None


class Story(NamedTuple):
    """A deal up to some position: the states from the first to the last, and the actions between them."""

    states: list[np.record]
    actions: list[int]


def stories(envs: VectorEnv) -> Iterator[Story]:
    """Every deal told up to every late moment; seats lay tiles when they can, most of the time."""
    lookalikes, rng = list(ADAPTERS[envs.game.id].lookalikes), np.random.default_rng(31)
    states, actions = [envs.states.copy()], []
    while not envs.terminated.all():
        masks = envs.masks.copy()
        masks[:, lookalikes] &= (rng.random(envs.num_envs) < 0.1)[:, None]
        masks[~masks.any(1)] = envs.masks[~masks.any(1)]
        chosen = np.zeros(envs.num_envs, np.int16)
        envs.kernels.pick(masks, derive(31, len(actions)), chosen)
        envs.step(chosen)
        states.append(envs.states.copy())
        actions.append(chosen)
    redealt = envs.states.redeals if "redeals" in envs.states.dtype.names else np.zeros(envs.num_envs)
    for lane in np.flatnonzero(redealt == 0):
        printed = [each[lane] for each in states]
        for end in range(12, int(printed[-1].moves)):
            yield Story(printed[: end + 1], [int(each[lane]) for each in actions[:end]])


class Puzzle:
    """What a viewer sees of a story, and the places and tiles it does not see."""

    def __init__(self, envs: VectorEnv, story: Story, viewer: int) -> None:
        self.envs, self.story, self.viewer = envs, story, viewer
        self.adapter, self.position = ADAPTERS[envs.game.id], story.states[-1]
        self.places: list[Place] = []
        self.tiles: list[int] = []
        for seat, hand in enumerate(self.position.hands[: envs.variant.players].tolist()):
            if seat != viewer:
                self.hide(Place(seat), kinds_in(hand))
        self.hide(Place(), kinds_in(int(self.position.unused)))
        if len(self.places) > PLACES[-1]:
            return  # nobody looks further at what is too much to try
        for turn, action in enumerate(story.actions):
            seat = int(story.states[turn].to_act)
            if seat != viewer and action in self.adapter.lookalikes:
                self.hide(Place(seat, turn), [FACES.index(self.adapter.moves[action][1])])

    def hide(self, place: Place, tiles: Sequence[int]) -> None:
        self.places += [place] * len(tiles)
        self.tiles += tiles

    def hides_discards(self) -> bool:
        """True if it takes some thought: tiles in hand and some face down, in few places."""
        ways = factorial(len(self.tiles)) // prod(map(factorial, Counter(self.tiles).values()))
        return len(self.places) in PLACES and ways in FILLINGS and len({place.turn for place in self.places}) > 2

    def met_a_lock(self) -> bool:
        """True if a seat discarded at a lock and may have held the double that was barred."""
        turns = (place.turn for place in self.places if place.turn is not None)
        return self.hides_discards() and any(self.is_back(self.story.states[turn]) for turn in turns)

    def matched_after_a_lock(self) -> bool:
        """True if a seat discarded at a lock although it held another tile that matched: it laid that later."""
        return self.met_a_lock() and any(map(self.showed_a_match, self.places))

    def showed_a_match(self, place: Place) -> bool:
        if place.turn is None or not self.is_back(self.story.states[place.turn]):
            return False
        laid = int(self.position.played[place.seat] - self.story.states[place.turn].played[place.seat])
        return bool(laid & CARRYING[self.story.states[place.turn].ends[0]] & ~DOUBLES)

    def waits_at_a_lock(self) -> bool:
        """True if the turn is back with another seat that might not be able to go on."""
        return self.hides_discards() and self.position.to_act != self.viewer and self.is_back(self.position)

    def is_back(self, state: np.record) -> bool:
        """True if all others have discarded, and the double that fits is among the hidden tiles."""
        double = int(state.ends[0] * (state.ends[0] + 1) // 2 - 1)
        back = state.last_player == state.to_act and state.passes >= self.envs.variant.players - 1
        return bool(back and double in self.tiles)

    def solve(self) -> tuple[Counter, int]:
        """In how many fillings each possible distribution of the tiles comes up, and how many were tried."""
        fillings, found = set(permutations(self.tiles)), Counter()
        for tiles in fillings:
            filled = self.filled(tiles)
            if self.refereed(filled, {place.turn: kind for place, kind in zip(self.places, tiles, strict=True)}):
                found[distribution(filled)] += 1
        return found, len(fillings)

    def filled(self, tiles: tuple[int, ...]) -> np.record:
        """The position with these tiles in the hidden places."""
        filled, viewer = self.position.copy(), self.viewer
        hands, discards = [0] * len(filled.hands), [0] * len(filled.hands)
        hands[viewer], discards[viewer], filled.unused = (int(filled.hands[viewer]), int(filled.discards[viewer]), 0)
        for place, kind in zip(self.places, tiles, strict=True):
            if place.seat is None:
                filled.unused += ONE[kind]
            elif place.turn is None:
                hands[place.seat] += int(ONE[kind])
            else:
                discards[place.seat] += int(ONE[kind])
        filled.hands[:], filled.discards[:] = hands, discards
        return filled

    def refereed(self, filled: np.record, discards: dict[int | None, int]) -> bool:
        """True if the moves that were seen are legal on the way to this position, and the deal goes on."""
        dealt = self.story.states[0].copy()
        dealt.hands[:] = filled.hands + filled.discards + filled.played
        referee = self.adapter.referee_of(self.envs.variant, dealt)
        for turn, action in enumerate(self.story.actions):
            if action in self.adapter.silent:
                continue
            while ("play on",) in (moves := referee.moves()):  # whom the filling gives a right to be asked
                referee.play(("play on",))
            move = ("discard", FACES[discards[turn]]) if turn in discards else self.adapter.moves[action]
            if move not in moves:
                return False
            referee.play(move)
        return not referee.terminated


@cache
def kinds_in(tiles: int) -> tuple[int, ...]:
    return tuple(tiles_in(tiles))


def distribution(state: np.record) -> tuple[int, ...]:
    return (*state.hands.tolist(), *state.discards.tolist(), int(state.unused))


CASES = [
    ("jie-long", {"players": 4, "forced_play": True}, Puzzle.hides_discards),
    ("jie-long", {"players": 3, "forced_play": True, "open_ends": 2}, Puzzle.hides_discards),
    ("jie-long", {"players": 2, "double_lock": True}, Puzzle.met_a_lock),
    ("jie-long", {"players": 3, "double_lock": True}, Puzzle.met_a_lock),
    ("jie-long", {"players": 2, "double_lock": True}, Puzzle.matched_after_a_lock),
    ("jie-long", {"players": 3, "double_lock": True}, Puzzle.waits_at_a_lock),
    ("jie-long", {"players": 4, "double_lock": True, "forced_play": True}, Puzzle.waits_at_a_lock),
    ("ce-deng", {}, Puzzle.hides_discards),
    ("ce-deng", {}, Puzzle.waits_at_a_lock),
]


@pytest.mark.parametrize(
    ("name", "options", "is_hard"), CASES, ids=[f"{name} {options} {hard.__name__}" for name, options, hard in CASES]
)
def test_redealt_positions_are_uniform_over_the_view(name, options, is_hard):
    envs = VectorEnv(name, 2000, seed=31, renew=False, **options)
    puzzles = (Puzzle(envs, story, number % envs.variant.players) for number, story in enumerate(stories(envs)))
    tried = [(puzzle, *puzzle.solve()) for puzzle in islice(filter(is_hard, puzzles), TRIED)]
    tried.sort(key=lambda each: sum(each[1].values()) / each[2])
    assert len(tried) >= CHOSEN
    for puzzle, found, total in tried[:CHOSEN]:
        fillings = sum(found.values())
        assert fillings < total or is_hard is Puzzle.matched_after_a_lock
        drawn = drawn_from(puzzle, DRAWS * len(found))
        assert drawn.keys() == found.keys()
        expected = {each: DRAWS * len(found) * found[each] / fillings for each in found}
        chi_square = sum((drawn[each] - expected[each]) ** 2 / expected[each] for each in found)
        freedom = len(found) - 1
        assert chi_square < freedom + 5 * np.sqrt(2 * freedom)


def drawn_from(puzzle: Puzzle, num: int) -> Counter:
    """How often each distribution of the tiles comes up among `num` draws."""
    envs, position = puzzle.envs, np.array([puzzle.position]).view(np.recarray)
    views = np.repeat(views_of(envs, position, puzzle.viewer), num).view(np.recarray)
    drawn = envs.game.new_states(num)
    envs.kernels.determinize(envs.rules, views, derive_each(7, 0, num), drawn)
    rows = np.concatenate([drawn["hands"], drawn["discards"], drawn["unused"][:, None]], 1)
    return Counter(map(tuple, rows.tolist()))


# Ce Deng: the answers before the play


def test_redealt_hands_of_ce_deng_give_rights_to_later_seats_alone():
    """The viewer is asked, so it holds six doubles or more; another seat may hold the other six."""
    game, draws, later = get_game("ce-deng"), 40_000, 0
    envs = VectorEnv(game, 3000, seed=2, deals=2, redeal_doubles=6)
    positions = [envs.states[lane].copy() for lane in np.flatnonzero(envs.states.rights)][:6]
    for number, state in enumerate(positions):
        state.direction = (1, -1)[number % 2]
        viewer = int(state.leader if number % 3 == 0 else state.to_act)
        state.hands[[viewer, state.to_act]] = state.hands[[state.to_act, viewer]]
        state.rights, state.to_act = 1 << viewer, viewer
        view = views_of(envs, np.array([state]).view(np.recarray), viewer)
        drawn = game.new_states(draws)
        rng_keys = derive_each(number, 0, draws)
        envs.kernels.determinize(envs.rules, np.repeat(view, draws).view(np.recarray), rng_keys, drawn)
        assert (drawn.to_act == viewer).all()
        expected = np.full(draws, 1 << viewer)
        doubles = sum((drawn.hands >> (3 * kind)) & 7 for kind, face in enumerate(FACES) if len(set(face)) == 1)
        seat = viewer
        while (seat := int(seat + state.direction) % 4) != state.leader:
            expected |= (doubles[:, seat] >= 6).astype(int) << seat
        np.testing.assert_array_equal(drawn.rights, expected)
        later += (expected != 1 << viewer).sum()
    assert later > 10
