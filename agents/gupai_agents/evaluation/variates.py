"""Control variates: what quick agents win from each other in the same deals says how lucky a duel was with its deals.

A duel of slow agents is adjusted by duels of quick ones, the proxies, whose expectation is known well because they also
play many other deals. From the chips of each deal we subtract the variates' distance from that expectation, times
coefficients that a regression finds in other deals than this one (cross-fitting). So coefficients and variates of a
deal are independent, and the adjusted mean has the expectation of the plain one, whatever the proxies are.
"""

from typing import NamedTuple

import numpy as np

from gupai_agents.evaluation.statistics import Estimate, estimate, quantile

FOLDS = 10  # parts of the deals; the coefficients of one are found in the nine others
MORE = 10  # other deals that proxies play for each deal of a duel: their error is a tenth of what the variates explain
DEALS_EACH = 20  # deals of a duel per variate: the regression then adds about 1/20 to the variance


class Variates(NamedTuple):
    """What every proxy among equal others of another kind wins, chips per deal.

    here: in the deals of the duel, float64 [deals, variates]. elsewhere: in independent deals, float64 [any, variates].
    """

    here: np.ndarray
    elsewhere: np.ndarray

    def estimate(self, chips: np.ndarray) -> Estimate:
        """Return the adjusted mean of chips in the deals of the duel, float64 [deals], with its 95% interval.

        The interval contains the error of the variates' expectation. Where the variates explain the chips wholly, it is
        the only error.
        """
        distances, fold = self.here - self.elsewhere.mean(0), np.arange(len(chips)) % FOLDS
        values, coefficients = np.array(chips, float), np.zeros(distances.shape[1])
        for number in range(FOLDS):
            inside = fold == number
            slopes = _slopes(distances[~inside], chips[~inside])
            values[inside] -= distances[inside] @ slopes
            coefficients += slopes * inside.mean()
        adjusted, expectation = estimate(values), estimate(self.elsewhere @ coefficients)
        parts = [part for part in (adjusted, expectation) if part.has_interval]
        if not parts:
            return adjusted
        degrees = parts[0].degrees
        half_width = quantile(degrees) * float(np.hypot.reduce([part.error for part in parts]))
        return Estimate.symmetric(adjusted.mean, half_width, len(chips), degrees)


def _slopes(variates: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the least-squares coefficients of variates, [N, K], for values, [N], next to a constant."""
    return np.linalg.lstsq(variates - variates.mean(0), values - values.mean(), rcond=None)[0]
