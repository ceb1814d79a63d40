"""Looking ahead: late in a deal a network's judgement of its actions is corrected by a few playouts.

Late in a deal the value of an action depends on single tiles, which a network of this size does not count exactly. A
few playouts do, but they are noisy and played by a heuristic, so they only have a share in the result (shrinkage).
"""

from typing import Any, NamedTuple

import numpy as np

from gupai_agents.agent import DecisionBatch
from gupai_agents.players.search import Plan, SearchAgent
from gupai_agents.shipped import has_tuned, tuned_weights
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.messages.checks import real_number, short_repr, whole_number

MOST_TILES = 32  # in a hand
HEADER_KEY = "look_ahead"  # of a checkpoint, with the numbers of `Depth`
SEED = 0  # of the deals that are drawn: the same view always gets the same answer


class Depth(NamedTuple):
    """When and how far to look ahead.

    tiles: the most tiles in hand at which to look ahead. playouts: deals in which each legal action is tried. trust:
    share of the playouts in the score of an action, 0..1; the rest is that of the network. temperature: chips per unit
    of the network's scores.
    """

    tiles: int
    playouts: int
    trust: float
    temperature: float


class LookAhead:
    """Corrects the scores of a network in one variant."""

    def __init__(self, game: Game, variant: Variant, depth: Depth) -> None:
        """Prepare the search of a variant.

        Args:
            game, variant: What is played.
            depth: From how few tiles on, how many playouts, and how far they are trusted.

        Raises:
            ValueError: For numbers out of range, and for a game without hands to count or without a heuristic.
        """
        if "sizes" not in (game.view.names or ()) or not has_tuned(game):
            raise ValueError(
                f"look-ahead is not available in {game.id}: hands are not counted, or it has no tuned heuristic"
            )
        whole_number("tiles", depth.tiles, 1, MOST_TILES)
        real_number("trust", depth.trust, 0, 1)
        real_number("temperature", depth.temperature, 1e-3, 1e3)
        self.depth = depth
        heuristic = game.heuristic(tuned_weights(game, variant))
        self.search: SearchAgent = SearchAgent(
            game, variant, "look ahead", heuristic, plan=Plan(playouts=depth.playouts)
        )

    def corrected(self, scores: np.ndarray, batch: DecisionBatch) -> np.ndarray:
        """Return the scores of actions, float [N, num_actions], corrected where few tiles are left to choose from."""
        late = (batch.views.sizes[:, 0] <= self.depth.tiles) & (batch.masks.sum(1) > 1)
        rows = np.flatnonzero(late)
        if not len(rows):
            return scores
        decisions = batch.at(rows)._replace(rng_keys=np.full(len(rows), SEED, np.int64))
        means = self.search.values(decisions, halving=False).means / self.depth.temperature
        step = self.depth.trust * (means - scores[rows])  # what all actions of a row have in common changes no choice
        corrected = scores.copy()
        corrected[rows] += np.where(decisions.masks, step, 0)
        return corrected


def look_ahead_of(header: dict[str, Any], game: Game, variant: Variant) -> LookAhead | None:
    """Return how the player of a checkpoint looks ahead, if it does; raises ValueError for a bad description."""
    numbers = header.get(HEADER_KEY)
    if numbers is None:
        return None
    if not isinstance(numbers, dict) or numbers.keys() != set(Depth._fields):
        raise ValueError(f"{HEADER_KEY} has the numbers {', '.join(Depth._fields)}, not {short_repr(numbers)}")
    return LookAhead(game, variant, Depth(**numbers))
