"""What claims can name of Jie Long."""

import numpy as np

from gupai_env.core.tiles import DECK, HIGHEST, PIPS
from gupai_env.games.claims import CHIPS, SHARE, Endings, ExactQuestion, Facts, Metric, Outcome, chips, of_seats, points
from gupai_env.games.connecting.claims import METRICS, METRICS_OF_ONE_END, swept, tiles_in_hand, turns_of, vocabulary
from gupai_env.games.jie_long import GAME
from gupai_env.games.jie_long.rules import SAFE


def ends_met(outcome: Outcome, number: int) -> np.ndarray:
    """Return how often each end that a seat left was followed by each that it met next, [N, 36]."""
    counts, rows = np.zeros((len(outcome.states), 36)), np.arange(len(outcome.states))
    seat, laid = rows, np.zeros(len(rows), bool)  # of the turn before
    # By seat, what it left open at its last turn; 0: it laid nothing.
    open_numbers = np.zeros((len(rows), outcome.variant.players), int)
    for now, under_way, lays, open_number in turns_of(outcome):
        open_numbers[rows[laid], seat[laid]] = open_number[laid]
        own = open_numbers[rows, now]
        met = under_way & (own > 0) & (open_number > 0)
        counts[rows[met], (own[met] - 1) * 6 + open_number[met] - 1] += 1
        open_numbers[rows, now], seat, laid = 0, now, lays
    return counts


def information_share(means: np.ndarray) -> float:
    """Return the mutual information of what was left and met, as a share of the entropy of what was met; or NaN."""
    joint = means.reshape(6, 6) / means.sum()
    row_sums, met = joint.sum(1, keepdims=True), joint.sum(0, keepdims=True)
    some = joint > 0
    information = float((joint[some] * np.log(joint[some] / (row_sums * met)[some])).sum())
    entropy = float(-(met[met > 0] * np.log(met[met > 0])).sum())
    return information / entropy if entropy else float("nan")


def counted(outcome: Outcome) -> np.ndarray:
    """Return what the points of every seat count, [N, players]."""
    totals, variant = points(outcome), outcome.variant
    doubled = variant.all_laid_doubles & (totals == 0).any(1, keepdims=True)  # type: ignore[attr-defined]
    return np.where(doubled, 2 * totals, totals)


def share_of_seats(outcome: Outcome, holds: np.ndarray) -> np.ndarray:
    """Return which share of the seats in question something holds for, which is given by seat, bool [N, seats]."""
    return of_seats(outcome, holds) / outcome.seats.shape[1]


def pairwise_less_loser_pays(outcome: Outcome, number: int) -> np.ndarray:
    """Return chips as paid, less those if the seat with most points paid all others; who tie share it."""
    totals = counted(outcome)
    most = totals.max(1, keepdims=True)
    lost, losers = (most - totals).sum(1, keepdims=True), (totals == most).sum(1, keepdims=True)
    paid = np.where(totals == most, -lost / losers, most - totals)
    return chips(outcome) - of_seats(outcome, paid * outcome.variant.stake)  # type: ignore[attr-defined]


def ends_of_tiles() -> Facts:
    """Return how many ends of tiles bear each number, and which numbers are on an odd number of ends.

    In a line of all tiles every number is paired but at the two ends, so those are the odd ones.
    """
    counts = np.bincount(PIPS[DECK].ravel(), minlength=HIGHEST + 1)
    facts: Facts = {str(number): int(counts[number]) for number in range(1, HIGHEST + 1)}
    return facts | {"odd": " ".join(name for name, count in facts.items() if int(count) % 2)}


def endings(outcome: Outcome) -> Endings:
    """Return whether some seat has laid all of its tiles; a lock may end a deal with tiles in hand."""
    laid, held = swept(outcome), tiles_in_hand(outcome)
    return {
        "some seat lays all of its tiles": laid,
        "every seat discards": ~laid & ~held,
        "a lock, with tiles left in hand": ~laid & held,
    }


CLAIMS = vocabulary(
    GAME.num_actions,
    endings=endings,
    metrics={
        **METRICS_OF_ONE_END,
        "information": Metric(
            "how much the end that you leave says about the end that you meet next, as a share of its entropy",
            "share",
            ends_met,
            statistic=information_share,
        ),
        "all_laid": Metric(
            "the seat lays all of its tiles",
            SHARE,
            lambda outcome, _: share_of_seats(outcome, outcome.states.plays == outcome.states.hand_size[:, None]),
        ),
        "over_thirty": Metric(
            f"the points of the seat count more than {SAFE}",
            SHARE,
            lambda outcome, _: share_of_seats(outcome, counted(outcome) > SAFE),
        ),
        "pairwise_less_loser_pays": Metric(
            "chips as paid, less those if one loser paid all", CHIPS, pairwise_less_loser_pays
        ),
        "two_and_five": Metric(
            "the ends of the line are a 2 and a 5",
            SHARE,
            lambda outcome, _: (np.sort(outcome.states.ends, 1) == (2, 5)).all(1),
        ),
        **METRICS,
    },
    questions={
        "ends_of_tiles": ExactQuestion(
            "ends of tiles that bear each number, and the numbers that are on an odd number of them", ends_of_tiles
        )
    },
)
