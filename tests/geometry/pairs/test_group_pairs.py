import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import kurtosis, skew

from embspace.geometry.pairs import group_pairs
from embspace.geometry.pairs.group_pairs import (
    QUANTITIES,
    TOTALS,
    GroupedVectors,
    _limits,
    scan_group_pairs,
)


def grouped(x: np.ndarray, groups: list[int] | np.ndarray, per_unit: int = 1) -> GroupedVectors:
    numbers = np.asarray(groups)
    return GroupedVectors.of(x, numbers, numbers // per_unit)


def values(x: GroupedVectors, y: GroupedVectors, within: bool) -> dict[str, np.ndarray]:
    """Of every pair of different groups, by comparing all."""
    rows, columns = np.nonzero(x.groups[:, None] != y.groups)
    if within:
        rows, columns = rows[rows < columns], columns[rows < columns]
    a, b = x.vectors, y.vectors
    cosines = 1 - cdist(a, b, "cosine")
    centered = 1 - cdist(x.centered, y.centered, "cosine")
    matrices = (cdist(a, b), a @ b.T, cosines, centered)
    return {q: matrix[rows, columns] for q, matrix in zip(QUANTITIES, matrices, strict=True)}


@pytest.mark.parametrize("within", [True, False])
def test_all_pairs_of_different_groups_and_no_other(within: bool):
    rng = np.random.default_rng(0)
    x = grouped(rng.normal(size=(40, 4)) + 0.5, rng.integers(9, size=40))
    y = x if within else grouped(rng.normal(size=(30, 4)) - 0.2, rng.integers(5, 14, size=30))
    scan = scan_group_pairs(x, None if within else y, n_bins=1000)
    for quantity, expected in values(x, y, within).items():
        distribution = scan.distributions[quantity]
        assert distribution.n == len(expected)
        assert distribution.mean == pytest.approx(expected.mean())
        assert distribution.standard_deviation == pytest.approx(expected.std())
        assert distribution.minimum == pytest.approx(expected.min())
        assert distribution.maximum == pytest.approx(expected.max())
        for q in (0.1, 0.5, 0.9):
            exact = np.quantile(expected, q, method="inverted_cdf")
            assert abs(distribution.quantile(q) - exact) <= distribution.resolution


@pytest.mark.parametrize("per_unit", [1, 3])
def test_totals_are_of_the_pairs_between_chosen_units(per_unit: int):
    rng = np.random.default_rng(1)
    x = grouped(rng.normal(size=(50, 3)) + 0.3, np.arange(50) // 2, per_unit)
    scan = scan_group_pairs(x, n_bins=10)
    chosen = rng.random(25) < 0.5
    kept = chosen[x.units]
    part = GroupedVectors(x.centered[kept], x.mean, x.groups[kept], x.units[kept])
    expected = values(part, part, within=True)
    totals = scan.totals(chosen)
    assert tuple(totals) == TOTALS
    assert totals["n"] == totals["n_cosine"] == len(expected["cosine"])
    for quantity in QUANTITIES:
        assert totals[quantity] == pytest.approx(expected[quantity].sum())
    assert totals["n_not_positive"] == (expected["cosine"] <= 0).sum()
    assert totals["n_centered_not_positive"] == (expected["centered_cosine"] <= 0).sum()


def test_totals_of_two_sides_are_of_units_on_both():
    x = grouped(np.array([[1.0, 0], [2, 0]]), [0, 1])
    y = grouped(np.array([[3.0, 0], [5, 0]]), [1, 2])
    scan = scan_group_pairs(x, y, n_bins=10)
    assert scan.totals(np.array([True, True, True]))["dot_product"] == 3 + 5 + 10
    assert scan.totals(np.array([True, False, True]))["dot_product"] == 5
    assert scan.totals(np.array([False, True, True]))["n"] == 1  # 2 with 5; 2 with 3 is a group


def test_blocks_and_the_order_of_rows_change_nothing(monkeypatch):
    rng = np.random.default_rng(2)
    vectors, groups = rng.normal(size=(70, 4)), rng.integers(12, size=70)
    scan = scan_group_pairs(grouped(vectors, groups), n_bins=50)
    order = rng.permutation(70)
    monkeypatch.setattr(group_pairs, "BLOCK_ROWS", 9)
    again = scan_group_pairs(grouped(vectors[order], groups[order]), n_bins=50)
    assert again.sums == pytest.approx(scan.sums)
    assert (again.distributions["cosine"].counts == scan.distributions["cosine"].counts).all()


def test_a_turn_changes_no_pair():
    rng = np.random.default_rng(3)
    x, turn = rng.normal(size=(30, 5)) + 1, np.linalg.qr(rng.normal(size=(5, 5)))[0]
    one, other = (scan_group_pairs(grouped(v, np.arange(30)), n_bins=8) for v in (x, x @ turn))
    for quantity in QUANTITIES:
        assert one.distributions[quantity].mean == pytest.approx(other.distributions[quantity].mean)


def test_equal_vectors_lie_at_zero_and_have_no_centered_cosine():
    x = grouped(np.full((7, 3), 0.1, dtype=np.float32), np.arange(7))
    scan = scan_group_pairs(x, n_bins=10)
    assert scan.distributions["euclidean_distance"].maximum == 0
    assert scan.distributions["cosine"].minimum == pytest.approx(1)
    assert scan.distributions["cosine"].n == 21
    assert scan.distributions["centered_cosine"].n == 0


def test_where_all_vectors_are_equal_bins_lie_about_their_product():
    scan = scan_group_pairs(grouped(np.full((7, 3), 2.0), np.arange(7)), n_bins=10)
    edges = scan.distributions["dot_product"].edges
    assert edges == pytest.approx(np.linspace(11, 13, 11))
    assert scan.distributions["dot_product"].quantile(0.5) == pytest.approx(12, abs=0.2)
    assert scan.distributions["euclidean_distance"].edges == pytest.approx(np.linspace(0, 1, 11))


def test_copies_far_from_zero_have_no_distance():
    x = np.random.default_rng(4).normal(size=(5, 300)) + 1e4
    copies = grouped(np.concatenate([x, x]), np.arange(10))
    assert scan_group_pairs(copies, n_bins=10).distributions["euclidean_distance"].minimum == 0


def test_close_vectors_in_a_far_place_keep_their_digits():
    rng = np.random.default_rng(5)
    near = rng.normal(size=(20, 3))
    at_home, far = (grouped(near + shift, np.arange(20)) for shift in (0.0, 1e6))
    means = [
        scan_group_pairs(x, n_bins=10).distributions["euclidean_distance"].mean
        for x in (at_home, far)
    ]
    assert means[1] == pytest.approx(means[0], rel=1e-8)


def test_a_narrow_cloud_far_away_keeps_the_shape_of_its_cosines():
    rng = np.random.default_rng(6)
    x = grouped(rng.gamma(1, size=(40, 6)) * 1e-3 + 8, np.arange(40))
    scan = scan_group_pairs(x, n_bins=10)
    direction = x.vectors / np.linalg.norm(x.vectors, axis=1, keepdims=True)
    # 1 - cosine = |difference|^2 / 2, which loses nothing.
    below_one = cdist(direction, direction, "sqeuclidean")[np.triu_indices(40, 1)] / 2
    cosine = scan.distributions["cosine"]
    assert cosine.standard_deviation == pytest.approx(below_one.std(), rel=1e-4)
    assert cosine.skewness == pytest.approx(-skew(below_one), rel=1e-4)
    assert cosine.excess_kurtosis == pytest.approx(kurtosis(below_one), rel=1e-4)
    assert cosine.mean == pytest.approx(1 - below_one.mean(), abs=1e-15)


def test_limits_hold_the_cosine_of_a_short_vector_beside_a_long_one():
    x, y = grouped(np.array([[-0.01], [1.35]]), [0, 1]), grouped(np.array([[0.7]]), [2])
    low, high = _limits(x, y)[QUANTITIES.index("cosine")]
    assert low <= -1 and high >= 1


def test_a_zero_vector_has_distances_and_no_cosine():
    x = grouped(np.array([[0.0, 0], [3, 4], [4, -3]]), [0, 1, 2])
    scan = scan_group_pairs(x, n_bins=10)
    assert scan.distributions["euclidean_distance"].n == 3
    assert scan.distributions["cosine"].n == 1
    totals = scan.totals(np.ones(3, dtype=bool))
    assert (totals["n"], totals["n_cosine"], totals["n_not_positive"]) == (3, 1, 1)


def test_one_group_has_no_pair():
    scan = scan_group_pairs(grouped(np.eye(3), [4, 4, 4]), n_bins=5)
    assert scan.distributions["cosine"].n == 0
    assert scan.totals(np.ones(5, dtype=bool))["n"] == 0


def test_what_is_no_cloud_is_refused():
    with pytest.raises(ValueError, match="finite"):
        grouped(np.array([[np.nan]]), [0])
    with pytest.raises(ValueError, match="finite"):
        grouped(np.empty((0, 3)), np.empty(0, dtype=int))
    with pytest.raises(ValueError, match="ascend"):
        GroupedVectors.of(np.eye(2), np.array([0, 1]), np.array([1, 0]))


def test_each_quantity_lies_within_its_limits_wherever_the_clouds_are():
    rng = np.random.default_rng(0)
    for at_x, at_y in ((100.0, 0.0), (0.0, 100.0), (3.0, -0.5)):
        x, y = rng.normal(size=(2, 30, 3))
        x, y = (grouped(vectors, range(30)) for vectors in (x + at_x * np.eye(3)[0], y + at_y))
        limits = _limits(x, y)
        a, b = x.vectors, y.vectors
        matrices = (cdist(a, b), a @ b.T, 1 - cdist(a, b, "cosine"))
        for (low, high), matrix in zip(limits[:3], matrices, strict=True):
            assert low <= matrix.min() and matrix.max() <= high
        # By the triangle inequality, of which the parts are known.
        wide = [np.linalg.norm(cloud.centered, axis=1).max() for cloud in (x, y)]
        far = [np.linalg.norm(cloud.mean) for cloud in (x, y)]
        around = wide[0] * far[1] + wide[1] * far[0] + wide[0] * wide[1]
        assert np.diff(limits[1])[0] == pytest.approx(2 * around)
        longest = np.linalg.norm(x.mean - y.mean) + sum(wide)
        assert limits[0] == pytest.approx([0, longest])
        shortest = np.prod([np.linalg.norm(rows, axis=1).min() for rows in (a, b)])
        assert limits[2] == pytest.approx([max(1 - longest**2 / (2 * shortest), -1), 1])
        assert limits[3].tolist() == [-1, 1]
