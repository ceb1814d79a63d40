"""Distribution functions of Student's t, the beta, the gamma and the noncentral chi-squared distribution.

scipy.special has the same, with whose results tests compare these; it alone would more than double an installation.
"""

import functools
import math
from collections.abc import Callable, Iterator
from itertools import accumulate, count
from statistics import NormalDist

normal_quantile = NormalDist().inv_cdf
MANY = 1e6  # degrees of freedom from which Student's t is a normal distribution, corrected for their number
CLOSE, _ROUNDING = 1e-12, 1e-15


def normal_below(z: float) -> float:
    """Return the probability of at most `z` in the normal distribution; that of `statistics` loses small ones."""
    return math.erfc(-z / math.sqrt(2)) / 2


def t_below(degrees: float, t: float) -> float:
    """Return the probability of at most `t` in Student's distribution."""
    if degrees >= MANY:  # Abramowitz and Stegun 26.7.8
        return normal_below(t * (1 - 0.25 / degrees) / math.sqrt(1 + t * t / (2 * degrees)))
    whole = degrees + t * t
    tail = _beta_below(degrees / 2, 0.5, degrees / whole, t * t / whole) / 2
    return tail if t < 0 else 1 - tail


@functools.lru_cache(4096)
def t_quantile(degrees: float, probability: float) -> float:
    """Return the value that Student's t exceeds with 1 - probability, which is at most a half."""
    if degrees >= MANY:
        z = normal_quantile(probability)
        return z / math.sqrt((1 - 0.25 / degrees) ** 2 - z * z / (2 * degrees))
    if degrees < 8:  # where a small remainder decides
        share = beta_quantile(degrees / 2, 0.5, 2 * (1 - probability))
        return math.sqrt(degrees * (1 - share) / share)
    share = beta_quantile(0.5, degrees / 2, 2 * probability - 1)
    return math.sqrt(degrees * share / (1 - share))


def chi_squared_above(degrees: float, value: float) -> float:
    """Return the probability of more than a value in a chi-squared distribution."""
    return 1 - gamma_below(degrees / 2, value / 2) if value < degrees else gamma_above(degrees / 2, value / 2)


def beta_below(a: float, b: float, x: float) -> float:
    """Return the probability of at most `x` in the beta distribution: the regularised incomplete beta function."""
    return _beta_below(a, b, x, 1 - x)


def _beta_below(a: float, b: float, x: float, rest: float) -> float:
    if not (x > 0 and rest > 0):
        return float(x > 0)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_tail(b, a, rest, x)
    return _beta_tail(a, b, x, rest)


def _beta_tail(a: float, b: float, x: float, rest: float) -> float:
    def steps() -> Iterator[float]:
        yield -(a + b) * x / (a + 1)
        for m in count(1):
            yield m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            yield -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))

    return _beta_term(a, b, x, rest) * b / (a + b) * _fraction(steps())


def _fraction(steps: Iterator[float]) -> float:
    """Return 1 / (1 + step / (1 + step / (1 + ...))), by Lentz's method."""
    value, up, down = 1.0, 1.0, 0.0
    for step in steps:
        down, up = 1 / (1 + step * down), 1 + step / up
        value *= down * up
        if abs(down * up - 1) < _ROUNDING:
            break
    return 1 / value


def _beta_term(a: float, b: float, x: float, rest: float) -> float:
    """Return x^a rest^b / (B(a, b) a b / (a + b)), by Loader's saddle point, which loses no digits."""
    n = a + b
    exponent = _stirling(n) - _stirling(a) - _stirling(b) - _deviance(a, n * x) - _deviance(b, n * rest)
    return math.exp(exponent) * math.sqrt(n / (2 * math.pi * a * b))


def _stirling(n: float) -> float:
    """Return what Stirling's formula lacks of the logarithm of n!."""
    if n < 16:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi)
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / n**2) / n**2) / n**2) / n**2) / n


def _deviance(value: float, expected: float) -> float:
    ratio = (value - expected) / expected
    return expected * ((1 + ratio) * math.log1p(ratio) - ratio)


def beta_quantile(a: float, b: float, probability: float) -> float:
    """Return the value that the beta distribution exceeds with 1 - probability."""
    return _root(
        lambda x: beta_below(a, b, x) - probability,
        lambda x: _beta_term(a, b, x, 1 - x) * a * b / ((a + b) * x * (1 - x)),
        (0.0, a / (a + b), 1.0),
    )


def gamma_below(a: float, x: float) -> float:
    """Return the regularised incomplete gamma function of `x`, from below."""
    if x > a + 1:
        return 1 - gamma_above(a, x)
    total = term = 1.0
    for m in count(1):
        term *= x / (a + m)
        total += term
        if term < total * _ROUNDING:
            break
    return total * _gamma_term(a, x)


def gamma_above(a: float, x: float) -> float:
    """Return the regularised incomplete gamma function from above, of an `x` that is not much below `a`."""
    steps = (m * (a - m) / ((x - a + 2 * m - 1) * (x - a + 2 * m + 1)) for m in count(1))
    return _gamma_term(a, x) * a / (x + 1 - a) * _fraction(steps)


def _gamma_term(a: float, x: float) -> float:
    """Return x^a exp(-x) / a!."""
    return math.exp(-_stirling(a) - _deviance(a, x)) / math.sqrt(2 * math.pi * a) if x else 0.0


def noncentral_below(value: float, degrees: float, centre: float) -> float:
    """Return the probability of at most a value in the noncentral chi-squared distribution; centre: its parameter."""
    if not centre:
        return gamma_below(degrees / 2, value / 2)
    # A mixture of chi-squared distributions whose numbers of degrees are Poisson's: only those near its mean count.
    mean = centre / 2
    reach = 12 * math.sqrt(mean) + 40
    first, last = max(0, int(mean - reach)), int(mean + reach)
    weight = _gamma_term(first, mean) if first else math.exp(-mean)
    weights = accumulate(range(first + 1, last + 1), lambda weight, number: weight * mean / number, initial=weight)
    below, term = gamma_below(degrees / 2 + last, value / 2), _gamma_term(degrees / 2 + last, value / 2)
    total = 0.0
    for number, weight in zip(range(last, first - 1, -1), [*weights][::-1], strict=True):
        total += weight * below
        term *= (degrees / 2 + number) / (value / 2)
        below += term
    return total


def noncentral_centre(value: float, degrees: float, probability: float) -> float:
    """Return the parameter for which at most a value has a probability; 0 if even that gives less."""
    if noncentral_below(value, degrees, 0.0) <= probability:
        return 0.0
    high = 2 * value + 100.0
    while noncentral_below(value, degrees, high) > probability:
        high *= 2
    return _root(
        lambda centre: probability - noncentral_below(value, degrees, centre),
        lambda centre: (noncentral_below(value, degrees, centre) - noncentral_below(value, degrees + 2, centre)) / 2,
        (0.0, high / 2, high),
    )


def _root(function: Callable[[float], float], slope: Callable[[float], float], near: tuple[float, ...]) -> float:
    """Return where a growing function is 0, by Newton's method; by halves where it leads out.

    Args:
        function, slope: The function and its derivative.
        near: Below it, a guess, and above it.
    """
    low, guess, high = near
    while True:
        value, steep = function(guess), slope(guess)
        low, high = (low, guess) if value > 0 else (guess, high)
        after = guess - value / steep if steep else low
        if not low < after < high:
            after = (low + high) / 2
        if abs(after - guess) <= CLOSE * guess or not low < after < high:
            return after
        guess = after
