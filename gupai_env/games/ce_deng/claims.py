"""What claims can name of Ce Deng."""

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.games.ce_deng import GAME
from gupai_env.games.ce_deng.rules import HANDS
from gupai_env.games.claims import Endings, Metric, Outcome
from gupai_env.games.connecting.claims import METRICS, METRICS_OF_ONE_END, swept, tiles_in_hand, vocabulary


def doubled_payments(outcome: Outcome, number: int, passes: bool = False) -> np.ndarray:
    """Return how many payments between two seats are doubled by head or tail (with `passes`, or by a pass)."""
    states, players = outcome.states, outcome.variant.players
    plays, seats = states.plays[:, :players].astype(int), np.arange(players)
    strict = bool(getattr(outcome.variant, "strict_head_tail", False))
    short = (plays <= (seats == states.leader[:, None]).astype(int) + strict).sum(1)
    full = (plays == HANDS[0]).sum(1) * passes
    return np.where(states.declarer == NOBODY, short * (players - short) + full * (players - full), 0)


def endings(outcome: Outcome) -> Endings:
    """Return how deals ended: by eight doubles, by a seat that laid all of its tiles, blocked, or by discards."""
    declared, laid, held = outcome.states.declarer != NOBODY, swept(outcome), tiles_in_hand(outcome)
    return {
        "eight doubles are declared": declared,
        "some seat lays all of its tiles": laid,
        "nobody can play, with tiles left in hand": ~declared & ~laid & held,
        "every seat discards": ~declared & ~laid & ~held,
    }


CLAIMS = vocabulary(
    GAME.num_actions,
    endings=endings,
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
