"""Offline learning with d3rlpy: a player of Jie Long from recorded games, without an environment.

    gupai record jie-long best tuned -o forced_play=true --deals 5000 --seed 1 --out games.jsonl.gz
    gupai export-dataset games.jsonl.gz --out all.npz
    pip install torch==2.13.0 d3rlpy==2.8.1 onnx    # in a virtual environment of its own
    python examples/d3rlpy_offline.py all.npz --algorithm cql --out offline.onnx
    gupai tournament jie-long onnx:offline.onnx random greedy -o forced_play=true

This program needs nothing of gupai: the arrays have all that d3rlpy asks for, and gupai plays the ONNX graph. An
episode is what one seat decided in one game; all that it is paid comes with its last decision. d3rlpy knows no masks,
so the graph gives scores of all actions, and gupai plays the best legal one.
"""

import argparse

import d3rlpy
import numpy as np
import torch
from torch import nn

ALGORITHMS = {"bc": d3rlpy.algos.DiscreteBCConfig, "cql": d3rlpy.algos.DiscreteCQLConfig}
OWN = {"bc": {"beta": 0.0}, "cql": {"gamma": 1.0, "alpha": 4.0}}  # chips of a deal are not discounted
RATE, BATCH, HIDDEN = 1e-3, 1024, [256, 256]


class Scores(nn.Module):
    """The score of every action, of what d3rlpy has learned."""

    def __init__(self, learner: d3rlpy.algos.QLearningAlgoBase) -> None:
        super().__init__()
        modules = learner.impl.modules
        self.network = modules.imitator if hasattr(modules, "imitator") else modules.q_funcs

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        if isinstance(self.network, nn.ModuleList):
            return torch.stack([function(observations).q_value for function in self.network]).mean(0)
        return self.network(observations).logits


def episodes(path: str) -> d3rlpy.dataset.MDPDataset:
    """Return the decisions of a data set, an episode for every seat of every game."""
    with np.load(path) as arrays:
        rows = np.lexsort((arrays["seats"], arrays["games"]))  # the order of play stays within a seat
        owners = np.stack([arrays["games"][rows], arrays["seats"][rows]])
        last = np.append((owners[:, 1:] != owners[:, :-1]).any(0), True)
        return d3rlpy.dataset.MDPDataset(
            arrays["observations"][rows].astype(np.float32),
            arrays["actions"][rows].astype(np.int64),
            np.where(last, arrays["returns"][rows], 0).astype(np.float32),
            last.astype(np.float32),
            action_size=arrays["masks"].shape[1],
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="what gupai export-dataset wrote, FILE.npz")
    parser.add_argument("--algorithm", choices=ALGORITHMS, default="cql")
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--out", default="offline.onnx", help="the player, a file")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    torch.set_num_threads(1)  # a small network is slower on more
    d3rlpy.seed(arguments.seed)
    data = episodes(arguments.data)
    learner = ALGORITHMS[arguments.algorithm](
        learning_rate=RATE,
        batch_size=BATCH,
        encoder_factory=d3rlpy.models.VectorEncoderFactory(HIDDEN),
        reward_scaler=d3rlpy.preprocessing.StandardRewardScaler(),
        **OWN[arguments.algorithm],
    ).create()
    learner.fit(
        data,
        n_steps=arguments.steps,
        n_steps_per_epoch=max(1, arguments.steps // 10),
        logger_adapter=d3rlpy.logging.NoopAdapterFactory(),
        show_progress=False,
    )
    size = data.dataset_info.observation_signature.shape[0][0]
    torch.onnx.export(
        Scores(learner).eval(),
        (torch.zeros(1, size),),
        arguments.out,
        input_names=["observations"],
        output_names=["scores"],
        dynamic_axes={"observations": {0: "rows"}, "scores": {0: "rows"}},
        dynamo=False,
    )
    print(f"{data.transition_count:,} decisions of {len(data.episodes):,} episodes, learned from into {arguments.out}")


if __name__ == "__main__":
    main()
