"""What claims can name of Ce Deng."""

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.games.ce_deng import GAME
from gupai_env.games.ce_deng.rules import HANDS
from gupai_env.games.claims import Metric, Outcome
from gupai_env.games.connecting.claims import METRICS, METRICS_OF_ONE_END, vocabulary


def doubled_payments(outcome: Outcome, number: int, passes: bool = False) -> np.ndarray:
    """Return how many payments between two seats are doubled by head or tail (with `passes`, or by a pass)."""
    states, players = outcome.states, outcome.variant.players
    plays, seats = states.plays[:, :players].astype(int), np.arange(players)
    strict = bool(getattr(outcome.variant, "strict_head_tail", False))
    short = plays <= (seats == states.leader[:, None]).astype(int) + strict
    swept = plays == HANDS[0]
    total = np.zeros(len(states))
    for seat in range(players):
        for other in range(seat):
            total += short[:, seat] != short[:, other]
            if passes:
                total += swept[:, seat] != swept[:, other]
    return np.where(states.declarer == NOBODY, total, 0)


CLAIMS = vocabulary(
    GAME.num_actions,
    metrics={
        **METRICS_OF_ONE_END,
        **METRICS,
        "head_tail_payments": Metric("payments doubled by head or tail", "payments a deal", doubled_payments),
        "doubled_payments": Metric(
            "payments doubled by head, tail or pass",
            "payments a deal",
            lambda outcome, number: doubled_payments(outcome, number, True),
        ),
    },
)
