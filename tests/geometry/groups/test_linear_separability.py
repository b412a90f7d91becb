import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from embspace.geometry.groups.linear_separability import linearly_separable
from embspace.geometry.maps.links import circle_pair


def cloud(n: int, dim: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim))


def test_clouds_on_either_side_of_a_plane_are_separable_however_near():
    x, step, mirror = cloud(50, 3, 0), np.array([1e-3, 0, 0]), np.array([-1, 1, 1])
    x[:, 0] -= x[:, 0].min()
    assert linearly_separable(x + step, (x + step) * mirror)
    # Whatever lies on the mirror is in both hulls.
    assert not linearly_separable(x, x * mirror)
    assert not linearly_separable(x - step, (x - step) * mirror)


def test_a_point_inside_the_other_cloud_cannot_be_parted():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
    assert not linearly_separable(square, np.array([[0.5, 0.5]]))
    assert linearly_separable(square, np.array([[1.001, 0.5]]))
    assert not linearly_separable(square, square[:1])


def test_a_ring_round_another_is_not_separable_nor_are_linked_circles():
    a, _ = circle_pair(40, center_distance=0.0, angle=75)
    assert not linearly_separable(a[:, :2], 2 * a[:, :2])
    assert not linearly_separable(*circle_pair(40, center_distance=1.0, angle=75))
    assert linearly_separable(*circle_pair(40, center_distance=3.0, angle=75))


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.integers(2, 12), st.integers(1, 4), st.integers(0, 10**6))
def test_agrees_with_whether_the_convex_hulls_meet(n: int, m: int, dim: int, seed: int):
    x, y = cloud(n, dim, seed), cloud(m, dim, seed + 1) + 1
    # Weights of both hulls, not negative, of sum 1 each, with one point in common.
    equations = np.block([[x.T, -y.T], [np.ones(n), np.zeros(m)], [np.zeros(n), np.ones(m)]])
    _, residual = nnls(equations, np.append(np.zeros(dim), [1, 1]))
    assert linearly_separable(x, y) == (residual > 1e-9)


def test_scale_and_place_change_nothing():
    x, y = cloud(20, 2, 0), cloud(20, 2, 1) + [5, 0]
    for scale in (1e-8, 1.0, 1e8):
        assert linearly_separable(scale * x + 1e3 * scale, scale * y + 1e3 * scale)
        assert not linearly_separable(scale * x, scale * (y - [5, 0]))


def test_no_points_are_refused():
    with pytest.raises(ValueError, match="found 0 and 2"):
        linearly_separable(np.zeros((0, 2)), np.zeros((2, 2)))
