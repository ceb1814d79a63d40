"""Where a good player must be unpredictable: positions in which every equilibrium mixes, and what never mixing costs.

All of it is proved, on trees of two seats whose payoffs sum to zero. A seat is held to one action in one information
set: what it can still win is at most what its best such policy wins from any policy of the other seat. If that is less
than the value of the game for every action of the set, every equilibrium mixes there.
"""

from dataclasses import dataclass

import numpy as np

from gupai_agents.evaluation.exact.tree import GameTree, solve

ROUNDS = 2000  # of CFR+ for an equilibrium
HELD_ROUNDS = (60, 240, 960)  # for what is left to a seat that is held to an action, until it is known
TRIED = 12  # information sets that are looked at, those where mixing weighs most
FLIPPED = 200  # information sets in which a policy that never mixes is improved
CLEAR = 1e-3  # chips per deal that mixing is worth, at least
SELDOM = 1e-3  # probability of an information set, or of an action in it, that is left out


@dataclass(frozen=True)
class Mixed:
    """An information set in which every equilibrium mixes.

    Attributes:
        number: Of the set in its tree.
        actions: The legal ones.
        probabilities: Of each, in the equilibrium that was found.
        costs: What the seat loses at least, in chips per deal, if it always plays each.
    """

    number: int
    actions: tuple[int, ...]
    probabilities: tuple[float, ...]
    costs: tuple[float, ...]


@dataclass(frozen=True)
class Mixing:
    """Where mixing matters in a tree.

    Attributes:
        values: What each seat is sure to win at an equilibrium, at least, in chips per deal.
        pure: What each seat is sure to win by a policy that never mixes, the best that was found.
        tried: How many information sets were looked at.
        mixed: Those in which every equilibrium mixes, the latest in the deal first.
    """

    values: tuple[float, ...]
    pure: tuple[float, ...]
    tried: int
    mixed: tuple[Mixed, ...]


def sure_of(tree: GameTree, policy: np.ndarray) -> np.ndarray:
    """Return what each of two seats wins by its part of a policy if the other responds best, float64 [2]."""
    return -tree.best_responses(policy)[::-1]


def at_most(tree: GameTree, policy: np.ndarray, seat: int, allowed: np.ndarray) -> float:
    """Return the most that a seat wins from the other's part of a policy, if it keeps to sequences, bool [Q]."""
    payoffs = np.where(allowed, tree.weighted_payoffs(policy), -np.inf)
    tree.pass_back(payoffs)
    return float(payoffs[seat])


def reach_of(tree: GameTree, policy: np.ndarray) -> np.ndarray:
    """Return how likely each information set comes up, float64 [I]."""
    plans = tree.plan(policy)
    ends = tree.probability * plans[tree.ends].prod(1)
    through = np.bincount(tree.ends.ravel(), np.repeat(ends, tree.players), len(policy))
    for sets, sequences, starts in reversed(list(tree.layers_of_sets())):
        np.add.at(through, tree.before[sets], np.add.reduceat(through[sequences], starts))
    return np.add.reduceat(through[tree.players :], tree.first[:-1] - tree.players)


def held_costs(tree: GameTree, number: int, value: float) -> list[float]:
    """Return what the seat of a set loses at least by each action if it always plays it; 0 for what may be nothing.

    It stops at the first action that costs less than CLEAR.
    """
    seat, costs = int(tree.seats[number]), []
    for sequence in range(tree.first[number], tree.first[number + 1]):
        allowed = np.ones(tree.first[-1], bool)
        allowed[tree.first[number] : tree.first[number + 1]] = False
        allowed[sequence] = True
        cost = 0.0
        for rounds in HELD_ROUNDS:
            policy = solve(tree, rounds, allowed=allowed)
            cost = value - at_most(tree, policy, seat, allowed)
            if cost > CLEAR or sure_of(tree, policy)[seat] > value - CLEAR:
                break
        costs.append(max(cost, 0.0))
        if cost <= CLEAR:
            break
    return costs


def never_mixing(tree: GameTree, policy: np.ndarray, seat: int, weights: np.ndarray) -> float:
    """Return what a seat is sure to win by the best policy found that never mixes.

    It begins with the likeliest actions of a policy, and tries others where mixing weighs most.

    Args:
        weights: Of the information sets, float64 [I].
    """
    counts, starts, shares = np.diff(tree.first), tree.first[:-1] - tree.players, policy[tree.players :]
    # Of equally likely actions the first one: its place is worth a little.
    ranked = shares - 1e-9 * (np.arange(len(shares)) - np.repeat(starts, counts))
    chosen = ranked == np.repeat(np.maximum.reduceat(ranked, starts), counts)
    owned = np.repeat(tree.seats == seat, counts)
    pure = np.concatenate([np.ones(tree.players), np.where(owned, chosen, shares)])
    best = sure_of(tree, pure)[seat]
    for number in np.argsort(-np.where(tree.seats == seat, weights, 0))[:FLIPPED].tolist():
        here = slice(tree.first[number], tree.first[number + 1])
        for sequence in np.flatnonzero(policy[here] > SELDOM).tolist():
            before = pure[here].copy()
            pure[here] = 0
            pure[here.start + sequence] = 1
            if (sure := sure_of(tree, pure)[seat]) > best:
                best = sure
            else:
                pure[here] = before
    return float(best)


def mixing(tree: GameTree) -> Mixing:
    """Return where every equilibrium of a tree mixes, and what it costs never to mix; raises ValueError for teams."""
    if tree.players != 2:
        raise ValueError(f"{tree.game.id}: mixing is known of two seats, not of {tree.players}")
    policy = solve(tree, ROUNDS)
    values, reach = sure_of(tree, policy), reach_of(tree, policy)
    starts = tree.first[:-1] - tree.players
    weights = reach * (1 - np.maximum.reduceat(policy[tree.players :], starts))
    pure = tuple(never_mixing(tree, policy, seat, weights) for seat in range(tree.players))
    likely = np.argsort(-weights, kind="stable")[:TRIED]
    likely = likely[weights[likely] > SELDOM]
    likely = likely[np.argsort(-np.searchsorted(tree.layers, likely, side="right"), kind="stable")]
    mixed = []
    for number in likely.tolist():
        costs = held_costs(tree, number, float(values[tree.seats[number]]))
        if min(costs) > CLEAR:
            here = slice(tree.first[number], tree.first[number + 1])
            mixed.append(Mixed(number, tuple(tree.actions[here].tolist()), tuple(policy[here].tolist()), tuple(costs)))
    return Mixing(tuple(values.tolist()), pure, len(likely), tuple(mixed))
