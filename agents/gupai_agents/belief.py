"""Beliefs: how likely the deals are that a view allows, judged by a network that has seen many deals played.

The rules and the view say which deals are possible, and `determinize` draws them uniformly. A network gives every kind
in every hidden place a weight, from what the seat observes and from the moves that the others made. A deal is likely in
proportion to exp(the sum of the weights of its hidden tiles): never one that the view forbids, and the uniform
distribution where nothing was learned. Deals are drawn from it by drawing uniformly and weighing what was drawn, as
search does with a belief about how the others play.

`beliefs/GAME-*.safetensors` ship with the package, as the networks of `best` do, and belong to one variant each.
"""

import functools
from pathlib import Path
from typing import Any, Self

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, observations_of, probabilities
from gupai_agents.networks.checkpoint import BELIEF, CheckpointError, check_identity, read_checkpoint
from gupai_agents.networks.network import forward, require_tensors, scoring_layers, tensor_shapes, unpacked
from gupai_agents.play.decisions import new_lanes, resume_lanes
from gupai_agents.play.replays import moves_since
from gupai_agents.shipped import BELIEFS, best_file
from gupai_env.core.game import Game, no_history
from gupai_env.core.kernels import WAIT, kernels
from gupai_env.core.keys import derive_each
from gupai_env.core.rng import derive
from gupai_env.core.streams import DEAL_STREAM
from gupai_env.core.tiles import KINDS
from gupai_env.core.variant import Variant
from gupai_env.games.claims import counts_of
from gupai_env.messages.checks import key_context

DEALS = 1000  # that are drawn and weighed to say what others may hold
MOST_MADE = 4  # of one kind of move by one seat: by as much its count is divided


def drawn(game: Game, variant: Variant, views: np.ndarray, keys: np.ndarray) -> np.recarray:
    """Return deals drawn uniformly from views, one for each RNG key, record array [N]; views: [N], or one for all."""
    states = game.new_states(len(keys))
    views = views[np.arange(len(keys)) % len(views)].view(game.view, np.recarray)
    kernels(game).determinize(variant.as_rules(), views, keys, states)
    return states


def hidden(game: Game, variant: Variant, states: np.ndarray, viewers: np.ndarray) -> np.ndarray:
    """Return how many tiles of each kind lie where a viewer does not see them, int8 [N, places * KINDS].

    The places are the hands of the others in order of turn, then what they discarded face down.

    Args:
        game, variant: What is played.
        states: Full states, record array [N].
        viewers: The seat that looks, int [N].
    """
    names, rows = hidden_fields(game), np.arange(len(states))
    direction = np.where(states["direction"] < 0, -1, 1)
    places = [
        counts_of(states[name][rows, (viewers + direction * turns) % variant.players])
        for name in names
        for turns in range(1, variant.players)
    ]
    return np.concatenate(places, 1).astype(np.int8)


def hidden_fields(game: Game) -> tuple[str, ...]:
    """Return the tile sets by seat of a state of which a viewer sees only its own."""
    face_down = "discards" in (game.view.names or ()) and not game.view["discards"].shape
    return ("hands", "discards") if face_down else ("hands",)


def likelihoods(
    game: Game, variant: Variant, agent: Agent, states: np.ndarray, viewer: int, error: float = 0.0
) -> np.ndarray:
    """Return the probability that an agent made all moves of the seats other than the viewer, float64 [N].

    A deal is drawn by the place of each single tile, but a player chooses a kind: of two equal tiles in a hand either
    may have gone.

    Args:
        game, variant: What is played.
        agent: The agent.
        states: Deals under way, all of one view.
        viewer: Whose view it is.
        error: With this probability they made any legal move instead.
    """
    envs, likely = new_lanes(game, variant, len(states)), np.ones(len(states))
    envs.states[:], actions, _ = moves_since(game, variant, states)
    envs.refresh()
    rows = np.arange(len(states))
    for played in actions.T:
        others = (played != WAIT) & (envs.seats != viewer) & (likely > 0)
        choosing = np.flatnonzero(others & (envs.masks.sum(1) > 1))
        if len(choosing):
            views, rng_keys = envs.views(choosing)
            batch = DecisionBatch(views, envs.masks[choosing], rng_keys)
            made = probabilities(agent, game, variant, batch)[np.arange(len(choosing)), played[choosing]]
            likely[choosing] *= (1 - error) * made + error / batch.masks.sum(1)
        seats = envs.seats.copy()
        before = counts_of(envs.states.hands[rows, seats])
        envs.step(np.where(likely > 0, played, WAIT).astype(np.int64))
        either = (before == 2) & (counts_of(envs.states.hands[rows, seats]) == 1)
        likely *= np.where(others, 0.5 ** either.sum(1), 1)
    return likely


class Inputs:
    """What the network of a belief sees of views: the observation, and how often each other seat made each move.

    A tile that is discarded counts as a move without its tile: it may lie face down.

    Attributes:
        high: The largest value of each input, float32 [size].
    """

    def __init__(self, game: Game, variant: Variant) -> None:
        self.game, self.variant = game, variant
        faces = [number for number, move in enumerate(game.moves) if not move.discards]
        self.columns = np.full(game.num_actions, len(faces))
        self.columns[faces] = np.arange(len(faces))
        self.shape = variant.players - 1, len(faces) + 1
        made = np.full(self.shape[0] * self.shape[1], MOST_MADE, np.float32)
        self.high: np.ndarray = np.concatenate([game.encoder.layout.high.astype(np.float32), made])

    def of(self, views: np.recarray) -> np.ndarray:
        """Return the inputs of views of deals under way, int8 [N, size]; they depend on nothing else."""
        states = drawn(self.game, self.variant, views, np.zeros(len(views), np.int64))
        _, actions, seats = moves_since(self.game, self.variant, states)
        direction = np.where(views["direction"] < 0, -1, 1)[:, None]
        turns = direction * (seats - views["seat"][:, None]) % self.variant.players
        made = np.zeros((len(views), *self.shape), np.int8)
        rows, moves = np.nonzero((actions != WAIT) & (turns > 0))
        np.add.at(made, (rows, turns[rows, moves] - 1, self.columns[actions[rows, moves]]), 1)
        return np.concatenate([observations_of(self.game, views), made.reshape(len(views), -1)], 1)


class Belief:
    """How likely deals are by a network, in one variant.

    Attributes:
        game, variant: What is played.
        inputs: What the network sees.
        file: Where it was read.
    """

    file: Path = Path()

    def __init__(self, game: Game, variant: Variant, net: Any, tensors: dict[str, np.ndarray]) -> None:
        """Make the belief of some tensors, as `gupai_agents.networks.network` names them.

        Raises:
            ValueError: If the tensors are not just those that `net` describes, float32, or if nothing can be believed.
        """
        if game.history is no_history or game.simultaneous:
            raise ValueError(f"{game.id}: no moves are seen from which anything could be believed")
        self.game, self.variant, self.inputs = game, variant, Inputs(game, variant)
        places = len(hidden_fields(game)) * (variant.players - 1)
        require_tensors(tensors, tensor_shapes(net, len(self.inputs.high), places * KINDS))
        self.layers = scoring_layers(net, tensors, self.inputs.high)

    @classmethod
    def load(cls, path: str | Path, game: Game, variant: Variant) -> Self:
        """Read a belief that was learned for a variant; raises CheckpointError naming what does not fit."""
        header, tensors = read_checkpoint(path)
        learned = check_identity(path, header, game, variant, kind=BELIEF)
        with key_context(path, CheckpointError):
            belief = cls(game, variant, learned.net, unpacked(tensors))
        belief.file = Path(path)
        return belief

    def weights(self, views: np.recarray) -> np.ndarray:
        """Return the weight of each kind in each hidden place, float32 [N, places * KINDS]; see `hidden`."""
        return forward(self.layers, self.inputs.of(views).astype(np.float32))

    def logs(self, view: np.ndarray, weights: np.ndarray, states: np.ndarray) -> np.ndarray:
        """Return the logarithms of how likely deals are, but for a constant, float64 [N].

        Args:
            view: What a seat knows, record array [1].
            weights: What `weights` returns of it, [places * KINDS].
            states: Deals that it allows, record array [N].
        """
        counts = hidden(self.game, self.variant, states, np.full(len(states), view["seat"][0]))
        return counts @ weights.astype(np.float64)

    def weigh(self, views: np.recarray, rng_keys: np.ndarray, logs: np.ndarray) -> None:
        """Fill `logs`, float64 [N, particles], with the logarithms of how likely deals are that are drawn uniformly.

        Args:
            views: What the seats know, record array [N].
            rng_keys: Of the decisions, int64 [N]; the deals are those of key 0, 1, ... of their streams of deals.
            logs: Is written.
        """
        for row, weights in enumerate(self.weights(views)):
            view, keys = views[row : row + 1], derive_each(derive(rng_keys[row], DEAL_STREAM), 0, logs.shape[1])
            logs[row] = self.logs(view, weights, drawn(self.game, self.variant, view, keys))

    def held(self, view: np.recarray, number: int = DEALS) -> np.ndarray:
        """Return the probability that each other hand holds one or more of each kind, float64 [players - 1, KINDS].

        Args:
            view: What a seat knows of a deal under way, record array [1].
            number: How many deals are drawn and weighed; they depend on the view alone.
        """
        states = drawn(self.game, self.variant, view, derive_each(0, 1, 1 + number))
        counts = hidden(self.game, self.variant, states, view["seat"].repeat(number))
        logs = counts @ self.weights(view)[0]
        likely = np.exp(logs - logs.max())
        return (likely / likely.sum() @ (counts > 0)).reshape(-1, KINDS)[: self.variant.players - 1]

    def course(self, view: np.recarray) -> tuple[np.ndarray, np.ndarray, np.recarray]:
        """Return the moves of a deal under way as a seat saw them: seats [M], actions [M], and its views, [M + 1].

        What was discarded face down is drawn, and so is the order in which the seat itself discarded.

        Args:
            view: What the seat knows, record array [1].
        """
        begun, actions, seats = moves_since(
            self.game, self.variant, drawn(self.game, self.variant, view, np.zeros(1, np.int64))
        )
        number = int((actions[0] != WAIT).sum())
        envs = resume_lanes(self.game, self.variant, begun.repeat(number + 1))
        for move in range(number):
            envs.step(np.where(np.arange(number + 1) > move, actions[0, move], WAIT).astype(np.int64))
        views = np.zeros(number + 1, self.game.view).view(np.recarray)
        envs.kernels.view_of(envs.rules, envs.states, int(view["seat"][0]), views)
        return seats[0, :number], actions[0, :number], views


@functools.cache
def learned_belief(game: Game, variant: Variant) -> Belief | None:
    """Return the belief that ships for a variant, or None."""
    file = best_file(game, variant, BELIEFS)
    return Belief.load(file, game, variant) if file else None
