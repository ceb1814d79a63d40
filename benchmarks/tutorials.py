"""Trains in Jie Long with the settings of libraries' own tutorials, or with others, and measures what was learned.

    python -m benchmarks.tutorials tianshou
    python -m benchmarks.tutorials tianshou --n-step 32 --gamma 1 --rate 1e-3
    python -m benchmarks.tutorials sb3
    python -m benchmarks.tutorials sb3 --one-seat
    python -m benchmarks.tutorials sb3 --one-seat --decisions 102_400 --gamma 1 --rate 1e-3 --scale 35

`tianshou` is `tic_tac_toe.py`, its DQN in one seat among random players; `sb3` is PettingZoo's tutorial
`sb3_connect_four_action_mask.py`, with `--one-seat` in the Gymnasium environment with random opponents. Each needs its
library (docs/clients.md) and takes minutes on one core. Printed are chips per deal of duplicate matches.
"""

import argparse
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pettingzoo.utils
import torch

import gupai_env.jie_long_v0 as jie_long
from gupai_agents import ObservationAgent
from gupai_agents.evaluation import duel

GAME, OPTIONS = "jie-long", {"forced_play": True}
DEALS, DEALS_SEED = 1000, 1
EPOCH = 1000  # decisions
OPPONENTS = ("random", "greedy")


class AllSeats(pettingzoo.utils.BaseWrapper, gymnasium.Env):
    """The wrapper of PettingZoo's tutorial: one learner plays all seats in turn."""

    def reset(self, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed, options)
        agent = self.possible_agents[0]
        self.observation_space = super().observation_space(agent)["observation"]
        self.action_space = super().action_space(agent)
        return self.observe(self.agent_selection), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        mover = self.agent_selection
        super().step(action)
        ends = self.terminations[mover], self.truncations[mover]
        return self.observe(self.agent_selection), self._cumulative_rewards[mover], *ends, self.infos[mover]

    def observe(self, agent: str) -> Any:
        return super().observe(agent)["observation"]

    def action_masks(self) -> Any:
        """Return the mask of the seat to act, as sb3-contrib asks for it."""
        return super().observe(self.agent_selection)["action_mask"]


def by_tianshou(args: argparse.Namespace) -> tuple[Callable[[np.ndarray], np.ndarray], Callable[[], None]]:
    """Return the scores of a network, and what trains it."""
    from tianshou.algorithm import DQN, MARLRandomDiscreteMaskedOffPolicyAlgorithm, MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv
    from tianshou.trainer import OffPolicyTrainerParams
    from tianshou.utils.net.common import Net

    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    make: Callable[[], Any] = lambda: PettingZooEnv(jie_long.env(**OPTIONS))  # noqa: E731
    env, training, testing = make(), DummyVectorEnv([make] * 10), DummyVectorEnv([make] * 10)
    training.seed(args.seed)
    testing.seed(args.seed)
    observed, actions = env.observation_space.spaces["observation"], env.action_space
    net = Net(state_shape=observed.shape, action_shape=int(actions.n), hidden_sizes=[128] * 4)
    policy = DiscreteQLearningPolicy(model=net, action_space=actions, eps_training=0.1, eps_inference=0.05)
    learner = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=args.rate or 1e-4),
        n_step_return_horizon=args.n_step,
        gamma=args.gamma or 0.9,
        target_update_freq=320,
    )
    others = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=actions) for _ in range(3)]
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[others[0], learner, *others[1:]], env=env)
    collector = Collector(algorithm, training, VectorReplayBuffer(20_000, 10), exploration_noise=True)
    collector.reset()
    collector.collect(n_step=640)
    parameters = OffPolicyTrainerParams(
        training_collector=collector,
        test_collector=Collector(algorithm, testing, exploration_noise=True),
        max_epochs=(args.decisions or 20_000) // EPOCH,
        epoch_num_steps=EPOCH,
        collection_step_num_env_steps=10,
        test_step_num_episodes=10,
        batch_size=64,
        update_step_num_gradient_steps_per_sample=0.1,
        test_in_training=False,
        multi_agent_return_reduction=lambda chips: chips[:, 1],
        show_progress=False,
        verbose=False,
    )
    return lambda observations: net(observations)[0].numpy(), lambda: algorithm.run_training(parameters)


def by_sb3(args: argparse.Namespace) -> tuple[Callable[[np.ndarray], np.ndarray], Callable[[], None]]:
    """Return the scores of a network, and what trains it."""
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.wrappers import ActionMasker

    env: Any = (
        gymnasium.make("gupai/JieLong-v0", opponents="random", **OPTIONS)
        if args.one_seat
        else AllSeats(jie_long.env(**OPTIONS))
    )
    if args.one_seat and args.scale != 1:
        env = gymnasium.wrappers.TransformReward(env, lambda chips: chips / args.scale)
    env.reset(seed=args.seed)
    masked = ActionMasker(env, lambda env: (env.unwrapped if args.one_seat else env).action_masks())
    settings = {"gamma": args.gamma or 0.99, "learning_rate": args.rate or 3e-4, "seed": args.seed}
    model = MaskablePPO("MlpPolicy", masked, device="cpu", **settings)

    def scores(observations: np.ndarray) -> np.ndarray:
        return model.policy.get_distribution(torch.from_numpy(observations)).distribution.logits.numpy()

    return scores, lambda: model.learn(args.decisions or 20_480)


def judged(scores: Callable[[np.ndarray], np.ndarray]) -> str:
    """Return the chips per deal of the action with the highest score against each opponent."""
    with torch.no_grad():
        agent = ObservationAgent("learned", GAME, scores)
        results = [duel(GAME, agent, other, DEALS, seed=DEALS_SEED, **OPTIONS) for other in OPPONENTS]
    return "  ".join(f"{result.mean(0)} against {other}" for result, other in zip(results, OPPONENTS, strict=True))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=("tianshou", "sb3"))
    parser.add_argument("--decisions", type=int, help="20,000 or 20,480, as the tutorials' batches go")
    parser.add_argument("--gamma", type=float, help="that of the tutorial")
    parser.add_argument("--rate", type=float, help="of learning; that of the tutorial")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n-step", type=int, default=3, help="tianshou: decisions of a return")
    parser.add_argument("--one-seat", action="store_true", help="sb3: one seat among random players")
    parser.add_argument("--scale", type=float, default=1, help="sb3 with --one-seat: rewards are divided by it")
    given = parser.parse_args()
    torch.set_num_threads(1)
    scores, train = (by_tianshou if given.library == "tianshou" else by_sb3)(given)
    print("before:", judged(scores), flush=True)
    train()
    print("after: ", judged(scores))
