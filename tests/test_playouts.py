"""Playouts in compiled code: the play of rule-based agents is what asking them decision by decision makes it."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agents import make_agent
from agents.agent import Agent, Turns
from agents.evaluation import play_duplicates
from agents.playouts import MOST, numbered, playout_runs
from agents.registry import agent_names
from agents.rules import RuleAgent
from agents.rules.best import best_by, best_ranked, ranks_by
from gupai_env import GAMES
from gupai_env.core.rng import derive, draw
from gupai_env.core.rule import rule

ROOT = Path(__file__).parents[1]


class Asked:
    """An agent that the compiled loops do not know, so that it is asked in batches."""

    def __init__(self, agent: Agent) -> None:
        self.name, self.agent = agent.name, agent

    def act(self, turns: Turns) -> np.ndarray:
        return self.agent.act(turns)


def line_up(game: str) -> list[Agent]:
    """Every named agent of a game, as many seats as it has by default."""
    agents = [make_agent(name, game) for name in agent_names(game)]
    return (agents * 2)[: GAMES[game].variant().players]


@pytest.mark.parametrize("deals", [1, 3])
@pytest.mark.parametrize("game", GAMES)
def test_chips_are_the_same_to_the_bit_whether_agents_play_in_the_loop_or_are_asked(game, deals):
    agents = line_up(game)
    asked = [Asked(agent) for agent in agents]
    mixed = [*asked[:1], *agents[1:]]
    inside, outside, both = (
        play_duplicates(game, players, 40, seed=3, deals=deals).chips for players in (agents, asked, mixed)
    )
    assert inside.any()
    assert (inside == outside).all()
    assert (inside == both).all()


@rule
def first_legal(view, mask, key):
    return np.argmax(mask)


@rule
def last_legal(view, mask, key):
    return len(mask) - 1 - np.argmax(mask[::-1])


def test_policies_of_ones_own_play_in_the_loop_too():
    agents = [RuleAgent("first", first_legal), RuleAgent("last", last_legal), *line_up("jie-long")[:2]]
    assert (numbered(GAMES["jie-long"], agents)[1] == [0, 1, 2, 3]).all()
    inside, outside = (
        play_duplicates("jie-long", players, 30, seed=1).chips
        for players in (agents, [Asked(agent) for agent in agents])
    )
    assert (inside == outside).all()


def test_agents_that_find_no_place_in_the_loop_are_asked():
    names = [make_agent(name) for name in agent_names("jie-long")]
    agents = [RuleAgent("first", first_legal), *names, RuleAgent("last", last_legal), Asked(names[0])]
    assert numbered(GAMES["jie-long"], agents)[1].tolist() == [0, 1, 2, 3, MOST + 4, MOST + 5]
    assert numbered(GAMES["jie-long"], names[::-1])[1].tolist() == [2, 1, 0]  # named ones share one loop


def test_runs_count_the_decisions_of_whole_episodes():
    run = playout_runs(GAMES["jie-long"], "greedy", num_lanes=20)
    assert run(0) == run(1) == 20 * 32  # every tile is shed


def test_ranks_choose_as_scores_do():
    def score(view, action):
        return view[action]

    for turn in range(200):
        worth = np.array([draw(derive(1, turn), action, 7) for action in range(66)]) - 3
        mask = np.array([draw(derive(2, turn), action, 4) == 0 for action in range(66)])
        mask[turn % 66] = True
        assert best_ranked(ranks_by(worth), mask) == best_by(score, worth, mask)


PLAY = """
from agents.playouts import numbered, playout_runs
from agents.registry import make_agent
from gupai_env import GAMES
game = GAMES["jie-long"]
playout_runs(game, "variety", 10)(0)
stats = numbered(game, [make_agent("greedy")])[0].finish.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_the_second_process_compiles_nothing(tmp_path):
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    found = [
        subprocess.run(
            [sys.executable, "-c", PLAY], env=env, check=True, capture_output=True, text=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert found == [["0", "1"], ["1", "0"]]
