"""RLlib's multi-agent PPO on the PettingZoo environment, with masked actions: four seats of Jie Long, one policy.

    pip install -c examples/constraints-rllib.txt ".[rllib]"
    python examples/rllib_ppo.py

RLlib's `PettingZooEnv` hands over one seat's turn after another and pays a seat when it is its turn again, or at the
end of the deal; RLlib keeps an episode for every seat, so a decision's successor is the same seat's next one. The
observation is a dict with the mask in it, which the RLModule (new API stack) takes apart. Every action that was sampled
is looked up in its mask. Prints a row an iteration, and the learner's chips per deal before and after.
"""

import argparse
import logging
import os

import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune import register_env

import gupai_env.jie_long_v0 as jie_long
from gupai_agents import ObservationAgent, make_agent, save_network
from gupai_agents.evaluation import duel

GAME, VARIANT = "jie-long", {"forced_play": True}
RIVALS = ("random", "greedy")
CHIPS = 35.0  # the standard deviation of a deal's payment, about


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Policy and value of a dict observation, forbidden actions at a logit of -1e9."""

    def setup(self) -> None:
        size = self.observation_space["observation"].shape[0]
        self.policy, self.value = (
            torch.nn.Sequential(torch.nn.Linear(size, 128), torch.nn.ReLU(), torch.nn.Linear(128, outputs))
            for outputs in (self.action_space.n, 1)
        )

    def _forward(self, batch: dict, **_) -> dict:
        seen = batch[Columns.OBS]
        logits = self.policy(seen["observation"].float())
        return {Columns.ACTION_DIST_INPUTS: torch.where(seen["action_mask"] > 0, logits, -1e9)}

    def compute_values(self, batch: dict, embeddings=None) -> torch.Tensor:
        return CHIPS * self.value(batch[Columns.OBS]["observation"].float()).squeeze(-1)


def check_actions(*, episode, metrics_logger, **_) -> None:
    """Look up all actions of a deal in their masks."""
    for seat in episode.agent_episodes.values():
        masks = np.stack([seen["action_mask"] for seen in seat.get_observations()[:-1]])
        actions = np.asarray(seat.get_actions())
        assert masks[np.arange(len(actions)), actions].all(), "an illegal action was sampled"
        metrics_logger.log_value("actions_checked", len(actions), reduce="lifetime_sum")


def judge(module: MaskedModule, rival: str, deals: int) -> str:
    """Return the learner's chips per deal against `rival` in all other seats, with the 95% interval."""

    def score(observations: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return module.policy(torch.from_numpy(observations).float()).numpy()

    learner, other = ObservationAgent("RLlib", GAME, score), make_agent(rival, GAME, **VARIANT)
    return f"{duel(GAME, learner, other, deals, seed=1, **VARIANT).mean(0)} against {rival}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--deals", type=int, default=1000, help="of each judgement")
    parser.add_argument("--out", help="checkpoint to write, a player of gupai")
    arguments = parser.parse_args()

    torch.set_num_threads(1)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # ray would report them
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    register_env("jie-long", lambda _: PettingZooEnv(jie_long.env(**VARIANT)))
    config = (
        PPOConfig()
        .environment("jie-long", disable_env_checking=True)  # the check plays actions at random, legal or not
        .env_runners(num_env_runners=0, num_envs_per_env_runner=16)
        .multi_agent(policies={"seat"}, policy_mapping_fn=lambda agent, episode, **_: "seat")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule))
        .callbacks(on_episode_end=check_actions)
        .training(
            train_batch_size_per_learner=4096,
            minibatch_size=512,
            num_epochs=4,
            lr=1e-3,
            gamma=1.0,
            lambda_=0.95,
            entropy_coeff=0.02,
            vf_clip_param=float("inf"),
            vf_loss_coeff=1 / CHIPS**2,
        )
        .debugging(seed=1, log_level="ERROR")
    )
    algorithm = config.build_algo()
    module = algorithm.get_module("seat")
    print("before:", *(judge(module, rival, arguments.deals) for rival in RIVALS), sep="  ")
    print("iteration  actions checked  chips of seats 0 to 3, recent mean  entropy  value explained  seconds")
    for iteration in range(1, arguments.iterations + 1):
        result = algorithm.train()
        sampled, learned = result["env_runners"], result["learners"]["seat"]
        means = sampled["agent_episode_returns_mean"]
        chips = "  ".join(f"{means[f'seat_{seat}']:+6.2f}" for seat in range(4))
        print(
            f"{iteration:9}  {sampled['actions_checked']:15.0f}  {chips:34}  {learned['entropy']:7.3f}"
            f"  {learned['vf_explained_var']:15.2f}  {result['time_this_iter_s']:7.1f}"
        )
    print("after: ", *(judge(module, rival, arguments.deals) for rival in RIVALS), sep="  ")
    if arguments.out:
        save_network(module.policy, GAME, VARIANT, arguments.out)
    ray.shutdown()


if __name__ == "__main__":
    main()
