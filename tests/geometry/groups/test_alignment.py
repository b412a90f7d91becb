import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes
from scipy.spatial import procrustes

from embspace.geometry.groups.alignment import (
    common_neighbors,
    common_neighbors_without_each,
    debiased_linear_cka,
    linear_cka,
    mutual_nearest_neighbors,
    nearest_rows,
    procrustes_distance,
    procrustes_fit,
    procrustes_similarity,
    unbiased_hsic,
)

SIMILARITIES = (linear_cka, debiased_linear_cka, procrustes_similarity)


def gaussian(n: int, dim: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim))


def rotation(dim: int, seed: int = 0) -> np.ndarray:
    return np.linalg.qr(gaussian(dim, dim, seed))[0]


def related(n: int, dim_x: int, dim_y: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two views with a part in common, neither centered."""
    x = gaussian(n, dim_x, seed)
    return x + 2, x @ gaussian(dim_x, dim_y, seed + 1) / dim_x + gaussian(n, dim_y, seed + 2) - 1


def hsic_by_kernels(x: np.ndarray, y: np.ndarray) -> float:
    """Song et al. (2012), eq. 5, word for word."""
    n = len(x)
    k, m = x @ x.T, y @ y.T
    np.fill_diagonal(k, 0)
    np.fill_diagonal(m, 0)
    one = np.ones(n)
    total = np.trace(k @ m) + (one @ k @ one) * (one @ m @ one) / ((n - 1) * (n - 2))
    return float((total - 2 / (n - 2) * (one @ k @ m @ one)) / (n * (n - 3)))


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_one_for_views_equal_up_to_rotation_shift_and_scale(similarity):
    x = gaussian(60, 8, 0)
    assert similarity(x, 3 * x @ rotation(8) + 5) == pytest.approx(1)


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_neither_rotation_shift_nor_scale_of_one_view_matters(similarity):
    x, y = related(50, 6, 9, 0)
    value = similarity(x, y)
    assert 0.05 < value < 0.95
    assert similarity(0.1 * x @ rotation(6) - 3, 7 * y @ rotation(9, 1) + 2) == pytest.approx(value)
    assert similarity(y, x) == pytest.approx(value)


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_columns_of_zeros_change_nothing(similarity):
    x, y = related(40, 5, 5, 3)
    wider = np.concatenate([y, np.zeros((40, 4))], axis=1)
    assert similarity(x, wider) == pytest.approx(similarity(x, y))


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_a_view_without_variance_has_none(similarity):
    # The mean of 60 numbers 0.1 is another number.
    for constant in (np.ones((60, 2)), np.full((60, 5), 0.1)):
        assert np.isnan(similarity(gaussian(60, 3, 0), constant))
        assert np.isnan(similarity(constant, constant))


def test_cka_in_one_dimension_is_the_squared_correlation():
    x = np.array([[1.0], [-1.0], [0.0]])
    y = np.array([[1.0], [0.0], [-1.0]])
    assert linear_cka(x, y) == pytest.approx(np.corrcoef(x.T, y.T)[0, 1] ** 2)
    assert linear_cka(x, y) == pytest.approx(0.25)


def test_cka_is_that_of_kernels():
    x, y = related(30, 7, 4, 1)
    center = np.eye(30) - 1 / 30
    k, m = (center @ z @ z.T @ center for z in (x, y))
    expected = np.sum(k * m) / np.sqrt(np.sum(k * k) * np.sum(m * m))
    assert linear_cka(x, y) == pytest.approx(expected)


def test_cka_of_independent_views_is_biased_and_the_debiased_one_is_not():
    # 384 dims: 0.66 of 200 points, 0.28 of 1000.
    for n in (200, 1000):
        x, y = gaussian(n, 384, 0), gaussian(n, 384, 1)
        assert linear_cka(x, y) == pytest.approx(1 / (1 + n / 384), abs=0.01)
        assert debiased_linear_cka(x, y) == pytest.approx(0, abs=0.01)


def test_debiased_cka_does_not_depend_on_how_many_points_there_are():
    # Two of ten axes are common: trace(C C') / |C_x| |C_y| = 2 / 10 for unit axes.
    def mean(n: int) -> float:
        values = []
        for seed in range(60):
            z = gaussian(n, 18, seed)
            values.append(debiased_linear_cka(z[:, :10], z[:, 8:]))
        return float(np.mean(values))

    assert mean(40) == pytest.approx(0.2, abs=0.02)
    assert mean(400) == pytest.approx(0.2, abs=0.01)


def test_hsic_is_that_of_kernels_also_where_views_are_not_centered():
    for seed in range(3):
        x, y = related(25, 40, 6, seed)
        assert unbiased_hsic(x, y) == pytest.approx(hsic_by_kernels(x, y))


def test_hsic_of_independent_views_is_zero_on_average():
    values = [unbiased_hsic(gaussian(8, 3, s), gaussian(8, 2, 10_000 + s)) for s in range(2000)]
    error = np.std(values) / np.sqrt(len(values))
    assert abs(np.mean(values)) < 4 * error


def test_hsic_needs_four_points():
    assert np.isnan(unbiased_hsic(gaussian(3, 2, 0), gaussian(3, 2, 1)))
    assert np.isnan(debiased_linear_cka(gaussian(3, 2, 0), gaussian(3, 2, 1)))


def test_rounding_lets_no_fit_be_better_than_perfect():
    x = [gaussian(30, 8, seed) for seed in range(20)]
    fits = [procrustes_fit(cloud, cloud).similarity for cloud in x]
    assert max(fits) <= 1
    assert min(fits) == pytest.approx(1)


def test_procrustes_is_that_of_scipy():
    x, y = related(30, 5, 5, 0)
    similarity = procrustes_similarity(x, y)
    assert 1 - similarity**2 == pytest.approx(procrustes(x, y)[2])
    unit = [(z - z.mean(axis=0)) / np.linalg.norm(z - z.mean(axis=0)) for z in (x, y)]
    turn, total = orthogonal_procrustes(unit[1], unit[0])
    assert similarity == pytest.approx(total)
    assert procrustes_distance(x, y) == pytest.approx(np.linalg.norm(unit[0] - unit[1] @ turn))


def test_no_other_rotation_brings_the_views_closer():
    x, y = related(20, 3, 3, 5)
    unit = [(z - z.mean(axis=0)) / np.linalg.norm(z - z.mean(axis=0)) for z in (x, y)]
    tried = [np.linalg.norm(unit[0] - unit[1] @ rotation(3, seed)) for seed in range(300)]
    assert min(tried) >= procrustes_distance(x, y)


def test_procrustes_distance_is_a_metric():
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, y, z = (rng.normal(size=(6, dim)) for dim in (2, 3, 4))
        assert procrustes_distance(x, z) <= procrustes_distance(x, y) + procrustes_distance(y, z)
        assert procrustes_distance(x, x) == pytest.approx(0, abs=1e-6)


def test_orthogonal_axes_of_points_have_no_similarity():
    # Along the one axis where the other view does not move: X'Y = 0.
    x, y = np.array([[1.0], [-1.0], [0], [0]]), np.array([[0], [0], [1.0], [-1.0]])
    assert procrustes_similarity(x, y) == pytest.approx(0)
    assert procrustes_distance(x, y) == pytest.approx(np.sqrt(2))
    assert linear_cka(x, y) == pytest.approx(0)


def test_a_fit_adds_up_point_by_point():
    x, y = related(30, 5, 8, 2)
    fit = procrustes_fit(x, y)
    assert fit.similarity == pytest.approx(procrustes_similarity(x, y))
    assert fit.products.sum() == pytest.approx(fit.similarity)
    assert fit.squared_lengths.sum(axis=1) == pytest.approx([1, 1])
    assert np.isnan(procrustes_fit(x, np.ones((30, 2))).similarity)


def test_neighbors_are_those_of_a_search_pair_by_pair():
    x, y = related(40, 4, 6, 0)
    near_x = nearest_rows(x, 5)
    for row, point in enumerate(x):
        order = np.argsort(np.linalg.norm(x - point, axis=1))
        assert set(near_x[row]) == set(order[1:6])
    near_y = nearest_rows(y, 5)
    shared = [len(set(a) & set(b)) / 5 for a, b in zip(near_x, near_y, strict=True)]
    assert common_neighbors(near_x, near_y) == pytest.approx(shared)
    assert mutual_nearest_neighbors(x, y, n_neighbors=5) == pytest.approx(np.mean(shared))


def test_equal_orders_of_distances_have_all_neighbors_in_common():
    x = gaussian(50, 3, 0)
    assert mutual_nearest_neighbors(x, 9 * x @ rotation(3) + 1, n_neighbors=7) == 1
    line = np.arange(20.0)[:, np.newaxis] ** 1.5
    assert mutual_nearest_neighbors(line, line, n_neighbors=19) == 1


@pytest.mark.parametrize("k", [1, 5, 28])
def test_what_neighbors_have_in_common_without_each_row(k: int):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 4))
    y = x + rng.normal(size=x.shape)
    shares = common_neighbors_without_each(nearest_rows(x, k + 1), nearest_rows(y, k + 1))
    for row, value in enumerate(shares):
        others = np.delete(x, row, axis=0), np.delete(y, row, axis=0)
        assert value == pytest.approx(mutual_nearest_neighbors(*others, n_neighbors=k))


def test_independent_views_share_as_many_neighbors_as_chance():
    values = [
        mutual_nearest_neighbors(gaussian(80, 5, s), gaussian(80, 5, 1000 + s), n_neighbors=8)
        for s in range(40)
    ]
    assert np.mean(values) == pytest.approx(8 / 79, abs=0.005)


@pytest.mark.parametrize("n_neighbors", [0, 10])
def test_too_few_or_too_many_neighbors(n_neighbors: int):
    x = gaussian(10, 2, 0)
    with pytest.raises(ValueError, match=f"n_neighbors: expected 1 to 9, found {n_neighbors}"):
        mutual_nearest_neighbors(x, x, n_neighbors=n_neighbors)


def test_four_points_are_enough_and_all_others_may_be_neighbors():
    x, y = np.random.default_rng(0).normal(size=(2, 4, 2))
    k, l = (cloud @ cloud.T * (1 - np.eye(4)) for cloud in (x - x.mean(0), y - y.mean(0)))  # noqa: E741
    # Song et al. (2012), equation 5.
    expected = np.trace(k @ l) + k.sum() * l.sum() / 6 - (k @ l).sum()
    assert unbiased_hsic(x, y) == pytest.approx(expected / 4)
    assert np.isnan(unbiased_hsic(x[:3], y[:3]))
    line = np.array([[0.0], [1], [3]])
    assert nearest_rows(line, 2).tolist() == [[1, 2], [0, 2], [1, 0]]
    for n_neighbors in (0, 3):
        with pytest.raises(ValueError, match=f"expected 1 to 2, found {n_neighbors}"):
            nearest_rows(line, n_neighbors)
