"""Deals played several ways, and positions in which two actions are compared."""

from types import SimpleNamespace

import numpy as np

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_agents.evaluation.claims import Sampler
from gupai_agents.evaluation.claims.schema import Condition, Population
from gupai_agents.evaluation.claims.setting import Block, Choice, DealSource, differ, forks, gains
from gupai_agents.evaluation.statistics import estimate
from gupai_env.core.rng import derive
from gupai_env.core.tiles import PIPS
from gupai_env.games.claims import chips
from gupai_env.vector import VectorEnv
from readings import JIE_LONG


class OtherNoise:
    """Plays at random, by chance of its own."""

    name = "other"

    def __init__(self):
        self.agent = make_agent("random")

    def act(self, turns: DecisionBatch) -> np.ndarray:
        return self.agent.act(turns._replace(rng_keys=np.array([derive(int(key), 5) for key in turns.rng_keys])))


def test_intervals_hold_between_equals_who_play_differently():
    random, other = make_agent("random"), OtherNoise()
    variant = JIE_LONG.variant()
    source = DealSource(Sampler(JIE_LONG, variant, Population()), 11)
    won = []
    for block in source.blocks(0, 8000):
        ends = [source.play_with(block, random, hero) for hero in (other, random)]
        values = [chips(each) for each in ends]
        won.append(values[0] - values[1])
        assert differ(*(each.states for each in ends)).mean() > 0.9
    intervals = [estimate(some) for some in np.split(np.concatenate(won), 200)]
    missed = sum(abs(each.mean) > each.half_width for each in intervals)
    assert 2 <= missed <= 20  # of 200 at 5%


def test_action_value_equals_the_deal_played_on_by_hand():
    agent, variant = make_agent("variety"), JIE_LONG.variant()
    source = DealSource(Sampler(JIE_LONG, variant, Population()), 13)
    choice = Choice([], [Condition(feature="leaves", number=2)], [Condition(feature="lays")], "pip_matched")
    found = next(forks(source, agent, choice, 0, 20))
    before = found.states.copy()
    won = gains(source, agent, found)
    assert not differ(before, found.states).any()  # the fork leaves the position as it was
    for at in range(0, len(won), 5):
        paid = []
        for action in (found.actions[at], found.others[at]):
            envs = VectorEnv(JIE_LONG, 1, observe=False, renew=False)
            envs.states[:] = found.states[at : at + 1]
            envs.refresh()
            envs.step(np.array([action]))
            while not envs.terminated[0]:
                views, rng_keys = envs.views()
                envs.step(agent.act(DecisionBatch(views, envs.masks, rng_keys)).astype(int))
            paid.append(envs.states.total[0, found.states.to_act[at]])
        assert won[at] == paid[0] - paid[1]


def test_compared_actions_match_their_names():
    agent, variant = make_agent("variety"), JIE_LONG.variant()
    source = DealSource(Sampler(JIE_LONG, variant, Population()), 13)
    for comparator in ("best_alternative", "uniform", "pip_matched"):
        choice = Choice([], [Condition(feature="leaves", number=2)], [], comparator)
        found = next(forks(source, agent, choice, 0, 30))
        names = [JIE_LONG.action_names[action] for action in found.actions]
        others = [JIE_LONG.action_names[action] for action in found.others]
        assert all(name.endswith("2]") and "discard" not in name for name in names)
        assert not any(name.endswith("2]") and "discard" not in name for name in others)
        if comparator == "pip_matched":
            both = zip(found.actions, found.others, strict=True)
            assert max(abs(int(PIPS[one % 21].sum() - PIPS[other % 21].sum())) for one, other in both) <= 1


def test_positions_do_not_depend_on_the_batch_of_deals(monkeypatch):
    sampler = Sampler(JIE_LONG, JIE_LONG.variant(), Population())
    choice = Choice([], [Condition(feature="double")], [], "best_alternative")
    agent, found = make_agent("greedy"), []
    for envs in (4096, 7):
        monkeypatch.setattr("gupai_agents.evaluation.claims.setting.ENVS", envs)
        source = DealSource(sampler, 5)
        parts = list(forks(source, agent, choice, 3, 20))
        deals = np.concatenate([part.deals for part in parts])
        moves = np.concatenate([part.states.moves for part in parts])
        chosen = np.concatenate([part.actions for part in parts])
        found.append(sorted(zip(deals.tolist(), moves.tolist(), chosen.tolist(), strict=True)))
    assert found[0] == found[1]
    assert {deal for deal, *_ in found[0]} <= set(range(3, 23))
    assert max(found[0])[0] >= 20


def test_actions_of_about_equal_pips_differ_by_at_most_one(monkeypatch):
    pips = np.array([5, 4, 6, 7, 3, 5])
    monkeypatch.setattr("gupai_agents.evaluation.claims.setting.action_pips", lambda game: pips)
    monkeypatch.setattr("gupai_agents.evaluation.claims.setting.actions_with", lambda at, what: np.arange(6)[None] == 0)
    monkeypatch.setattr("gupai_agents.evaluation.claims.setting.meets", lambda at, what: np.ones(1, bool))
    score = np.zeros(6)
    monkeypatch.setattr(
        "gupai_agents.evaluation.claims.setting.preferences", lambda agent, turns, chosen: score[None].copy()
    )
    at = SimpleNamespace(game=None, masks=np.ones((1, 6), bool))
    taken = set()
    for best in range(1, 6):  # whichever is liked most: the one taken is among those
        score[:] = 0
        score[best] = 1
        one, other, *_ = Choice([], [1], [], "pip_matched").sides(at, None, None, np.zeros(1, int))
        assert one.tolist() == [0]
        taken.add(int(other[0]))
    assert taken == {1, 2, 5}


def test_block_names_the_seats_in_question_and_their_partners():
    variant = JIE_LONG.variant()
    sampler = Sampler(JIE_LONG, variant, Population(partner={"away": 3}))
    block: Block = next(DealSource(sampler, 5).blocks(0, 30))
    assert (block.seats[:, 1] == (block.seats[:, 0] + 3) % 4).all()
    assert set(block.seats[:, 0].tolist()) == {0, 1, 2, 3}
