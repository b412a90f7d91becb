import numpy as np
import pytest

from embspace.geometry.groups.alignment import debiased_linear_cka, linear_cka
from embspace.geometry.inference.alignment_draws import (
    cka_of_orders,
    debiased_cka_of_subsets,
    linear_kernels,
)

N = 24


@pytest.fixture
def views() -> tuple[np.ndarray, np.ndarray]:
    """Two layers of one model and three of another, of the same points, not centered."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, N, 5)) + 3
    y = rng.normal(size=(3, N, 40)) * np.array([1, 100, 0.01])[:, np.newaxis, np.newaxis] - 1
    y[1] += 30 * x[0] @ rng.normal(size=(5, 40))
    return x, y


def test_subsets_are_what_each_gives_by_itself(views: tuple[np.ndarray, np.ndarray]):
    x, y = views
    rng = np.random.default_rng(1)
    chosen = np.stack([rng.permutation(N) < n for n in (N, 12, 7, 4, 3)], axis=1).astype(float)
    values = debiased_cka_of_subsets(linear_kernels(x), linear_kernels(y), chosen)
    assert values.shape == (2, 3, 5)
    for layer, other, draw in np.ndindex(values.shape):
        rows = chosen[:, draw] == 1
        expected = debiased_linear_cka(x[layer, rows], y[other, rows])
        assert values[layer, other, draw] == pytest.approx(expected, nan_ok=True, abs=1e-9)
    assert np.isnan(values[:, :, 4]).all()


def test_orders_are_what_each_gives_by_itself(views: tuple[np.ndarray, np.ndarray]):
    x, y = views
    rng = np.random.default_rng(2)
    orders = np.stack([np.arange(N), rng.permutation(N), rng.permutation(N)])
    values = cka_of_orders(linear_kernels(x), linear_kernels(y), orders)
    functions = {"linear_cka": linear_cka, "debiased_linear_cka": debiased_linear_cka}
    for name, function in functions.items():
        assert values[name].shape == (3, 2, 3)
        for draw, layer, other in np.ndindex(values[name].shape):
            expected = function(x[layer], y[other][orders[draw]])
            assert values[name][draw, layer, other] == pytest.approx(expected)


def test_a_layer_in_which_all_points_are_one_has_none():
    x = np.random.default_rng(0).normal(size=(1, N, 4))
    flat = np.ones((1, N, 3))
    assert np.isnan(debiased_cka_of_subsets(*map(linear_kernels, (x, flat)), np.ones((N, 1)))).all()
    orders = np.arange(N)[np.newaxis]
    for values in cka_of_orders(*map(linear_kernels, (x, flat)), orders).values():
        assert np.isnan(values).all()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_fewer_than_four_points_have_no_debiased_value(n: int):
    x = np.random.default_rng(0).normal(size=(1, n, 4))
    kernels = linear_kernels(x), linear_kernels(x + x**2)
    values = cka_of_orders(*kernels, np.arange(n)[np.newaxis])
    assert np.isnan(values["debiased_linear_cka"]).all()
    expected = linear_cka(x[0], (x + x**2)[0])
    assert values["linear_cka"].item() == pytest.approx(expected, nan_ok=True)
    assert np.isnan(debiased_cka_of_subsets(*kernels, np.ones((n, 1)))).all()


def test_kernels_have_squared_lengths_of_1_on_average_and_a_layer_of_one_point_has_0():
    x = np.array([[[0.0, 0], [4, 0], [2, 6]], [[5, 7], [5, 7], [5, 7]]])
    kernels = linear_kernels(x)
    # About the mean (2, 2) the points are (-2, -2), (2, -2) and (0, 4).
    assert kernels.squared_lengths == pytest.approx(np.array([[0.75, 0.75, 1.5], [0, 0, 0]]))
    expected = np.array([[0, 0, -0.75], [0, 0, -0.75], [-0.75, -0.75, 0]])
    assert kernels.products[0] == pytest.approx(expected)
    assert not kernels.products[1].any()
