"""Small Mahjong: who is asked and may claim, what a win pays, and how deals end."""

import numpy as np
import pytest
from gupai_env.positions.small_mahjong import claims, from_tiles, settle

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_env import VectorEnv
from gupai_env.core.episode import NOBODY
from gupai_env.core.rng import derive
from gupai_env.core.tiles import count, kind_of, parse_tiles, tiles_in
from gupai_env.games.small_mahjong.rules import JOIN, LAST_ASKED, LAY_OUT, PASS, TURNS, WIN
from gupai_env.games.small_mahjong.triplets import TRIPLETS
from mahjong_hands import DISCARDER, DOUBLE_SET, GAME, IDLE, OFFERED, ONE, OTHER, OTHERS, SIX, WALL, offered, points_of


def test_triplets_have_one_action_each():
    names = GAME.action_names[LAY_OUT + 1 :]
    assert len(set(names)) == len(names) == len(TRIPLETS) == 122
    assert all(points_of(parse_tiles(name.removeprefix("claim "))) > 0 for name in names)


# Who may claim


def test_nearest_seat_is_asked_first_and_others_skipped():
    position = offered(ONE, IDLE, OTHER)
    assert position.state.to_act == 1
    assert position.legal() == ["pass", f"claim {DOUBLE_SET}"]
    assert position.play("pass").state.to_act == 3
    position.play("pass")  # nobody takes it: the seat after the discarder draws
    assert (position.state.to_act, position.state.new_tile) == (1, kind_of(6, 4))
    assert tiles_in(position.state.discards[0]) == parse_tiles(OFFERED)


def test_draw_is_next_if_nobody_may_claim():
    position = offered(IDLE, "[6:6][6:6][6:5][6:5][2:1]", "[1:1][1:1][6:2][5:3][3:3]")
    assert (position.state.to_act, position.state.offer) == (1, NOBODY)
    assert position.state.new_tile == kind_of(6, 4)


def test_claimed_triplet_is_laid_out_and_the_seat_after_follows():
    position = offered(ONE, IDLE, OTHER).play("pass", f"claim {DOUBLE_SET}")
    assert (position.state.to_act, position.state.meld_points[3]) == (3, 3)
    assert sorted(tiles_in(position.state.melds[3, 0])) == sorted(parse_tiles(DOUBLE_SET))
    assert position.legal() == ["discard [6:2]", "discard [6:5]", "discard [6:6]"]
    position.play("discard [6:2]", "pass")  # seat 1 could claim that one too
    assert position.state.to_act == 0  # seats 1 and 2 have lost their turn
    assert not position.state.discards[0]


def test_claimer_chooses_among_several_triplets():
    hand = "[3:3][4:4][6:3][6:5][1:1]"
    assert claims(hand, OFFERED, 1) == ["[3:3][4:4][5:2]", "[4:4][5:2][6:3]"]
    assert claims(hand, OFFERED, 2) == []
    position = offered(hand, "[6:1][6:1][3:1][3:1][2:1]", OTHER).play("claim [4:4][5:2][6:3]")
    assert position.legal() == ["discard [1:1]", "discard [3:3]", "discard [6:5]"]


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


def test_last_discard_may_be_claimed_unless_forbidden():
    hands = [DISCARDER, ONE, IDLE, OTHER]
    position = from_tiles(hands, offered=OFFERED)
    assert position.state.to_act == 1
    position.play("pass", "pass")
    assert (position.terminated, position.payoffs()) == (True, [0, 0, 0, 0])
    assert from_tiles(hands, offered=OFFERED, claim_last_discard=False).terminated


# Winning


@pytest.mark.parametrize("players", [3, 4])
def test_losers_all_pay_the_winner(players):
    others = OTHERS[: players - 1]
    expected = [4 * (players - 1)] + [-4] * (players - 1)
    assert from_tiles([SIX, *others]).play("win").payoffs() == expected
    assert settle(0, SIX, players=players) == expected


def test_auto_win_leaves_only_the_win():
    assert from_tiles([SIX, *OTHERS]).legal() == ["win"]
    legal = from_tiles([SIX, *OTHERS], auto_win=False).legal()
    assert "win" in legal
    assert len(legal) == 7


def test_leader_may_win_with_the_first_tile_drawn():
    position = from_tiles(["[2:2][5:2][5:5] [2:1][4:3]", *OTHERS], wall="[5:3]")
    assert position.legal() == ["win"]


def test_two_triplets_laid_out_can_only_win():
    melds = [["[2:2][5:2][5:5]", "[2:1][4:3][5:3]"], [], [], []]
    position = from_tiles(["", *OTHERS], melds=melds, auto_win=False)
    assert position.legal() == ["win"]
    assert position.play("win").payoffs()[0] == 12


def test_claiming_a_winning_tile_is_a_choice_and_then_wins():
    waiting = "[2:2][5:5] [2:1][4:3][5:3]"
    position = from_tiles([OTHERS[2], waiting, *OTHERS[:2]], offered=OFFERED)
    assert {"pass", f"claim {DOUBLE_SET}"} <= set(position.legal())
    assert position.play(f"claim {DOUBLE_SET}").legal() == ["win"]


def test_winner_leads_next_and_after_a_draw_the_leader():
    envs, draws = VectorEnv(GAME, 300, seed=2, deals=2), 0
    leaders = envs.states.leader.copy()
    for step in range(60):
        envs.step(envs.sample(step))
        between = (envs.states.settled == 1) & (envs.states.deal == 1)
        for lane in np.flatnonzero(between):
            payoff = envs.states.payoff[lane]
            drawn = not payoff.any()
            assert envs.states.leader[lane] == (leaders[lane] if drawn else payoff.argmax())
            draws += drawn
        leaders = np.where(envs.states.deal == 0, envs.states.leader, leaders)
    assert draws > 5


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


def choice(name, position):
    view = position.view(int(position.state.to_act))
    views = np.zeros(1, GAME.view).view(np.recarray)
    views[0] = view
    agent = make_agent(name, GAME)
    return GAME.action_names[agent.act(DecisionBatch(views, position.mask()[None], np.zeros(1, np.int64)))[0]]


@pytest.mark.parametrize("name", ["greedy", "counting"])
def test_rule_based_players_win_claim_and_keep_helpful_tiles(name):
    assert choice(name, from_tiles([SIX, *OTHERS], auto_win=False)) == "win"
    waiting = ["[2:2][5:5] [2:1][4:3][5:3]", *OTHERS[:2]]
    position = from_tiles([OTHERS[2], *waiting], offered=OFFERED, wall="[4:2]", auto_win=False)
    assert choice(name, position) == f"claim {DOUBLE_SET}"
    hands = ["[2:2][5:2][5:5] [3:3][4:4][6:1]", OTHERS[0], "[1:1][1:1][3:1][3:1][6:2]"]
    assert choice(name, from_tiles(hands)) == "discard [6:1]"
