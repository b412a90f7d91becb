import numpy as np
import pytest
from scipy import stats

from embspace.geometry.pairs.pairs import scan_pairs
from embspace.measure.tables.summary import histogram_of, summary_of, summary_row

QUANTILES = [0.05, 0.5, 0.95]


def test_values_at_hand_agree_with_scipy():
    values = np.random.default_rng(0).gamma(2.0, size=5000)
    row = summary_of(values, QUANTILES)
    assert row["skewness"] == pytest.approx(stats.skew(values))
    assert row["excess_kurtosis"] == pytest.approx(stats.kurtosis(values))
    assert row["quantile_0.5"] == pytest.approx(np.median(values))
    assert (row["minimum"], row["maximum"], row["n"]) == (values.min(), values.max(), 5000)


def test_a_constant_has_no_shape():
    row = summary_of(np.ones(10), QUANTILES)
    assert row["standard_deviation"] == 0
    assert np.isnan(row["skewness"])


def test_nothing_defined_is_n_0_and_no_number():
    row = summary_of(np.full(3, np.nan), QUANTILES)
    assert row["n"] == 0
    assert np.isnan([row[name] for name in row if name != "n"]).all()
    assert list(row) == list(summary_of(np.ones(3), QUANTILES))


def test_binned_and_direct_summaries_agree_within_the_resolution():
    x = np.random.default_rng(1).normal(size=(200, 16)).astype(np.float32)
    binned = summary_row(scan_pairs(x, n_bins=4096).distributions["euclidean_distance"], QUANTILES)
    first, second = np.triu_indices(200, k=1)
    direct = summary_of(np.linalg.norm(x[first] - x[second], axis=1).astype(float), QUANTILES)
    assert list(binned) == list(direct)
    for name in ("n", "mean", "standard_deviation", "skewness", "excess_kurtosis", "minimum"):
        assert binned[name] == pytest.approx(direct[name], rel=1e-4)
    for quantile in QUANTILES:
        name = f"quantile_{quantile:g}"
        assert abs(binned[name] - direct[name]) <= binned["resolution"]


def test_of_no_pairs_all_but_their_number_is_undefined():
    scan = scan_pairs(np.zeros((4, 3), np.float32), n_bins=8, largest_norm=1.0)
    row = summary_row(scan.distributions["cosine"], [0.1])
    assert row.pop("n") == 0
    assert all(np.isnan(value) for value in row.values())
    assert list(row) == list(summary_of(np.empty(0), [0.1]))[1:]


def test_rounding_has_no_shape():
    row = summary_of(np.sqrt(np.full((30, 5), 0.1) ** 2 @ np.ones(5)) * (1 + 2e-16), [])
    assert np.isnan(row["skewness"]) and np.isnan(row["excess_kurtosis"])
    values = np.array([1.0, np.nextafter(1, 2)])
    assert summary_of(values, [])["standard_deviation"] == 0


def test_a_histogram_has_all_values_also_where_rounding_tells_them_apart():
    values = np.array([1.0, np.nextafter(1, 2)])
    counts, edges = histogram_of(values, 200)
    assert counts.sum() == 2 and len(edges) == 201
    assert (edges[0], edges[-1]) == pytest.approx((0.5, 1.5))
    assert np.array_equal(histogram_of(np.arange(5.0), 5)[0], np.ones(5))
