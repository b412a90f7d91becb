"""Measures of the family `hubs`: who is whose neighbor, and how far away."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.measures.declaration import measure
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.types import Vectors


@measure(
    "hubs",
    formula=r"\frac{\frac{1}{n} \sum_i (N_i - k)^3}{\left( \frac{1}{n} \sum_i (N_i - k)^2 "
    r"\right)^{3/2}},\quad N_i = \#\{j : x_i \text{ is among the } k \text{ nearest of } x_j\}",
    range=r"(-\sqrt n,\ \sqrt n)",
    source="Radovanovic et al. 2010, Hubs in space, equation 1",
    invariant_to=["rotation", "scale", "translation"],
    bias="Upwards with n, until the largest hubs of the distribution are among the vectors.",
    shared="neighbors",
)
def hubness(x: Vectors | NeighborGraph, *, k: int = 10) -> float:
    """Skewness of how often a vector is among the `k` nearest neighbors of others.

    0 where all are neighbors equally often; large where a few vectors, the hubs, are neighbors of
    very many. NaN where no count differs, and where a vector has `k` equal vectors: the choice of
    neighbors is then arbitrary.

    Raises:
        ValueError: `k` under 1 or over n - 1.

    Examples:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).normal(size=(2000, 99))
        >>> round(hubness(x[:, :3]), 1), round(hubness(x), 1)
        (-0.4, 11.6)
    """
    graph = neighbor_graph_of(x, k)
    if _is_arbitrary(graph):
        return float("nan")
    occurrences = graph.in_degrees() - float(k)
    variance = np.square(occurrences).mean()
    return float((occurrences**3).mean() / variance**1.5) if variance else float("nan")


@measure(
    "hubs",
    formula=r"\frac{1}{n k} \#\{(i, j) : j \in N_k(i),\ i \in N_k(j)\}",
    range=r"[0,\ 1]",
    source="Newman 2010, Networks, section 7.10, of the neighbor graph",
    invariant_to=["rotation", "scale", "translation"],
    bias="Depends on n by k / n: compare clouds of one n.",
    shared="neighbors",
)
def reciprocity(x: Vectors | NeighborGraph, *, k: int = 10) -> float:
    """Share of mutual neighbors among the `k` nearest neighbors.

    Low around hubs: a hub is near to many vectors, and few are near to the hub. NaN where a vector
    has `k` equal vectors.

    Raises:
        ValueError: `k` under 1 or over n - 1.

    Examples:
        >>> import numpy as np
        >>> reciprocity(np.array([[0.0], [1.0], [3.0], [7.0]]), k=1)
        0.5
    """
    graph = neighbor_graph_of(x, k)
    if _is_arbitrary(graph):
        return float("nan")
    indices = graph.indices
    rows = np.arange(len(indices))[:, np.newaxis]
    # Of each neighbor, one after another: whether the row is among its own.
    mutual = [(indices[neighbor] == rows).any(axis=1) for neighbor in indices.T]
    return float(np.mean(mutual))


def local_densities(x: Vectors | NeighborGraph, *, k: int = 10) -> Float[np.ndarray, " n"]:
    """Return the inverse of the mean distance to the `k` nearest neighbors, per vector.

    Infinite for a vector with `k` equal vectors. The unit is inverse length: a density per volume
    would say nothing in hundreds of dimensions.

    Raises:
        ValueError: `k` under 1 or over n - 1.
    """
    mean = neighbor_graph_of(x, k).distances.mean(axis=1)
    return np.divide(1, mean, out=np.full_like(mean, np.inf), where=mean > 0)


@measure(
    "hubs",
    formula=r"\frac{s}{m}\ \text{of the mean distances}\ \frac{1}{k} \sum_{j \le k} r_j(x_i)",
    range=r"[0,\ \sqrt{n - 1}]",
    source="Mean distances as in the local densities of Breunig et al. 2000, LOF",
    invariant_to=["rotation", "scale", "translation"],
    bias="Depends on n by k / n: compare clouds of one n.",
    shared="neighbors",
)
def local_distance_variation(x: Vectors | NeighborGraph, *, k: int = 10) -> float:
    """Standard deviation over mean, across vectors, of the distance to the `k` nearest neighbors.

    0 where the cloud is equally dense everywhere. The reciprocals are `local_densities`. NaN where
    all distances are 0.

    Raises:
        ValueError: `k` under 1 or over n - 1.

    Examples:
        >>> import numpy as np
        >>> local_distance_variation(np.arange(9.0)[:, None], k=1)
        0.0
    """
    mean = neighbor_graph_of(x, k).distances.mean(axis=1)
    return float(mean.std() / mean.mean()) if mean.any() else float("nan")


def _is_arbitrary(graph: NeighborGraph) -> bool:
    """Return whether any vector equals all listed neighbors, and perhaps further vectors."""
    return bool((graph.distances[:, -1] == 0).any())
