import numpy as np
import pytest

from embspace.geometry.groups.groups import same_group_neighbor_share
from embspace.geometry.maps.maps import map_quality
from embspace.project.layouts.start import jittered_start
from embspace.project.layouts.umap import umap_layout
from tests.project.layouts.clouds import DEGENERATE, UMAP, gaussian, graph_of, start_of, two_blobs


def layout_of(x: np.ndarray, **changed: float) -> np.ndarray:
    start = start_of(x)
    return umap_layout(graph_of(x), start, **{**UMAP, **changed})


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_degenerate_clouds_have_maps(name: str) -> None:
    cloud = DEGENERATE[name]
    layout = layout_of(cloud)
    assert layout.shape == (len(cloud), 2)
    assert np.isfinite(layout).all()


# Squared distances of these are whole numbers that float32 holds: all agree on them to the bit.
@pytest.mark.parametrize("changed", [{}, {"n_neighbors": 40}, {"min_dist": 0.8}], ids=str)
def test_equals_umap_learn_where_that_looks_for_exact_neighbors(changed: dict[str, float]) -> None:
    from umap import UMAP as Reference

    x = np.round(400 * gaussian(150, 6))
    settings = {**UMAP, **changed}
    start = jittered_start(start_of(x), jitter=settings.pop("jitter"), seed=settings["seed"])
    reference = Reference(init=start, n_jobs=1, random_state=settings.pop("seed"), **settings)
    assert np.array_equal(layout_of(x, **changed), reference.fit_transform(x))


def test_is_no_worse_than_the_plain_call() -> None:
    from umap import UMAP as Reference

    x = gaussian(600, 6)
    reference = Reference(random_state=0, n_jobs=1, n_epochs=200).fit_transform(x)
    one, other = (map_quality(x, y, n_neighbors=15) for y in (layout_of(x), reference))
    assert one.trustworthiness > other.trustworthiness - 0.01
    assert one.neighbor_recall > other.neighbor_recall - 0.02


def test_a_start_without_width_has_a_map() -> None:
    x = gaussian(50, 5)
    flat = start_of(x) * [1.0, 0.0]
    assert np.isfinite(umap_layout(graph_of(x), flat, **UMAP)).all()


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


def test_neighbors_are_brought_together_from_anywhere() -> None:
    blob, anywhere = np.repeat([0, 1], 40), gaussian(80, 2).astype(np.float64)
    layout = umap_layout(graph_of(two_blobs()), anywhere, **UMAP)
    mixed, parted = (same_group_neighbor_share(y, blob, n_neighbors=5) for y in (anywhere, layout))
    assert mixed < 0.6
    assert parted > 0.95


def test_equal_seeds_give_equal_maps_and_others_do_not() -> None:
    x = gaussian(100, 5)
    one, again, other = (layout_of(x, seed=seed) for seed in (0, 0, 1))
    assert one.tobytes() == again.tobytes()
    assert not np.array_equal(one, other)


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
