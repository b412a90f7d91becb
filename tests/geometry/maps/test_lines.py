from dataclasses import asdict

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from embspace.geometry.maps.lines import (
    ROUNDING,
    OneDimensionality,
    one_dimensionality,
    order_along_tree,
    tied,
)
from tests.geometry.planted import helix, noise


def measured(x: np.ndarray, positions: np.ndarray | None = None) -> OneDimensionality:
    positions = np.arange(len(x)) if positions is None else positions
    return one_dimensionality(x, positions, n_shuffles=100, rng=np.random.default_rng(0))


def test_points_on_a_bent_line_are_in_order():
    angle = np.linspace(0, 5, 80)
    line = measured(np.column_stack([angle * np.cos(angle), angle * np.sin(angle)]))
    assert line.order_correlation == pytest.approx(1)
    assert line.adjacent_neighbor_share == pytest.approx(1, abs=0.05)


def test_a_helix_is_a_line_in_space():
    line = measured(helix(blur=0.002))
    assert line.order_correlation > 0.999


def test_random_points_are_as_shuffled_ones():
    line = measured(noise(300, 10))
    assert line.order_correlation < 2 * line.null_order_correlation_high
    assert line.adjacent_neighbor_share == 0
    assert line.null_order_correlation == pytest.approx(np.sqrt(2 / np.pi / 299), rel=0.3)


def test_the_chance_of_two_neighbors_is_that_of_random_orders():
    rng = np.random.default_rng(0)
    x = np.arange(7.0)[:, np.newaxis] ** 1.1
    shares = [measured(rng.permutation(x)).adjacent_neighbor_share for _ in range(2000)]
    error = np.std(shares) / np.sqrt(2000)
    assert abs(np.mean(shares) - measured(x).null_adjacent_neighbor_share) < 4 * error


def test_only_positions_with_both_neighbors_count():
    x = np.array([0.0, 1, 2, 10, 11, 12, 30])[:, np.newaxis]
    line = measured(x, np.array([0, 1, 2, 10, 11, 12, 30]))
    assert line.adjacent_neighbor_share == 1  # of positions 1 and 11
    assert np.isnan(measured(x, np.arange(0, 14, 2)).adjacent_neighbor_share)


def test_the_tree_is_the_shortest_one_even_with_copies():
    x = np.repeat(noise(40, 3).astype(float), 2, axis=0)
    distances = squareform(pdist(x))
    order = order_along_tree(distances)
    assert order[0::2] == pytest.approx(order[1::2])
    tree = minimum_spanning_tree(squareform(pdist(x[::2]))).sum()
    assert np.ptp(order) <= tree + 1e-9


def test_a_branch_stands_where_it_begins():
    # A line of five points with a branch at the middle one.
    x = np.array([[-2, 0], [-1, 0], [0, 0], [1, 0], [2, 0], [0, 0.9]], dtype=float)
    order = order_along_tree(squareform(pdist(x)))
    assert sorted(order) == pytest.approx([0, 1, 2, 2, 3, 4])
    assert order[5] == pytest.approx(order[2])


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="at least 4 points, found 3"):
        measured(noise(3, 2))
    with pytest.raises(ValueError, match="ascending"):
        measured(noise(4, 2), np.array([0, 2, 1, 3]))
    with pytest.raises(ValueError, match="ascending"):
        measured(noise(4, 2), np.array([0, 1, 1, 2]))


@pytest.mark.parametrize("scale", [1e-6, 1 / 700, 1.0, 3.0, 1000.0])
@pytest.mark.parametrize("shift", [0.0, 0.1, 17.3])
def test_ties_are_ties_in_every_unit_and_place(scale: float, shift: float) -> None:
    # A comb on a grid with copies: many branches, and nearly all distances are tied.
    grid = np.array([(i, j) for i in range(12) for j in range(1 + i % 3)], dtype=float)
    x = np.concatenate([grid, grid[::5]])
    positions = np.arange(len(x))

    def measured_alike(x: np.ndarray) -> OneDimensionality:
        return one_dimensionality(x, positions, n_shuffles=5, rng=np.random.default_rng(0))

    expected, values = asdict(measured_alike(x)), asdict(measured_alike(scale * (x + shift)))
    assert values == pytest.approx(expected, rel=1e-9)


def test_values_that_only_rounding_tells_apart_become_one() -> None:
    values = np.array([[0.3, 0.1 + 0.2], [1.0, 0.0]])
    assert tied(values).tolist() == [[0.3, 0.3], [1.0, 0.0]]
    assert tied(np.zeros((2, 2))).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_a_step_of_just_the_rounding_is_no_step() -> None:
    assert tied(np.array([0.0, ROUNDING, 1.0])).tolist() == [0, 0, 1]
    assert tied(np.array([0.0, 2 * ROUNDING, 1.0])).tolist() == [0, 2 * ROUNDING, 1]


def test_four_points_are_enough() -> None:
    line = measured(np.array([[0.0], [1], [2], [3]]))
    assert (line.n, line.adjacent_neighbor_share) == (4, 1)
    assert line.order_correlation == pytest.approx(1)
    assert line.null_adjacent_neighbor_share == pytest.approx(1 / 3)
