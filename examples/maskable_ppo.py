"""sb3-contrib's MaskablePPO, plain, on lanes: Jie Long against the rule-based player `greedy`.

    pip install -c constraints.txt torch
    pip install -c constraints.txt ".[train]"
    python examples/maskable_ppo.py

`LearnerVecEnv` is an ordinary VecEnv: 256 deals side by side, one learning seat in each (drawn again for every
deal), `greedy` in the others. The reward is the seat's chips over `payoff_scale`, at its last decision of the deal.
Prints MaskablePPO's own table of every fortieth update, and the learner's chips per deal before and after.
"""

import argparse
import time

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from gupai_agents import ObservationAgent, make_agent
from gupai_agents.evaluation import duel
from gupai_training.selfplay import LearnerVecEnv

GAME, VARIANT = "jie-long", {"forced_play": True}
RIVALS = ("random", "greedy")


def judge(model: MaskablePPO, rival: str, deals: int) -> str:
    """Return the learner's chips per deal against `rival` in all other seats, with the 95% interval."""

    def score(observations: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return model.policy.get_distribution(torch.from_numpy(observations)).distribution.logits.numpy()

    learner, other = ObservationAgent("MaskablePPO", GAME, score), make_agent(rival, GAME, **VARIANT)
    return f"{duel(GAME, learner, other, deals, seed=1, **VARIANT).mean(0)} against {rival}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", type=int, default=1_000_000, help="of the learning seat")
    parser.add_argument("--deals", type=int, default=1000, help="of each judgement")
    arguments = parser.parse_args()

    torch.set_num_threads(1)
    env = LearnerVecEnv(GAME, 256, ["greedy"], seed=1, payoff_scale=35.0, **VARIANT)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=32,
        batch_size=1024,
        n_epochs=2,
        gamma=1.0,  # a deal pays once, at its end
        ent_coef=0.01,
        learning_rate=1e-3,
        policy_kwargs={"net_arch": [128, 128]},
        seed=1,
        device="cpu",
        verbose=1,
    )
    print("before:", *(judge(model, rival, arguments.deals) for rival in RIVALS), sep="  ")
    start = time.perf_counter()
    model.learn(arguments.decisions, log_interval=40)
    print(f"{model.num_timesteps:,} decisions learned from in {time.perf_counter() - start:.0f} s")
    print("after: ", *(judge(model, rival, arguments.deals) for rival in RIVALS), sep="  ")


if __name__ == "__main__":
    main()
