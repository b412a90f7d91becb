from collections.abc import Callable

import numpy as np
import pytest

from embspace.geometry.maps.maps import map_quality
from embspace.project.layouts._umap_loops import _look_up, _random_below, lay_out, table_nodes
from embspace.project.layouts.umap import _strengths, similarity_curve, umap_layout
from tests.project.layouts.clouds import DEGENERATE, UMAP, gaussian, graph_of, start_of, two_blobs


def layout_of(x: np.ndarray, **changed: float) -> np.ndarray:
    start = start_of(x)
    return umap_layout(graph_of(x), start, **{**UMAP, **changed})


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_clouds_have_maps(name: str) -> None:
    cloud = DEGENERATE[name]
    layout = layout_of(cloud)
    assert layout.shape == (len(cloud), 2)
    assert np.isfinite(layout).all()


def test_is_no_worse_than_umap_itself() -> None:
    from umap import UMAP as Reference

    x = gaussian(600, 6)
    reference = Reference(random_state=0, n_jobs=1, n_epochs=200).fit_transform(x)
    one, other = (map_quality(x, y, n_neighbors=15) for y in (layout_of(x), reference))
    assert one.trustworthiness > other.trustworthiness - 0.01
    assert one.neighbor_recall > other.neighbor_recall - 0.02


@pytest.mark.parametrize("min_dist", [0.0, 0.1, 0.8])
def test_the_curve_of_similarity_is_umaps(min_dist: float) -> None:
    from umap.umap_ import find_ab_params

    assert similarity_curve(min_dist) == pytest.approx(find_ab_params(1.0, min_dist), rel=1e-6)


def test_strengths_are_read_off_between_the_values_of_the_table() -> None:
    nodes = table_nodes()
    for d in (2.0**-30, 0.3, 1.0, 17.25, 1e6):
        found = _look_up((nodes**-0.9).astype(np.float32), np.float32(d))
        assert found == pytest.approx(d**-0.9, rel=1e-4)
    far, near = (nodes**-0.9).astype(np.float32)[[-1, 0]]
    table = (nodes**-0.9).astype(np.float32)
    assert _look_up(table, np.float32(0)) == near
    assert _look_up(table, np.float32(1e30)) == far


def test_strengths_are_gradients_of_the_similarity() -> None:
    a, b = similarity_curve(0.1)
    pull, push = _strengths(a, b)
    distance, step = np.array([0.5, 1.0, 3.0]), 1e-6

    def slope(of: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        return (of(distance + step) - of(distance - step)) / (2 * step)

    def similarity(d: np.ndarray) -> np.ndarray:
        return 1 / (1 + a * d ** (2 * b))

    at = [_look_up(pull, np.float32(d**2)) * d for d in distance]
    assert at == pytest.approx(slope(lambda d: -np.log(similarity(d))), rel=1e-3)
    at = [_look_up(push, np.float32(d**2)) * d for d in distance]
    # But for the thousandth that is added to the squared distance.
    assert at == pytest.approx(slope(lambda d: np.log(1 - similarity(d))), rel=5e-3)


def test_without_chance_points_go_where_umap_puts_them() -> None:
    from umap.layouts import optimize_layout_euclidean

    n, n_edges, n_epochs = 60, 90, 200
    rng = np.random.default_rng(0)
    heads, tails = rng.integers(n, size=(2, n_edges), dtype=np.int32)
    periods = rng.uniform(20, 60, n_edges)
    a, b = similarity_curve(0.1)
    start = (10 * rng.random((n, 2))).astype(np.float32)
    ours, theirs = start.copy(), start.copy()
    rare = 1e-9  # repelling points for each attraction: none in so few epochs
    lay_out(ours, heads, tails, periods, rare, n_epochs, *_strengths(a, b), np.ones(1, np.uint64))
    optimize_layout_euclidean(
        theirs,
        theirs,
        heads,
        tails,
        n_epochs,
        n,
        periods,
        a,
        b,
        np.ones(3, np.int64),
        negative_sample_rate=rare,
        move_other=True,
    )
    # There the rate falls an epoch later, by a two-hundredth.
    assert np.linalg.norm(ours - theirs) < 0.02 * np.linalg.norm(theirs - start)


def test_every_point_is_as_likely_to_repel() -> None:
    state = np.array([12345], np.uint64)
    drawn = [_random_below(np.uint64(7), state) for _ in range(7000)]
    counts = np.bincount(np.array(drawn, dtype=np.int64), minlength=7)
    assert len(counts) == 7
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(1000 * 6 / 7)


def test_a_start_without_width_and_noise_is_a_map() -> None:
    x = gaussian(50, 5)
    flat = start_of(x) * [1.0, 0.0]
    assert np.isfinite(umap_layout(graph_of(x), flat, **{**UMAP, "jitter": 0.0})).all()


def test_two_points_that_hold_each_other_come_as_near_as_they_may() -> None:
    layout = umap_layout(graph_of(gaussian(2, 4)), np.array([[0.0, 0.0], [1.0, 1.0]]), **UMAP)
    assert np.linalg.norm(layout[0] - layout[1]) < 1


def test_parts_what_is_apart() -> None:
    layout = layout_of(two_blobs())
    middles = [layout[:40].mean(axis=0), layout[40:].mean(axis=0)]
    is_near_first = np.linalg.norm(layout - middles[0], axis=1) < np.linalg.norm(
        layout - middles[1], axis=1
    )
    assert is_near_first.tolist() == [True] * 40 + [False] * 40


def test_neighbors_are_all_points_at_most() -> None:
    x = gaussian(12, 5)
    assert np.array_equal(layout_of(x, n_neighbors=15), layout_of(x, n_neighbors=12))
    assert not np.array_equal(layout_of(x, n_neighbors=12), layout_of(x, n_neighbors=8))


def test_neighbors_beyond_the_number_do_not_count() -> None:
    x = gaussian(100, 5)
    start = start_of(x)
    one, other = (umap_layout(graph_of(x, k), start, **UMAP) for k in (14, 60))
    assert np.array_equal(one, other)


def test_too_few_neighbors_are_an_error() -> None:
    x = gaussian(100, 5)
    with pytest.raises(ValueError, match="k: expected 1 to 13, found 14"):
        umap_layout(graph_of(x, 13), start_of(x), **UMAP)


def test_the_scale_of_the_start_does_not_count() -> None:
    x = gaussian(100, 5)
    start, graph = start_of(x), graph_of(x)
    layouts = [umap_layout(graph, factor * start, **UMAP) for factor in (1.0, 2.0**20)]
    assert np.array_equal(*layouts)


def test_arguments_are_left_alone() -> None:
    x = gaussian(50, 5)
    start, graph = start_of(x), graph_of(x)
    before = [array.copy() for array in (start, graph.indices, graph.distances)]
    umap_layout(graph, start, **UMAP)
    for array, old in zip((start, graph.indices, graph.distances), before, strict=True):
        assert np.array_equal(array, old)


def test_another_number_of_points_is_an_error() -> None:
    with pytest.raises(ValueError, match="expected the same points, found 50 and 49 rows"):
        umap_layout(graph_of(gaussian(50, 5)), np.zeros((49, 2)), **UMAP)
