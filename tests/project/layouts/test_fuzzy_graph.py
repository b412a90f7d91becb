import numpy as np
import pytest

from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.project.layouts.fuzzy_graph import fuzzy_graph
from tests.project.layouts.clouds import DEGENERATE, gaussian, graph_of


def reference(neighbors: NeighborGraph) -> np.ndarray:
    """What umap-learn makes of the graph."""
    from umap.umap_ import fuzzy_simplicial_set

    n, own = neighbors.n, np.arange(neighbors.n, dtype=np.int32)
    graph, _, _ = fuzzy_simplicial_set(
        np.zeros((n, 1)),
        neighbors.k + 1,
        np.random.RandomState(0),
        "euclidean",
        knn_indices=np.column_stack([own, neighbors.indices]),
        knn_dists=np.column_stack([np.zeros(n), neighbors.distances]).astype(np.float32),
    )
    return graph.toarray()


@pytest.mark.parametrize("k", [1, 5, 14, 40])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6], ids=str)
def test_equals_umap(k: int, scale: float) -> None:
    graph = graph_of(scale * gaussian(300, 10), k)
    # It stops within 1e-5 of the sum and takes distances in float32.
    assert fuzzy_graph(graph).toarray() == pytest.approx(reference(graph), abs=1e-4)


@pytest.mark.parametrize("name", DEGENERATE)
def test_equals_umap_for_degenerate_clouds(name: str) -> None:
    graph = graph_of(DEGENERATE[name], 14)
    assert fuzzy_graph(graph).toarray() == pytest.approx(reference(graph), abs=1e-4)


def test_weights_of_a_point_add_up_to_the_logarithm() -> None:
    # Point 0 has seven neighbours, none of which has it, so that the union adds nothing.
    rows = [np.arange(1, 8), *((np.arange(7) + i) % 15 + 1 for i in range(1, 16))]
    distances = np.sort(np.random.default_rng(0).random((16, 7)), axis=1)
    graph = NeighborGraph(np.array(rows, dtype=np.int32), distances)
    assert fuzzy_graph(graph).toarray()[0].sum() == pytest.approx(np.log2(8))
