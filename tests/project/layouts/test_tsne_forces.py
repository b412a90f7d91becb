import numpy as np
import pytest
from scipy.sparse import csr_matrix, random_array

from embspace.project.layouts.tsne_forces import (
    MOST_EXACT,
    exact_repulsion,
    grid_repulsion,
    tsne_gradient,
)
from tests.project.layouts.clouds import gaussian


def axes_of(layout: np.ndarray) -> list[np.ndarray]:
    return [np.ascontiguousarray(axis, dtype=np.float32) for axis in layout.T]


def some_edges(n: int) -> csr_matrix:
    """Of random strength, as strong one way as the other, 1 in all."""
    edges = random_array((n, n), density=min(1.0, 30 / n), rng=np.random.default_rng(1))
    both = csr_matrix(edges + edges.T)
    return both / both.sum()


# In a map as narrow as at the start, attraction and repulsion differ in their last digits.
@pytest.mark.parametrize(("width", "error"), [(1e-4, 3e-3), (0.01, 2e-5), (1.0, 2e-5), (30, 2e-5)])
def test_the_gradient_is_that_of_open_tsne_without_approximation(
    width: float, error: float
) -> None:
    from openTSNE.tsne import kl_divergence_bh

    layout, edges = width * gaussian(1100, 2).astype(float), some_edges(1100)
    _, expected = kl_divergence_bh(layout, edges, dof=1, bh_params={"theta": 0.0})
    _, gradient = tsne_gradient(layout, edges)
    assert np.abs(gradient - expected).max() < error * np.abs(expected).max()


def test_two_points_push_each_other_straight_away() -> None:
    x, y = np.array([0, 3], np.float32), np.array([0, 4], np.float32)
    push_x, push_y, total = exact_repulsion(x, y)
    w = 1 / (1 + 25)
    assert total == pytest.approx(2 * w)
    assert push_x == pytest.approx([-3 * w**2, 3 * w**2])
    assert push_y == pytest.approx([-4 * w**2, 4 * w**2])


def test_one_point_has_nobody_to_push_it() -> None:
    zero = np.zeros(1, np.float32)
    assert exact_repulsion(zero, zero) == (0, 0, 0)
    _, gradient = tsne_gradient(np.zeros((1, 2)), csr_matrix((1, 1)))
    assert gradient.tolist() == [[0, 0]]


def test_points_too_far_apart_for_any_similarity_stand_still() -> None:
    layout = np.array([[0.0, 0.0], [7e3, 0.0], [0.0, 9e3]])
    _, gradient = tsne_gradient(layout, csr_matrix((3, 3)))
    assert np.isfinite(gradient).all()


def test_repulsions_cancel() -> None:
    for push in exact_repulsion(*axes_of(10 * gaussian(3000, 2)))[:2]:
        assert abs(push.sum()) < 1e-4 * np.abs(push).sum()


# Of points far apart, the nearest neighbours alone make the force, within a box.
@pytest.mark.parametrize(("width", "error"), [(1e-3, 1e-4), (1.0, 1e-3), (10.0, 0.05)])
def test_the_grid_gives_what_all_pairs_give(width: float, error: float) -> None:
    axes = axes_of(width * gaussian(6000, 2) + 7)
    exact, grid = exact_repulsion(*axes), grid_repulsion(*axes)
    assert grid[2] == pytest.approx(exact[2], rel=1e-3)
    size = np.sqrt(np.mean(np.square(exact[:2])))
    assert np.sqrt(np.mean(np.square(np.subtract(grid[:2], exact[:2])))) < error * size


@pytest.mark.parametrize("width", [1.0, 10.0, 30.0])
def test_the_error_of_the_grid_is_of_the_size_of_open_tsnes(width: float) -> None:
    from openTSNE.tsne import kl_divergence_fft

    layout = width * gaussian(6000, 2).astype(float)
    nothing = csr_matrix((6000, 6000))
    fft_params = {"n_interpolation_points": 3, "min_num_intervals": 50, "ints_in_interval": 1}
    _, theirs = kl_divergence_fft(layout, nothing, dof=1, fft_params=fft_params)
    _, ours = tsne_gradient(layout, nothing)
    push_x, push_y, total = exact_repulsion(*axes_of(layout))
    exact = -np.stack([push_x, push_y], axis=1) / total
    assert np.square(ours - exact).mean() < 3 * np.square(theirs - exact).mean()


def test_the_grid_takes_points_that_are_all_in_one_place() -> None:
    x = np.full(MOST_EXACT + 1, 3, np.float32)
    push_x, push_y, total = grid_repulsion(x, x)
    assert np.abs([push_x, push_y]).max() < 1
    assert total == pytest.approx(len(x) * (len(x) - 1), rel=1e-3)
