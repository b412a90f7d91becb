import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon, pdist, squareform

from embspace.geometry.attention.head_divergence import head_divergences, heads_on_plane
from tests.geometry.attention.heads import previous, random_heads, sink


def test_divergence_is_that_of_scipy():
    heads = random_heads(4, 9)
    expected = [
        [np.mean(jensenshannon(one, other, base=2, axis=1) ** 2) for other in heads]
        for one in heads
    ]
    np.testing.assert_allclose(head_divergences(heads), expected, atol=1e-6)


def test_equal_heads_do_not_differ_and_those_without_a_common_key_differ_by_one_bit():
    rows = np.stack([previous()[2:], previous()[2:], sink()[2:]])
    assert head_divergences(rows).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


def test_a_plane_gives_back_points_of_a_plane():
    points = np.random.default_rng(0).normal(size=(8, 2))
    squared = squareform(pdist(points)) ** 2
    plane = heads_on_plane(squared)
    np.testing.assert_allclose(squareform(pdist(plane.places)) ** 2, squared, atol=1e-9)
    assert plane.share == pytest.approx(1)


def test_heads_that_do_not_differ_have_one_place():
    plane = heads_on_plane(np.zeros((3, 3)))
    assert not plane.places.any()
    assert np.isnan(plane.share)
    assert heads_on_plane(np.zeros((1, 1))).places.tolist() == [[0, 0]]


def test_the_square_root_is_a_distance_in_space():
    divergences = head_divergences(random_heads(10, 12, scale=3))
    centering = np.eye(10) - 0.1
    assert np.linalg.eigvalsh(-centering @ divergences @ centering).min() > -1e-12


def test_rounding_leaves_no_divergence_above_one_bit():
    rows = np.random.default_rng(0).random((80, 2, 1, 6))
    rows[:, 0, :, 3:] = rows[:, 1, :, :3] = 0  # no key in common
    rows /= rows.sum(axis=-1, keepdims=True)
    assert max(head_divergences(pair).max() for pair in rows) == 1
