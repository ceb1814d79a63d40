"""Metrics of deals that are over: those of every game, and with them those that a game offers.

A metric gives one value per deal, [N], or several, [N, k], of whose means over all deals a statistic is taken.
"""

import numpy as np

from gupai_agents.evaluation.records import action_types_of
from gupai_env.core.game import Game
from gupai_env.games.claims import CHIPS, SHARE, Metric, Outcome, chips, of_seats, vocabulary_of

MOST_DRAWN = 8  # players of a field


def by_player(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2 MOST_DRAWN + 1], chips of every player and how many seats it has, and the sum of their squares."""
    assert outcome.seating is not None
    who = outcome.seating[:, :, None] == np.arange(MOST_DRAWN)
    return np.concatenate(
        [(who * outcome.chips[:, :, None]).sum(1), who.sum(1), (outcome.chips**2).sum(1, keepdims=True)], 1
    )


def skill_share(means: np.ndarray) -> float:
    """Return the variance of players' mean chips, each weighed by its seats, over that of the chips of a seat."""
    won, seats, squares = means[:MOST_DRAWN], means[MOST_DRAWN:-1], means[-1]
    own = np.divide(won, seats, out=np.zeros_like(won), where=seats > 0)
    mean = won.sum() / seats.sum()
    return float((seats * (own - mean) ** 2).sum() / (squares - seats.sum() * mean**2))


def _rate_of(action_type: int, name: str) -> Metric:
    def often(outcome: Outcome, number: int) -> np.ndarray:
        assert outcome.acted is not None
        return of_seats(outcome, outcome.acted[:, :, action_type])

    return Metric(f"how often the seat in question takes the action {name}", "times per deal", often, acted=True)


METRICS = {
    "chips": Metric("chips of the seat in question (and its partner)", CHIPS, chips),
    "wins": Metric("the seat in question (with its partner) wins chips", SHARE, lambda outcome, _: chips(outcome) > 0),
    "skill_share": Metric(
        "share of the variance of a seat's chips that who sits there explains",
        "share",
        by_player,
        statistic=skill_share,
        drawn=True,
    ),
}


def metrics_of(game: Game) -> dict[str, Metric]:
    """Return the metrics of a game: chips, rates of every type of action, and those that the game offers."""
    rates = {f"rate of {name}": _rate_of(index, name) for index, name in enumerate(action_types_of(game)[0])}
    return {**METRICS, **rates, **vocabulary_of(game).metrics}
