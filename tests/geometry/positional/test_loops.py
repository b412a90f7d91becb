import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from embspace.geometry.positional.loops import loop_bars, merge_distances, successive_edges


def circle(n: int = 60, radius: float = 1.0) -> np.ndarray:
    angle = 2 * np.pi * np.arange(n) / n
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def test_a_circle_has_one_loop_from_its_step_to_its_inscribed_triangle():
    bars = loop_bars(circle(60, radius=2.0))
    assert bars.shape == (1, 2)
    birth, death = bars[0]
    assert birth == pytest.approx(4 * np.sin(np.pi / 60), abs=1e-6)
    assert death == pytest.approx(2 * np.sqrt(3), abs=1e-6)  # an equilateral triangle of points


def test_two_circles_have_two_loops_and_a_line_none():
    two = np.vstack([circle(40), 2 * circle(40) + [9, 0]])
    lengths = np.diff(loop_bars(two), axis=1).ravel()
    assert len(lengths) == 2
    assert lengths[0] > lengths[1] > 1
    assert loop_bars(np.arange(30.0)[:, np.newaxis] * [1, 2, 3]).shape == (0, 2)


def test_a_square_of_four_points_is_a_loop_until_its_diagonal():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]])
    assert loop_bars(square) == pytest.approx(np.array([[1, np.sqrt(2)]]), abs=1e-6)
    assert loop_bars(np.ones((5, 3))).shape == (0, 2)
    assert loop_bars(square[:3]).shape == (0, 2)


def test_joins_are_the_edges_of_scipys_spanning_tree():
    x = np.random.default_rng(0).normal(size=(80, 5))
    tree = minimum_spanning_tree(squareform(pdist(x))).data
    assert merge_distances(x) == pytest.approx(np.sort(tree)[::-1])
    assert merge_distances(x[:1]).shape == (0,)


def test_points_join_in_order_on_a_line_and_not_on_a_curve_that_comes_back():
    line = np.cumsum(np.random.default_rng(1).uniform(0.5, 1, size=50))[:, np.newaxis]
    assert successive_edges(line) == 1
    assert successive_edges(np.random.default_rng(2).permutation(line)) < 0.2
    twice = np.vstack([circle(40), circle(40, radius=1.01)])
    assert 0.4 < successive_edges(twice) < 0.6
    with pytest.raises(ValueError, match="at least 2 points"):
        successive_edges(line[:1])
