"""Measures of the family `intrinsic_dimension` by how many pairs are near."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.measures.declaration import Estimate, measure
from embspace.geometry.pairs.neighbor_graph import TIE, VectorsAndNeighbors, neighbor_graph_of
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.types import Vectors

BLOCK_ROWS = 1024


@measure(
    "intrinsic_dimension",
    formula=r"\frac{\log C(r_2) - \log C(r_1)}{\log r_2 - \log r_1},\quad "
    r"C(r) = \frac{2}{n (n - 1)} \#\{i < j : |x_i - x_j| \le r\}",
    range=r"[0,\ \infty)",
    source="Grassberger and Procaccia 1983; the radii as scikit-dimension's CorrInt has them",
    invariant_to=["rotation", "scale", "translation"],
    bias="Downwards: vectors near an edge have fewer neighbors, most in many dimensions.",
    shared="vectors_and_neighbors",
)
def correlation_dimension(
    x: Vectors | VectorsAndNeighbors, *, nearer: int = 10, farther: int = 20
) -> Estimate:
    """Slope of the share of pairs that are near, on logarithmic axes, between two radii.

    The radii are the median distances to the neighbor number `nearer` and to number `farther`.
    All pairs are counted. Without a standard error: NaN.

    Raises:
        ValueError: not 1 <= `nearer` < `farther` < n.

    Examples:
        >>> import numpy as np
        >>> round(correlation_dimension(np.random.default_rng(0).uniform(size=(2000, 2))).value, 1)
        1.9
    """
    if not 1 <= nearer < farther:
        raise ValueError(f"nearer: expected 1 to {farther - 1}, under `farther`, found {nearer}")
    vectors, cloud = x if isinstance(x, VectorsAndNeighbors) else (x, x)
    graph = cloud if isinstance(cloud, NeighborGraph) else neighbor_graph_of(cloud, farther)
    distances = neighbor_graph_of(graph, farther).distances
    radii = np.median(distances[:, [nearer - 1, farther - 1]], axis=0)
    pairs = _pairs_within(vectors, graph, radii)
    if not (0 < radii[0] < radii[1] and pairs[0]):
        return Estimate(float("nan"), float("nan"), len(vectors), 0)
    slope = np.log(pairs[1] / pairs[0]) / np.log(radii[1] / radii[0])
    return Estimate(float(slope), float("nan"), len(vectors), 0)


def _pairs_within(
    x: Vectors, graph: NeighborGraph, radii: Float[np.ndarray, " radius"]
) -> Float[np.ndarray, " radius"]:
    """Return the number of pairs within each radius; the last radius is the largest.

    If the farthest listed neighbor of a row is beyond the last radius, the list holds all near
    rows. The remaining rows are compared with all rows, by products in float32. Where rounding
    moves a pair of a listed and an unlisted row over a radius, the pair counts half.
    """
    limits = radii**2 * (1 + TIE)
    squares = np.square(graph.distances)
    listed = squares[:, -1] > limits[-1]
    counts = [np.count_nonzero(squares[listed] <= limit) for limit in limits]
    twice = np.array(counts, dtype=np.float64)
    x = (x - x.mean(axis=0)).astype(np.float32)  # what all share would cost digits
    squared = np.einsum("ij,ij->i", x, x)
    others = np.flatnonzero(~listed)
    for first in range(0, len(others), BLOCK_ROWS):
        rows = others[first : first + BLOCK_ROWS]
        block_squares = squared[rows, None] + squared - 2 * x[rows] @ x.T
        block_squares[np.arange(len(rows)), rows] = np.inf  # itself is no pair
        twice += [np.count_nonzero(block_squares <= limit) for limit in limits]
    return twice / 2
