"""Means with their intervals."""

from typing import NamedTuple

import numpy as np


class Estimate(NamedTuple):
    """A mean of `samples` independent values and the half-width of its 95% interval (Student's t)."""

    mean: float
    half_width: float
    samples: int

    @property
    def low(self) -> float:
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        return self.mean + self.half_width

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ±{self.half_width:.2f}"


def estimate(values: np.ndarray) -> Estimate:
    """Return the mean of independent values, [N], with its 95% interval; infinite for a single value."""
    count = len(values)
    if count < 2:
        return Estimate(float(np.mean(values)), float("inf"), count)
    from scipy.special import stdtrit  # quantile of Student's t; scipy.stats takes seconds to import

    error = float(np.std(values, ddof=1)) / count**0.5
    return Estimate(float(np.mean(values)), float(stdtrit(count - 1, 0.975)) * error, count)
