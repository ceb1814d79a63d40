"""What claims can name of Da Ling."""

from collections.abc import Iterable
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from gupai_env.core.tiles import DECK, KINDS, WEIGHT
from gupai_env.games.claims import (
    CHIPS,
    SHARE,
    Endings,
    ExactQuestion,
    Facts,
    HandFeature,
    Metric,
    Outcome,
    PlayerChange,
    Vocabulary,
    hands_of,
    house_income,
)
from gupai_env.games.da_ling.rules import (
    GROUP_OF,
    GROUPS,
    HAND,
    MOST_POINTS,
    NO_MATCH,
    VALUE,
    WILD,
    colour_of,
    matches,
    points_of,
    wilds_of,
)

# The targets that a group matches by its points and its wild tiles, as bits.
REACHED = np.array(
    [
        [sum(bool(matches(points, wilds, target)) << target for target in range(10)) for wilds in range(len(WILD) + 1)]
        for points in range(MOST_POINTS)
    ]
)
CHOOSE = np.array([[comb(copies, held) for held in range(3)] for copies in range(3)])


def strengths(outcome: Outcome) -> np.ndarray:
    """Return the pips of the colour in every group that matches, int [N, players, groups]; NO_MATCH in the others."""
    states, players = outcome.states, outcome.variant.players
    group_of, tiles = GROUP_OF[states.splits[:, :players]], VALUE[states.tiles[:, :players]]
    value = np.stack([np.where(group_of == group, tiles, 0).sum(2) for group in range(GROUPS)], 2)
    target, red = states.target.astype(int)[:, None, None], states.red[:, None, None] != 0
    match = matches(points_of(value), wilds_of(value), target)
    return np.where(match, np.where(red, colour_of(value, True), colour_of(value, False)), NO_MATCH)


def _tied(values: np.ndarray) -> np.ndarray:
    most = values.max(1)
    return (most != NO_MATCH) & ((values == most[:, None]).sum(1) > 1)


def absolute_tie(outcome: Outcome, number: int) -> np.ndarray:
    """Return where the strongest of those that match all three tie."""
    values = strengths(outcome)
    total = np.where((values != NO_MATCH).all(2), values.sum(2), NO_MATCH)
    return _tied(total)


def group_tie(outcome: Outcome, number: int) -> np.ndarray:
    """Return where nobody matches all three, and a stake stays with all because the strongest of a group tie."""
    values = strengths(outcome)
    nobody = ~(values != NO_MATCH).all(2).any(1)
    return nobody & np.stack([_tied(values[:, :, group]) for group in range(GROUPS)]).any(0)


def endings(outcome: Outcome) -> Endings:
    """Return whether somebody matches all three groups, somebody some of them, or nobody any."""
    match = strengths(outcome) != NO_MATCH
    all_three, some = match.all(2).any(1), match.any((1, 2))
    return {
        "somebody matches all three groups": all_three,
        "groups are paid one by one": some & ~all_three,
        "no group of anybody matches": ~some,
    }


def match_all() -> Facts:
    """Return how likely a hand can be split so that all three groups match, for any table and for those of a target."""
    hands, times = hands_of(DECK, HAND)
    counts = np.stack([(hands == kind).sum(1) for kind in range(KINDS)], 1)
    targets = np.zeros(len(hands), int)  # as bits
    for group_of in GROUP_OF:
        value = np.stack([VALUE[hands] @ (group_of == group) for group in range(GROUPS)])
        targets |= np.bitwise_and.reduce(REACHED[points_of(value), wilds_of(value)])
    copies, chances = np.bincount(DECK, minlength=KINDS), np.zeros((10, 2))
    for one, other in combinations_with_replacement(range(KINDS), 2):  # the table; its tiles are in no hand
        tables = copies[one] * copies[other] if one != other else comb(int(copies[one]), 2)
        remaining, ways = copies - np.bincount([one, other], minlength=KINDS), tables * times
        for kind in {one, other} if tables else ():
            ways = ways * CHOOSE[remaining[kind], counts[:, kind]] / CHOOSE[copies[kind], counts[:, kind]]
        target = (WEIGHT[one] + WEIGHT[other]) % 10
        chances[target] += ways @ (targets >> target & 1), ways.sum()
    matched, dealt = chances.T
    facts: Facts = {f"target {target}": float(matched[target] / dealt[target]) for target in range(10)}
    facts["any target"] = float(matched.sum() / dealt.sum())
    return facts


def least_and_most_of_the_house(deals: int, ends: Iterable[np.recarray]) -> Facts:
    """Return the least and the most that the house takes in a deal.

    Payments between seats are written in pairs, so that what a deal adds up to does not depend on the deck's size.
    """
    incomes: set[float] = set()
    for states in ends:
        incomes |= set((-states.payoff.sum(1)).tolist())
    return {"least": min(incomes) + 0.0, "most": max(incomes) + 0.0, "deals": deals}  # no negative zeros


CLAIMS = Vocabulary(
    hand={"wild": HandFeature("wild tiles", lambda _: np.isin(np.arange(KINDS), WILD).astype(int))},
    metrics={
        "absolute_winner": Metric(
            "somebody matches all three groups",
            SHARE,
            lambda outcome, _: (strengths(outcome) != NO_MATCH).all(2).any(1),
        ),
        "absolute_tie": Metric("the strongest absolute winners tie", SHARE, absolute_tie),
        "group_tie": Metric("a group is left unpaid by a tie", SHARE, group_tie),
        "house_income": Metric("chips that the house takes", CHIPS, house_income),
    },
    questions={
        "house_income": ExactQuestion(
            "least and most that the house takes in a deal with a fee of 1: all splits of all tiny deals",
            least_and_most_of_the_house,
            {"deck": "tiny", "players": 2, "casino_fee": 1, "leader": 0},
        ),
        "match_all": ExactQuestion("chance that six tiles can be split so that all three groups match", match_all),
    },
    endings=endings,
    changes={
        "stakes": PlayerChange(
            lambda stakes: f"as if stakes were {'/'.join(f'{stake:g}' for stake in stakes)}",
            shown=lambda views, stakes: np.copyto(views.stakes, stakes),
        )
    },
)
