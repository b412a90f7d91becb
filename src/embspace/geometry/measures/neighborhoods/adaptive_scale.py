"""Intrinsic dimension in neighborhoods as large as the local density allows."""

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
    r"|x_j - x_i| < \rho\, r_{k_i}(x_i)\},\ \rho = \min(0.975,\ 0.2032^{1/d}),\ k_i \text{ one "
    r"more than the largest } k \text{ up to which } 4k \log \cosh\left(\tfrac{d}{2} \log "
    r"\tfrac{r_k(x_i)}{r_k(x_j)}\right) \le D,\ x_j \text{ its neighbor } k + 1",
    range=r"(0,\ \infty)",
    source="Di Noia et al. 2024, Beyond the noise: intrinsic dimension estimation with optimal "
    "neighbourhood identification (ABIDE)",
    invariant_to=["rotation", "scale", "translation"],
    bias="Downwards in many dimensions. Few vectors have small neighborhoods: noise raises it.",
    shared="neighbors",
)
def abide(
    x: Vectors | NeighborGraph,
    *,
    max_k: int = 100,
    level: float = 1e-6,
    n_iterations: int = 5,
    start: float | None = None,
) -> Estimate:
    """Dimension from the numbers of neighbors in two balls, with a ball size per vector.

    A neighborhood grows until a test of `level` finds a different density about the next neighbor.
    Sizes depend on the dimension and the dimension on the sizes: starting at `start` or TwoNN's
    dimension, both are updated in turn `n_iterations` times, and nobody chooses a scale. At most
    `max_k` neighbors count. The standard error is the lower bound of Cramer and Rao for independent
    neighborhoods: too small. Vectors with all neighbors equal are dropped; NaN where the balls are
    empty.

    Raises:
        ValueError: fewer than 5 neighbors, `n_iterations` under 1, `level` not between 0 and 1,
            `start` not a positive number.

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
    if start is not None and not 0 < start < np.inf:
        raise ValueError(f"start: expected a positive number, found {start}")
    n_neighbors = x.k if isinstance(x, NeighborGraph) else len(x) - 1
    graph = neighbor_graph_of(x, min(max_k, n_neighbors))
    log_ratios, limits = _log_ratios(graph), _limits(graph, level)
    value = two_nn_maximum_likelihood(graph).value if start is None else start
    estimate = Estimate(value, float("nan"), graph.n, 0)
    for _ in range(n_iterations):
        sizes = _sizes(log_ratios, limits / estimate.value)
        estimate = _ball_dimension(graph, sizes, estimate.value)
        if not estimate.value > 0:
            break
    return estimate


def neighborhood_sizes(graph: NeighborGraph, dimension: float, *, level: float) -> Sizes:
    """Return the number of neighbors at the vector's density, by a likelihood-ratio test.

    Rodriguez et al. (2018), "Computing the free energy without collective variables", section 2:
    for k = 3, 4, ..., the ball of k neighbors about a vector is compared with the ball about
    neighbor k + 1; the first difference ends the neighborhood. At least 3, fewer than the graph
    lists.

    Raises:
        ValueError: the graph has fewer than 5 neighbors, or `level` is not between 0 and 1.
    """
    return _sizes(_log_ratios(graph), _limits(graph, level) / dimension)


def _limits(graph: NeighborGraph, level: float) -> Float[np.ndarray, " k"]:
    """Return how far logarithms of the radii of k may differ, times the dimension; k from 3 on."""
    from scipy.special import chdtri  # scipy.stats takes seconds to import

    if graph.k < FEWEST + 2:
        raise ValueError(f"max_k: expected at least {FEWEST + 2} neighbors, found {graph.k}")
    if not 0 < level < 1:
        raise ValueError(f"level: expected a share between 0 and 1, found {level}")
    k = np.arange(FEWEST, graph.k - 1)
    # 4k log cosh(d r / 2) is the statistic of a log ratio r: solved for d r.
    return np.asarray(2 * np.arccosh(np.exp(chdtri(1, level) / (4 * k))))


def _log_ratios(graph: NeighborGraph) -> Float[np.ndarray, "n k"]:
    """Return the log radius about a vector less the log radius about neighbor k + 1."""
    k = np.arange(FEWEST, graph.k - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_distance = np.log(graph.distances)
        next_log_distance = log_distance[graph.indices[:, FEWEST:-1], k - 1]
        return np.abs(log_distance[:, FEWEST - 1 : -2] - next_log_distance)


def _sizes(log_ratios: Float[np.ndarray, "n k"], limits: Float[np.ndarray, " k"]) -> Sizes:
    agree = log_ratios <= limits  # False where one is NaN, as that of two empty balls
    n_agreeing = np.where(agree.all(axis=1), agree.shape[1], agree.argmin(axis=1))
    return FEWEST + n_agreeing


def _ball_dimension(graph: NeighborGraph, sizes: Sizes, dimension: float) -> Estimate:
    """Return the dimension implied by the share of a ball's neighbors inside a smaller ball."""
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
