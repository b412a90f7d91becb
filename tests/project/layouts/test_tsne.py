import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from embspace.geometry.groups.groups import same_group_neighbor_share
from embspace.geometry.maps.maps import map_quality
from embspace.project.layouts.start import jittered_start
from embspace.project.layouts.tsne import tsne_layout
from tests.project.layouts.clouds import DEGENERATE, TSNE, gaussian, graph_of, start_of, two_blobs


def layout_of(x: np.ndarray, **changed: float) -> np.ndarray:
    start = start_of(x)
    return tsne_layout(graph_of(x), start, **{**TSNE, **changed})


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_clouds_have_maps(name: str) -> None:
    cloud = DEGENERATE[name]
    layout = layout_of(cloud)
    assert layout.shape == (len(cloud), 2)
    assert np.isfinite(layout).all()


# Of whole numbers, all compute the same distances.
@pytest.mark.parametrize("changed", [{}, {"perplexity": 10.0}], ids=str)
def test_equals_open_tsne_where_that_looks_for_exact_neighbors(changed: dict[str, float]) -> None:
    from openTSNE import TSNE as Reference

    x = np.round(400 * gaussian(150, 6)).astype(np.float64)
    settings = {**TSNE, **changed}
    start = jittered_start(start_of(x), jitter=settings.pop("jitter"), seed=settings.pop("seed"))
    reference = Reference(initialization=1e-4 * start, neighbors="exact", **settings)
    with threadpool_limits(1):
        assert np.array_equal(layout_of(x, **changed), reference.fit(x))


def test_keeps_neighbors_better_than_principal_components() -> None:
    x = gaussian(600, 6)
    linear = map_quality(x, start_of(x), n_neighbors=15)
    quality = map_quality(x, layout_of(x), n_neighbors=15)
    assert quality.trustworthiness > linear.trustworthiness + 0.1
    assert quality.neighbor_recall > 2 * linear.neighbor_recall


def test_is_no_worse_than_scikit_learn() -> None:
    from sklearn.manifold import TSNE as Reference

    x = gaussian(400, 6)
    with threadpool_limits(1):  # its threads would spin on the cores of others
        layout = Reference(random_state=0, max_iter=500).fit_transform(x)
    reference = map_quality(x, layout, n_neighbors=15)
    quality = map_quality(x, layout_of(x), n_neighbors=15)
    assert quality.trustworthiness > reference.trustworthiness - 0.01
    assert quality.neighbor_recall > reference.neighbor_recall - 0.02


def test_parts_what_is_apart() -> None:
    layout = layout_of(two_blobs(), perplexity=10.0)
    middles = [layout[:40].mean(axis=0), layout[40:].mean(axis=0)]
    is_near_first = np.linalg.norm(layout - middles[0], axis=1) < np.linalg.norm(
        layout - middles[1], axis=1
    )
    assert is_near_first.tolist() == [True] * 40 + [False] * 40


def test_neighbors_are_brought_together_from_anywhere() -> None:
    blob, anywhere = np.repeat([0, 1], 40), gaussian(80, 2).astype(np.float64)
    layout = tsne_layout(graph_of(two_blobs()), anywhere, **{**TSNE, "perplexity": 10.0})
    mixed, parted = (same_group_neighbor_share(y, blob, n_neighbors=5) for y in (anywhere, layout))
    assert mixed < 0.6
    assert parted > 0.95


def test_equal_seeds_give_equal_maps_and_others_do_not() -> None:
    x = gaussian(100, 5)
    one, again, other = (layout_of(x, seed=seed) for seed in (0, 0, 1))
    assert one.tobytes() == again.tobytes()
    assert not np.array_equal(one, other)


def test_perplexity_is_a_third_of_the_neighbors_at_most() -> None:
    x = gaussian(61, 5)  # 60 neighbors each
    assert np.array_equal(layout_of(x, perplexity=30.0), layout_of(x, perplexity=20.0))
    assert not np.array_equal(layout_of(x, perplexity=20.0), layout_of(x, perplexity=19.0))


def test_neighbors_beyond_three_perplexities_do_not_count() -> None:
    x = gaussian(100, 5)
    start = start_of(x)
    settings = {**TSNE, "perplexity": 10.0}
    one, other = (tsne_layout(graph_of(x, k), start, **settings) for k in (30, 60))
    assert np.array_equal(one, other)


@pytest.mark.parametrize("scale", [0.125, 2.0**20])
def test_the_scale_of_the_start_does_not_count(scale: float) -> None:
    x = gaussian(100, 5)
    start, graph = start_of(x), graph_of(x)
    layouts = [tsne_layout(graph, factor * start, **TSNE) for factor in (1.0, scale)]
    assert np.array_equal(*layouts)


def test_arguments_are_left_alone() -> None:
    x = gaussian(50, 5)
    start, graph = start_of(x), graph_of(x)
    before = [array.copy() for array in (start, graph.indices, graph.distances)]
    tsne_layout(graph, start, **TSNE)
    for array, old in zip((start, graph.indices, graph.distances), before, strict=True):
        assert np.array_equal(array, old)


def test_another_number_of_points_is_an_error() -> None:
    with pytest.raises(ValueError, match="expected the same points, found 50 and 49 rows"):
        tsne_layout(graph_of(gaussian(50, 5)), np.zeros((49, 2)), **TSNE)
