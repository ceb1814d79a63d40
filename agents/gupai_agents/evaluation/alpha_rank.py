"""Alpha-rank: how much of its time evolution spends with every agent."""

import numpy as np


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
