"""Agents that remember a deal: the same play in any batch, a new memory in every deal, and who is refused."""

import contextlib
import re

import gymnasium
import numpy as np
import pytest

from checkout import ROOT
from gupai_agents import DecisionBatch, make_agent
from gupai_agents.evaluation import duel, play_tournament
from gupai_agents.evaluation.matches.match import play_some
from gupai_agents.play.workers import workers_for
from gupai_env import get_game

GAME = get_game("jie-long")
EXAMPLES = ROOT / "examples"


class Counting:
    """Plays by how many decisions its seat has made in this deal, which it keeps to compare."""

    name, memory = "counting", np.zeros(1, np.int32)

    def __init__(self):
        self.seen = []

    def act(self, batch: DecisionBatch, memory: np.ndarray):
        own = batch.views.plays[:, 0] + batch.views.drops[:, 0]  # a decision of a deal lays or discards one tile
        self.seen.append((memory[:, 0] - own).any())
        order = np.where(batch.masks, np.arange(batch.masks.shape[1]) * 7 % (5 + memory), -1)
        return order.argmax(1), memory + 1


class Undeclared:
    """Counts what it is asked, and says nothing of it."""

    name = "undeclared"

    def __init__(self):
        self.asked = 0

    def act(self, batch: DecisionBatch):
        self.asked += 1
        return batch.masks.argmax(1) if self.asked % 2 else batch.masks.shape[1] - 1 - batch.masks[:, ::-1].argmax(1)


def test_memory_begins_with_every_deal_and_play_is_the_same_anywhere():
    agent, greedy = Counting(), make_agent("greedy", GAME)
    whole = duel(GAME, agent, greedy, 60, seed=1, deals=2).chips
    assert len(agent.seen) > 10 and not any(agent.seen[2:])  # it was asked twice whether it is steady
    players = [agent, greedy, greedy, greedy]
    blocks = play_some(GAME, GAME.variant.make(deals=2), players, 1, 60, most=7)
    np.testing.assert_array_equal(np.concatenate([chips for _, chips in blocks]), whole)
    with contextlib.closing(workers_for(2)) as two:
        np.testing.assert_array_equal(duel(GAME, Counting(), greedy, 60, seed=1, workers=two, deals=2).chips, whole)


@pytest.mark.parametrize("lanes", [0, 5])
def test_opponent_of_gymnasium_remembers_its_deal(lanes):
    agent = Counting()
    made = {"opponents": agent, "seat": 0}
    envs = (
        gymnasium.make_vec("gupai/JieLong-v0", num_envs=lanes, **made)
        if lanes
        else gymnasium.make("gupai/JieLong-v0", **made)
    )
    agent.seen.clear()
    for seed in (3, 3, 4):  # the same deal again is a new one
        mask = envs.reset(seed=seed)[1]["action_mask"]
        for _ in range(10):
            _, _, over, _, info = envs.step(mask.argmax(-1))
            if not lanes and over:
                break
            mask = info["action_mask"]
    assert len(agent.seen) > 20 and not any(agent.seen)


@pytest.mark.parametrize(
    "play",
    [
        lambda agent: duel(GAME, agent, make_agent("greedy", GAME), 2),
        lambda agent: play_tournament(GAME, [make_agent("greedy", GAME), agent], 2),
        lambda agent: gymnasium.make("gupai/JieLong-v0", opponents=agent),
        lambda agent: gymnasium.make_vec("gupai/JieLong-v0", num_envs=2, pool=[agent]),
    ],
    ids=["duel", "tournament", "seat", "seats"],
)
def test_agent_without_declared_memory_is_refused_in_one_line(play):
    with pytest.raises(ValueError, match=r"^undeclared answers equal decisions differently: [^\n]*$"):
        play(Undeclared())


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda batch, memory: batch.masks.argmax(1), "returns its actions and its memory"),
        (lambda batch, memory: (batch.masks.argmax(1), memory[:, :0]), "its memory must be int32"),
        (lambda batch, memory: (batch.masks.argmax(1), memory + 0.5), "its memory must be int32"),
    ],
)
def test_foreign_memory_is_refused_in_one_line(answer, message):
    agent = Counting()
    agent.act = answer
    with pytest.raises(ValueError, match=re.escape(message)):
        duel(GAME, agent, make_agent("greedy", GAME), 2)


@pytest.mark.parametrize("game", ["jie-long", "ce-deng"])
def test_baseline_memory_matters_only_where_tiles_are_covered(game, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    for stacked, alike in ((False, True), (True, False)):
        tuned, one, other = (
            make_agent(name, game, stacked=stacked)
            for name in ("tuned", "stacked_memory:remembers", "stacked_memory:forgets")
        )
        won = duel(game, other, tuned, 40, seed=1, stacked=stacked).chips
        assert (won == duel(game, tuned, tuned, 40, seed=1, stacked=stacked).chips).all() == alike
        assert stacked is False or (won != duel(game, one, tuned, 40, seed=1, stacked=stacked).chips).any()
