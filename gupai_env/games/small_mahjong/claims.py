"""What claims can name of Small Mahjong."""

from itertools import combinations

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.tiles import DECK
from gupai_env.games.claims import SHARE, Endings, ExactQuestion, Facts, Metric, Outcome, Vocabulary, hands_of, ratio
from gupai_env.games.small_mahjong.rules import BEGUN, DREW, STEPS
from gupai_env.games.small_mahjong.triplets import TRIPLET


def won_within(outcome: Outcome, number: int) -> np.ndarray:
    """Return where somebody won within so many turns for every seat, counted over the table."""
    early = outcome.states.turns <= number * outcome.variant.players
    return (outcome.states.winner != NOBODY) & early


def won_in_own_turns(outcome: Outcome, number: int) -> np.ndarray:
    """Return where somebody won at no later than its own turn of this number."""
    states, turns = outcome.states, np.arange(outcome.states.log.shape[1])
    steps = np.where(turns > 0, states.log[:, :, STEPS], states.leader[:, None]).astype(int).cumsum(1)
    own = ((turns < states.turns[:, None]) & (steps % outcome.variant.players == states.winner[:, None])).sum(1)
    return (states.winner != NOBODY) & (own <= number)


def skipped(outcome: Outcome, number: int) -> np.ndarray:
    """Return how many turns were passed over by claims."""
    states = outcome.states
    steps = np.where(np.arange(states.log.shape[1]) < states.turns[:, None], states.log[:, :, STEPS], 1)
    return (steps.astype(int).clip(1) - 1).sum(1)


def by_claim(outcome: Outcome) -> np.ndarray:
    """Return which deals are won with a claimed tile, bool [N]."""
    last = outcome.states.log[np.arange(len(outcome.states)), outcome.states.turns - 1, BEGUN]
    return (outcome.states.winner != NOBODY) & (last != DREW)


def endings(outcome: Outcome) -> Endings:
    """Return how deals were won, or that they were not."""
    won, claimed, first = outcome.states.winner != NOBODY, by_claim(outcome), outcome.states.turns == 1
    return {
        "the leader wins before the play": won & first,
        "a win by a drawn tile": won & ~first & ~claimed,
        "a win by a claimed tile": claimed,
        "nobody wins": ~won,
    }


def dealt_wins() -> Facts:
    """Return how likely the six tiles of the leader are two triplets as dealt."""
    hands, times = hands_of(DECK, 6)
    complete = np.zeros(len(hands), bool)
    for two in combinations(range(1, 6), 2):  # beside the first tile in its triplet
        one, other = hands[:, [0, *two]], hands[:, [place for place in range(1, 6) if place not in two]]
        complete |= (TRIPLET[tuple(one.T)] > 0) & (TRIPLET[tuple(other.T)] > 0)
    return {"win before the play": float(times @ complete / times.sum())}


CLAIMS = Vocabulary(
    metrics={
        "draw": Metric("nobody wins", SHARE, lambda outcome, _: outcome.states.winner == NOBODY),
        "won_within": Metric("won within so many turns for every seat", SHARE, won_within, True),
        "won_in_own_turns": Metric("won by the winner's own turn of this number", SHARE, won_in_own_turns, True),
        "skips": Metric("turns that claims pass over", "turns per deal", skipped),
        "somebody_skipped": Metric(
            "claims pass over somebody's turn", SHARE, lambda outcome, _: skipped(outcome, 0) > 0
        ),
        "won_by_claim": Metric(
            "wins with a claimed tile",
            "share of wins",
            lambda outcome, _: np.stack([by_claim(outcome), outcome.states.winner != NOBODY], 1),
            statistic=ratio,
        ),
    },
    questions={"dealt_wins": ExactQuestion("chance that the leader's six tiles as dealt are a win", dealt_wins)},
    endings=endings,
)
