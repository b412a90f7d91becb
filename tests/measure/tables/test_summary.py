import numpy as np
import pytest
from scipy import stats

from embspace.geometry.pairs.pairs import scan_pairs
from embspace.measure.tables.summary import summary_of, summary_row

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
