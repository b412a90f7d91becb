"""Measures of the family `intrinsic_dimension` by how many pairs are near."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.declared import Estimate, measure
from embspace.geometry.neighbor_graph import TIE, VectorsAndNeighbors, neighbor_graph_of

Vectors = Float[np.ndarray, "n dim"]
BLOCK_ROWS = 1024


@measure(
    "intrinsic_dimension",
    formula=r"\frac{\log C(r_2) - \log C(r_1)}{\log r_2 - \log r_1},\quad "
    r"C(r) = \frac{2}{n (n - 1)} \#\{i < j : |x_i - x_j| \le r\}",
    range=r"[0,\ \infty)",
    source="Grassberger and Procaccia 1983; the radii as scikit-dimension's CorrInt has them",
    invariant_to=["rotation", "scale", "translation"],
    bias="Downwards: vectors near an edge have fewer neighbours, most in many dimensions.",
    shared="vectors_and_neighbors",
)
def correlation_dimension(
    x: Vectors | VectorsAndNeighbors, *, nearer: int = 10, farther: int = 20
) -> Estimate:
    """Slope of the share of pairs that are near, on logarithmic axes, between two radii.

    The radii are the median distances to the neighbour number `nearer` and to number `farther`.
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
    distances = neighbor_graph_of(cloud, farther).distances
    radii = np.median(distances[:, [nearer - 1, farther - 1]], axis=0)
    pairs = _pairs_within(vectors, radii)
    if not (0 < radii[0] < radii[1] and pairs[0]):
        return Estimate(float("nan"), float("nan"), len(vectors), 0)
    slope = np.log(pairs[1] / pairs[0]) / np.log(radii[1] / radii[0])
    return Estimate(float(slope), float("nan"), len(vectors), 0)


def _pairs_within(x: Vectors, radii: Float[np.ndarray, " radius"]) -> Float[np.ndarray, " radius"]:
    """How many pairs are no farther apart than each radius, in float32, as the radii are."""
    x = (x - x.mean(axis=0)).astype(np.float32)  # what all share would cost digits
    squared = np.einsum("ij,ij->i", x, x)
    counts = np.zeros(len(radii))
    for first in range(0, len(x), BLOCK_ROWS):
        rows = slice(first, first + BLOCK_ROWS)
        of_block = squared[rows, None] + squared[None, first:] - 2 * x[rows] @ x[first:].T
        n_rows = len(of_block)
        for number, limit in enumerate(radii**2 * (1 + TIE)):
            near = of_block <= limit
            # Of the rows among themselves, the pairs of a row and a later one.
            among, later = np.triu(near[:, :n_rows], 1), near[:, n_rows:]
            counts[number] += np.count_nonzero(among) + np.count_nonzero(later)
    return counts
