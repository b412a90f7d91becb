"""Tests of `embspace.stream.sums`."""

import numpy as np
import pytest

from embspace.geometry.measures.direction_sums import direction_sums_of
from embspace.geometry.pairs.moments import moments_of
from embspace.stream.sums import (
    COSINE_EDGES,
    NORM_EDGES,
    RunningSums,
    Sums,
    from_arrays,
    merge_sums,
    merged_kinds,
    products_of,
    quantile,
    reference_of,
    to_arrays,
)


def sums_of(x: np.ndarray) -> Sums:
    running = RunningSums(np.ones(5), reference_of(np.arange(5.0)))
    for block in np.array_split(x, 7):
        running.add(block)
    return running.so_far


@pytest.fixture
def cloud() -> np.ndarray:
    x = np.random.default_rng(0).normal(size=(300, 5)) + 1
    x[17] = 0  # has no direction
    return x


def test_directions_are_those_of_the_whole_cloud(cloud: np.ndarray) -> None:
    directions, expected = sums_of(cloud).directions, direction_sums_of(cloud)
    assert (directions.n, directions.n_directed) == (300, 299)
    for name in ("unit_total", "unit_squares", "total", "total_norm"):
        assert np.allclose(getattr(directions, name), getattr(expected, name), rtol=1e-12)


def test_moments_are_those_of_the_whole_cloud() -> None:
    # More rows than a block has, and more coordinates than a block of columns of a product.
    x = np.random.default_rng(1).normal(size=(5000, 100)) + np.arange(100)
    origin = np.arange(100.0)
    running = RunningSums(origin, reference_of(origin))
    chosen = np.flatnonzero(np.random.default_rng(2).random(5000) < 0.9)
    moments, expected = running.add(x, chosen), moments_of(x[chosen], origin)
    assert moments.n == expected.n > 4096
    for name in ("total", "products", "cubes", "quartic"):
        a, b = getattr(moments, name), getattr(expected, name)
        assert np.abs(a - b).max() <= 1e-12 * np.abs(b).max(), name
    directions, whole = running.so_far.directions, direction_sums_of(x[chosen])
    for name in ("unit_total", "unit_squares", "total", "total_norm"):
        assert np.allclose(getattr(directions, name), getattr(whole, name), rtol=1e-12), name


def test_single_precision_is_widened_before_any_sum() -> None:
    x = (np.random.default_rng(3).normal(size=(2000, 7)) + 50).astype(np.float32)
    origin = x[0].astype(np.float64)
    sums = RunningSums(origin, reference_of(origin)).add(x)
    assert np.allclose(sums.products, moments_of(x.astype(np.float64), origin).products, rtol=1e-13)


@pytest.mark.parametrize("dim", [1, 95, 96, 97, 250])
def test_products_are_exactly_symmetric(dim: int) -> None:
    y = np.random.default_rng(dim).normal(size=(40, dim))
    products = products_of(y)
    assert np.array_equal(products, products.T)
    assert np.allclose(products, y.T @ y, rtol=0, atol=1e-12)


def test_equal_vectors_have_exact_zeros() -> None:
    x = np.full((50, 6), 0.1, np.float32)
    running = RunningSums(x[0].astype(np.float64), reference_of(x[0]))
    running.add(x)
    assert not running.so_far.moments.comoments.any()


def test_histograms_count_each_vector_once(cloud: np.ndarray) -> None:
    sums = sums_of(cloud)
    assert sums.norm_counts.sum() == 300 and sums.cosine_counts.sum() == 299
    norms = np.linalg.norm(cloud, axis=1)
    median, width = quantile(sums.norm_counts, NORM_EDGES, 0.5)
    assert abs(median - np.median(norms)) <= width
    unit = cloud[norms > 0] / norms[norms > 0, None]
    cosines = unit @ reference_of(np.arange(5.0))
    median, width = quantile(sums.cosine_counts, COSINE_EDGES, 0.5)
    assert abs(median - np.median(cosines)) <= width


def test_sums_of_parts_merge_and_come_back_from_arrays(cloud: np.ndarray) -> None:
    merged = merge_sums(sums_of(cloud[:100]), sums_of(cloud[100:]))
    arrays = to_arrays(merged)
    again, whole = from_arrays(arrays.__getitem__), sums_of(cloud)
    assert np.array_equal(again.moments.comoments, merged.moments.comoments)
    assert np.allclose(again.moments.comoments, whole.moments.comoments, rtol=1e-12, atol=1e-10)
    assert np.array_equal(again.norm_counts, whole.norm_counts)
    assert merged_kinds({"a": whole, "b": merged}, ("a", "b")).moments.n == 600


def test_nothing_has_no_quantile() -> None:
    assert np.isnan(quantile(np.zeros(2048, np.int64), COSINE_EDGES, 0.5)).all()
    assert not reference_of(np.zeros(3)).any()
