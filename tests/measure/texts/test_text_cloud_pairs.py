import numpy as np
import pytest

from embspace.geometry.pairs.group_pairs import GroupedVectors, scan_group_pairs
from embspace.measure.texts.text_cloud_pairs import (
    covariance_null,
    histograms,
    isotropic_null,
    norm_row,
    pair_rows,
    pair_tables,
)
from embspace.measure.texts.text_cloud_shapes import principal_axes
from embspace.measure.texts.text_cloud_units import interval_over, units_of

QUANTILES = [0.05, 0.5]


def cloud(x: np.ndarray, first: int = 0) -> GroupedVectors:
    numbers = np.arange(len(x)) + first
    return GroupedVectors.of(x, numbers, numbers)


def measured(x: GroupedVectors, y: GroupedVectors | None = None, seed: int = 0):
    other = y or x
    interval = interval_over(
        units_of(x, other), n_half_samples=100, level=0.95, rng=np.random.default_rng(seed)
    )
    return pair_rows(x, other, scan_group_pairs(x, y, n_bins=500), QUANTILES, interval)


@pytest.mark.slow
def test_a_known_mean_cosine_and_share_of_the_mean_lie_in_their_intervals():
    # N(m, I): the share of the mean is |m|^2 / (|m|^2 + dim), here 1/4, and the cosine's near it.
    rng, covered = np.random.default_rng(0), np.zeros(2)
    for seed in range(40):
        by_quantity, signs = measured(cloud(rng.normal(size=(40, 48)) + 1 / np.sqrt(3)), seed=seed)
        row = by_quantity["dot_product"]
        covered += [
            row["mean_low"] <= 16 <= row["mean_high"],
            signs["mean_share_low"] <= 0.25 <= signs["mean_share_high"],
        ]
    assert (covered >= 32).all()


def test_the_summary_holds_the_mean_with_its_interval_right_after_it():
    by_quantity, _ = measured(cloud(np.random.default_rng(1).normal(size=(30, 5))))
    for row in by_quantity.values():
        assert list(row)[1:4] == ["mean", "mean_low", "mean_high"]
        assert row["mean_low"] < row["mean"] < row["mean_high"]
        assert row["n"] == 435


def test_signs_by_hand():
    x = cloud(np.array([[1.0, 0], [0, 1], [-1, 0], [2, 2]]))
    _, signs = measured(x)
    # Of six cosines two are zero, one -1, and one of the two with the last negative.
    assert signs["n"] == 6
    assert signs["n_not_positive"] == 4
    assert signs["share_not_positive"] == pytest.approx(4 / 6)
    assert signs["smallest_cosine"] == -1
    assert signs["mean_share"] == pytest.approx((0 - 1 + 2 + 0 + 2 - 2) / 6 / (11 / 4))


def test_a_share_stays_a_share():
    _, signs = measured(cloud(np.random.default_rng(2).normal(size=(6, 3))))
    assert 0 <= signs["share_not_positive_low"] <= signs["share_not_positive_high"] <= 1


def test_about_their_mean_half_of_the_cosines_are_not_positive():
    x = cloud(np.random.default_rng(3).normal(size=(300, 30)) + 5)
    _, signs = measured(x)
    assert signs["n_not_positive"] == 0
    assert signs["centered_share_not_positive"] == pytest.approx(0.5, abs=0.02)


def test_the_nulls_hold_for_data_made_from_them():
    rng = np.random.default_rng(4)
    isotropic = cloud(rng.normal(size=(500, 20)) + 0.4)
    stretched = cloud((rng.normal(size=(500, 20)) + 0.4) * np.linspace(0.2, 3, 20))
    for x, null in (
        (isotropic, isotropic_null(isotropic, isotropic)),
        (isotropic, covariance_null(isotropic, *principal_axes(isotropic))),
        (stretched, covariance_null(stretched, *principal_axes(stretched))),
    ):
        assert measured(x)[1]["share_not_positive"] == pytest.approx(null, abs=0.01)
    # Variance along the mean makes what is not positive more than in all directions alike.
    assert covariance_null(stretched, *principal_axes(stretched)) > 1.1 * isotropic_null(
        stretched, stretched
    )


def test_the_null_of_two_clouds_holds_too():
    rng = np.random.default_rng(5)
    x, y = cloud(rng.normal(size=(400, 20)) + 0.5), cloud(2 * rng.normal(size=(300, 20)) + 0.3, 400)
    assert measured(x, y)[1]["share_not_positive"] == pytest.approx(isotropic_null(x, y), abs=0.01)


def test_norms_by_hand():
    x = cloud(np.array([[3.0, 4], [0, 1], [6, 8], [0, 2]]))
    interval = interval_over(
        units_of(x, x), n_half_samples=50, level=0.9, rng=np.random.default_rng(0)
    )
    row = norm_row(x, QUANTILES, interval)
    assert row["mean"] == 4.5
    assert row["mean_low"] < 4.5 < row["mean_high"]
    assert row["maximum"] == 10


@pytest.mark.parametrize("n", [5, 7, 860])
def test_equal_norms_have_no_spread(n: int):
    x = cloud(np.full((n, 3), 0.1, dtype=np.float32))
    interval = interval_over(
        units_of(x, x), n_half_samples=3, level=0.9, rng=np.random.default_rng(0)
    )
    row = norm_row(x, QUANTILES, interval)
    assert row["mean"] == pytest.approx(0.1 * 3**0.5)
    assert row["standard_deviation"] == 0
    assert np.isnan(row["skewness"])


def test_equal_vectors_have_a_cosine_and_no_centered_one():
    by_quantity, signs = measured(cloud(np.ones((5, 3))))
    assert by_quantity["cosine"]["mean"] == pytest.approx(1)
    assert by_quantity["euclidean_distance"]["maximum"] == 0
    assert signs["share_not_positive"] == 0
    assert np.isnan(signs["centered_share_not_positive"])
    assert np.isnan(signs["centered_smallest_cosine"])


def test_zero_vectors_have_no_cosine():
    by_quantity, signs = measured(cloud(np.zeros((5, 3))))
    assert by_quantity["cosine"]["n"] == signs["n"] == 0
    assert np.isnan(signs["share_not_positive"])


def test_histograms_count_every_pair():
    x = cloud(np.random.default_rng(6).normal(size=(40, 4)))
    frames = histograms({"corpus": "a"}, x, scan_group_pairs(x, n_bins=300), 30)
    counts = {frame["quantity"].iloc[0]: frame["count"].sum() for frame in frames}
    assert counts == {"norm": 40, "euclidean_distance": 780, "dot_product": 780, "cosine": 780}
    for frame in frames:
        widths = frame["bin_right"] - frame["bin_left"]
        assert (frame["density"] * widths).sum() == pytest.approx(1)


def test_a_table_of_two_clouds_has_each_and_both():
    rng = np.random.default_rng(7)
    clouds = {"a": cloud(rng.normal(size=(9, 4)) + 1), "b": cloud(rng.normal(size=(8, 4)) + 1, 9)}
    axes = {name: principal_axes(x) for name, x in clouds.items()}
    tables = pair_tables(
        clouds,
        axes,
        n_bins=20,
        n_histogram_bins=None,
        quantiles=QUANTILES,
        n_half_samples=10,
        level=0.9,
        rng=rng,
    )
    positive = tables["positive"].set_index(["corpus", "other_corpus"])
    assert positive["n"].to_dict() == {("a", "a"): 36, ("a", "b"): 72, ("b", "b"): 28}
    assert positive["null_covariance_share_not_positive"].isna().tolist() == [False, True, False]
    within = tables["distributions"].query("corpus == other_corpus")
    assert set(within["quantity"]) == {"norm", "euclidean_distance", "dot_product", "cosine"}
    between = tables["distributions"].query("corpus != other_corpus")
    assert set(between["quantity"]) == {"euclidean_distance", "dot_product", "cosine"}
    assert tables["histogram"].empty
