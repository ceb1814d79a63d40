"""OpenSpiel's algorithms run on our games and find what ours find; skipped where OpenSpiel is not installed."""
# ruff: noqa: E402  # what follows can be imported only where it is

import numpy as np
import pytest

from gupai_agents.evaluation import build_tree
from gupai_env import GAMES, Lanes

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import cfr, exploitability, ismcts
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator
from open_spiel.python.policy import UniformRandomPolicy

from gupai_env.openspiel import as_openspiel

FORCED = {"deck": "tiny", "players": 2, "forced_play": True}
DECKS = [{}, {"deck": "tiny", "players": 2}]


def play(state, rng):
    """Play random legal actions to the end, showing each state before the next action."""
    while not state.is_terminal():
        yield state
        state.apply_action(int(rng.choice(state.legal_actions())))


def test_exploitability_of_uniform_play_is_what_we_find():
    game, tree = as_openspiel("jie-long", **FORCED), build_tree("jie-long", **FORCED)
    theirs = exploitability.exploitability(game, UniformRandomPolicy(game))
    assert theirs == pytest.approx(tree.exploitability(tree.uniform()), abs=1e-9)


def test_cfr_lowers_exploitability():
    game = as_openspiel("ding-niu", deck="tiny", players=2)
    solver = cfr.CFRPlusSolver(game)
    begun = exploitability.exploitability(game, UniformRandomPolicy(game))
    for _ in range(5):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(game, solver.average_policy()) < begun / 3


@pytest.mark.parametrize("deck", DECKS, ids=["full", "tiny"])
@pytest.mark.parametrize("name", GAMES)
def test_random_play_ends_with_chips_that_changed_hands(name, deck):
    game, rng = as_openspiel(name, rng_seed=1, **deck), np.random.default_rng(1)
    state = game.new_initial_state()
    assert state.is_chance_node()
    assert sum(chance for _, chance in state.chance_outcomes()) == pytest.approx(1)
    for each in play(state, rng):
        if not each.is_chance_node():
            other = each.clone()
            other.apply_action(other.legal_actions()[0])
            assert len(each.history()) == len(other.history()) - 1
            assert each.action_to_string(each.legal_actions()[0])
    assert sum(state.returns()) == pytest.approx(0)
    assert any(state.returns()) or name != "jie-long"
    assert max(map(abs, state.returns())) <= game.max_utility()


@pytest.mark.parametrize("name", GAMES)
def test_a_resampled_state_looks_the_same_to_its_player_alone(name):
    game, rng = as_openspiel(name, rng_seed=2), np.random.default_rng(2)
    others = 0
    for state in play(game.new_initial_state(), rng):
        if state.is_chance_node():
            continue
        player = state.current_player()
        drawn = state.resample_from_infostate(player, rng.random)
        assert drawn.information_state_string(player) == state.information_state_string(player)
        assert drawn.observation_string(player) == state.observation_string(player)
        assert drawn.legal_actions() == state.legal_actions()
        np.testing.assert_array_equal(drawn.observation_tensor(player), state.observation_tensor(player))
        others += any(
            drawn.observation_string(seat) != state.observation_string(seat)
            for seat in range(game.num_players())
            if seat != player
        )
    assert others


def test_a_tensor_is_what_the_encoder_tells():
    game = as_openspiel("jie-long", players=2)
    state = game.new_initial_state()
    state.apply_action(0)
    lanes = Lanes("jie-long", 1, players=2)
    lanes.states[:] = state.position.states
    lanes.refresh()
    tensor = state.observation_tensor(state.current_player())
    np.testing.assert_array_equal(np.array(tensor), lanes.observations[0])
    assert game.observation_tensor_shape() == [lanes.layout.size]


def test_a_seed_names_the_deals():
    def deals(seed):
        game = as_openspiel("jie-long", rng_seed=seed)
        states = [game.new_initial_state() for _ in range(5)]
        for state in states:
            state.apply_action(0)
        return [state.observation_string(0) for state in states]

    assert deals(3) == deals(3) != deals(4)


def test_ismcts_plays_a_full_deck():
    game, rng = as_openspiel("jie-long", players=2, rng_seed=1), np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(game, RandomRolloutEvaluator(1, rng), 30.0, 10, random_state=rng)
    state = game.new_initial_state()
    state.apply_action(0)
    for _ in range(6):
        state.apply_action(bot.step(state))
    assert not state.is_terminal()


def test_parameters_are_the_options_of_the_rules():
    game = as_openspiel("da-ling", players=3, stakes=(2.0, 3.0, 4.0), leader=1)
    assert (game.num_players(), game.variant.stakes, game.variant.leader) == (3, (2.0, 3.0, 4.0), 1)
    assert pyspiel.load_game("python_gupai_jie_long", {"deck": "tiny", "players": 2}).variant.deck == "tiny"
    with pytest.raises(ValueError, match="players=5 is not allowed"):
        pyspiel.load_game("python_gupai_jie_long", {"players": 5})
    with pytest.raises(ValueError, match="'playrs' is no option"):
        as_openspiel("jie-long", playrs=2)
