"""The one loop that asks agents and steps lanes: what it counts, and whom it asks."""

import numpy as np

from gupai_agents import make_agent
from gupai_agents.play.decisions import chips_won, play_out
from gupai_env.vector import VectorEnv


def test_chips_are_counted_per_deal_of_a_match():
    envs = VectorEnv("jie-long", 20, renew=False, deals=3)
    won = np.zeros((20, 4))

    def add(actions):
        won[:] += envs.rewards

    play_out(envs, [make_agent("greedy"), make_agent("random")], np.tile([0, 1, 0, 1], (20, 1)), add)
    assert np.abs(won).sum() > 0
    np.testing.assert_allclose(chips_won(envs), won / 3)


class Counting:
    name, fewest = "counting", 99

    def act(self, turns):
        self.fewest = min(self.fewest, int(turns.masks.sum(1).min()))
        return turns.masks.argmax(1)


def test_forced_decisions_are_skipped_and_nobody_is_asked():
    for skip, fewest in ((True, 2), (False, 1)):
        agent = Counting()
        envs = VectorEnv("tiu-u", 200, renew=False, skip_forced=skip, deck="tiny")  # some deals begin with a forced one
        play_out(envs, [agent])
        assert agent.fewest == fewest
