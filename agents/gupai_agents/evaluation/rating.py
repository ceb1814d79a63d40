"""One number per agent: Plackett-Luce ratings from the order in which games end."""

import itertools
from typing import NamedTuple

import numpy as np

POINTS = 400 / np.log(10)  # of a unit of log-odds: ratings are read like Elo's
ROUNDS, CLOSE = 2000, 1e-9
GROUPS = 500  # of deals that are drawn again together, at most


class Choices(NamedTuple):
    """What ratings are made from: in every row one of several agents came in before the others.

    winners: int [M]. members: int [M, agents], how often each agent was there. weights: float [groups, M], how often
    it happened in each group of deals.
    """

    winners: np.ndarray
    members: np.ndarray
    weights: np.ndarray


def choices_of(chips: np.ndarray, line_ups: np.ndarray) -> Choices:
    """Return the choices that games stand for: who of all came in first, who of the others, and so on.

    Equal chips are broken in every way, all ways alike.

    Args: chips: [line-ups, deals, rotations, places]. line_ups: int [line-ups, places], the agent at each place.
    """
    _, deals, rotations, places = chips.shape
    groups = min(deals, GROUPS)
    group = np.repeat(np.arange(deals) * groups // deals, rotations)
    found: dict[tuple[int, tuple[int, ...]], np.ndarray] = {}
    for line_up, won in zip(line_ups.tolist(), chips.reshape(len(chips), -1, places), strict=True):
        better = (won[:, None, :] > won[:, :, None]).sum(2)  # [games, places]: how many did better
        orders, which = np.unique(better, axis=0, return_inverse=True)
        for number, order in enumerate(orders.tolist()):
            often = np.bincount(group[which.ravel() == number], minlength=groups)
            for choice, share in _broken(line_up, order).items():
                found[choice] = found.get(choice, 0) + share * often
    members = [np.bincount(left, minlength=line_ups.max() + 1) for _, left in found]
    return Choices(np.array([who for who, _ in found]), np.array(members), np.array(list(found.values())).T)


def _broken(line_up: list[int], better: list[int]) -> dict[tuple[int, tuple[int, ...]], float]:
    """Return the choices of one order of a game, with how often each is made; `better` as many did, by place."""
    ways = [
        way
        for way in itertools.permutations(range(len(line_up)))
        if all(better[a] <= better[b] for a, b in itertools.pairwise(way))
    ]
    found: dict[tuple[int, tuple[int, ...]], float] = {}
    for way in ways:
        agents = [line_up[place] for place in way]
        for at in range(len(agents) - 1):
            choice = agents[at], tuple(sorted(agents[at:]))
            found[choice] = found.get(choice, 0.0) + 1 / len(ways)
    return found


def plackett_luce(choices: Choices, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the log-strength of every agent, float64 [agents], their mean zero: the likeliest (Hunter's MM).

    It is what choix finds (`choix.opt_rankings`), but takes as many equal games as there are at once.

    Args: weights: float [M], how often each choice was made (default: in all groups), or [draws, M] for a row per draw.
    """
    weights = choices.weights.sum(0) if weights is None else weights
    drawn = np.atleast_2d(weights)
    members, by_agent = (np.array(each, np.float64, order="C") for each in (choices.members, choices.members.T))
    wins = np.array([np.bincount(choices.winners, each, len(by_agent)) for each in drawn])
    strength = np.ones(wins.shape)
    changing = np.arange(len(drawn))  # the draws whose strengths do
    for _ in range(ROUNDS):
        seen = (strength[changing, None] @ members.T)[:, 0]
        given = ((drawn[changing] / seen)[:, None] @ by_agent.T)[:, 0]
        new = np.maximum(wins[changing], 1e-9) / np.maximum(given, 1e-9)
        new /= np.exp(np.log(new).mean(1, keepdims=True))
        close = np.abs(new - strength[changing]).max(1) <= CLOSE * new.max(1)
        strength[changing] = new
        changing = changing[~close]
        if not len(changing):
            break
    return np.log(strength).reshape(*weights.shape[:-1], -1)


def ratings(choices: Choices, seed: int, draws: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Return the rating of every agent in points, and the half-width of its 95% interval by a bootstrap over deals."""
    generator = np.random.default_rng(seed)
    groups = len(choices.weights)
    again = generator.multinomial(groups, np.full(groups, 1 / groups), draws) @ choices.weights
    spread = np.std(plackett_luce(choices, again), axis=0, ddof=1)
    return POINTS * plackett_luce(choices), 1.96 * POINTS * spread
