"""What claims can name of Small Mahjong."""

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.games.claims import SHARE, Metric, Outcome, Vocabulary


def drawn(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where nobody won."""
    return (outcome.states.winner == NOBODY).astype(float)


def won_within(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where somebody won within so many turns for every seat, counted over the table."""
    early = outcome.states.turns <= number * outcome.variant.players
    return ((outcome.states.winner != NOBODY) & early).astype(float)


def won_in_own_turns(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where somebody won at no later than its own turn of this number."""
    states = outcome.states
    seat, own = states.leader.astype(int), np.zeros(len(states), int)
    for turn in range(int(states.turns.max())):
        under_way = turn < states.turns
        if turn:
            seat = np.where(under_way, (seat + states.steps[:, turn]) % outcome.variant.players, seat)
        own += under_way & (seat == states.winner)
    return ((states.winner != NOBODY) & (own <= number)).astype(float)


def skipped(outcome: Outcome, number: int) -> np.ndarray:
    """Return how many turns were passed over by claims."""
    states = outcome.states
    steps = np.where(np.arange(states.steps.shape[1]) < states.turns[:, None], states.steps, 1)
    total: np.ndarray = (steps.astype(int).clip(1) - 1).sum(1).astype(float)
    return total


CLAIMS = Vocabulary(
    metrics={
        "draw": Metric("nobody wins", SHARE, drawn),
        "won_within": Metric("won within so many turns for every seat", SHARE, won_within, True),
        "won_in_own_turns": Metric("won by the winner's own turn of this number", SHARE, won_in_own_turns, True),
        "skips": Metric("turns that claims pass over", "turns per deal", skipped),
        "somebody_skipped": Metric(
            "claims pass over somebody's turn", SHARE, lambda o, n: (skipped(o, n) > 0).astype(float)
        ),
    }
)
