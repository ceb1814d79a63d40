"""Distribution functions equal those of scipy, from one degree of freedom to a million, and so do their inverses."""

import pytest
from scipy import special

from gupai_agents.evaluation import distributions

DEGREES = (1, 2, 4.5, 29, 1000, 12345.5, 9e5, 1.1e6, 1e9)
SIZES = (0.5, 1, 3.25, 55, 1234.5, 1e5)
PROBABILITIES = (1e-6, 0.005, 0.025, 0.5, 0.975, 0.999)


def close(expected: float, relative: float = 1e-10):
    return pytest.approx(float(expected), rel=relative, abs=1e-300)


@pytest.mark.parametrize("degrees", DEGREES)
def test_student_and_its_quantiles_equal_scipy(degrees):
    for t in (-6, -1.96, -0.01, 0, 0.3, 5):
        assert distributions.t_below(degrees, t) == pytest.approx(special.stdtr(degrees, t), 1e-9, 1e-15)
    for probability in (0.6, 0.975, 0.9974, 0.9999):
        assert distributions.t_quantile(degrees, probability) == close(special.stdtrit(degrees, probability))


@pytest.mark.parametrize("b", SIZES)
@pytest.mark.parametrize("a", SIZES)
def test_beta_and_its_quantiles_equal_scipy(a, b):
    for probability in PROBABILITIES:
        x = special.betaincinv(a, b, probability)
        assert distributions.beta_quantile(a, b, probability) == close(x)
        assert distributions.beta_below(a, b, x) == close(special.betainc(a, b, x))
    assert distributions.beta_below(a, b, 0) == 0 and distributions.beta_below(a, b, 1) == 1


@pytest.mark.parametrize("degrees", [1, 1.7, 9, 200])
def test_chi_squared_and_its_centre_equal_scipy(degrees):
    for value in (0, 0.5, 10, 300, 3000):
        assert distributions.chi_squared_above(degrees, value) == close(special.chdtrc(degrees, value))
    for value in (0.5, 10, 300, 3000):
        for centre in (0, 0.3, 40, 600):
            expected = special.chndtr(value, degrees, centre)
            assert distributions.noncentral_below(value, degrees, centre) == pytest.approx(expected, 1e-10, 1e-12)
        for probability in (0.025, 0.975):
            expected = special.chndtrinc(value, degrees, probability)
            assert distributions.noncentral_centre(value, degrees, probability) == pytest.approx(expected, 1e-9, 1e-5)


def test_normal_keeps_small_probabilities():
    for z in (-30, -8, -1.96, 0, 2.5):
        assert distributions.normal_below(z) == close(special.ndtr(z), 1e-12)
