import numpy as np
import pytest
from sklearn.cluster import KMeans

from embspace.geometry.groups.bisection import (
    apart,
    bisection,
    curve_separations,
    gaussian_separations,
    principal_coordinates,
)
from embspace.geometry.inference.resampling import upper_p_value


def two_parts(n: int = 30, gap: float = 6.0, seed: int = 0, dim: int = 12) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(n, dim))
    x[: n // 3, 1] += gap
    return x


def test_two_planted_parts_are_the_split():
    split = bisection(principal_coordinates(two_parts(), 5))
    first = split.is_second[:10]
    assert (first == first[0]).all() and (split.is_second[10:] != first[0]).all()


@pytest.mark.parametrize("gap", [0.0, 1.5, 3.0, 6.0])
def test_the_split_is_as_good_as_that_of_scikit_learn(gap: float):
    shares = []
    for seed in range(20):
        x = principal_coordinates(two_parts(gap=gap, seed=seed), 5)
        best = KMeans(2, n_init=20, random_state=0).fit(x)
        shares.append((bisection(x).separation, 1 - best.inertia_ / (x**2).sum()))
    ours, theirs = np.transpose(shares)
    assert ours.mean() > 0.95 * theirs.mean()
    if gap > 5:
        assert ours == pytest.approx(theirs)


def test_clouds_at_once_are_clouds_one_by_one():
    clouds = np.random.default_rng(0).normal(size=(7, 20, 4))
    at_once = bisection(clouds)
    singly = [bisection(cloud) for cloud in clouds]
    assert at_once.separation == pytest.approx([float(split.separation) for split in singly])
    assert (at_once.is_second == [split.is_second for split in singly]).all()


def test_turns_and_scales_change_nothing():
    x = two_parts(dim=5)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 5)))[0]
    assert bisection(3 * x @ turn + 2).separation == pytest.approx(bisection(x).separation)


def test_equal_rows_have_no_separation():
    assert np.isnan(bisection(np.ones((8, 3))).separation)


def test_two_points_lie_wholly_apart():
    assert bisection(np.repeat([[0.0, 0], [3, 4]], 4, axis=0)).separation == pytest.approx(1)


def p_value(x: np.ndarray) -> float:
    coordinates = principal_coordinates(x, 5)
    null = gaussian_separations(coordinates, 199, np.random.default_rng(0))
    return upper_p_value(float(bisection(coordinates).separation), null)


def test_planted_parts_lie_beyond_gaussian_clouds_and_gaussian_clouds_do_not():
    assert p_value(two_parts()) == pytest.approx(1 / 200, abs=0.011)
    p_values = np.array(
        [
            p_value(np.random.default_rng(seed).normal(size=(24, 40)) * np.geomspace(1, 9, 40))
            for seed in range(200)
        ]
    )
    assert 0.01 <= (p_values <= 0.05).mean() <= 0.08
    assert 0.4 <= p_values.mean() <= 0.6


def test_coordinates_keep_distances_where_all_components_are_kept():
    x = two_parts(dim=4)
    kept = principal_coordinates(x, 9)
    assert kept.shape == (30, 4)
    distances = [np.linalg.norm(rows[:, None] - rows, axis=-1) for rows in (x, kept)]
    assert distances[0] == pytest.approx(distances[1])


def walk(rng: np.random.Generator) -> np.ndarray:
    return np.cumsum(rng.normal(size=(40, 60)), axis=0)


def half_circle(rng: np.random.Generator) -> np.ndarray:
    angle = np.pi * rng.random(40)
    x = 0.1 * rng.normal(size=(40, 60))
    x[:, 0] += 2 * np.cos(angle)
    x[:, 1] += 2 * np.sin(angle)
    return x


def parts(rng: np.random.Generator) -> np.ndarray:
    x = rng.normal(size=(40, 60))
    x[:16] += rng.normal(size=60)
    return x


@pytest.mark.parametrize(
    ("make", "least", "most"), [(walk, 0, 0.08), (half_circle, 0, 0.12), (parts, 0.9, 1)]
)
def test_two_parts_are_apart_and_a_walk_and_an_arc_are_not(make, least: float, most: float):
    p_values = [
        apart(make(np.random.default_rng(seed)), 5, 99, np.random.default_rng(seed)).p_value
        for seed in range(100)
    ]
    assert least <= (np.array(p_values) <= 0.05).mean() <= most


def test_curves_lie_farther_apart_than_clouds_and_have_the_same_covariance():
    x = principal_coordinates(two_parts(), 5)
    rng = np.random.default_rng(0)
    clouds, curves = (null(x, 99, rng) for null in (gaussian_separations, curve_separations))
    assert np.median(curves) > np.quantile(clouds, 0.9)
