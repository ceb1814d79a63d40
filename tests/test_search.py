"""Search: it knows no more than the view, answers alike in any batch, and plays better than its style."""

import dataclasses

import numpy as np
import pytest

from gupai_agents import Turns, make_agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.exact import GameTree, build_tree
from gupai_env import GAMES, Lanes, get_game
from gupai_env.core.game import Game

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
FORCED = {"forced_play": True}


def decisions(game: Game, lanes: int, steps: int, **variant) -> tuple[Lanes, Turns]:
    """Decisions after some random moves of deals that are not over."""
    table = Lanes(game, lanes, seed=6, **variant)
    for key in range(steps):
        table.step(table.sample(key))
    views, keys = table.views()
    return table, Turns(views, table.masks.copy(), keys)


def part(turns: Turns, rows) -> Turns:
    return Turns(turns.views[rows], turns.masks[rows], turns.keys[rows])


@every_game
def test_an_answer_is_legal_and_does_not_depend_on_the_batch(game):
    _, turns = decisions(game, 24, 3)
    agent = make_agent("search:playouts=6", game)
    together = agent.act(turns)
    assert turns.masks[np.arange(24), together].all()
    some = np.array([17, 3, 9])
    np.testing.assert_array_equal(agent.act(part(turns, some)), together[some])


@every_game
def test_dealing_again_what_is_hidden_changes_no_answer(game):
    table, turns = decisions(game, 24, 3)
    drawn = table.game.new_states(24)
    table.kernels.determinize(table.rules, turns.views, turns.keys + 5, drawn)
    drawn.to_act = table.states.to_act  # who is asked in secret before the viewer it does not know
    views = np.zeros_like(turns.views)
    table.kernels.views(table.rules, drawn, views, np.zeros(24, np.int64))
    agent = make_agent("search:playouts=5", game)
    np.testing.assert_array_equal(agent.act(turns._replace(views=views.view(np.recarray))), agent.act(turns))


@every_game
def test_values_are_those_of_all_legal_actions_and_the_best_have_most_deals(game):
    _, turns = decisions(game, 12, 2)
    agent = make_agent("search:playouts=16", game)
    values = agent.values(turns)
    np.testing.assert_array_equal(np.isfinite(values.means), turns.masks)
    np.testing.assert_array_equal(values.deals > 0, turns.masks)
    best = agent.act(turns)
    for row, action in enumerate(best):
        assert values.means[row, action] == np.nanmax(
            values.means[row][values.deals[row] == values.deals[row].max()]
        )
        assert values.deals[row].sum() <= 16 * turns.masks[row].sum()
        assert values.deals[row, action] == values.deals[row].max()
    bound = game.payoff_bound(game.variant())
    assert np.nanmax(np.abs(values.means)) <= bound


def test_search_wins_from_the_style_that_it_plays_out():
    agent = make_agent("search:playouts=40,style=variety", "jie-long", **FORCED)
    for name in ("greedy", "variety"):
        result = duel("jie-long", agent, make_agent(name, "jie-long", **FORCED), 100, seed=2, **FORCED)
        assert result.mean(0).low > 0


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("search:playouts=0", "playouts=0 is not allowed"),
        ("search:playouts=9999999", "playouts=9999999 is not allowed"),
        ("search:playouts=x", "'playouts=x' is no setting"),
        ("search:deep=3", "'deep=3' is no setting"),
        ("search:style=clever", "'clever' is no player"),
    ],
)
def test_a_search_that_there_is_not_is_one_line(spec, message):
    with pytest.raises(ValueError, match=message) as caught:
        make_agent(spec, "jie-long")
    assert "\n" not in str(caught.value)


def test_the_style_may_be_any():
    spec = "search:playouts=3,style=variety+attack_2=40,pips=1"
    weights = make_agent(spec, "jie-long").weights
    game = get_game("jie-long")
    np.testing.assert_array_equal(weights, make_agent("variety+attack_2=40,pips=1", game).weights)


# --- against exact values, on decks small enough to search all play --------------------------------

HEAT = {"jie-long": 3.0, "ce-deng": 3.0, "ding-niu": 3.0, "da-ling": 3.0, "tiu-u": 8.0, "small-mahjong": 60.0}


def tiny(game: Game) -> dict:
    return {"deck": "tiny", "players": game.variant.LIMITS["tiny"]["players"][0]}


def exact_worths(tree: GameTree, policy: np.ndarray, best: bool = False) -> np.ndarray:
    """What each sequence is worth in chips, when all go on by a policy, or its own seat by a best response."""
    one_chip = dataclasses.replace(tree, payoffs=np.ones_like(tree.payoffs))
    worth, reach = tree.worth(policy), one_chip.worth(policy)
    tree.pass_back(worth, None if best else policy)
    one_chip.pass_back(reach, policy)
    return worth / reach


@pytest.mark.parametrize("name", ["jie-long", "ding-niu", "ce-deng", "tiu-u", "small-mahjong"])
def test_with_a_right_belief_values_are_exact_on_a_tiny_deck(name):
    game = get_game(name)
    tree = build_tree(game, **tiny(game))
    heated = f"greedy@{HEAT[name]}"
    policy = tree.policy([make_agent(heated, game, **tiny(game))] * tree.players)
    worths = exact_worths(tree, policy)
    sets = np.flatnonzero(tree.turns.masks.sum(1) > 1)
    sets = np.random.default_rng(3).choice(sets, min(60, len(sets)), replace=False)
    spec = f"search:playouts=3000,particles=3000,steady=0,style={heated},others={heated},infer={heated}"
    values = make_agent(spec, game, **tiny(game)).values(part(tree.turns, sets))
    told = 0
    for row, group in enumerate(sets):
        sequences = np.arange(tree.first[group], tree.first[group + 1])
        for sequence in sequences:
            action = tree.actions[sequence]
            spread = values.errors[row, action] * np.sqrt(values.deals[row, action])
            error = spread * np.sqrt(1 / values.deals[row, action] + 1 / values.effective[row])
            assert abs(values.means[row, action] - worths[sequence]) <= 5 * error + 0.02
            told += error < 0.2
    assert told > 10  # figures that are told within a fifth of a chip
