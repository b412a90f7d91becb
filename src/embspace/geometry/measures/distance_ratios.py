"""Measures of the family `intrinsic_dimension` at a chosen scale (Gride)."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.measures.declaration import Estimate, measure
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of, ratios_of_distances
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.types import Vectors

SMALLEST, LARGEST = 1e-3, 1e5  # what a dimension is looked for between
TOLERANCE = 1e-15  # of 1 over a dimension


@measure(
    "intrinsic_dimension",
    formula=r"\arg\max_d \sum_i \log \frac{d\, (\mu_i^d - 1)^{k - 1}}"
    r"{B(k, k)\, \mu_i^{(2k - 1) d + 1}},\quad \mu_i = r_{2k}(x_i) / r_k(x_i)",
    range=r"(0,\ \infty)",
    source="Denti et al. 2022, The generalized ratios intrinsic dimension estimator, equation 6",
    invariant_to=["rotation", "scale", "translation"],
    bias="Downwards in many dimensions, more so at larger scales; noise raises it at small ones.",
    shared="neighbors",
)
def gride(x: Vectors | NeighborGraph, *, k: int = 2) -> Estimate:
    """Maximum-likelihood dimension from the ratios of the 2k-th to the k-th distance.

    `k` sets the scale: 1 is TwoNN by maximum likelihood, bias included; doubling `k` looks twice as
    many neighbors away. The standard error, by the likelihood's curvature, is too small for k > 1,
    where neighborhoods overlap. Vectors with k equal vectors are dropped. NaN where nearly all
    distances are equal.

    Raises:
        ValueError: `k` under 1, or 2k over n - 1.

    Examples:
        >>> import numpy as np
        >>> round(gride(np.random.default_rng(0).uniform(size=(2000, 2)), k=4).value, 1)
        2.0
    """
    from scipy.optimize import brentq

    if k < 1:
        raise ValueError(f"k: expected at least 1, found {k}")
    distances = neighbor_graph_of(x, 2 * k).distances
    near = distances[:, k - 1] > 0
    log_ratio = np.log(ratios_of_distances(distances[near, 2 * k - 1], distances[near, k - 1]))
    dropped = int((~near).sum())
    if not log_ratio.any() or _slope(LARGEST, log_ratio, k) > 0:
        return Estimate(float("nan"), float("nan"), len(log_ratio), dropped)
    value = 1 / brentq(
        # By 1 / d the slope is nearly a line: a third of the steps that it takes by d.
        lambda inverse: _slope(1 / inverse, log_ratio, k),
        1 / LARGEST,
        1 / SMALLEST,
        xtol=TOLERANCE,
    )
    error = 1 / np.sqrt(_curvature(value, log_ratio, k))
    return Estimate(value, float(error), len(log_ratio), dropped)


def gride_by_scale(x: Vectors | NeighborGraph, *, largest_k: int) -> dict[int, Estimate]:
    """`gride` at k = 1, 2, 4, ... up to `largest_k`, from one graph.

    A cloud with the same dimension at all scales gives a plateau; for a thin cloud the curve falls
    from the dimension of the noise at small scales.

    Raises:
        ValueError: `largest_k` under 1, or twice `largest_k` over n - 1.
    """
    if largest_k < 1:
        raise ValueError(f"largest_k: expected at least 1, found {largest_k}")
    scales = [2**power for power in range(largest_k.bit_length()) if 2**power <= largest_k]
    graph = neighbor_graph_of(x, 2 * scales[-1])
    return {k: gride(graph, k=k) for k in scales}


def _slope(d: float, log_ratio: Float[np.ndarray, " n"], k: int) -> float:
    """Derivative of the log likelihood of n ratios by the dimension, over n."""
    # mu^d / (mu^d - 1), without overflow; where mu is 1 its product with log mu is 1 / d.
    inner = _times(log_ratio, d)
    return float(1 / d + (k - 1) * inner.mean() - (2 * k - 1) * log_ratio.mean())


def _times(log_ratio: Float[np.ndarray, " n"], d: float) -> Float[np.ndarray, " n"]:
    scaled = log_ratio * d
    small = scaled < 1e-8
    return np.where(small, 1 / d, log_ratio / np.where(small, 1, -np.expm1(-scaled)))


def _curvature(d: float, log_ratio: Float[np.ndarray, " n"], k: int) -> float:
    """Less the second derivative of the log likelihood."""
    # (d log mu)^2 mu^d / (mu^d - 1)^2, which is 1 where mu is 1 and 0 where it is large.
    half = np.clip(log_ratio * d / 2, 1e-6, 300)
    return float((len(log_ratio) + (k - 1) * ((half / np.sinh(half)) ** 2).sum()) / d**2)
