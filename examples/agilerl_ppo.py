"""AgileRL's PPO, by its own training loop, on lanes: Jie Long against the rule-based player `greedy`.

    pip install torch==2.13.0 agilerl==2.58.0 peft==0.21.2 .    # in a virtual environment of its own
    python examples/agilerl_ppo.py

`SeatVectorEnv` is Gymnasium's VectorEnv: 256 deals side by side, one learning seat in each, `greedy` in the others. Its
infos have the masks that AgileRL looks for, "action_mask", so nothing is wrapped but the reward, which is divided by
the standard deviation of a deal. Returns are those of whole deals: AgileRL's generalised advantages end an episode one
decision too early, which leaves all but the last decision of a deal without its chips. Prints the learner's chips per
deal before and after.
"""

import argparse
import time

import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.training.train_on_policy import train_on_policy
from gymnasium.wrappers.vector import TransformReward

from gupai_agents import ObservationAgent, make_agent
from gupai_agents.evaluation import duel
from gupai_agents.gymnasium_envs import SeatVectorEnv

GAME, VARIANT = "jie-long", {"forced_play": True}
RIVALS = ("random", "greedy")
TABLES, STEPS = 256, 32  # side by side; decisions of each between two updates


def judge(learner: PPO, rival: str, deals: int) -> str:
    """Return the learner's chips per deal against `rival` in all other seats, with the 95% interval."""

    def score(observations: np.ndarray) -> np.ndarray:
        actor = learner.actor
        with torch.no_grad():
            return actor.head_net.wrapped(actor.extract_features(torch.from_numpy(observations).float())).numpy()

    player, other = ObservationAgent("AgileRL", GAME, score), make_agent(rival, GAME, **VARIANT)
    return f"{duel(GAME, player, other, deals, seed=1, **VARIANT).mean(0)} against {rival}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", type=int, default=1_000_000, help="of the learning seat")
    parser.add_argument("--deals", type=int, default=1000, help="of each judgement")
    arguments = parser.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(1)
    np.random.seed(1)
    tables = SeatVectorEnv(GAME, TABLES, pool=["greedy"], **VARIANT)
    tables.reset(seed=1)
    env = TransformReward(tables, lambda chips: chips / 35)
    learner = PPO(
        env.single_observation_space,
        env.single_action_space,
        num_envs=TABLES,
        learn_step=TABLES * STEPS,
        batch_size=1024,
        update_epochs=2,
        gamma=1.0,  # a deal pays once, at its end
        ent_coef=0.01,
        lr=1e-3,
        net_config={"encoder_config": {"hidden_size": [128, 128]}},
        rollout_buffer_config={"use_gae": False},
    )
    print("before:", *(judge(learner, rival, arguments.deals) for rival in RIVALS), sep="  ")
    start = time.perf_counter()
    train_on_policy(env, GAME, "PPO", [learner], max_steps=arguments.decisions, evo_steps=TABLES * STEPS, verbose=False)
    print(f"{learner.metrics.steps:,} decisions learned from in {time.perf_counter() - start:.0f} s")
    print("after: ", *(judge(learner, rival, arguments.deals) for rival in RIVALS), sep="  ")


if __name__ == "__main__":
    main()
