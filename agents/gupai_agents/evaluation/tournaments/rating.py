"""One number per agent: Plackett-Luce ratings from the order in which games end.

Ratings are computed in a fixed order by additions, multiplications, divisions and square roots alone, without BLAS or
the vectorised functions of NumPy, so that they are the same to the last bit on every processor.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from typing import NamedTuple

import numpy as np

from gupai_env.messages import say

POINTS = 173.7177927613007  # 400 / ln 10, of a unit of log-odds: ratings are read like Elo's
QUANTILE = 1.96  # of the 95% interval
ROUNDS, CLOSE = 100, 1e-9
LOGARITHMS = Context(prec=30)  # of decimals, whose logarithms are the same everywhere
GROUPS = 500  # of deals that count as one sample, at most
NO_GAME_AGAINST = "No game contradicts {agents}: only the prior bounds how far these ratings are apart"
NEVER_MET = "Ratings compare only agents that met, directly or through others: {agents}"


class Choices(NamedTuple):
    """What ratings are made from: in every row one of several agents came in before the others.

    winners: int [M]. members: int [M, agents], how often each agent was there. weights: float [groups, M], how often
    it happened in each group of deals. deals: how many there are in all groups.
    """

    winners: np.ndarray
    members: np.ndarray
    weights: np.ndarray
    deals: int


class Ratings(NamedTuple):
    """Ratings of all agents.

    points: float64 [agents], with a mean of zero over agents that met. widths: float64 [agents], the half-widths of
    their 95% intervals. orders: The agents that met, directly or through others, by number; each such set as groups,
    the best first, where no agent ever came in ahead of one of an earlier group. With more than one set, or more than
    one group, the comparison graph is not (strongly) connected, see `notes`.
    """

    points: np.ndarray
    widths: np.ndarray
    orders: list[list[list[int]]]


def choices_of(chips: np.ndarray, line_ups: np.ndarray) -> Choices:
    """Return the choices that games stand for: who of all came in first, who of the others, and so on.

    Equal chips are broken in every way, all ways alike.

    Args:
        chips: [line-ups, deals, rotations, places].
        line_ups: int [line-ups, places], the agent at each place.
    """
    _, deals, rotations, places = chips.shape
    groups = min(deals, GROUPS)
    group = np.repeat(np.arange(deals) * groups // deals, rotations)
    weight_of: dict[tuple[int, tuple[int, ...]], np.ndarray] = {}
    for line_up, won in zip(line_ups.tolist(), chips.reshape(len(chips), -1, places), strict=True):
        better = (won[:, None, :] > won[:, :, None]).sum(2)  # [games, places]: how many did better
        orders, which = np.unique(better, axis=0, return_inverse=True)
        for number, order in enumerate(orders.tolist()):
            often = np.bincount(group[which.ravel() == number], minlength=groups)
            for choice, share in _broken(line_up, order).items():
                weight_of[choice] = weight_of.get(choice, 0) + share * often
    members = [np.bincount(remaining, minlength=line_ups.max() + 1) for _, remaining in weight_of]
    weights = np.array(list(weight_of.values())).T
    return Choices(np.array([who for who, _ in weight_of]), np.array(members), weights, deals)


def _broken(line_up: list[int], better: list[int]) -> dict[tuple[int, tuple[int, ...]], float]:
    """Return the choices of one order of a game, with how often each is made; `better` as many did, by place."""
    ways = [
        way
        for way in itertools.permutations(range(len(line_up)))
        if all(better[a] <= better[b] for a, b in itertools.pairwise(way))
    ]
    shares: dict[tuple[int, tuple[int, ...]], float] = {}
    for way in ways:
        agents = [line_up[place] for place in way]
        for index in range(len(agents) - 1):
            choice = agents[index], tuple(sorted(agents[index:]))
            shares[choice] = shares.get(choice, 0.0) + 1 / len(ways)
    return shares


class Fit(NamedTuple):
    """The likeliest strengths of agents, where virtual draws are among the games.

    strengths: float64 [agents], those of the virtual agent are 1. information: float64 [agents, agents], the second
    derivative of the negative log-likelihood by log-strengths. residuals: float64 [M, agents], by agent, the first
    derivative of the log-likelihood of each choice. draw: The weight of the virtual draw of an agent.
    """

    strengths: np.ndarray
    information: np.ndarray
    residuals: np.ndarray
    draw: float


def plackett_luce(choices: Choices) -> Fit:
    """Return the likeliest strengths of agents, with one virtual deal among the real ones as a weak prior.

    In the virtual deal, every agent draws against a virtual agent of strength 1, which is half a win and half a loss.
    These draws weigh together as much as the choices of a deal. So the strengths are those that choix finds for the
    same choices and draws (`choix.opt_top1`), and are finite also where an agent won everything. Found by Newton's
    method with steps short enough to converge from anywhere.
    """
    members, weights = choices.members.astype(np.float64), np.array([math.fsum(column) for column in choices.weights.T])
    agents = range(members.shape[1])
    draw = math.fsum(weights) / choices.deals / len(agents)
    won = np.zeros(members.shape)
    won[np.arange(len(won)), choices.winners] = 1
    strengths = np.ones(len(agents))
    for _ in range(ROUNDS):
        shares = members * strengths
        shares /= np.sum(shares, 1, keepdims=True)
        residuals, half = won - shares, strengths / (1 + strengths)
        slopes = np.sum(weights[:, None] * residuals, 0) + draw * (0.5 - half)
        information = np.array([np.sum((weights * -shares[:, agent])[:, None] * shares, 0) for agent in agents])
        information[agents, agents] += np.sum(weights[:, None] * shares, 0) + draw * half * (1 - half)
        steps = np.sum(_inverse(information) * slopes, 1)
        length = max(steps.max(), 0) - min(steps.min(), 0)
        steps /= 1 + length
        strengths = strengths * (1 + steps / 2) / (1 - steps / 2)  # near exp(steps)
        if length < CLOSE:
            break
    return Fit(strengths, information, residuals, draw)


def _inverse(matrix: np.ndarray) -> np.ndarray:
    """Return the inverse of a symmetric positive definite matrix, by elimination."""
    inverse = matrix.copy()
    for index in range(len(inverse)):
        row, column, pivot = inverse[index].copy(), inverse[:, index].copy(), inverse[index, index]
        inverse -= column[:, None] * row / pivot
        inverse[index], inverse[:, index] = row / pivot, -column / pivot
        inverse[index, index] = 1 / pivot
    return inverse


def ratings(choices: Choices) -> Ratings:
    """Return the ratings of all agents in points, with 95% intervals over deals.

    The variance of a rating is that of the sums that deals contribute (the sandwich estimator), and of the virtual
    deal: between two agents, it is as uncertain as a deal whose games all end alike, either way. It matters where few
    deals are played, or nearly all of them go one way.
    """
    fit, orders = plackett_luce(choices), _orders(choices)
    agents = range(len(fit.strengths))
    points = np.array([400 * float(LOGARITHMS.log10(Decimal(strength))) for strength in fit.strengths.tolist()])
    effects = _inverse(fit.information)  # [rating, agent whose sum of residuals changes it]
    for order in orders:
        met = list(itertools.chain(*order))
        points[met] -= np.sum(points[met]) / len(met)
        effects[met] -= np.sum(effects[met], 0) / len(met)
    by_deal = np.array([np.sum(choices.weights * fit.residuals[:, agent], 1) for agent in agents])  # [agents, groups]
    moved = np.array([np.sum(effect[:, None] * by_deal, 0) for effect in effects])
    variances = np.sum(moved * moved, 1) + 2 * fit.draw * fit.draw * np.sum(effects * effects, 1)
    return Ratings(points, QUANTILE * POINTS * np.sqrt(variances), orders)


def _orders(choices: Choices) -> list[list[list[int]]]:
    """Return who met and in what order games put them for sure, as `Ratings.orders`."""
    ahead = np.zeros((choices.members.shape[1],) * 2, bool)
    for winner, members in zip(choices.winners, choices.members, strict=True):
        ahead[winner] |= members > 0
    followed, linked = _closure(ahead), _closure(ahead | ahead.T)
    best_first = sorted(range(len(ahead)), key=lambda agent: -np.sum(followed[agent]))
    orders: dict[bytes, dict[bytes, list[int]]] = {}
    for agent in best_first:
        alike = followed[agent] & followed[:, agent]
        orders.setdefault(linked[agent].tobytes(), {}).setdefault(alike.tobytes(), []).append(agent)
    return [[sorted(group) for group in order.values()] for order in orders.values()]


def _closure(steps: np.ndarray) -> np.ndarray:
    """Return who reaches whom in any number of steps, bool [agents, agents]; everyone reaches itself."""
    closure = steps | np.eye(len(steps), dtype=bool)
    for agent in range(len(closure)):
        closure |= closure[:, agent, None] & closure[agent]
    return closure


def notes(names: Sequence[str], orders: Sequence[Sequence[Sequence[int]]]) -> list[str]:
    """Return what games do not say of the ratings of agents with these names; nothing if they connect all of them.

    Args:
        orders: As in `Ratings`.

    Returns:
        Sentences.
    """

    def listed(agents: Iterable[int]) -> str:
        return ", ".join(names[agent] for agent in agents)

    remarks: list[str] = [
        say(NO_GAME_AGAINST, agents=" > ".join(map(listed, order))) for order in orders if len(order) > 1
    ]
    if len(orders) > 1:
        remarks.append(say(NEVER_MET, agents="; ".join(listed(itertools.chain(*order)) for order in orders)))
    return remarks


def alpha_rank(payoffs: np.ndarray, epsilon: float = 0.01) -> np.ndarray:
    """Return the share of time that evolution spends with every agent, [agents] (alpha-rank, infinite alpha).

    A population of one agent meets another agent at a time, and turns to it if that one wins more among them than they
    would among it. It holds for games of several players and for cycles, but takes the payoffs as exact.

    Args:
        payoffs: [agents, agents], chips of one row agent among column agents.
        epsilon: The probability of turning to the worse of the two, so that no agent is a dead end.
    """
    rates = np.where(payoffs < payoffs.T, 1 - epsilon, epsilon)  # [resident, mutant]
    rates[np.isclose(payoffs, payoffs.T, rtol=0, atol=1e-14)] = 0.5
    # Elimination by Grassmann, Taksar and Heyman: it subtracts nothing, so no digits are lost, and adds in an order
    # that is the same on every processor, which that of a linear algebra library is not.
    for last in range(len(rates) - 1, 0, -1):
        rates[:last, last] /= rates[last, :last].sum()
        rates[:last, :last] += np.outer(rates[:last, last], rates[last, :last])
    shares = np.ones(len(rates))
    for agent in range(1, len(rates)):
        shares[agent] = (shares[:agent] * rates[:agent, agent]).sum()
    return shares / shares.sum()
