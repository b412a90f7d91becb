import numpy as np
import pytest
from scipy import stats

from embspace.geometry.coordinates.normality import (
    distance_from_normal,
    excess_kurtosis,
    largest_standardized,
    normality,
    standardized,
    typical_largest,
)

RNG = np.random.default_rng(0)
NORMAL = RNG.normal(3, 2, size=(4, 20_000))
HEAVY = RNG.standard_t(5, size=3_000)


def test_standardized_numbers_have_mean_0_and_variance_1():
    x = standardized(NORMAL)
    assert x.mean(axis=1) == pytest.approx(0, abs=1e-12)
    assert x.std(axis=1) == pytest.approx(1)


def test_kurtosis_is_scipy_s():
    assert excess_kurtosis(HEAVY) == pytest.approx(stats.kurtosis(HEAVY))
    assert excess_kurtosis(NORMAL) == pytest.approx(stats.kurtosis(NORMAL, axis=1))


def test_two_values_have_the_smallest_kurtosis():
    assert excess_kurtosis(np.array([-1.0, 1.0] * 5)) == pytest.approx(-2)


@pytest.mark.parametrize("x", [HEAVY, RNG.uniform(size=5_000), RNG.exponential(size=5_000)])
def test_the_distance_is_that_of_kolmogorov_and_smirnov(x: np.ndarray):
    exact = stats.kstest(standardized(x), "norm").statistic
    distance = float(distance_from_normal(x))
    assert exact - 0.004 <= distance <= exact + 1e-12


def test_normal_numbers_are_near_normal():
    assert (distance_from_normal(NORMAL) < 1.2 / np.sqrt(20_000)).all()
    assert (np.abs(excess_kurtosis(NORMAL)) < 4 * np.sqrt(24 / 20_000)).all()


def test_every_row_of_a_stack_is_its_own():
    stack = np.stack([NORMAL[:2, :3_000], np.stack([HEAVY, HEAVY])])
    for function in (excess_kurtosis, largest_standardized, distance_from_normal):
        values = function(stack)
        assert values.shape == (2, 2)
        assert values[0, 1] == pytest.approx(float(function(stack[0, 1])))
        assert values[1, 0] == pytest.approx(values[1, 1])


def test_place_and_scale_change_nothing():
    for function in (excess_kurtosis, largest_standardized, distance_from_normal):
        assert function(5 - 3 * HEAVY) == pytest.approx(function(HEAVY), abs=1e-3)


def test_equal_numbers_have_no_distribution():
    for function in (excess_kurtosis, largest_standardized, distance_from_normal):
        assert np.isnan(function(np.full(7, 0.1)))


def test_one_number_far_out_is_the_largest():
    x = np.zeros(101)
    x[7] = -1
    assert largest_standardized(x) == pytest.approx(10)  # sqrt(n - 1)


def test_typical_largest_is_the_median():
    drawn = np.abs(RNG.normal(size=(4_000, 64))).max(axis=1)
    assert typical_largest(64) == pytest.approx(np.median(drawn), abs=0.03)
    assert typical_largest(1) == pytest.approx(stats.norm.ppf(0.75))


def test_normality_is_both_at_once():
    scores = normality(NORMAL)
    assert (scores.excess_kurtosis == excess_kurtosis(NORMAL)).all()
    assert (scores.distance == distance_from_normal(NORMAL)).all()
