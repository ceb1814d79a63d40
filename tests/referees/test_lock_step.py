"""The referees of tests/referees follow the engine move by move through random deals of every variant.

They know nothing of the engine and have no tests of their own: at every decision both must name the same seat and the
same legal moves, and in the end pay the same. The number of deals is `LOCK_STEP_DEALS` for each game, spread over its
variants (450 by default, seconds). A long run (minutes), in deals that no run before it played:

    LOCK_STEP_DEALS=100000 LOCK_STEP_SEED=2 python -m pytest tests/referees/test_lock_step.py
"""

import dataclasses
import os
from collections import Counter

import numpy as np
import pytest

from adapters import ADAPTERS, turn_order
from gupai_env import GAMES, VectorEnv, get_game
from gupai_env.core.deal import Fields
from gupai_env.core.game import Game
from gupai_env.core.rng import derive
from gupai_env.core.tiles import DECK, DOUBLES, ONE, PIPS, parse_tiles
from gupai_env.core.variant import Variant
from tables import stacked
from variants import variants
from walks import envs_of, sample, set_up

DEALS = int(os.environ.get("LOCK_STEP_DEALS", 450))
SEED = int(os.environ.get("LOCK_STEP_SEED", 51))
BATCH = 500  # lanes side by side


class Follower:
    """A referee at every lane of a batch; `seen` counts what happened in the finished deals."""

    def __init__(self, envs: VectorEnv) -> None:
        self.envs, self.adapter = envs, ADAPTERS[envs.game.id]
        states = [Fields(state) for state in envs.states]
        self.referees = [self.adapter.referee_of(envs.variant, state) for state in states]
        self.orders = [turn_order(envs.variant, state) for state in states]
        self.seen: Counter = Counter()

    def follow(self, key: int) -> Counter:
        """Play random legal actions until all lanes are over."""
        envs = self.envs
        while not envs.terminated.all():
            live = np.flatnonzero(~envs.terminated)
            moves = {lane: self.compare_moves(lane, Fields(envs.states[lane])) for lane in live}
            actions = sample(envs, derive(key, int(envs.states.moves.max())))
            payoffs, _ = envs.step(actions)
            for lane in live:
                referee = self.referees[lane]
                referee.play(moves[lane][actions[lane]])
                del referee.moves
                self.compare_result(lane, payoffs[lane])
        return self.seen

    def compare_moves(self, lane: int, state: Fields) -> dict:
        """The referee's moves by action, once found to be the engine's."""
        referee, mask = self.referees[lane], self.envs.masks[lane]
        moves = {int(action): self.adapter.move(state, int(action)) for action in np.flatnonzero(mask)}
        assert self.orders[lane][referee.to_act] == self.envs.seats[lane]
        assert len(set(moves.values())) == len(moves)
        legal = referee.moves()
        assert set(moves.values()) == set(legal)
        referee.moves = lambda: legal  # until it has played: it asks again whether it may
        return moves

    def compare_result(self, lane: int, payoffs: np.ndarray) -> None:
        """The deal is over in the eyes of both or of neither; payoffs, points and the next leader agree."""
        referee, order = self.referees[lane], self.orders[lane]
        redealt = getattr(referee, "redealt", False)
        assert referee.terminated == (self.envs.states["settled"][lane] == 1 or redealt)
        if not referee.terminated:
            return
        state = Fields(self.envs.states[lane])
        expected = np.zeros_like(payoffs)
        expected[order] = referee.payoffs()
        np.testing.assert_allclose(payoffs, expected, rtol=1e-6)
        told = referee.next_leader()  # None where it is drawn
        next_leader = state.leader if told is None else order[told]
        if redealt or not self.envs.terminated[lane]:  # another deal lies on the table already
            assert state.leader == next_leader
            self.referees[lane] = self.adapter.referee_of(self.envs.variant, state)
            self.orders[lane] = turn_order(self.envs.variant, state)
        else:
            if hasattr(referee, "points") and getattr(referee, "declarer", None) is None:
                assert [int(self.adapter.points(state)[seat]) for seat in order] == referee.points()
            after = Fields(self.envs.states[lane].copy())
            self.envs.game.next_deal(self.envs.rules, after)
            assert after.leader == next_leader or told is None
        self.seen += Counter(event for event, happened in events_of(referee).items() if happened)


def events_of(referee) -> dict[str, bool]:
    """The rarer things that may have happened in a deal, as its referee saw them."""
    events = {"ended early": any(referee.hands) and not getattr(referee, "redealt", False)}
    if hasattr(referee, "heads_and_tails"):
        heads, passes, lead = referee.heads_and_tails(), referee.passes(), referee.leader
        played = referee.declarer is None and not referee.redealt
        events = {
            "blocked": referee.blocked,
            "redealt": referee.redealt,
            "declared": referee.declarer is not None,
            "pass": played and any(passes),
            "head": played and heads[lead],
            "tail": played and any(heads[:lead] + heads[lead + 1 :]),
            "pass against head or tail": played and any(passes) and any(heads),
        }
    return events


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_random_matches_equal_the_referee(game):
    for variant in variants(game):
        follow_matches(game, variant)


def follow_matches(game: Game, variant: Variant) -> None:
    """Matches of one to three deals, with every leader and other stakes than one."""
    left, leaders, batch = -(-DEALS // len(variants(game))), ("random", *range(variant.players)), 0
    has_stake = "stake" in {field.name for field in dataclasses.fields(variant)}
    while left > 0:
        batch, envs = batch + 1, min(BATCH, -(-left // 6))
        for deals, stake in ((1, 1.0), (2, 0.5), (3, 2.25)):
            options = {"deals": deals, "leader": leaders[(batch + deals) % len(leaders)]}
            match = dataclasses.replace(variant, **options, **({"stake": stake} if has_stake else {}))
            Follower(envs_of(game, match, envs, seed=derive(SEED, batch), renew=False)).follow(derive(deals, batch))
        left -= 6 * envs


# Decks stacked for rare rules


def stack(rng: np.random.Generator, seats: int, size: int, seat: int, favoured: np.ndarray, most: int) -> list[int]:
    """A deck that gives a seat up to `most` of the favoured tiles, at random, and deals the rest at random."""
    deck = rng.permutation(DECK)
    wanted = np.flatnonzero(favoured[deck])[:most]
    others = np.setdiff1d(np.arange(len(deck)), wanted)
    hand = np.concatenate([wanted, others])[:size]
    rest = np.setdiff1d(np.arange(len(deck)), hand)
    rng.shuffle(rest)
    order = np.insert(rest, seat * size, hand)
    assert seat < seats
    return deck[order].tolist()


def followed(game: Game, variant: Variant, num: int, seed: int, favoured_of, most) -> Counter:
    """What happens in `num` deals that give one seat many of some tiles; it leads half of them."""
    rng = np.random.default_rng(seed)
    size = int(stacked(game, variant, DECK).state.hand_size)
    states = game.new_states(num)
    for at in range(num):
        seat, leader = rng.integers(variant.players, size=2).tolist()
        leader = seat if at % 2 else leader
        deck = stack(rng, variant.players, size, seat, favoured_of(rng), int(rng.choice(most)))
        states[at] = stacked(game, dataclasses.replace(variant, leader=leader), deck).state
    return Follower(set_up(game, variant, states)).follow(seed)


def doubles(rng: np.random.Generator) -> np.ndarray:
    return (DOUBLES & ONE) != 0


def one_suit(rng: np.random.Generator) -> np.ndarray:
    return (rng.integers(1, 7) == PIPS).any(1)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("strict_head_tail", [False, True])
@pytest.mark.parametrize("redeal_doubles", [0, 6, 7])
def test_ce_deng_hands_full_of_doubles_equal_the_referee(players, strict_head_tail, redeal_doubles):
    game = get_game("ce-deng")
    for declare in (False, True):
        variant = game.variant(
            players=players,
            strict_head_tail=strict_head_tail,
            redeal_doubles=redeal_doubles,
            declare_eight_doubles=declare,
        )
        seen = followed(game, variant, 30, 52, doubles, [6, 7, 8])
        assert (seen["declared"] > 0) == declare
        assert (seen["redealt"] > 0) == (redeal_doubles > 0)


def test_ce_deng_blocks_passes_heads_and_tails_equal_the_referee():
    game = get_game("ce-deng")
    seen: Counter = Counter()
    for players in (2, 3, 4):
        for strict in (False, True):
            variant = game.variant(players=players, strict_head_tail=strict)
            seen += followed(game, variant, 150, 53, one_suit, [8])
    for event in ("blocked", "pass", "head", "tail", "pass against head or tail"):
        assert seen[event] > 5, event


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("forced_play", [False, True])
def test_jie_long_locks_equal_the_referee(players, forced_play):
    game = get_game("jie-long")
    variant = game.variant(players=players, forced_play=forced_play, double_lock=True)
    seen = followed(game, variant, 150, 54, one_suit, [8])
    assert seen["ended early"] > 5


FAMILIES = ["66 66 63 54", "11 11 62 53", "44 44 52 43", "31 31 41 32"]  # of four tiles that go together
PAIRS = ["51 51", "61 61", "64 64", "65 65", "22 22", "33 33", "55 55", "42 21"]
HONG_KONG = {"preset": "hong-kong", "leader": "random"}


@pytest.mark.parametrize("options", [HONG_KONG, {"four_bonus": 2, "last_four": True}], ids=str)
def test_tien_gow_hands_of_families_and_pairs_equal_the_referee(options):
    game, rng = get_game("tien-gow"), np.random.default_rng(55)
    variant, states = game.variant.make(**options), game.new_states(200)
    families, pairs = (np.array([parse_tiles(tiles) for tiles in texts]) for texts in (FAMILIES, PAIRS))
    for at in range(len(states)):
        others = rng.permutation(pairs if at % 2 else pairs.ravel()).reshape(4, 4)
        hands = np.hstack([rng.permutation(families), others])
        states[at] = stacked(game, variant, hands.ravel().tolist()).state
    Follower(set_up(game, variant, states)).follow(56)
