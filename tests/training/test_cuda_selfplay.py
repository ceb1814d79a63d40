"""Self-play on a GPU where there is none: the processor runs its kernels."""

import numpy as np
import pytest
import torch

from benchmarks import ptx
from gupai_agents import make_agent
from gupai_agents.networks.network import NetworkAgent
from gupai_agents.registry import agents_of
from gupai_env import VectorEnv, get_game
from gupai_env.core import cuda
from gupai_env.core.episode import NOBODY
from gupai_training.config import parse, saved_config
from gupai_training.learner import SelfPlay, lanes_on
from gupai_training.network import build_network
from gupai_training.opponents import LEARNER, OpponentPool
from gupai_training.run import Run
from gupai_training.selfplay import SelfPlayEnv

UPDATES, NETWORK = 8, 2  # its number in the pool
SMALL = {
    "game": "jie-long",
    "variant": {"deals": 2},
    "device": "cpu",
    "threads": 1,
    "decisions": UPDATES * 6 * 24,
    "save_every": 100,
    "network": {"hidden": [16]},
    "precision": "float32",
    "ppo": {"envs": 6, "steps": 24, "batch_size": 64},
    "pool": {"rules": ["greedy", "random"], "self_share": 0.2, "snapshots": 7},
    "evaluation": {"every": 100, "deals": 2, "final_deals": 2, "baselines": ["random"]},
}


@pytest.fixture(autouse=True)
def on_processor(monkeypatch):
    """The processor runs kernels in place of a GPU, as device "cpu"."""
    monkeypatch.setattr(cuda, "stand_in", ptx.load)


@pytest.fixture
def learner():
    """A learner among two heuristics and a network, that has begun."""
    config = parse(SMALL, "test")
    learner = SelfPlay(config, build_network(config))
    learner.env.pool.add(make_agent("best", "jie-long"), 1)
    with learner.running():
        yield learner


def chips_of(env, lane, episode, actions):
    """The chips that the processor pays for the actions of a whole episode."""
    envs = VectorEnv("jie-long", 1, renew=False, skip_forced=True, deals=2)
    envs.seeds[:], envs.episodes[:] = env.envs.seeds[lane], episode
    envs.begin()
    envs.refresh()
    for action in actions:
        assert not envs.terminated[0]
        envs.step(np.array([action]))
    assert envs.terminated[0]
    return envs.states.total[0, : env.lanes.players].tolist()


def test_finished_episodes_pay_what_the_processor_pays(learner):
    env, told, paid = learner.env, [], []
    env.pool.record = lambda seating, payoffs: told.extend(payoffs.tolist())
    for key in range(60):
        moves, rounds, episodes = env.moves + env._rounds, env._rounds.clone(), env.envs.episodes.tolist()
        env.play(env.envs.sample(key))
        lengths = moves - rounds + env._rounds - rounds
        for lane in env.terminated.nonzero()[:, 0].tolist():
            paid.append(chips_of(env, lane, episodes[lane], env.played[lane, : lengths[lane]].tolist()))
            assert env.totals[lane].tolist() == paid[-1]
    assert told == paid and len(paid) > 3
    assert np.sum(paid, 1).tolist() == [0] * len(paid)


def test_learner_learns_from_its_own_legal_decisions_alone(learner):
    env, movers, play = learner.env, [], learner.env.play

    def noted(actions):
        lanes, moves = (env.movers == NETWORK).nonzero()[:, 0], env.moves.clone()
        scores = env.pool.agents[NETWORK].score(env.observations[lanes].numpy())
        best = np.where(env.masks[lanes], scores, -np.inf).argmax(1)
        movers.append(env.movers)
        play(actions)
        assert env.played[lanes, moves[lanes]].tolist() == best.tolist()  # the network decides for itself

    env.play = noted
    assert learner.play()
    rollout, own = learner.rollout, torch.stack(movers) == LEARNER
    assert ((rollout.seats != NOBODY) == own).all() and 0 < own.sum() < own.numel()
    assert not rollout.weights[~own].any() and rollout.weights.any()
    assert rollout.masks.gather(2, rollout.actions[:, :, None])[:, :, 0][own].all()
    assert learner.count == own.sum() and (torch.stack(movers) == NETWORK).any()


def test_seats_of_a_member_that_leaves_are_the_learners(learner):
    env = learner.env
    env.seating[0] = torch.tensor([0, 1, NETWORK, LEARNER])
    env.forget(1)
    assert env.seating[0].tolist() == [0, LEARNER, NETWORK - 1, LEARNER]


def test_interrupted_run_resumes_to_the_same_bytes(tmp_path):
    whole, interrupted = (Run.begin(parse(SMALL, "test"), tmp_path) for _ in range(2))
    before = [parameter.clone() for parameter in whole.learner.network.parameters()]
    whole.learn()
    for parameter, first in zip(whole.learner.network.parameters(), before, strict=True):
        assert (parameter != first).any()
    frozen = [member.deals for member in whole.learner.env.pool.members if isinstance(member.agent, NetworkAgent)]
    assert sum(frozen) > 0  # past selves had seats
    assert not interrupted.learn(stop=lambda: interrupted.learner.updates == UPDATES // 2)
    again = Run(saved_config(interrupted.folder), interrupted.folder)
    again.learn(go_on=True)
    agents = [(run.folder / "agent.safetensors").read_bytes() for run in (whole, again)]
    assert agents[0] == agents[1]


class First:
    """An opponent that is Python: it plays the first legal action."""

    name = "first"

    def act(self, batch):
        return batch.masks.argmax(1)


@pytest.mark.parametrize(("opponent", "on_gpu"), [("best", True), ("random", True), (First(), False)])
def test_lanes_stay_on_the_processor_for_opponents_that_only_play_there(opponent, on_gpu):
    pool = OpponentPool(4, np.random.default_rng(0), 0.0, 1, 0.0)
    for agent in agents_of(get_game("jie-long"), get_game("jie-long").variant(), ["greedy", opponent]):
        pool.add(agent, 0, scripted=True)
    lanes = SelfPlayEnv("jie-long", 2, pool)
    assert (lanes_on(torch.device("cpu"), "float32", lanes) is not lanes) == on_gpu
