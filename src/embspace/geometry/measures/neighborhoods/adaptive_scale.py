"""Intrinsic dimension in neighborhoods as large as the density about each vector allows."""

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.measures.declaration import Estimate, measure
from embspace.geometry.measures.two_nearest import two_nn_maximum_likelihood
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.types import Vectors

FEWEST = 3  # neighbors of every vector
# The share of neighbors in the inner ball at which the estimate scatters least, by the paper, and
# the largest ratio of radii, so that in many dimensions the balls still differ.
INNER_SHARE, LARGEST_RATIO = 0.2032, 0.975
Sizes = Int[np.ndarray, " n"]


@measure(
    "intrinsic_dimension",
    formula=r"\frac{1}{\log \rho} \log \frac{\sum_i n_i}{\sum_i (k_i - 1)},\quad n_i = \#\{j : "
    r"|x_j - x_i| < \rho\, r_{k_i}(x_i)\},\ \rho = 0.2032^{1/d},\ k_i \text{ one more than the "
    r"largest } k \text{ up to which } 4k \log \cosh\left(\tfrac{d}{2} \log "
    r"\tfrac{r_k(x_i)}{r_k(x_j)}\right) \le D,\ x_j \text{ its neighbor } k + 1",
    range=r"(0,\ \infty)",
    source="Di Noia et al. 2024, Beyond the noise: intrinsic dimension estimation with optimal "
    "neighbourhood identification (ABIDE)",
    invariant_to=["rotation", "scale", "translation"],
    bias="Downwards in many dimensions. Few vectors have small neighborhoods: noise raises it.",
    profiled=False,
)
def abide(
    x: Vectors | NeighborGraph,
    *,
    max_k: int = 100,
    level: float = 1e-6,
    n_iterations: int = 5,
    start: float | None = None,
) -> Estimate:
    """The dimension by which neighbors fill two balls, each vector with a size of its own.

    A neighborhood grows until a test of `level` finds that the density about the next neighbor is
    another one. The size depends on the dimension and the dimension on the sizes: from `start`, or
    TwoNN's, they are taken in turns `n_iterations` times. So no scale is chosen. At most `max_k`
    neighbors are looked at, or as many as the graph has. The standard error is the least that
    is possible (Cramer and Rao) and takes neighborhoods for independent, which they are not: too
    small. Dropped are vectors to which all neighbors are equal; NaN where the balls are empty.

    Raises:
        ValueError: fewer than 5 neighbors, `n_iterations` under 1, `level` not between 0 and 1.

    Examples:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> line = np.outer(np.linspace(0, 1, 2000), np.ones(10))
        >>> noisy = line + 3e-4 * rng.normal(size=line.shape)
        >>> round(gride(noisy, k=1).value, 1), round(abide(noisy).value, 1)
        (4.2, 1.0)
    """
    if n_iterations < 1:
        raise ValueError(f"n_iterations: expected at least 1, found {n_iterations}")
    n_neighbors = x.k if isinstance(x, NeighborGraph) else min(max_k, len(x) - 1)
    graph = neighbor_graph_of(x, n_neighbors)
    value = two_nn_maximum_likelihood(graph).value if start is None else start
    found = Estimate(value, float("nan"), graph.n, 0)
    for _ in range(n_iterations):
        sizes = neighborhood_sizes(graph, found.value, level=level)
        found = _of_balls(graph, sizes, found.value)
        if not found.value > 0:
            break
    return found


def neighborhood_sizes(graph: NeighborGraph, dimension: float, *, level: float) -> Sizes:
    """Return how many neighbors of each vector share its density, by a likelihood-ratio test.

    Rodriguez et al. (2018), "Computing the free energy without collective variables", section 2:
    the ball of k neighbors about a vector is held against that about its neighbor k + 1, for k = 3,
    4, ..., and the first that differs ends the neighborhood. At least 3, under the graph's number.

    Raises:
        ValueError: the graph has fewer than 5 neighbors, or `level` is not between 0 and 1.
    """
    from scipy.stats import chi2

    if graph.k < FEWEST + 2:
        raise ValueError(f"max_k: expected at least {FEWEST + 2} neighbors, found {graph.k}")
    if not 0 < level < 1:
        raise ValueError(f"level: expected a share between 0 and 1, found {level}")
    threshold = chi2.isf(level, 1)
    with np.errstate(divide="ignore"):
        log_distance = np.log(graph.distances)
    sizes, growing = np.full(graph.n, FEWEST), np.arange(graph.n)
    for k in range(FEWEST, graph.k - 1):
        next_one = graph.indices[growing, k]
        with np.errstate(invalid="ignore"):
            difference = log_distance[growing, k - 1] - log_distance[next_one, k - 1]
        growing = growing[4 * k * _log_cosh(dimension / 2 * difference) <= threshold]
        sizes[growing] = k + 1
    return sizes


def _of_balls(graph: NeighborGraph, sizes: Sizes, dimension: float) -> Estimate:
    """Return the dimension by which the neighbors of a ball lie in a smaller one."""
    ratio = min(LARGEST_RATIO, INNER_SHARE ** (1 / dimension))
    radius = graph.distances[np.arange(graph.n), sizes - 1]
    inside = (graph.distances < ratio * radius[:, np.newaxis]).sum(axis=1)
    apart = radius > 0
    inner, outer, n = int(inside[apart].sum()), int((sizes[apart] - 1).sum()), int(apart.sum())
    if not 0 < inner < outer:
        return Estimate(float("nan"), float("nan"), n, graph.n - n)
    value = float(np.log(inner / outer) / np.log(ratio))
    error = np.sqrt((ratio**-value - 1) / outer) / -np.log(ratio)
    return Estimate(value, float(error), n, graph.n - n)


def _log_cosh(x: Float[np.ndarray, " _"]) -> Float[np.ndarray, " _"]:
    return np.asarray(np.abs(x) + np.log1p(np.exp(-2 * np.abs(x))) - np.log(2))
