"""Tests of `embspace.stream.sums`."""

import numpy as np
import pytest

from embspace.geometry.measures.direction_sums import direction_sums_of
from embspace.stream.sums import (
    COSINE_EDGES,
    NORM_EDGES,
    RunningSums,
    Sums,
    from_arrays,
    merge_sums,
    merged_kinds,
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
    found, expected = sums_of(cloud).directions, direction_sums_of(cloud)
    assert (found.n, found.n_directed) == (300, 299)
    for name in ("unit_total", "unit_squares", "total", "total_norm"):
        assert np.allclose(getattr(found, name), getattr(expected, name), rtol=1e-12)


def test_histograms_count_each_vector_once(cloud: np.ndarray) -> None:
    found = sums_of(cloud)
    assert found.norm_counts.sum() == 300 and found.cosine_counts.sum() == 299
    norms = np.linalg.norm(cloud, axis=1)
    median, width = quantile(found.norm_counts, NORM_EDGES, 0.5)
    assert abs(median - np.median(norms)) <= width
    unit = cloud[norms > 0] / norms[norms > 0, None]
    cosines = unit @ reference_of(np.arange(5.0))
    median, width = quantile(found.cosine_counts, COSINE_EDGES, 0.5)
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
