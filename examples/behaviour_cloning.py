"""Behaviour cloning in torch: a network learns to play Jie Long as the agent whose decisions were exported.

    pip install -c constraints.txt torch
    pip install -c constraints.txt ".[train]"
    gupai record jie-long best tuned -o forced_play=true --deals 5000 --seed 1 --out games.jsonl.gz
    gupai export-dataset games.jsonl.gz --agent best --out best.npz
    python examples/behaviour_cloning.py best.npz --out clone.safetensors
    gupai tournament jie-long checkpoint:clone.safetensors greedy tuned best -o forced_play=true

Only decisions with a choice teach anything. Whole deals are kept apart for the test, because every deal was played in
all rotations and line-ups, where the same observations come again. The deals of the comparison are others: those of
`gupai record` are dealt in no evaluation. The network has the form that `save_network` writes, so that the clone plays
everywhere.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from gupai_agents import make_agent, save_network
from gupai_agents.evaluation import duel, split_by_deal

GAME, VARIANT = "jie-long", {"forced_play": True}
HIDDEN, BATCH, RATE, EPOCHS = 512, 1024, 1e-3, 10
TESTED = 0.05  # of the deals


class Data:
    """The decisions with a choice of a data set, in tensors."""

    def __init__(self, path: str | Path) -> None:
        with np.load(path) as arrays:
            rows = np.flatnonzero(arrays["masks"].sum(1) > 1)
            self.observations = torch.from_numpy(arrays["observations"][rows])
            self.masks = torch.from_numpy(arrays["masks"][rows])
            self.actions = torch.from_numpy(arrays["actions"][rows]).long()
            self.deals = arrays["deals"][rows]

    def loss(self, network: nn.Module, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the cross-entropy of some decisions, and in which of them the network agrees, bool [rows]."""
        logits = network(self.observations[rows].float()).masked_fill(~self.masks[rows], -1e9)
        return F.cross_entropy(logits, self.actions[rows]), logits.argmax(1) == self.actions[rows]

    def by_deal(self, agreed: torch.Tensor, rows: torch.Tensor) -> str:
        """Return the share of agreement, a mean over deals with its 95% interval: decisions of one deal are alike."""
        _, deals, sizes = np.unique(self.deals[rows], return_inverse=True, return_counts=True)
        shares = np.bincount(deals, agreed) / sizes
        return f"{shares.mean():.1%} ±{1.96 * shares.std(ddof=1) / len(shares) ** 0.5:.1%}"


def clone(data: Data, epochs: int, seed: int, width: int = HIDDEN, rate: float = RATE) -> nn.Sequential:
    """Return a network that has learned the actions of a data set; the rate falls to zero."""
    torch.manual_seed(seed)
    size, actions = data.observations.shape[1], data.masks.shape[1]
    network = nn.Sequential(
        *(nn.Linear(size, width), nn.ReLU()), *(nn.Linear(width, width), nn.ReLU()), nn.Linear(width, actions)
    )
    train, test = map(torch.from_numpy, split_by_deal(data.deals, TESTED, seed))
    optimiser = torch.optim.AdamW(network.parameters(), rate, weight_decay=1e-2)
    steps = epochs * -(-len(train) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: max(0.0, 1 - step / steps))
    for epoch in range(epochs):
        for rows in train[torch.randperm(len(train))].split(BATCH):
            loss, _ = data.loss(network, rows)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        with torch.no_grad():
            loss, agreed = data.loss(network, test)
        others = f"{len(test):,} decisions of {len(np.unique(data.deals[test])):,} other deals"
        print(f"epoch {epoch + 1}: loss {loss:.3f}, the same action in {data.by_deal(agreed, test)} of {others}")
    return network.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="what gupai export-dataset wrote, FILE.npz")
    parser.add_argument("--out", default="clone.safetensors", help="the player, a new file")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--deals", type=int, default=2000, help="how many each comparison plays")
    parser.add_argument("--seed", type=int, default=1, help="which deals are for the test and which are compared on")
    arguments = parser.parse_args()

    torch.set_num_threads(1)  # a small network is slower on more
    data = Data(arguments.data)
    print(f"{len(data.actions):,} decisions with a choice, of {len(np.unique(data.deals)):,} deals")
    save_network(clone(data, arguments.epochs, arguments.seed), GAME, VARIANT, arguments.out)
    player = make_agent(f"checkpoint:{arguments.out}", GAME, **VARIANT)
    for rival in ("random", "greedy", "tuned", "best"):
        other = make_agent(rival, GAME, **VARIANT)
        chips = duel(GAME, player, other, arguments.deals, seed=arguments.seed, **VARIANT).mean(0)
        print(f"{chips} chips per deal against {rival}")


if __name__ == "__main__":
    main()
