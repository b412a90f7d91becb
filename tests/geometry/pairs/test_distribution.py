import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from embspace.geometry.pairs.distribution import Distribution

EDGES = np.linspace(-4, 4, 81)


def gaussian(n: int = 5000, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n).clip(-4, 4)


def test_moments_are_those_of_the_values() -> None:
    values = np.random.default_rng(0).gamma(3.0, size=4000)  # skewed
    distribution = Distribution.of(values, np.linspace(0, 30, 7))  # bins far too wide to help
    assert distribution.n == 4000
    assert distribution.mean == pytest.approx(values.mean())
    assert distribution.standard_deviation == pytest.approx(values.std())
    assert distribution.skewness == pytest.approx(scipy.stats.skew(values))
    assert distribution.excess_kurtosis == pytest.approx(scipy.stats.kurtosis(values))
    assert (distribution.minimum, distribution.maximum) == (values.min(), values.max())


def test_two_values_have_the_least_kurtosis() -> None:
    distribution = Distribution.of(np.array([-1.0, 1.0]), EDGES)
    assert distribution.excess_kurtosis == pytest.approx(-2)
    assert distribution.skewness == pytest.approx(0)


@pytest.mark.parametrize("n", [1, 997, 1000])
@pytest.mark.parametrize("value", [0.0, 0.1, 0.7, -3.7])
def test_a_constant_has_no_shape(value: float, n: int) -> None:
    distribution = Distribution.of(np.full(n, value), EDGES)
    assert distribution.standard_deviation == 0
    assert np.isnan([distribution.skewness, distribution.excess_kurtosis]).all()
    assert distribution.quantile(0.3) == pytest.approx(value)


def test_an_empty_distribution_has_no_moments_and_adds_nothing() -> None:
    empty, some = Distribution.of(np.empty(0), EDGES), Distribution.of(gaussian(), EDGES)
    moments = [empty.mean, empty.standard_deviation, empty.skewness, empty.excess_kurtosis]
    assert np.isnan(moments).all()
    both = empty + some
    assert np.array_equal(both.counts, some.counts)
    assert (both.minimum, both.maximum) == (some.minimum, some.maximum)
    with pytest.raises(ValueError, match="empty"):
        empty.quantile(0.5)
    with pytest.raises(ValueError, match="empty"):
        empty.coarsen(3)


def test_counts_are_those_of_numpy() -> None:
    values = np.append(gaussian(), EDGES[[0, 7, -1]])
    expected = np.histogram(values, bins=EDGES)[0]
    assert np.array_equal(Distribution.of(values, EDGES).counts, expected)


def test_values_beyond_the_edges_go_into_the_end_bins() -> None:
    counts = Distribution.of(np.array([-9.0, 9.0, 9.5]), EDGES).counts
    assert (counts[0], counts[-1], counts.sum()) == (1, 2, 3)


def test_repeats_are_as_good_as_values() -> None:
    values, repeats = gaussian(200), np.arange(200) % 4
    short = Distribution.of(values, EDGES, repeats)
    long = Distribution.of(np.repeat(values, repeats), EDGES)
    assert np.array_equal(short.counts, long.counts)
    assert short.sums_about(0) == pytest.approx(long.sums_about(0))
    assert (short.minimum, short.maximum) == (long.minimum, long.maximum)


def test_sum_is_the_joint_distribution() -> None:
    first, second = gaussian(300), gaussian(500, seed=1) / 2
    total = Distribution.of(first, EDGES) + Distribution.of(second, EDGES)
    joint = Distribution.of(np.concatenate([first, second]), EDGES)
    assert np.array_equal(total.counts, joint.counts)
    assert total.sums_about(0) == pytest.approx(joint.sums_about(0))
    assert (total.minimum, total.maximum) == (joint.minimum, joint.maximum)


@pytest.mark.parametrize("edges", [np.linspace(-4, 4, 80), np.linspace(-4, 5, 81)])
def test_different_edges_do_not_add(edges: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"edges differ: 80 bins over \[-4, 4\] and"):
        Distribution.of(gaussian(), EDGES) + Distribution.of(gaussian(), edges)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-4, 4), min_size=1, max_size=40), st.floats(0, 1))
def test_quantile_is_right_to_one_bin(values: list[float], q: float) -> None:
    distribution = Distribution.of(np.array(values), EDGES)
    expected, quantile = np.quantile(values, q, method="inverted_cdf"), distribution.quantile(q)
    if np.isnan(quantile):
        assert 2 * distribution.counts.max() > len(values) and np.ptp(values) > 0
        return
    assert abs(quantile - expected) <= distribution.resolution * (1 + 1e-9)
    assert distribution.minimum <= quantile <= distribution.maximum


def test_quantiles_of_a_uniform_distribution() -> None:
    # A million values in eight bins: the interpolation does the rest.
    distribution = Distribution.of(np.linspace(0, 1, 1_000_001), np.linspace(0, 1, 9))
    for q in (0.0, 0.01, 0.3, 0.5, 0.77, 1.0):
        assert distribution.quantile(q) == pytest.approx(q, abs=2e-6)


def test_quantiles_ascend() -> None:
    distribution = Distribution.of(gaussian(50), EDGES)
    quantiles = [distribution.quantile(q) for q in np.linspace(0, 1, 501).tolist()]
    assert quantiles == sorted(quantiles)
    assert quantiles[-1] == distribution.maximum


@pytest.mark.parametrize("q", [-0.1, 1.1, np.nan])
def test_quantile_outside_the_unit_interval(q: float) -> None:
    with pytest.raises(ValueError, match=r"expected a value in \[0, 1\]"):
        Distribution.of(gaussian(), EDGES).quantile(q)


@pytest.mark.parametrize("n", [1, 2, 7, 40, 80, 1000])
def test_coarse_bins_lose_nothing(n: int) -> None:
    values = gaussian(300) / 3 + 1
    edges, counts = Distribution.of(values, EDGES).coarsen(n)
    assert len(counts) == len(edges) - 1 <= n
    assert counts.sum() == 300
    assert (edges[0], edges[-1]) == pytest.approx((values.min(), values.max()), abs=0.1)
    assert np.array_equal(counts, np.histogram(values, bins=edges)[0])


def test_coarse_bins_are_equally_wide_but_for_the_last() -> None:
    edges, counts = Distribution.of(EDGES[:-1] + 0.05, EDGES).coarsen(7)
    assert np.diff(edges) == pytest.approx([1.2] * 6 + [0.8])
    assert counts.tolist() == [12] * 6 + [8]


def test_no_coarse_bin() -> None:
    with pytest.raises(ValueError, match="n: expected at least 1, found 0"):
        Distribution.of(gaussian(), EDGES).coarsen(0)


def test_the_ends_of_a_distribution_are_quantiles():
    distribution = Distribution.of(np.array([0.0, 1, 2, 3]), np.linspace(0, 4, 5))
    assert (distribution.quantile(0), distribution.quantile(1)) == (pytest.approx(1, abs=1), 3)
    edges, counts = distribution.coarsen(1)
    assert (edges.tolist(), counts.tolist()) == ([0, 4], [4])
    for q in (-0.01, 1.01):
        with pytest.raises(ValueError, match="q: expected a value in"):
            distribution.quantile(q)
    with pytest.raises(ValueError, match="n: expected at least 1, found 0"):
        distribution.coarsen(0)
