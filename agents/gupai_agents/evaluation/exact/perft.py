"""The ways of play of a deal (perft): two programs of the same rules count the same."""

import numpy as np

from gupai_agents.evaluation.matches.match import chunks
from gupai_agents.play.decisions import resume_lanes
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.messages.checks import whole_number
from gupai_env.vector import VectorEnv

CHUNK = 1 << 15  # lanes that are played side by side
MOST_DEPTH = 1000  # actions, in ways of play


def perft(game: Game, variant: Variant, states: np.ndarray, depth: int = MOST_DEPTH) -> list[int]:
    """Count the ways of play (perft): sequences of legal actions from some positions on, without a next deal.

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
    for first, some in chunks(len(states), CHUNK):
        _count(resume_lanes(game, variant, states[first : first + some]), counts, 0)
    return counts[: counts.index(0)] if 0 in counts else counts


def _count(envs: VectorEnv, counts: list[int], played: int) -> None:
    """Add the sequences that begin in some lanes, in which so many actions have been played."""
    lanes, actions = np.nonzero(envs.masks)
    counts[played] += len(lanes)
    if played + 1 == len(counts):
        return
    for first, some in chunks(len(lanes), CHUNK):
        after = resume_lanes(envs.game, envs.variant, envs.states[lanes[first : first + some]])
        after.step(actions[first : first + some])
        _count(after, counts, played + 1)
