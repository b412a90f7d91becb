import numpy as np
import pytest

from embspace.geometry.positional.curve_distance import curve_distances


def walk(seed: int, n: int = 80, dim: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim)).cumsum(axis=0)


def test_a_curve_that_is_turned_moved_and_stretched_is_the_same():
    x = walk(0)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 5)))[0]
    assert curve_distances(x, 3 * x @ turn + 7) == pytest.approx((0, 0), abs=1e-6)


def test_a_curve_lies_in_more_dimensions_as_well():
    x = walk(0)
    assert curve_distances(x, np.pad(x, ((0, 0), (0, 3)))) == pytest.approx((0, 0), abs=1e-6)


def test_known_distances_of_two_points_and_a_third():
    x = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    y = np.array([[-1.0], [1.0], [1.0], [-1.0]])  # the same set, other pairs
    distances = curve_distances(x, y)
    assert distances.hausdorff == pytest.approx(0)
    assert distances.rms == pytest.approx(np.sqrt(2))


def test_other_walks_are_far_and_distances_have_no_order():
    x, y = walk(0), walk(1)
    one, other = curve_distances(x, y), curve_distances(y, x)
    assert one == pytest.approx(other)
    assert one.hausdorff > 0.2
    assert 0.3 < one.rms < np.sqrt(2)


def test_a_point_is_no_curve():
    assert np.isnan(curve_distances(np.ones((4, 2)), walk(0, n=4))).all()
