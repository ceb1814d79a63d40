"""With which tiles every pair is to be split against another seat, and what simpler rules lose."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gupai_env.games.pai_gow.opponent import Opponent
from gupai_env.games.pai_gow.policies import house_way
from gupai_env.games.pai_gow.policies.hand import Split, kinds

PAIRS = ("12", "2", "9", "H8", "L8", "H7", "L7", "H6", "L6", "5", "H4", "L4", "H10", "L10", "11", "G")


class Case(NamedTuple):
    """A hand with one pair: its weight, the splits, what each wins in chips per 100 hands, and what the house does."""

    times: float
    together: Split
    apart: Split
    keeping: float
    splitting: float
    house: float


class PairFigures(NamedTuple):
    """When to split a pair, and chips lost per 100 hands with it by simpler rules.

    others: The other two tiles of the hands in which splitting is right, sorted kinds.
    share: The share of those hands.
    threshold: The least points of the low and of the high group from which splitting loses least; None for never.
    by_threshold, house, never, always: What is lost by the threshold, by the house way, by keeping, by splitting.
    """

    others: list[tuple[int, int]]
    share: float
    threshold: tuple[int, int] | None
    by_threshold: float
    house: float
    never: float
    always: float


def cases_of(name: str, opponent: Opponent) -> Iterator[Case]:
    """Yield the hands with a pair and no other one."""
    for hand, wins, times in zip(opponent.hands, opponent.chips, opponent.times, strict=True):
        together = hand.pair
        if together and together.high.tiles[0] in kinds(name) and not together.low.is_pair:
            apart = max(hand.without_pair, key=lambda split: wins[split.action])
            keeping, splitting, house = (wins[split.action] for split in (together, apart, house_way.split(hand)))
            yield Case(times, together, apart, keeping, splitting, house)


def pair_figures(name: str, opponent: Opponent) -> PairFigures:
    """Return the figures of a player's pair."""
    cases = list(cases_of(name, opponent))
    times = np.array([case.times for case in cases])
    best = np.array([max(case.keeping, case.splitting) for case in cases])

    def loss(wins: Sequence[float]) -> float:
        return float((times * (best - wins)).sum() / times.sum())

    def by_threshold(low: int, high: int) -> list[float]:
        return [case.splitting if splits_at(case, low, high) else case.keeping for case in cases]

    right = [case for case in cases if case.splitting > case.keeping]
    never = loss([case.keeping for case in cases])
    bounds = [(low, high) for high in range(12) for low in range(high + 1)]
    least, low, high = min((loss(by_threshold(low, high)), -low, -high) for low, high in bounds)
    return PairFigures(
        sorted({case.together.low.tiles for case in right}),
        sum(case.times for case in right) / times.sum(),
        (-low, -high) if never - least > 1e-9 else None,
        least,
        loss([case.house for case in cases]),
        never,
        loss([case.splitting for case in cases]),
    )


def splits_at(case: Case, low: int, high: int) -> bool:
    """True if a threshold splits the pair."""
    enough = case.apart.low.points >= low and case.apart.high.points >= high
    return enough and not case.together.beats(case.apart)
