"""Playouts in compiled code: the play of rule-based agents is what asking them decision by decision makes it."""

import os
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.speed import playing_out
from gupai_agents import make_agent
from gupai_agents.agent import Agent, DecisionBatch
from gupai_agents.evaluation import play_duplicates
from gupai_agents.play.playouts import ASKED, numbered
from gupai_agents.registry import agent_names
from gupai_env import GAMES


class Asked:
    """An agent that the compiled loops do not know, so that it is asked in batches."""

    def __init__(self, agent: Agent) -> None:
        self.name, self.agent = agent.name, agent

    def act(self, turns: DecisionBatch) -> np.ndarray:
        return self.agent.act(turns)


def line_up(game: str) -> list[Agent]:
    """Every named agent of a game, as many seats as it has by default."""
    agents = [make_agent(name, game) for name in agent_names(game)]
    return (agents * 2)[: GAMES[game].variant().players]


@pytest.mark.parametrize("game", GAMES)
def test_chips_are_equal_in_the_loop_and_when_asked(game):
    agents = line_up(game)
    asked = [Asked(agent) for agent in agents]
    mixed = [*asked[:1], *agents[1:]]
    inside, outside, both = (
        play_duplicates(game, players, 40, seed=3, deals=3).chips for players in (agents, asked, mixed)
    )
    assert inside.any()
    assert (inside == outside).all()
    assert (inside == both).all()


def test_agents_unknown_to_the_loops_are_asked():
    names = [make_agent(name, "jie-long") for name in ("random", "greedy", "variety")]
    foreign = make_agent("greedy", "ce-deng")
    agents = [Asked(names[1]), *names, foreign]
    numbers, heuristics = numbered(GAMES["jie-long"], agents)
    assert numbers.tolist() == [ASKED, 0, 1, 2, ASKED + 4]
    np.testing.assert_array_equal(heuristics, [names[1].weights, names[2].weights])


def test_runs_count_the_decisions_of_whole_episodes():
    run = playing_out(GAMES["jie-long"], num_envs=20)
    assert run(0) == run(1) == 20 * 32  # every tile is shed


PLAY = """
import sys
import numpy as np
from gupai_agents.play.playouts import finish, playouts
from gupai_env import GAMES, VectorEnv
game = GAMES["pai-gow"]
finish(VectorEnv(game, 10), game.heuristic("greedy")[None], np.ones((10, game.max_seats), np.int16))
print(any(playouts(game).finish.entries.values()), "numba" in sys.modules)
"""


def test_next_process_compiles_nothing():
    playing_out(GAMES["pai-gow"], num_envs=10)(0)  # compiled, or found on disk
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", PLAY], env=env, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "False"]
