"""Tests of `embspace.stream.moments`."""

import numpy as np
import pytest

from embspace.geometry.pairs.moments import moments_of
from embspace.stream.moments import (
    CentralMoments,
    central_moments,
    merge,
    merge_tree,
    no_moments,
)


def moments(x: np.ndarray) -> CentralMoments:
    return central_moments(moments_of(x))


def differ(a: CentralMoments, b: CentralMoments) -> float:
    """The largest difference of any moment, of the largest entry of its kind."""
    assert a.n == b.n
    pairs = [(getattr(a, name), getattr(b, name)) for name in ("mean", "comoments", "cubes")]
    pairs.append((np.array(a.quartic), np.array(b.quartic)))
    return max(float(np.abs(x - y).max() / np.abs(y).max()) for x, y in pairs)


@pytest.fixture
def cloud() -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(1000, 12)) @ rng.normal(size=(12, 12)) + 100 * rng.normal(size=12)


def test_moments_are_those_of_the_definition(cloud: np.ndarray) -> None:
    y = cloud - cloud.mean(axis=0)
    square = np.square(y).sum(axis=1)
    stored = moments(cloud)
    expected = CentralMoments(
        1000, cloud.mean(axis=0), y.T @ y, square @ y, float((square**2).sum())
    )
    assert np.allclose(stored.cubes, expected.cubes, rtol=0, atol=1e-10 * expected.quartic)
    assert np.allclose(stored.comoments, expected.comoments, rtol=1e-11, atol=1e-8)
    assert stored.quartic == pytest.approx(expected.quartic, rel=1e-12)


def test_parts_of_any_sizes_merge_into_the_whole(cloud: np.ndarray) -> None:
    cuts = [0, 1, 4, 250, 251, 777, 1000]
    parts = [moments(cloud[a:b]) for a, b in zip(cuts, cuts[1:], strict=False)]
    assert differ(merge_tree(parts), moments(cloud)) < 1e-12


def test_merging_is_associative_and_commutative(cloud: np.ndarray) -> None:
    a, b, c = (moments(cloud[rows]) for rows in (slice(100), slice(100, 130), slice(130, 1000)))
    assert differ(merge(merge(a, b), c), merge(a, merge(b, c))) < 1e-12
    assert differ(merge(a, b), merge(b, a)) < 1e-12


def test_eigenvalues_of_a_merge_are_those_of_one_pass(cloud: np.ndarray) -> None:
    parts = [moments(part) for part in np.array_split(cloud, 37)]
    whole = moments_of(cloud).variances
    merged = merge_tree(parts)
    assert np.abs(merged.about(merged.mean).variances - whole).max() < 1e-12 * whole[0]


def test_a_long_mean_costs_no_digits() -> None:
    cloud = np.random.default_rng(1).normal(size=(400, 5))
    far = cloud + 1e6
    merged = merge_tree([moments(part) for part in np.array_split(far, 8)])
    # What adding 10^6 has rounded away of the coordinates remains; float32 would keep no digit.
    assert np.allclose(merged.comoments, moments(cloud).comoments, rtol=0, atol=1e-6)


def test_about_gives_the_sums_that_measures_take(cloud: np.ndarray) -> None:
    origin = cloud[0] + 3
    sums, expected = moments(cloud).about(origin), moments_of(cloud, origin)
    for name in ("total", "products", "cubes", "quartic", "mean_quartic", "variances"):
        assert np.allclose(getattr(sums, name), getattr(expected, name), rtol=1e-9), name


def test_no_vector_changes_nothing(cloud: np.ndarray) -> None:
    some = moments(cloud)
    assert merge(some, no_moments(12)) is some
    assert merge(no_moments(12), some) is some
    assert central_moments(moments_of(cloud[:0], np.zeros(12))).n == 0


def test_one_vector_has_no_spread() -> None:
    one = moments(np.array([[3.0, 4.0]]))
    assert one.n == 1 and not one.comoments.any() and one.mean.tolist() == [3, 4]


def test_what_does_not_fit_is_refused(cloud: np.ndarray) -> None:
    with pytest.raises(ValueError, match="expected 12 coordinates, found 3"):
        merge(moments(cloud), no_moments(3))
    with pytest.raises(ValueError, match="expected at least one"):
        merge_tree([])
