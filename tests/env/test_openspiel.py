"""OpenSpiel's algorithms run on our games and find what ours find; skipped where OpenSpiel is not installed."""
# ruff: noqa: E402  # what follows can be imported only where it is

import copy
import pickle

import numpy as np
import pytest

from gupai_env import GAMES, VectorEnv
from trees import tiny_tree

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import exploitability, ismcts
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator
from open_spiel.python.policy import UniformRandomPolicy

from gupai_env.openspiel import as_openspiel

FORCED = {"deck": "tiny", "players": 2, "forced_play": True}
DECKS = ["full", "tiny"]


def of_deck(name, deck):
    """The options of a game as it is, or with its tiny deck."""
    return GAMES[name].variant.tiny_options() if deck == "tiny" else {}


def play(state, rng):
    """Play random legal actions to the end, showing each state before the next action."""
    while not state.is_terminal():
        yield state
        state.apply_action(int(rng.choice(state.legal_actions())))


def test_exploitability_of_uniform_play_equals_ours():
    game, tree = as_openspiel("jie-long", **FORCED), tiny_tree("jie-long", forced_play=True)
    theirs = exploitability.exploitability(game, UniformRandomPolicy(game))
    assert theirs == pytest.approx(tree.exploitability(tree.uniform()), abs=1e-9)


@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("name", GAMES)
def test_random_play_ends_with_chips_that_changed_hands(name, deck):
    game, rng = as_openspiel(name, rng_seed=1, **of_deck(name, deck)), np.random.default_rng(1)
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
def test_resampled_state_looks_the_same_to_its_player_alone(name):
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


def test_tensor_equals_the_encoder():
    game = as_openspiel("jie-long", players=2)
    state = game.new_initial_state()
    state.apply_action(0)
    envs = VectorEnv("jie-long", 1, players=2)
    envs.states[:] = state.position.deal.states
    envs.refresh()
    tensor = state.observation_tensor(state.current_player())
    np.testing.assert_array_equal(np.array(tensor), envs.observations[0])
    assert game.observation_tensor_shape() == [envs.layout.size]
    observer = game.make_py_observer()
    observer.set_from(state, 0)
    assert observer.tensor.any()
    observer.set_from(game.new_initial_state(), 0)
    assert not observer.tensor.any()  # before the deal


def test_unseen_moves_add_nothing_to_what_a_player_has_seen():
    state = as_openspiel("da-ling", rng_seed=1, players=3, leader=0).new_initial_state()
    state.apply_action(0)
    before = state.information_state_string(0), state.information_state_string(2)
    state.apply_action(state.legal_actions()[0])  # a split that only its player sees
    assert state.information_state_string(0) != before[0] and state.information_state_string(2) == before[1]


def test_seed_determines_the_deals():
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
    with pytest.raises(ValueError, match="'playrs' is not an option"):
        as_openspiel("jie-long", playrs=2)


COPIES = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "text": lambda thing: thing.get_game().deserialize_state(thing.serialize()) if hasattr(thing, "history") else thing,
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("deck", DECKS)
def test_copy_of_a_state_goes_on_alike(copied, deck):
    game = as_openspiel("jie-long", rng_seed=3, **of_deck("jie-long", deck))
    for moves in (0, 1, 4):
        state = game.new_initial_state()
        for _ in range(moves):
            state.apply_action(state.legal_actions()[0])
        other = copied(state)
        if moves == 0 and copied is COPIES["text"]:
            continue  # it draws from the same game
        for each in (state, other):
            while not each.is_terminal():
                each.apply_action(each.legal_actions()[-1])
        assert other.history() == state.history()
        assert other.returns() == state.returns()
        assert [other.information_state_string(seat) for seat in range(2)] == [
            state.information_state_string(seat) for seat in range(2)
        ]


@pytest.mark.parametrize("copied", [COPIES["deepcopy"], COPIES["pickle"]], ids=["deepcopy", "pickle"])
def test_copy_of_a_game_draws_the_same_later_deals(copied):
    game = as_openspiel("jie-long", rng_seed=3, players=2)
    game.new_initial_state().apply_action(0)
    other = copied(game)
    assert other.get_parameters() == game.get_parameters()
    found = []
    for each in (game, other):
        state = each.new_initial_state()
        state.apply_action(0)
        found.append(state.observation_string(0))
    assert found[0] == found[1]


def at_chance(state):
    return state.get_game().new_initial_state()


def at_end(state):
    state = state.clone()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    return state


WRONG_CALLS = {
    "outcome": (at_chance, lambda state: state.apply_action(-5), r"a deal=-5 is not allowed; .* from 0 to 0"),
    "child of chance": (at_chance, lambda state: state.child(1), "a deal=1 is not allowed"),
    "name of an outcome": (at_chance, lambda state: state.action_to_string(-1, 9), "a deal=9 is not allowed"),
    "after the end": (
        at_end,
        lambda state: state.apply_action(0),
        "the game is over; there is no move any more, not 0",
    ),
    "child of the end": (at_end, lambda state: state.child(0), "the game is over"),
    "action": (None, lambda state: state.apply_action(62), r"player \d: .*\(action 62\) is not legal; legal: "),
    "checked action": (None, lambda state: state.apply_action_with_legality_check(62), "is not legal; legal: "),
    "child": (None, lambda state: state.child(62), "is not legal; legal: "),
    "no action": (None, lambda state: state.apply_action(-1), "-1 is not an action"),
    "none": (None, lambda state: state.apply_action(None), "None is not an action"),
    "text": (None, lambda state: state.apply_action("x"), "'x' is not an action"),
    "half": (None, lambda state: state.apply_action(0.5), "0.5 is not an action"),
    "large": (None, lambda state: state.apply_action(2**70), "is not an action"),
    "several": (None, lambda state: state.apply_actions([0, 1]), "one player acts at a time; use apply_action"),
    "name": (None, lambda state: state.action_to_string(0, 999), "action=999 is not allowed"),
    "player of a name": (None, lambda state: state.action_to_string(9, 0), "player=9 is not allowed"),
    **{
        f"{name} of {player}": (
            None,
            lambda state, name=name, player=player: getattr(state, name)(player),
            f"player={player!r} is not allowed; it must be a whole number from 0 to 3",
        )
        for name in (
            "information_state_string",
            "information_state_tensor",
            "legal_actions",
            "observation_string",
            "observation_tensor",
            "player_return",
            "player_reward",
        )
        for player in (9, -7, None, "a")
    },
    "redealt for nobody": (
        None,
        lambda state: state.resample_from_infostate(4, lambda: 0.5),
        "player=4 is not allowed",
    ),
    "no chance": (None, lambda state: state.resample_from_infostate(0, lambda: 2.0), "2.0 is not allowed"),
}


@pytest.mark.parametrize(("where", "call", "said"), WRONG_CALLS.values(), ids=WRONG_CALLS)
def test_wrong_call_is_refused_in_one_line_and_changes_nothing(where, call, said):
    state = as_openspiel("jie-long", rng_seed=3).new_initial_state()
    state.apply_action(0)
    state.apply_action(state.legal_actions()[0])
    state = where(state) if where else state
    before = state.history(), state.current_player(), str(state), state.serialize()
    with pytest.raises(ValueError, match=said) as error:
        call(state)
    assert "\n" not in str(error.value)
    assert (state.history(), state.current_player(), str(state), state.serialize()) == before


@pytest.mark.parametrize("seed", [None, "x", -7, 1.5, 2**31, 2**70])
def test_seed_is_bounded_by_openspiel(seed):
    with pytest.raises(ValueError, match=r"^rng_seed=.* is not allowed; it must be a whole number from -1 to "):
        as_openspiel("jie-long", rng_seed=seed)


def test_game_states_its_bounds_for_all_options():
    plain, three = (as_openspiel("jie-long", deals=deals) for deals in (1, 3))
    assert three.max_utility() == -three.min_utility() == 3 * plain.max_utility() > 0
    assert three.max_game_length() == 3 * plain.max_game_length() > 0
    assert (plain.utility_sum(), plain.get_type().utility) == (0.0, pyspiel.GameType.Utility.ZERO_SUM)
    house = as_openspiel("da-ling", casino_fee=1)
    assert (house.utility_sum(), house.get_type().utility) == (None, pyspiel.GameType.Utility.GENERAL_SUM)
    assert (house.get_type().min_num_players, house.get_type().max_num_players) == (2, 5)
