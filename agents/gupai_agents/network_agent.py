"""Players that see what the environments show: networks, ours and those of other libraries."""

from collections.abc import Callable

import numpy as np

from gupai_agents.agent import DecisionBatch
from gupai_agents.failure import AgentError
from gupai_env.core.game import Game
from gupai_env.core.kernels import kernels
from gupai_env.core.variant import Variant
from gupai_env.games import get_game

ROUND = 4  # decimals of a score that count: sums differ slightly in batches of different sizes


class ObservationAgent:
    """A player that takes the legal action with the highest score.

    `score(observations)` returns the scores, float [N, num_actions], for the observations of the seats to act, int8
    [N, layout.size]: the logits of a policy, or the values of actions. Four decimals of a score count.
    """

    def __init__(
        self, name: str, game: str | Game, score: Callable[[np.ndarray], np.ndarray], variant: Variant | None = None
    ) -> None:
        """Args: variant: the only one that it plays (apart from options that nobody observes), default any.

        Raises: ValueError for an unknown game.
        """
        self.name, self.game, self.score, self.variant = name, get_game(game), score, variant

    def scores(self, batch: DecisionBatch) -> np.ndarray:
        """Return the score of every action, legal or not, [N, num_actions].

        Raises: AgentError (a ValueError) unless `score` gave one for every action, none of them NaN.
        """
        observations = np.empty((len(batch.rng_keys), self.game.encoder.layout.size), np.int8)
        kernels(self.game).encode(batch.views, observations)
        scores = np.asarray(self.score(observations))
        if scores.shape != batch.masks.shape or scores.dtype.kind not in "fiu":
            raise AgentError(
                f"{self.name}: scores must be numbers {list(batch.masks.shape)}, one per row and action, "
                f"not {scores.dtype} {list(scores.shape)}"
            )
        if np.isnan(scores).any():
            raise AgentError(f"{self.name}: scores are NaN in row {np.isnan(scores).any(1).argmax()}")
        return scores

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return one legal action per row, int16 [N]."""
        return best_legal(self.scores(batch), batch.masks)


def best_legal(scores: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the legal action with the highest score in every row, int16 [N]; the first of equal ones."""
    return np.where(masks, np.round(scores, ROUND), -np.inf).argmax(1).astype(np.int16)
