import inspect

import numba
import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from embspace.geometry.maps.maps import (
    BLOCK_BYTES,
    MapQuality,
    map_quality,
    neighbor_overlap,
    row_blocks,
)
from embspace.geometry.pairs.pairs import scan_pairs

# Past the check of shapes that tests put in front of it, which raises another error.
unchecked_map_quality = inspect.unwrap(map_quality)
unchecked_neighbor_overlap = inspect.unwrap(neighbor_overlap)


def gaussian(n: int, dim: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)


def integers(n: int, dim: int, seed: int = 0, largest: int = 9) -> np.ndarray:
    """Points whose distances are exact, in the space as in a map, with many ties and copies."""
    return np.random.default_rng(seed).integers(0, largest, size=(n, dim)).astype(np.float32)


def measures(quality: MapQuality) -> list[float]:
    return [quality.trustworthiness, quality.continuity, quality.neighbor_recall]


def ranks_of(x: np.ndarray) -> np.ndarray:
    """Ranks of all points from each: by distance, then row number; of the point itself, n."""
    x = x.astype(np.float64)
    squared = ((x[:, np.newaxis] - x) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    return squared.argsort(axis=1, kind="stable").argsort(axis=1) + 1


def brute_measures(x: np.ndarray, layout: np.ndarray, k: int) -> list[float]:
    n, in_space, in_map = len(x), ranks_of(x), ranks_of(layout)
    scale = 2 / (n * k * (2 * n - 3 * k - 1))
    made_up = (in_space - k)[(in_map <= k) & (in_space > k)].sum()
    torn = (in_map - k)[(in_space <= k) & (in_map > k)].sum()
    return [1 - scale * made_up, 1 - scale * torn, ((in_space <= k) & (in_map <= k)).sum() / n / k]


@pytest.fixture(scope="module")
def cloud() -> tuple[np.ndarray, np.ndarray]:
    """2,000 points, and a noisy map of them."""
    x = gaussian(2000, 24) * np.linspace(3, 0.3, 24, dtype=np.float32)
    return x, x[:, :2] + 0.3 * gaussian(2000, 2, seed=1)


@pytest.mark.parametrize("n_neighbors", [1, 5, 15, 50, 300])
def test_equals_scikit_learn(cloud: tuple[np.ndarray, np.ndarray], n_neighbors: int) -> None:
    x, layout = cloud
    quality = map_quality(x, layout, n_neighbors=n_neighbors)
    # Distances in float32 exchange some ranks that are next to one another, worth 2e-7 or less.
    expected = trustworthiness(x, layout, n_neighbors=n_neighbors)
    assert quality.trustworthiness == pytest.approx(expected, abs=1e-6)
    expected = trustworthiness(layout, x, n_neighbors=n_neighbors)
    assert quality.continuity == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("map_dim", [1, 2, 3])
@pytest.mark.parametrize("n_neighbors", [1, 4, 29])
def test_ties_and_copies_are_ordered_by_row(n_neighbors: int, map_dim: int) -> None:
    x, layout = integers(60, 3, largest=4), integers(60, map_dim, seed=1)
    quality = map_quality(x, layout, n_neighbors=n_neighbors)
    assert measures(quality) == pytest.approx(brute_measures(x, layout, n_neighbors), abs=1e-15)


def test_a_perfect_map_has_one_whatever_its_scale() -> None:
    x = integers(400, 2, largest=50)
    assert measures(map_quality(x, 8 * x[:, ::-1], n_neighbors=20)) == [1, 1, 1]


def test_the_order_of_neighbors_does_not_count() -> None:
    x = np.array([0, 1, 2.1, 100, 101, 102.1], dtype=np.float32)[:, np.newaxis]
    layout = np.array([0, 2, 1.1, 100, 102, 101.1])[:, np.newaxis]
    assert measures(map_quality(x, layout, n_neighbors=2)) == [1, 1, 1]


def test_a_map_of_the_farthest_points_is_not_to_be_trusted() -> None:
    # Row i of a circle of 11 has i + 5 and i - 5 opposite. These are next to it where every other
    # point of the circle is left out until the second turn.
    angles = 2 * np.pi * np.arange(11) / 11
    x, layout = (np.column_stack([np.cos(a), np.sin(a)]) for a in (angles, 2 * angles))
    quality = map_quality(x, layout, n_neighbors=2)
    assert (quality.trustworthiness, quality.neighbor_recall) == (0, 0)


@pytest.mark.parametrize("n_neighbors", [1, 15, 70])
def test_a_random_layout_has_the_values_of_chance(n_neighbors: int) -> None:
    x = gaussian(150, 10)
    maps = [map_quality(x, gaussian(150, 2, seed=s), n_neighbors=n_neighbors) for s in range(1, 61)]
    values = np.array([measures(quality) for quality in maps])
    chance = [maps[0].chance_trustworthiness, maps[0].chance_continuity]
    chance.append(maps[0].chance_neighbor_recall)
    standard_error = values.std(axis=0) / np.sqrt(len(values))
    assert (np.abs(values.mean(axis=0) - chance) < 4 * standard_error).all()


def test_chance_is_the_mean_over_all_layouts() -> None:
    # 4 points on a line, k = 1: all 24 orders of the points on another line are maps.
    from itertools import permutations

    x = np.array([[0.0], [1.0], [2.5], [4.5]])
    maps = [map_quality(x, x[list(order)], n_neighbors=1) for order in permutations(range(4))]
    trust, continuity, recall = np.mean([measures(quality) for quality in maps], axis=0)
    assert trust == pytest.approx(maps[0].chance_trustworthiness)
    assert continuity == pytest.approx(maps[0].chance_continuity)
    assert recall == pytest.approx(maps[0].chance_neighbor_recall)


def test_turning_moving_and_scaling_a_map_changes_nothing(
    cloud: tuple[np.ndarray, np.ndarray],
) -> None:
    x, layout = cloud[0][:500], cloud[1][:500].astype(np.float64)
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    quality = map_quality(x, layout, n_neighbors=15)
    assert map_quality(x, 1e-6 * layout @ turn + 3, n_neighbors=15) == quality
    assert map_quality(x[:, ::-1] * 1e12, layout, n_neighbors=15) == quality


def test_the_order_of_points_changes_nothing(cloud: tuple[np.ndarray, np.ndarray]) -> None:
    x, layout = cloud[0][:500], cloud[1][:500]
    order = np.random.default_rng(0).permutation(500)
    quality = map_quality(x, layout, n_neighbors=15)
    assert map_quality(x[order], layout[order], n_neighbors=15) == quality


def test_exchanging_map_and_space_exchanges_the_measures() -> None:
    x, layout = integers(200, 4), integers(200, 3, seed=1)
    one, other = (map_quality(*pair, n_neighbors=9) for pair in ((x, layout), (layout, x)))
    assert measures(one) == [other.continuity, other.trustworthiness, other.neighbor_recall]


def test_copies_are_at_distance_zero_far_from_the_mean() -> None:
    # Each point has a copy half the table away; products alone would not find it.
    x = np.tile(gaussian(300, 384) + 1e3 * np.eye(300, 384, dtype=np.float32)[:, ::-1], (2, 1))
    layout = np.tile(gaussian(300, 2, seed=1), (2, 1))
    assert measures(map_quality(x, layout, n_neighbors=1)) == [1, 1, 1]


def test_identical_points_have_no_order_to_keep() -> None:
    x, layout = np.ones((50, 3), dtype=np.float32), gaussian(50, 2)
    for one, other in ((x, layout), (layout, x)):
        assert np.isnan(measures(map_quality(one, other, n_neighbors=5))).all()
        assert np.isnan(neighbor_overlap(one[:, :2], other[:, :2], n_neighbors=5))


def test_threads_and_blocks_change_nothing(
    cloud: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    qualities = []
    for n_threads, rows in ((1, 2000), (2, 2000), (2, 64)):
        monkeypatch.setattr(numba, "get_num_threads", lambda n=n_threads: n)
        monkeypatch.setattr("embspace.geometry.maps.maps.BLOCK_BYTES", rows * 4 * 2000)
        qualities.append(map_quality(*cloud, n_neighbors=15))
    assert qualities[0] == qualities[1]
    # Products in other blocks may be rounded in another way.
    assert measures(qualities[2]) == pytest.approx(measures(qualities[0]), abs=1e-6)


@pytest.mark.parametrize("n", [1, 1000, 31_034, 100_000])
def test_blocks_hold_every_row_once(n: int) -> None:
    blocks = row_blocks(n)
    assert [row for block in blocks for row in range(n)[block]] == list(range(n))
    assert all(4 * n * (block.stop - block.start) <= BLOCK_BYTES for block in blocks)


def test_a_block_has_a_row_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("embspace.geometry.maps.maps.BLOCK_BYTES", 10)
    assert row_blocks(3) == [slice(0, 1), slice(1, 2), slice(2, 3)]


@pytest.mark.parametrize("n_neighbors", [1, 15, 499])
def test_overlap_matches_brute_force(n_neighbors: int) -> None:
    a, b = gaussian(500, 2), gaussian(500, 2) + 0.1 * gaussian(500, 2, seed=1)
    both = (ranks_of(a) <= n_neighbors) & (ranks_of(b) <= n_neighbors)
    assert neighbor_overlap(a, b, n_neighbors=n_neighbors) == both.sum() / (500 * n_neighbors)


def test_overlap_is_one_after_a_turn_and_chance_for_another_cloud() -> None:
    a = gaussian(2000, 2).astype(np.float64)
    assert neighbor_overlap(a, a @ np.array([[0.6, -0.8], [0.8, 0.6]]), n_neighbors=15) == 1
    others = [neighbor_overlap(a, gaussian(2000, 2, seed=s), n_neighbors=15) for s in range(1, 9)]
    # Each is a mean of 30,000 draws of probability k / (n - 1), not quite independent.
    assert np.mean(others) == pytest.approx(15 / 1999, abs=3e-4)


def test_layouts_may_differ_in_dimension() -> None:
    a = integers(100, 3, largest=20)
    flat = a * [1, 1, 0]
    assert neighbor_overlap(flat, flat[:, :2], n_neighbors=7) == 1


def with_nan(layout: np.ndarray) -> np.ndarray:
    layout = layout.copy()
    layout[3, 1] = np.nan
    return layout


@pytest.mark.parametrize(
    ("x", "layout", "n_neighbors", "message"),
    [
        (gaussian(9, 4), gaussian(8, 2), 2, "expected the same points, found 9 and 8 rows"),
        (gaussian(9, 4)[0], gaussian(9, 2), 2, r"x: expected \(n, dim\), found \(4,\)"),
        (gaussian(9, 4), gaussian(9, 0), 2, r"layout: expected \(n, dim\), found \(9, 0\)"),
        (with_nan(gaussian(9, 4)), gaussian(9, 2), 2, "x: 1 of 9 rows hold NaN or infinity"),
        (gaussian(9, 4), with_nan(gaussian(9, 2)), 2, "layout: 1 of 9 rows hold NaN"),
        (gaussian(9, 4), gaussian(9, 2), 0, "n_neighbors: expected at least 1"),
        (gaussian(8, 4), gaussian(8, 2), 4, "n_neighbors: expected less than n / 2, found 4, n 8"),
        (gaussian(1, 4), gaussian(1, 2), 1, "less than n, found 1, n 1"),
        (gaussian(0, 4), gaussian(0, 2), 1, "less than n, found 1, n 0"),
    ],
)
def test_what_does_not_fit_is_an_error(
    x: np.ndarray, layout: np.ndarray, n_neighbors: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        unchecked_map_quality(x, layout, n_neighbors=n_neighbors)


def test_what_does_not_fit_is_an_error_of_the_overlap() -> None:
    with pytest.raises(ValueError, match="found 9 and 8 rows"):
        unchecked_neighbor_overlap(gaussian(9, 2), gaussian(8, 2), n_neighbors=2)
    with pytest.raises(ValueError, match="b: expected finite values, found NaN"):
        neighbor_overlap(gaussian(9, 2), with_nan(gaussian(9, 2)), n_neighbors=2)
    with pytest.raises(ValueError, match="less than n, found 9, n 9"):
        neighbor_overlap(gaussian(9, 2), gaussian(9, 2), n_neighbors=9)


def test_a_graph_that_is_handed_in_changes_nothing() -> None:
    x, layout = gaussian(400, 12), gaussian(400, 2, seed=1).astype(np.float64)
    graph = scan_pairs(x, n_neighbors=20).neighbors
    assert map_quality(x, layout, n_neighbors=9, graph=graph) == map_quality(
        x, layout, n_neighbors=9
    )
    with pytest.raises(ValueError, match="graph: expected one of 399 points, found 400"):
        map_quality(x[1:], layout[1:], n_neighbors=9, graph=graph)
