"""Rule-based players: heuristics, which are weights over a game's features, and `random`, compiled once per game; and
policies, which are functions of a view. `read_heuristic` reads the file of one, as `gupai tune` writes it.
"""

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from pydantic import Field, StrictFloat, StrictInt, StrictStr

from gupai_agents.agent import DecisionBatch, certain, check_batch
from gupai_env.core.compiling import Loop, compiled
from gupai_env.core.episode import noise_key
from gupai_env.core.game import Game
from gupai_env.core.heuristic import WEIGHT, heuristic_action, score_all
from gupai_env.core.kernels import only_action, random_action
from gupai_env.core.memory import address_of, array_at
from gupai_env.core.rule import rule
from gupai_env.messages.checks import key_context, short_repr
from gupai_env.storage.files import describe
from gupai_env.storage.models import Written, checked, read_written

RANDOM = 0  # the number of the random player in a line-up; number n + 1 is row n of a table of heuristics


@rule
def choose(game, heuristics, player, view, mask, key):
    """Return the action of a player by number; in compiled loops `game` is a game's module.

    Args:
        game: The module of a game.
        heuristics: The weights of all heuristics, float64 [heuristics, features + 1].
        player: RANDOM, or RANDOM + 1 + the row of a heuristic.
        view: What the seat to act knows.
        mask: Its legal actions, bool [num_actions].
        key: The RNG key of the decision.
    """
    if player == RANDOM:
        return random_action(mask, key, 0)
    # Its row of the table: with ordinary indexing numba would count references, and playouts would take a fifth longer.
    row = address_of(heuristics) + int(player - 1) * heuristics.strides[0]
    return heuristic_action(game, array_at(row, (heuristics.shape[1],), WEIGHT), view, mask, key)


@rule
def decide(game, rules, heuristics, state, player, view, mask):
    """Return the action of a player by number at its turn in a state; the only legal action is played unasked.

    Args:
        game: The module of a game.
        rules: The options, as rules functions take them.
        heuristics, player: As of `choose`.
        state: A deal.
        view, mask: Scratch, a view and bool [num_actions].
    """
    mask[:] = False
    game.legal_actions(rules, state, mask)
    game.information_set(rules, state, np.int64(state.to_act), view, False)
    action = only_action(mask)
    if action < 0:
        action = choose(game, heuristics, player, view, mask, noise_key(state))
    return action


class HeuristicLoops:
    """The compiled loops of one game's heuristics over a batch of decisions.

    choose(player, heuristics, views, masks, rng_keys, actions): asks a player of a line-up for an action in every row.
    weigh(weights, views, masks, scores): the score of every legal action by a heuristic, float64 [N, num_actions].
    """

    def __init__(self, game: Game) -> None:
        module = game.module

        def choose_all(player, heuristics, views, masks, rng_keys, actions):
            for turn in range(len(views)):
                actions[turn] = choose(module, heuristics, player, views[turn], masks[turn], rng_keys[turn])

        def weigh_all(weights, views, masks, scores):
            for turn in range(len(views)):
                score_all(module, weights, views[turn], masks[turn], scores[turn])

        self.choose: Loop = compiled(choose_all, game, plain_first=True)
        self.weigh: Loop = compiled(weigh_all, game, plain_first=True)


@functools.cache
def heuristic_loops(game: Game) -> HeuristicLoops:
    """Return the loops of a game; compiling (seconds) happens at their first call."""
    return HeuristicLoops(game)


class RandomAgent:
    """Plays legal actions with equal probability."""

    name = "random"

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return one legal action per row, int16 [N]."""
        check_batch(self.game, batch)
        return batch_actions(self.game, RANDOM, np.zeros((1, 1)), batch)

    def probabilities(self, batch: DecisionBatch) -> np.ndarray:
        """Return the probability of every action, float64 [N, num_actions]."""
        return batch.masks / batch.masks.sum(1, keepdims=True)


class RuleAgent:
    """A policy of a game, by name, as an `Agent`."""

    def __init__(self, game: Game, name: str) -> None:
        self.game, self.name = game, name

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return one legal action per row, int16 [N]."""
        check_batch(self.game, batch)
        return np.fromiter(map(self.game.policies[self.name], batch.views), np.int16, len(batch.views))

    def probabilities(self, batch: DecisionBatch) -> np.ndarray:
        """Return the probability of every action, float64 [N, num_actions]: 1 for the one that is played."""
        return certain(self.act(batch), batch.masks.shape[1])


class HeuristicAgent:
    """A heuristic of a game as an `Agent`.

    weights: float64 [features + 1], see `gupai_env.core.heuristic`; the last one is the temperature.
    """

    game: Game
    name: str

    def __init__(self, game: Game, name: str, heuristic: str | Mapping[str, float], temperature: float = 0.0) -> None:
        """Make the player of some weights.

        Args:
            heuristic: The name of one of the game's, or weights by feature.

        Raises:
            ValueError: As `Game.heuristic`.
        """
        self.game, self.name = game, name
        self.weights: np.ndarray = game.heuristic(heuristic, temperature)

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return one legal action per row, int16 [N]."""
        check_batch(self.game, batch)
        return batch_actions(self.game, RANDOM + 1, self.weights[None], batch)

    def scores(self, batch: DecisionBatch) -> np.ndarray:
        """Return the score of every action, float64 [N, num_actions]; -inf where it is not legal."""
        check_batch(self.game, batch)
        return scores_of(self.game, self.weights, batch)

    def probabilities(self, batch: DecisionBatch) -> np.ndarray:
        """Return the probability of every action, float64 [N, num_actions]: the softmax, or 1 without temperature."""
        temperature = self.weights[-1]
        if temperature == 0:
            return certain(self.act(batch), batch.masks.shape[1])
        scores = self.scores(batch) / temperature
        given = np.exp(scores - scores.max(1, keepdims=True))
        return given / given.sum(1, keepdims=True)


def writable(array: np.ndarray) -> np.ndarray:
    """Return an array, or a copy of a read-only one, as those of lanes are and weights that another process sent: loops
    would be compiled for it again.
    """
    return array if array.flags.writeable else array.copy()


def scores_of(game: Game, weights: np.ndarray, batch: DecisionBatch) -> np.ndarray:
    """Return each action's score by a heuristic's weights, float64 [N, num_actions]; -inf where it is not legal.

    Args:
        game: The game.
        weights: Of one heuristic, float64 [features + 1], as `Game.heuristic` returns them.
        batch: Decisions of N seats.
    """
    scores = np.full(batch.masks.shape, -np.inf)
    heuristic_loops(game).weigh(writable(weights), batch.views, writable(batch.masks), scores)
    return scores


def batch_actions(game: Game, player: int, heuristics: np.ndarray, batch: DecisionBatch) -> np.ndarray:
    """Return the action of a player by number in every row of a batch that was checked, int16 [N].

    Args:
        game: The game.
        player, heuristics: As of `choose`.
        batch: Decisions of N seats.
    """
    actions = np.empty(len(batch.rng_keys), np.int16)
    heuristic_loops(game).choose(
        player, writable(heuristics), batch.views, writable(batch.masks), batch.rng_keys, actions
    )
    return actions


# --- the file of one -------------------------------------------------------------------------------


class HeuristicFile(Written):
    """What the file may hold: the weights by feature, of which game, and how they came about."""

    game: StrictStr
    version: StrictInt | None = None  # of the game; a file without one is taken for the version at hand
    variant: dict[str, Any] = Field({})
    weights: dict[str, StrictFloat] = Field(min_length=1)
    chips_per_deal_against: dict[str, StrictStr] = Field({})
    provenance: dict[str, Any] = Field({})


def read_heuristic(path: str, game: Game) -> dict[str, float]:
    """Return the weights in a file that `gupai tune` wrote; raises ValueError for anything else."""
    try:
        content = read_written(path)
    except OSError as error:
        raise ValueError(describe(error)) from None
    if not isinstance(content, dict) or not isinstance(content.get("weights"), dict):
        raise ValueError(f"{path}: a heuristic is a mapping with `game` and `weights`, as `gupai tune` writes it")
    with key_context(path):
        heuristic = checked(HeuristicFile, content)
    if heuristic.game != game.id:
        raise ValueError(f"{path}: a heuristic of {short_repr(heuristic.game)}, not of {game.id!r}")
    if heuristic.version not in (None, game.version):
        raise ValueError(
            f"{path}: a heuristic of {game.id} version {heuristic.version}; this is version {game.version}"
        )
    return heuristic.weights
