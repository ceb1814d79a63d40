"""TorchRL's PPO on the PettingZoo environment, with masked actions: four seats of Jie Long, one policy.

    pip install -c examples/constraints-torchrl.txt ".[torchrl]"
    python examples/torchrl_ppo.py

`PettingZooWrapper` steps all seats at once: ("seats", "mask"), bool [4], says who acts, ("seats", "action_mask"),
bool [4, 63], what is legal there (all true for seats that wait), and the actions of waiting seats are thrown away. So
the policy's loss counts acting seats alone, the value's all. Rewards come to all seats with the last action of a deal.
Prints a row a batch, and the learner's chips per deal against rule-based players before and after.
"""

import argparse
import time
import warnings

import numpy as np
import torch
from tensordict.nn import TensorDictModule
from torch.nn import Linear, ReLU
from torchrl.collectors import Collector
from torchrl.envs import SerialEnv
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import gupai_env.jie_long_v0 as jie_long
from gupai_agents import ObservationAgent, make_agent
from gupai_agents.evaluation import duel

GAME, VARIANT = "jie-long", {"forced_play": True}
RIVALS = ("random", "greedy")
CHIPS = 35.0  # the standard deviation of a deal's payment, about
TABLES, EPOCHS, MINIBATCHES, ENTROPY = 16, 4, 8, 0.02


class Network(torch.nn.Sequential):
    """A multilayer perceptron that takes int8 observations."""

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return super().forward(observation.float())


def make_env() -> PettingZooWrapper:
    """Return a table with one group, "seats", for all agents; `mask_in="info"` keeps observations flat."""
    env = jie_long.env(mask_in="info", **VARIANT)
    return PettingZooWrapper(env, use_mask=True, group_map={"seats": env.possible_agents})


def judge(network: Network, rival: str, deals: int) -> str:
    """Return the learner's chips per deal against `rival` in all other seats, with the 95% interval."""

    def score(observations: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return network(torch.from_numpy(observations)).numpy()

    learner, other = ObservationAgent("TorchRL", GAME, score), make_agent(rival, GAME, **VARIANT)
    return f"{duel(GAME, learner, other, deals, seed=1, **VARIANT).mean(0)} against {rival}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", type=int, default=20, help="of 4,096 decisions")
    parser.add_argument("--deals", type=int, default=1000, help="of each judgement")
    arguments = parser.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(1)
    warnings.filterwarnings("ignore", "PettingZoo in TorchRL is tested")
    env = SerialEnv(TABLES, make_env)
    env.set_seed(1)
    size, actions = env.observation_spec["seats", "observation"].shape[-1], jie_long.GAME.num_actions
    policy, value = (Network(Linear(size, 128), ReLU(), Linear(128, out)) for out in (actions, 1))
    actor = ProbabilisticActor(
        TensorDictModule(policy, [("seats", "observation")], [("seats", "logits")]),
        in_keys={"logits": ("seats", "logits"), "mask": ("seats", "action_mask")},
        out_keys=[("seats", "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=("seats", "log_prob"),
    )
    critic = TensorDictModule(value, [("seats", "observation")], [("seats", "state_value")])
    keys = {key: ("seats", key) for key in ("reward", "done", "terminated", "advantage", "value_target")}
    keys["value"] = ("seats", "state_value")
    advantages = GAE(gamma=1.0, lmbda=0.98, value_network=critic)
    advantages.set_keys(**keys)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=ENTROPY, reduction="none")
    loss.set_keys(action=("seats", "action"), sample_log_prob=("seats", "log_prob"), **keys)
    optimiser = torch.optim.Adam(loss.parameters(), 1e-3)

    print("before:", *(judge(policy, rival, arguments.deals) for rival in RIVALS), sep="  ")
    print("decisions  policy loss  value loss  entropy  seconds")
    start, played = time.perf_counter(), 0
    frames = {"frames_per_batch": 4096, "total_frames": 4096 * arguments.batches}
    for data in Collector(env, actor, auto_register_policy_transforms=False, **frames):
        data["next", "seats", "reward"] /= CHIPS
        with torch.no_grad():
            advantages(data)
        data, played = data.reshape(-1), played + data.numel()
        acts, advantage = data["seats", "mask"], data["seats", "advantage"]
        data["seats", "advantage"] = (advantage - advantage[acts].mean()) / advantage[acts].std()
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(data)).chunk(MINIBATCHES):
                terms, acting = loss(data[rows]), acts[rows]
                policy_loss = terms["loss_objective"][acting].mean()
                entropy_loss = terms["loss_entropy"][acting].mean()
                value_loss = terms["loss_critic"].mean()
                optimiser.zero_grad()
                (policy_loss + entropy_loss + value_loss).backward()
                optimiser.step()
        row = f"{played:9}  {policy_loss:11.3f}  {value_loss:10.3f}  {-entropy_loss / ENTROPY:7.3f}"
        print(f"{row}  {time.perf_counter() - start:7.1f}")
    print("after: ", *(judge(policy, rival, arguments.deals) for rival in RIVALS), sep="  ")


if __name__ == "__main__":
    main()
