import numpy as np
import pytest
from scipy.stats import ncf, norm

from embspace.geometry.measures.dot_sign import _cumulants, probability_not_positive

ONES = np.ones(10)


@pytest.mark.parametrize("dim", [10, 60, 384])
@pytest.mark.parametrize("share", [0.001, 0.05, 0.3, 0.6])
def test_isotropic_vectors_about_one_mean_against_the_exact_noncentral_f(dim: int, share: float):
    # x . y = (|u|^2 - |v|^2) / 2 with independent Gaussian u and v, of which v has mean 0.
    mean = np.full(dim, np.sqrt(share / (1 - share)))
    probability = probability_not_positive(mean, np.ones(dim), mean, np.ones(dim))
    assert probability == pytest.approx(ncf.cdf(1, dim, dim, 2 * mean @ mean), rel=0.01)


def test_two_clouds_of_unlike_variances_against_draws():
    rng = np.random.default_rng(0)
    means, variances = rng.normal(size=(2, 20)), rng.gamma(1, size=(2, 20))
    variances[0, :5] = 0
    x, y = means[:, None] + rng.normal(size=(2, 200_000, 20)) * np.sqrt(variances)[:, None]
    drawn = np.mean(np.einsum("ij,ij->i", x, y) <= 0)
    probability = probability_not_positive(means[0], variances[0], means[1], variances[1])
    assert probability == pytest.approx(drawn, abs=0.004)


def test_without_a_common_mean_half_of_the_pairs_are_not_positive():
    assert probability_not_positive(0 * ONES, ONES, 0 * ONES, 3 * ONES) == pytest.approx(0.5)


def test_opposite_means_turn_it_round():
    given = probability_not_positive(0.5 * ONES, ONES, 0.5 * ONES, ONES)
    turned = probability_not_positive(0.5 * ONES, ONES, -0.5 * ONES, ONES)
    assert given == pytest.approx(1 - turned)
    assert given < 0.3


def test_scale_changes_nothing():
    given = probability_not_positive(0.5 * ONES, ONES, 0.3 * ONES, 2 * ONES)
    assert probability_not_positive(5 * ONES, 100 * ONES, 0.3 * ONES, 2 * ONES) == pytest.approx(
        given
    )


def test_the_formula_for_the_middle_meets_that_for_the_rest():
    def at(mean: float) -> float:
        return probability_not_positive(mean * ONES, ONES, mean * ONES, ONES)

    steps = np.diff([at(mean) for mean in np.sqrt(np.linspace(1e-6, 1e-4, 40))])
    assert (steps < 0).all()
    assert steps.min() > 2 * steps.max()  # no jump where one takes over


def test_one_vector_without_variance_leaves_a_gaussian():
    y = np.arange(10.0) - 3
    probability = probability_not_positive(ONES, 0 * ONES, y, ONES)
    assert probability == pytest.approx(norm.cdf(-y.sum() / np.sqrt(10)))
    assert probability_not_positive(y, ONES, ONES, 0 * ONES) == probability


def test_nothing_that_varies():
    zero = 0 * ONES
    assert probability_not_positive(ONES, zero, ONES, zero) == 0
    assert probability_not_positive(ONES, zero, -ONES, zero) == 1
    assert np.isnan(probability_not_positive(zero, zero, ONES, zero))


def test_a_mean_a_million_times_the_spread_is_no_error():
    assert probability_not_positive(1e6 * ONES, ONES, 1e6 * ONES, ONES) == 0
    assert probability_not_positive(1e6 * ONES, ONES, -1e6 * ONES, ONES) == 1


def test_derivatives_are_those_of_the_generating_function():
    rng = np.random.default_rng(1)
    _, cumulants = _cumulants(*rng.gamma(1, size=(4, 8)))
    value, step = 0.1, 1e-5
    below, at, above = (cumulants(value + point) for point in (-step, 0, step))
    assert (above[0] - below[0]) / (2 * step) == pytest.approx(at[1], rel=1e-6)
    assert (above[1] - below[1]) / (2 * step) == pytest.approx(at[2], rel=1e-6)
    assert (above[2] - below[2]) / (2 * step) == pytest.approx(at[3], rel=1e-6)
