"""Teams: seats that share a payoff are a unit wherever players are compared, tuned, searched for or trained."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from gupai_agents import DecisionBatch, make_agent
from gupai_agents.evaluation import (
    GameTree,
    build_tree,
    duel,
    play_duplicates,
    play_into,
    play_tournament,
    schedule,
    verify,
)
from gupai_agents.evaluation.best_response import gain_of
from gupai_agents.evaluation.claims.setting import side_seats
from gupai_agents.evaluation.exact.tree import solve
from gupai_agents.evaluation.matches.match import rotations_of
from gupai_agents.evaluation.tournaments.ladder import play_ladder
from gupai_agents.evaluation.tournaments.tournament import ALL, MIXED, ONE, TWO, line_ups
from gupai_agents.players import search
from gupai_agents.players.tune import Contest
from gupai_env import GAMES, VectorEnv, get_game
from gupai_env.core.deal import Deal
from gupai_training import true_hand_targets
from gupai_training.opponents import LEARNER, OpponentPool
from gupai_training.true_hand_targets import chips_in_deals, chips_played_out

DEER = get_game("deer-hunt")
SIDES = [0, 1, 0, 1]


@cache
def tiny_tree() -> GameTree:
    return build_tree(DEER, deck="tiny", leader=0)


def test_duel_is_side_against_side():
    greedy, hunter = make_agent("greedy", DEER), make_agent("hunter", DEER)
    assert not duel(DEER, greedy, greedy, 50).chips.mean(1).any()  # of no deal
    found = duel(DEER, greedy, hunter, 50)
    assert found.players == ("greedy", "hunter", "greedy", "hunter")
    np.testing.assert_array_equal(found.chips[..., 0], found.chips[..., 2])
    np.testing.assert_array_equal(found.chips[..., 0], -found.chips[..., 1])
    back = duel(DEER, hunter, greedy, 50)
    np.testing.assert_array_equal(found.chips[..., 0].mean(1), -back.chips[..., 0].mean(1))


def test_repeated_rotations_are_left_out():
    """Two agents that are not known to be the same one play all of them."""
    names = ("hunter", "greedy")
    once = play_duplicates(DEER, [make_agent(name, DEER) for name in names] * 2, 40, seed=2)
    each = play_duplicates(DEER, [make_agent(name, DEER) for name in names * 2], 40, seed=2)
    assert (once.chips.shape, each.chips.shape) == ((40, 2, 4), (40, 4, 4))
    np.testing.assert_array_equal(each.chips, np.concatenate([once.chips, once.chips], 1))
    assert once.chips.any()
    for player in range(4):
        assert once.mean(player) == each.mean(player)
        for seat in range(4):
            assert once.at_seat(player, seat) == each.at_seat(player, seat)


def test_rotations_are_all_played_without_teams():
    for game in GAMES.values():
        seats = game.variant().players
        for line_up in ([0] * seats, [0, 1] * seats, range(seats)):
            distinct = len(set(line_up[:seats])) == seats
            expected = 2 if game is DEER and not distinct else seats
            assert rotations_of(game, seats, line_up[:seats]) == expected


def test_tournament_of_sides_is_saved_and_verified(tmp_path):
    names = ["greedy", "hunter", "random"]
    plan, agents = schedule(DEER, names, 20), [make_agent(name, DEER) for name in names]
    found = play_into(tmp_path / "lab", plan, agents)
    assert found.chips.shape == (6, 20, 2, 4)
    assert found.standings.chips.shape == (3, 3, 20, 4)
    alone = duel(DEER, agents[0], agents[1], 20)
    assert found.standings.against(0, 1) == alone.mean(0)
    for seat in range(4):
        of_all = np.mean([duel(DEER, agents[0], rival, 20).at_seat(0, seat).mean for rival in agents[1:]])
        assert found.standings.at_seat(0, seat).mean == pytest.approx(of_all)
        assert found.at_seat(0, seat).mean == pytest.approx(of_all)
    checked = verify(tmp_path / "lab")
    np.testing.assert_array_equal(checked.chips, found.chips)
    np.testing.assert_array_equal(checked.action_types, found.action_types)


def test_line_ups_seat_sides():
    assert [each.agents for each in line_ups(2, 4, ONE, SIDES)] == [(0, 1, 0, 1), (1, 0, 1, 0)]
    assert {each.agents for each in line_ups(3, 4, MIXED, SIDES)} == {(0, 1, 0, 1), (0, 2, 0, 2), (1, 2, 1, 2)}
    assert {each.table for each in line_ups(2, 4, ALL, SIDES)} == {ONE}
    with pytest.raises(ValueError, match="half against half needs four seats"):
        line_ups(2, 4, TWO, SIDES)
    assert line_ups(3, 4, ALL, [0, 1, 2, 3]) == line_ups(3, 4, ALL)


def test_side_counts_once_in_a_tournament():
    found = play_tournament(DEER, [make_agent(name, DEER) for name in ("greedy", "random")], 40)
    greedy, random = found.performances
    assert len(greedy.places) == 2
    assert greedy.places[0] + random.places[0] == pytest.approx(1)
    assert found.standings is not None
    assert found.standings.against(0, 1).mean == pytest.approx(-found.standings.against(1, 0).mean)


def test_ladder_and_best_response_seat_both_partners():
    greedy, hunter = make_agent("greedy", DEER), make_agent("hunter", DEER)
    won = duel(DEER, hunter, greedy, 30, seed=4).chips[..., 0].mean(1).mean()
    ladder = play_ladder(DEER, [greedy, hunter], 30, 2, seed=4)
    rung = next(rung for rung in ladder.rungs if rung.player == "hunter")
    assert rung.chips[0].mean == won
    assert gain_of(DEER, DEER.variant(), hunter, greedy, 30, 4).mean == won


def test_candidate_is_tuned_on_both_seats_of_its_side():
    greedy = make_agent("greedy", DEER)
    row = DEER.heuristic("greedy")
    assert not Contest(DEER, {}).values(row[None], [greedy], 400, 3).mean() > 3
    both = Contest(DEER, {}).values(DEER.heuristic("hunter")[None], [make_agent("random", DEER)], 400, 3).mean()
    assert both > 15  # with a random partner it is about 8


def test_search_plays_its_partner_as_itself(monkeypatch):
    deal, used = Deal(DEER, DEER.variant(leader=0)), []
    deal.start(3)

    def decide(game, rules, heuristics, state, player, view, mask):
        used.append((int(state.to_act), int(player) - search.RANDOM - 1))
        return int(np.flatnonzero(deal_mask(state))[0])

    def deal_mask(state):
        mask = np.zeros(DEER.num_actions, bool)
        DEER.legal_actions(deal.rules, state, mask)
        return mask

    monkeypatch.setattr(search, "decide", decide)
    search.try_action(DEER, deal.rules, None, deal.state, int(np.flatnonzero(deal.mask())[0]), SIDES, None, None)
    assert set(used) == {(0, search.OWN), (2, search.OWN), (1, search.OTHERS), (3, search.OTHERS)}


def test_true_hands_are_played_out_by_sides():
    deal = Deal(DEER, DEER.variant(leader=0))
    deal.start(5)
    rows = {name: DEER.heuristic(name) for name in ("greedy", "hunter")}
    pair = np.array([[rows["greedy"], rows["hunter"]]])
    found = chips_in_deals(DEER, deal.rules, pair, np.zeros(1, int), deal.states, deal.mask()[None], 1)[0]
    for action in np.flatnonzero(deal.mask()):
        played = deal.copy()
        played.step(int(action))
        while not played.terminated:
            agent = make_agent("greedy" if played.seat % 2 == 0 else "hunter", DEER)
            turns = DecisionBatch(played.view_row(played.seat), played.mask()[None], np.zeros(1, np.int64))
            played.step(int(agent.act(turns)[0]))
        assert found[action] == played.paid()[0]


def test_partners_have_the_same_player_in_the_pool():
    pool = OpponentPool(4, np.random.default_rng(1), 0.0, 4, 0.0, np.array(SIDES))
    pool.add(make_agent("greedy", DEER), 0, scripted=True)
    seating = pool.line_ups(200)
    np.testing.assert_array_equal(seating[:, :2], seating[:, 2:])
    assert ((seating == LEARNER).sum(1) == 2).all()
    assert 50 < (seating[:, 0] == LEARNER).sum() < 150


def test_claims_give_the_trait_to_the_partner_too():
    assert side_seats(DEER, 4, np.array([[1], [2]])).astype(int).tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]]
    jie_long = get_game("jie-long")
    assert side_seats(jie_long, 3, np.array([[1], [2]])).astype(int).tolist() == [[0, 1, 0], [0, 0, 1]]


def test_network_plays_out_for_its_partner_too(monkeypatch):
    seatings, envs = [], VectorEnv(DEER, 8, seed=1)
    envs.step(envs.sample(1))
    monkeypatch.setattr(true_hand_targets, "play_out", lambda envs, agents, seating: seatings.append(seating))
    scorer, others = SimpleNamespace(scores=None, device="cpu"), [make_agent("greedy", DEER)]
    chips_played_out(DEER, envs.variant, scorer, others, np.ones(8, int), envs.states.copy(), envs.masks)
    rows = np.nonzero(envs.masks)[0]
    assert seatings[0].tolist() == [[int(SIDES[seat] != SIDES[own]) for seat in range(4)] for own in envs.seats[rows]]


# Exact search


def test_partners_responding_in_turn_gain_at_least_as_much():
    tree = tiny_tree()
    policy = tree.uniform()
    gains, sides = tree.gains(policy), tree.side_gains(policy)
    for seat, side in enumerate(SIDES):
        assert sides[side] >= gains[seat] - 1e-9
    assert sides.max() > gains.max() + 0.5
    assert tree.exploitability(policy) == pytest.approx(sides.mean())


def test_partners_respond_as_long_as_they_gain():
    """Of whatever size what they win is: here a millionth of a chip more each time."""
    won = iter([1.0, 1.0, 1.0 + 1e-6, 1.0 + 2e-6, 1.0 + 2e-6, 1.0 + 3e-6, 1.0 + 3e-6, 1.0 + 3e-6])
    tree = SimpleNamespace(best_responses=lambda policy: [next(won)] * 4, responding=lambda policy, seat: policy)
    assert GameTree._respond(tree, None, np.array([0, 2])) == 1.0 + 3e-6
    assert next(won, None) is None


def test_responding_partners_end_alike_whoever_begins(monkeypatch):
    tree, won, respond = tiny_tree(), {}, GameTree._respond
    policy = tree.uniform()

    def noting(self, policy, seats):
        won[tuple(seats.tolist())] = respond(self, policy, seats)
        return won[tuple(seats.tolist())]

    monkeypatch.setattr(GameTree, "_respond", noting)
    gains = tree.side_gains(policy) + tree.values(policy)[:2]
    assert sorted(won) == [(0, 2), (1, 3), (2, 0), (3, 1)]
    assert gains.tolist() == pytest.approx([max(won[0, 2], won[2, 0]), max(won[1, 3], won[3, 1])])
    assert won[0, 2] < won[2, 0]
    later = tree.responding(tree.responding(policy, 0), 2)
    assert tree.best_responses(later)[0] > tree.best_responses(tree.responding(policy, 0))[2] + 0.01
    assert respond(tree, later, np.array([0, 2])) == pytest.approx(won[0, 2])


def test_response_is_a_best_one():
    tree = tiny_tree()
    policy = tree.uniform()
    for seat in (0, 3):
        response = tree.responding(policy, seat)
        assert tree.values(response)[seat] == pytest.approx(tree.best_responses(policy)[seat])


def test_team_exploitability_falls_while_solving():
    tree = tiny_tree()
    assert tree.exploitability(solve(tree, 30)) < tree.exploitability(tree.uniform()) / 10
