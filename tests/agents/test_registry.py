"""Players by their specs: made as written, and refused in one line."""

import sys

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.evaluation import duel
from gupai_env import get_game


def test_weights_are_added_to_a_player():
    game = get_game("jie-long")
    added = make_agent("variety+attack_2=40,pips=0.5", game).weights
    expected = game.heuristic(game.heuristics["variety"] | {"attack_2": 40, "pips": 1.5})
    np.testing.assert_array_equal(added, expected)
    np.testing.assert_array_equal(make_agent("heuristic:pips=1.5,double=-2@0.25", game).weights[-1], 0.25)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("heuristic:pip=1", "'pip' is not a feature; did you mean pips"),
        ("heuristic:", "weighs nothing"),
        ("heuristic:pips", "'pips' is not a weight; write feature=weight"),
        ("variety+double=x", "'x' is not a number"),
        ("variety+double=nan", "the weight of double must be a number"),
        ("variety+double=1e999", "the weight of double must be a number"),
        ("variety@", "'' is not a number"),
        ("variety@-1", "the temperature must be 0 or more"),
        ("variety@inf", "the temperature must be a number"),
        ("varietee", "did you mean variety"),
        ("heuristic:pips=1e308", "the weights are so large that an action may be worth inf; at most 1e\\+30"),
        ("heuristic:pips=1e307,double=-1e308", "the weights are so large"),
        ("variety+double=2e30", "the weights are so large that an action may be worth 2e\\+30"),
        ("variety@1e31", "the temperature must be 0, or from 1e-30 to 1e\\+30"),
        ("variety@1e-31", "the temperature must be 0, or from 1e-30 to 1e\\+30"),
        ("no_such.module:factory", "there is no module no_such"),
        ("os.path:no_such", "there is no agent factory no_such in posixpath"),
        ("os.path:join", "agent os.path:join failed with TypeError"),
        ("os.path:samestat", "agent os.path:samestat failed with AttributeError"),
        ("builtins:print", "None is not an agent"),
        ("a:b:c", "is not a player of jie-long"),
        ("hard", "players are easy, medium, strong, master, random"),
    ],
)
def test_unknown_player_is_reported_in_one_line(spec, message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        make_agent(spec, "jie-long")
    assert "\n" not in str(caught.value)


def test_factory_makes_a_custom_player(tmp_path, monkeypatch):
    (tmp_path / "own_players.py").write_text(
        "class First:\n"
        "    name = 'first'\n"
        "    def act(self, turns):\n"
        "        return turns.masks.argmax(1)\n"
        "def first(game, variant):\n"
        "    return First()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    agent = make_agent("own_players:first", "jie-long")
    assert duel("jie-long", agent, make_agent("greedy", "jie-long"), 20, seed=1).players[0] == "first"
    del sys.modules["own_players"]
