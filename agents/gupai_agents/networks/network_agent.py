"""Players that see what the environments show: networks, ours and those of other libraries."""

import copy
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from gupai_agents.agent import DecisionBatch, certain
from gupai_agents.failure import AgentError
from gupai_agents.look_ahead import LookAhead
from gupai_env.core.compiling import compiled
from gupai_env.core.game import Game
from gupai_env.core.rng import KEYS, derive
from gupai_env.core.variant import Variant
from gupai_env.games import get_game

LARGEST = 1e30  # of scores, so that float32 holds them times 10**ROUND
ROUND = 4  # decimals of a score that count: sums differ slightly in batches of different sizes


class ObservationAgent:
    """A player that takes the legal action with the highest score, or with `sample` draws from the scores' softmax.

    `score(observations)` returns the scores, float [N, num_actions], for the observations of the seats to act, int8
    [N, layout.size]: the logits of a policy, or the values of actions. Four decimals of a score count. What is drawn
    is fixed by each decision's RNG key. `ahead` is how it looks ahead late in a deal, if it does.
    """

    name: str
    game: Game
    score: Callable[[np.ndarray], np.ndarray]
    variant: Variant | None

    def __init__(
        self,
        name: str,
        game: str | Game,
        score: Callable[[np.ndarray], np.ndarray],
        variant: Variant | None = None,
        *,
        sample: bool = False,
    ) -> None:
        """Make the agent.

        Args:
            name: What tables call it.
            game: The game that it plays.
            score: See above.
            variant: The only one that it plays (apart from options that nobody observes), default any.
            sample: Draw actions instead of taking the best; `score` returns logits then.

        Raises:
            ValueError: An unknown game.
        """
        self.name, self.game, self.score, self.variant = name, get_game(game), score, variant
        self.sample = sample
        self.ahead: LookAhead | None = None

    def __init_subclass__(cls, **settings: Any) -> None:
        """Let a class with an `act` of its own, which says nothing of its policy, be no `PolicyAgent`."""
        super().__init_subclass__(**settings)
        if "act" in vars(cls) and "probabilities" not in vars(cls):
            cls.probabilities = None  # type: ignore[assignment, method-assign]

    def drawing(self) -> Self:
        """Return the same player, drawing from its policy."""
        player = copy.copy(self)
        player.sample = True
        return player

    def scores(self, batch: DecisionBatch) -> np.ndarray:
        """Return the score of every action, legal or not, [N, num_actions].

        Raises:
            AgentError: A ValueError, unless `score` gave one for every action, within ±LARGEST or -inf, and not -inf
                for all legal actions of a row.
        """
        observations = batch.observations(self.game)
        with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is refused below
            scores = np.asarray(self.score(observations))
        if scores.shape != batch.masks.shape or scores.dtype.kind not in "fiu":
            raise AgentError(
                f"{self.name}: scores must be numbers {list(batch.masks.shape)}, one per row and action, "
                f"not {scores.dtype} {list(scores.shape)}"
            )
        if not (np.abs(scores) <= LARGEST).all():
            self._require_scores(scores, batch.masks)
        return self.ahead.corrected(scores, batch) if self.ahead else scores

    def _require_scores(self, scores: np.ndarray, masks: np.ndarray) -> None:
        """Raise AgentError for scores that cannot be compared, naming the first one."""
        lowest = scores == -np.inf
        if (wrong := np.argwhere(~(lowest | (np.abs(scores) <= LARGEST)))).size:
            row, action = wrong[0]
            raise AgentError(
                f"{self.name}: the network's output for action {action} is {scores[row, action]!s} in row {row}; "
                f"it must be a number within ±{LARGEST:.0e}, or -inf"
            )
        if (lost := (lowest | ~masks).all(1)).any():
            raise AgentError(f"{self.name}: the network's output is -inf for all legal actions of row {lost.argmax()}")

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return one legal action per row, int16 [N]."""
        scores = self.scores(batch)
        if self.sample:
            scores = scores + gumbel(batch.rng_keys, scores.shape[1])
        return np.where(batch.masks, np.round(scores, ROUND), -np.inf).argmax(1).astype(np.int16)  # the first of equals

    def probabilities(self, batch: DecisionBatch) -> np.ndarray:
        """Return the probability of every action, float64 [N, num_actions]: the softmax, or 1 for the best action.

        The softmax differs from the frequencies of `act` by less than its rounding, 10**-ROUND.
        """
        if not self.sample:
            return certain(self.act(batch), self.game.num_actions)
        scores = np.where(batch.masks, np.round(self.scores(batch).astype(np.float64), ROUND), -np.inf)
        given = np.exp(scores - scores.max(1, keepdims=True))
        return given / given.sum(1, keepdims=True)


def gumbel(rng_keys: np.ndarray, width: int) -> np.ndarray:
    """Return standard Gumbel noise, float32 [N, width], fixed by each row's key: the largest sum is a softmax draw."""
    bits = np.empty((len(rng_keys), width), np.int64)
    derive_rows(rng_keys, bits)
    uniform = (bits.astype(np.float64) + 0.5) / KEYS
    return -np.log(-np.log(uniform)).astype(np.float32)


def _derive_rows(rng_keys, bits):
    for row in range(len(rng_keys)):
        for counter in range(bits.shape[1]):
            bits[row, counter] = derive(rng_keys[row], counter)


derive_rows = compiled(_derive_rows, plain_first=True)
