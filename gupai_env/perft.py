"""Perft: how many ways of play there are, by the number of actions. Two programs of the same rules count the same."""

from collections.abc import Iterator

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.vector import VectorEnv
from gupai_env.words.checks import whole_number

CHUNK = 1 << 15  # lanes that are played side by side
MOST_DEPTH = 1000


def perft(game: Game, variant: Variant, states: np.ndarray, depth: int = MOST_DEPTH) -> list[int]:
    """Count the sequences of legal actions from some positions on; a deal that ends is not dealt again.

    Args:
        game, variant: The rules, of a single deal.
        states: The positions, a record array [N], which stay as they are.
        depth: The most actions of a sequence, from 1.

    Returns:
        The sequences of 1, 2, ... actions, up to `depth` or up to the last action of the longest deal.

    Raises:
        ValueError: For a depth out of 1..MOST_DEPTH, and for a match of several deals.
    """
    counts = [0] * whole_number("depth", depth, 1, MOST_DEPTH)
    if variant.deals > 1:
        raise ValueError(f"deals={variant.deals} is not allowed; ways of play are counted in one deal, take deals=1")
    for some in _chunks(np.arange(len(states))):
        _count(_lanes(game, variant, states[some]), counts, 0)
    return counts[: counts.index(0)] if 0 in counts else counts


def _count(envs: VectorEnv, counts: list[int], played: int) -> None:
    """Add the sequences that begin in some lanes, in which so many actions have been played."""
    lanes, actions = np.nonzero(envs.masks)
    counts[played] += len(lanes)
    if played + 1 == len(counts):
        return
    for some in _chunks(np.arange(len(lanes))):
        after = _lanes(envs.game, envs.variant, envs.states[lanes[some]])
        after.step(actions[some])
        _count(after, counts, played + 1)


def _lanes(game: Game, variant: Variant, states: np.ndarray) -> VectorEnv:
    """Return lanes in the given states, which are not dealt again."""
    envs = VectorEnv(game, len(states), observe=False, renew=False, **variant.changed())
    envs.states[:] = states
    envs.refresh()
    return envs


def _chunks(rows: np.ndarray) -> Iterator[np.ndarray]:
    """Yield rows, at most CHUNK at a time."""
    for first in range(0, len(rows), CHUNK):
        yield rows[first : first + CHUNK]
