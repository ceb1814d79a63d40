"""Small Mahjong: who is asked and may claim, what a win pays, and how deals end."""

import numpy as np
import pytest
from gupai_env.positions.small_mahjong import from_tiles, settle

from gupai_env import VectorEnv
from gupai_env.core.episode import NOBODY
from gupai_env.core.rng import derive
from gupai_env.core.tiles import count, kind_of, parse_tiles, tiles_in
from gupai_env.games.small_mahjong.rules import JOIN, LAST_ASKED, LAY_OUT, PASS, TURNS, WIN
from gupai_env.games.small_mahjong.triplets import TRIPLETS
from mahjong_hands import DISCARDER, GAME, IDLE, OFFERED, ONE, OTHER, OTHERS, SIX, WALL, offered, points_of


def test_triplets_have_one_action_each():
    names = GAME.action_names[LAY_OUT + 1 :]
    assert len(set(names)) == len(names) == len(TRIPLETS) == 122
    assert all(points_of(parse_tiles(name.removeprefix("claim "))) > 0 for name in names)


# Who may claim


def test_unexposed_claim_joins_the_hand_and_shows_only_its_tile():
    position = offered(ONE, IDLE, OTHER, expose_claims=False)
    assert position.legal() == ["pass", "claim into the hand"]
    position.play("claim into the hand")
    assert len(position.legal()) == 6
    for seat in range(4):
        view = position.view(seat)
        assert tiles_in(view.known[(1 - seat) % 4]) == parse_tiles(OFFERED)
        assert not view.melds.any()
        assert count(view.unseen, kind_of(5, 2)) == 0
    while position.state.mover == 1:  # it discards the tile again, and whoever is asked passes
        position.play("discard [5:2]" if position.state.offer == NOBODY else "pass")
    assert not position.state.known.any()


# Winning


@pytest.mark.parametrize("players", [3, 4])
def test_losers_all_pay_the_winner(players):
    others = OTHERS[: players - 1]
    expected = [4 * (players - 1)] + [-4] * (players - 1)
    assert from_tiles([SIX, *others]).play("win").payoffs() == expected
    assert settle(0, SIX, players=players) == expected


# The last turns


def test_claims_into_the_hand_come_to_an_end():
    """Who always claims and never wins would go on for ever."""
    envs = VectorEnv(GAME, 1000, seed=4, renew=False, players=3, expose_claims=False, auto_win=False)
    longest = 0
    while not envs.terminated.all():
        masks = envs.masks.copy()
        masks[:, WIN] &= masks.sum(1) == 1
        masks[:, PASS] &= ~masks[:, JOIN]
        actions = np.zeros(1000, np.int16)
        envs.kernels.pick(masks, derive(4, int(envs.states.moves.max())), actions)
        envs.step(actions)
        asked = envs.states.offer != NOBODY
        assert (envs.states.turns[asked] <= LAST_ASKED).all()
        longest = max(longest, int(envs.states.turns.max()))
    assert LAST_ASKED < longest <= TURNS
    assert (envs.states.moves <= GAME.max_decisions).all()


@pytest.mark.parametrize("expose_claims", [False, True])
def test_last_discard_with_questions_is_that_of_turn_110(expose_claims):
    for turns, asked in ((1, True), (LAST_ASKED, True), (LAST_ASKED + 1, False), (LAST_ASKED + 5, False)):
        hands = [f"{DISCARDER}{OFFERED}", ONE, IDLE, OTHER]
        position = from_tiles(hands, wall=WALL, expose_claims=expose_claims)
        position.state.turns = turns
        position.play(f"discard {OFFERED}")
        assert (position.state.offer != NOBODY) == asked
        assert position.state.to_act == 1  # is asked, or draws


# Players
