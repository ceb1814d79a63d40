"""Learning what others hold: the network of a belief, from deals that players of all kinds play.

At a decision the network learns to recognise the deal as it is among others that the view allows, drawn uniformly
(noise-contrastive estimation): the score of a deal is the sum of the weights of its hidden tiles, and a cross-entropy
over all of them makes exp(score) the odds of the deal against the uniform distribution. No player learns here, and
nothing is won, so that it is no stage of a run.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import torch

from gupai_agents.belief import Belief, Inputs, drawn, hidden, hidden_fields
from gupai_agents.networks.checkpoint import BELIEF, identity, write_checkpoint
from gupai_agents.networks.network import MLP, packed
from gupai_agents.play.decisions import decisions, new_lanes
from gupai_agents.registry import agents_of
from gupai_agents.shipped import BEST, CARD, TUNED, best_file, plainest_heuristic, shipped_card
from gupai_env.core.game import Game
from gupai_env.core.keys import derive_each
from gupai_env.core.rng import as_key, derive
from gupai_env.core.streams import TARGETS_STREAM
from gupai_env.core.tiles import KINDS
from gupai_env.core.variant import Variant
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import real_number
from gupai_env.options import Options
from gupai_env.storage.files import check_target
from gupai_training.network import Network, threads_of

NET: dict[str, Any] = {"type": MLP, "hidden": [64], "activation": "relu"}
RATE, BATCH = 2e-3, 512  # the learning rate at the beginning, which falls to zero; decisions of a gradient step
DEALS, OTHERS = 400, 15  # deals of a chunk, and others drawn from each view
USES, WINDOW = 4, 150_000  # how often a decision is learned from on average; decisions that are kept


def players_of(game: Game, variant: Variant) -> list[str]:
    """Return the players a belief is about: `best`, `card`, `greedy` and `tuned`, as far as they ship."""
    there = {BEST: best_file(game, variant), CARD: shipped_card(game, variant)}
    return [*(name for name, ships in there.items() if ships), plainest_heuristic(game), TUNED]


def examples(
    game: Game, variant: Variant, key: int, deals: int, others: int = OTHERS
) -> tuple[np.recarray, np.recarray]:
    """Return decisions with a choice of a mixture of players, and the deals in which they are met.

    Args:
        game, variant: What is played.
        key: An RNG key; equal keys give equal examples.
        deals: How many deals are played, every seat by each of `players_of` as likely as by the others.
        others: Deals that are drawn from each view.

    Returns:
        Views, record array [N]; and full states, [N, 1 + others]: the true deal, then others that the view allows.
    """
    envs, agents = new_lanes(game, variant, deals), agents_of(game, variant, players_of(game, variant))
    envs.reset(key)
    seating = np.random.default_rng(key).integers(0, len(agents), (deals, variant.players))
    views, states = [], []
    for now in decisions(envs, agents, seating):
        rows = np.flatnonzero(now.batch.masks.sum(1) > 1)
        views.append(np.asarray(now.batch.views)[rows])
        states.append(np.asarray(envs.states)[now.rows[rows]])
    seen = np.concatenate(views).view(game.view, np.recarray)
    keys = derive_each(derive(key, 1), 0, len(seen) * others)
    dealt = np.asarray(drawn(game, variant, seen.repeat(others), keys)).reshape(-1, others)
    return seen, np.concatenate([np.concatenate(states)[:, None], dealt], 1).view(game.state, np.recarray)


class BeliefLearner:
    """Learns a belief chunk by chunk.

    Attributes:
        chunks: How many it has learned from.
        decisions: How many decisions they had.
    """

    def __init__(self, game: Game, variant: Variant, seed: int) -> None:
        self.game, self.variant, self.seed, self.inputs = game, variant, seed, Inputs(game, variant)
        torch.manual_seed(seed)
        places = len(hidden_fields(game)) * (variant.players - 1)
        self.network = Network(NET, self.inputs.high, places * KINDS)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=RATE)
        self.rng = np.random.default_rng(seed)
        self.chunks = self.decisions = 0
        self.window: list[
            tuple[np.ndarray, np.ndarray]
        ] = []  # inputs of the network, and the tiles hidden in each deal

    def step(self, progress: float) -> float:
        """Learn from a chunk and from what is in the window; return the mean loss. progress: 0..1, of all."""
        self.chunks += 1
        views, states = examples(self.game, self.variant, derive(derive(self.seed, TARGETS_STREAM), self.chunks), DEALS)
        counts = hidden(self.game, self.variant, states.ravel(), views.seat.repeat(1 + OTHERS))
        self.window.append((self.inputs.of(views), counts.reshape(*states.shape, -1)))
        self.decisions += len(views)
        while sum(len(inputs) for inputs, _ in self.window) > WINDOW:
            del self.window[0]
        self.optimizer.param_groups[0]["lr"] = RATE * (1 - progress)
        inputs, counts = (np.concatenate(arrays) for arrays in zip(*self.window, strict=True))
        batches = self.rng.integers(0, len(inputs), (USES * len(views) // BATCH + 1, BATCH))
        return float(np.mean([self.learn(inputs[rows], counts[rows]) for rows in batches]))

    def learn(self, inputs: np.ndarray, counts: np.ndarray) -> float:
        """Take a gradient step; return the loss: how many nats it takes to find the true deal among the others."""
        weights, _ = self.network(torch.as_tensor(inputs))
        scores = torch.einsum("ndt,nt->nd", torch.as_tensor(counts).float(), weights)
        loss = -scores.log_softmax(1)[:, 0].mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return float(loss.detach())

    def belief(self) -> Belief:
        """Return what has been learned so far."""
        return Belief(self.game, self.variant, NET, self.network.tensors())


def learn_belief(
    game: str | Game,
    path: str | Path,
    /,
    *,
    minutes: float,
    seed: int = 0,
    force: bool = False,
    progress: Callable[[float], Any] | None = None,
    **variant: Unpack[Options],
) -> Belief:
    """Learn a belief about a mixture of players, write it as a checkpoint and return it.

    Args:
        game: The game.
        path: The file to write, in about a quarter of the bytes of its weights.
        minutes: Of processor time, on one core; the last chunk is finished.
        seed: Names the deals.
        force: Whether an existing file may be replaced.
        progress: Called with the share that is done, 0..1.
        **variant: The options of the game.

    Raises:
        ValueError: A number out of range, a game in which nothing can be believed, a file that may not be written.
    """
    game, seed = get_game(game), as_key(seed)
    made = variant_from(game, variant, learn_belief)
    real_number("minutes", minutes, 0, 1e6)
    check_target(path, force=force)
    begun, done = time.process_time(), 0.0
    with threads_of(1, 1):
        learner = BeliefLearner(game, made, seed)
        learner.belief()  # raises where there is none
        while done < 1:
            learner.step(done)
            done = min((time.process_time() - begun) / 60 / minutes if minutes else 1.0, 1.0)
            if progress:
                progress(done)
    facts = {"players": players_of(game, made), "decisions": learner.decisions, "seed": seed}
    header = {**identity(game, made), "kind": BELIEF, "net": NET, **facts}
    write_checkpoint(path, header, packed(learner.network.tensors()), force=force)
    return learner.belief()
