"""Tianshou's multi-agent DQN on the PettingZoo environment, with masked actions: four seats of Jie Long, one network.

    pip install -c examples/constraints-tianshou.txt ".[tianshou]"
    python examples/tianshou_dqn.py

Tianshou's `PettingZooEnv` gives one stream of all seats' decisions, and its multi-agent algorithms take the successor
of a decision from that stream: with one-step targets it is the *next seat's* observation, and nothing is learned. Here
the n-step return reaches to the end of the deal, where nothing is left to estimate, and whole deals are collected: a
decision learns from the chips of its own seat. Prints a row a batch, and the learner's chips before and after.
"""

import argparse
import logging
import time

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.torch_utils import policy_within_training_step
from torch.nn import Linear, ReLU

import gupai_env.jie_long_v0 as jie_long
from gupai_agents import ObservationAgent, make_agent
from gupai_agents.evaluation import duel

GAME, VARIANT = "jie-long", {"forced_play": True}
DECISIONS = 32  # a deal: eight tiles a seat, each laid or discarded
RIVALS = ("random", "greedy")
TABLES, DEALS, UPDATES = 16, 128, 64  # side by side; a batch; gradient steps of each seat after it


class Network(torch.nn.Sequential):
    """Values of all actions, in the shape of Tianshou's models: (observations, state, info) -> (values, state)."""

    def forward(self, obs: np.ndarray, state=None, info=None) -> tuple[torch.Tensor, None]:
        return super().forward(torch.as_tensor(obs, dtype=torch.float32)), state


def judge(network: Network, rival: str, deals: int) -> str:
    """Return the learner's chips per deal against `rival` in all other seats, with the 95% interval."""

    def score(observations: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return network(observations)[0].numpy()

    learner, other = ObservationAgent("Tianshou", GAME, score), make_agent(rival, GAME, **VARIANT)
    return f"{duel(GAME, learner, other, deals, seed=1, **VARIANT).mean(0)} against {rival}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", type=int, default=20, help="of 128 deals")
    parser.add_argument("--deals", type=int, default=1000, help="of each judgement")
    arguments = parser.parse_args()

    logging.getLogger("tianshou").setLevel(logging.ERROR)  # it warns that returns are one a seat
    torch.set_num_threads(1)
    torch.manual_seed(1)
    np.random.seed(1)
    env = PettingZooEnv(jie_long.env(**VARIANT))
    tables = DummyVectorEnv([lambda: PettingZooEnv(jie_long.env(**VARIANT)) for _ in range(TABLES)])
    tables.seed(1)
    network = Network(Linear(env.env.layout.size, 128), ReLU(), Linear(128, env.action_space.n))
    policy = DiscreteQLearningPolicy(model=network, action_space=env.action_space, eps_training=0.1)
    adam = AdamOptimizerFactory(1e-3)
    dqn = DQN(policy=policy, optim=adam, gamma=1.0, n_step_return_horizon=DECISIONS)
    seats = MultiAgentOffPolicyAlgorithm(algorithms=[dqn] * len(env.agents), env=env)
    collector = Collector(seats, tables, VectorReplayBuffer(81_920, TABLES), exploration_noise=True)
    collector.reset()

    print("before:", *(judge(network, rival, arguments.deals) for rival in RIVALS), sep="  ")
    print("decisions  chips of seats 0 to 3, mean a deal   loss in chips  seconds")
    start = time.perf_counter()
    # Tianshou's trainers raise the first of these flags alone, and then `eps_training` is not heeded.
    with policy_within_training_step(seats.policy), policy_within_training_step(policy):
        for batch in range(1, arguments.batches + 1):
            collected = collector.collect(n_episode=DEALS)
            losses = [seats.update(collector.buffer, 512).get_loss_stats_dict() for _ in range(UPDATES)]
            loss = np.mean([list(update_losses.values()) for update_losses in losses]) ** 0.5
            chips = "  ".join(f"{mean:+6.2f}" for mean in collected.returns.mean(0))
            seconds = time.perf_counter() - start
            print(f"{batch * DEALS * DECISIONS:9}  {chips:35}  {loss:13.1f}  {seconds:7.1f}")
    print("after: ", *(judge(network, rival, arguments.deals) for rival in RIVALS), sep="  ")


if __name__ == "__main__":
    main()
