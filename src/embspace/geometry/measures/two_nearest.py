"""Measures of the family `intrinsic_dimension` by the two nearest neighbors (TwoNN).

In a locally uniform cloud of d dimensions, the ratio mu = r2 / r1 of the distances to the second
and to the first neighbor has P(mu > m) = m^-d, whatever the density. Papers and programs fit a
line, or a likelihood, to the ratios in different ways, with results that differ by some percent of
d: every way has a separate name. The scatter for 2,000 vectors is as large. All raise a ValueError
for fewer than 3 vectors. If all vectors are equal, no ratio is defined, and the value is NaN.

Points of a grid are not locally uniform: both distances are equal up to rounding, and the value is
NaN or meaningless (1e6 for points evenly spaced on a line).
"""

import math
from functools import partial

import numpy as np
from jaxtyping import Float

from embspace.geometry.measures.declaration import Estimate, measure
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of, ratios_of_distances
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.types import Vectors

Ratios = Float[np.ndarray, " ratio"]
FACCO = "Facco et al. 2017, Estimating the intrinsic dimension of datasets by a minimal "
FACCO += "neighborhood information"
CURVED = "Downwards, more so in many dimensions: neighbors are not near, and edges cut them off."
# Rounding to float32 changes the distance of neighbors that are a thousandth as far from each other
# as from the mean by 1e-4. No vectors have ratios so near to 1: that would be 10,000 dimensions.
ROUNDED = 1e-4
# What every measure of this module declares.
ratio_measure = partial(
    measure,
    "intrinsic_dimension",
    range=r"(0,\ \infty)",
    invariant_to=["rotation", "scale", "translation"],
    shared="neighbors",
)


@ratio_measure(
    formula=r"\frac{\sum_i \log \mu_i \cdot (-\log(1 - F_i))}{\sum_i (\log \mu_i)^2},\quad "
    r"F_i = i / n,\ i < n",
    source=FACCO + ", all ratios but the last",
    bias=CURVED,
)
def two_nn(x: Vectors | NeighborGraph) -> Estimate:
    """Slope of the line through the origin, fitted to all ratios but the largest.

    The largest has F = 1 and an infinite logarithm. Vectors with a copy have no ratio and are
    dropped. A vector with two equal vectors as neighbors has the ratio 1, which raises the result:
    take every vector once. Standard error: NaN, for the points on the line are sorted.

    Examples:
        >>> import numpy as np
        >>> round(two_nn(np.random.default_rng(0).uniform(size=(2000, 2))).value, 1)
        2.0
    """
    return _by_line(x, share_kept=1.0)


@ratio_measure(
    formula=r"\text{as } \texttt{two\_nn}, \text{ over the } (1 - f)\, n \text{ smallest ratios}",
    source=FACCO + ", discarding the largest ratios, f = 0.1",
    bias=CURVED,
)
def two_nn_discarding(x: Vectors | NeighborGraph, *, discard_fraction: float = 0.1) -> Estimate:
    """`two_nn` without the largest ratios, typical of stray vectors.

    As in scikit-dimension. Vectors with a copy are dropped, too.

    Raises:
        ValueError: `discard_fraction` is not in [0, 1).

    Examples:
        >>> import numpy as np
        >>> round(two_nn_discarding(np.random.default_rng(0).uniform(size=(2000, 2))).value, 1)
        2.0
    """
    if not 0 <= discard_fraction < 1:
        raise ValueError(f"discard_fraction: expected a share in [0, 1), found {discard_fraction}")
    return _by_line(x, share_kept=1 - discard_fraction)


@ratio_measure(
    formula=r"\text{as } \texttt{two\_nn}, \text{ over the lowest fifth, } F_i = (u + i)/(u + n),\ "
    r"u \text{ equal vectors and ratios of } 1",
    source="LLM-Microscope, the later code of the group of Razzhigaev et al. 2024",
    bias=CURVED + " Equal vectors keep their weight in F, which raises it.",
)
def two_nn_lowest_fifth_as_coded(x: Vectors | NeighborGraph) -> Estimate:
    """`two_nn` over the lowest fifth of the ratios, as in the group's published code.

    Ratios of 1 and of equal vectors are dropped, but counted below all other ratios in F. Distances
    under 1e-8 of the mean norm count as 0; different vectors in float32 have larger distances.

    Examples:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).uniform(size=(2000, 2))
        >>> two_nn_lowest_fifth_as_coded(x).n
        400
    """
    graph = _two_nearest(x)
    first, second = graph.distances.T
    near = first > 0
    ratio = np.sort(ratios_of_distances(second[near], first[near]))
    ratio = ratio[ratio > 1]
    u, n = graph.n - len(ratio), len(ratio)
    kept = n // 5
    share = (u + np.arange(1, kept + 1)) / graph.n
    return Estimate(_slope(ratio[:kept], share), float("nan"), kept, graph.n - kept)


@ratio_measure(
    formula=r"\frac{n - 1}{\sum_i \log \mu_i}",
    source="Denti et al. 2022, The generalized ratios intrinsic dimension estimator, section 2",
    bias=CURVED,
)
def two_nn_maximum_likelihood(x: Vectors | NeighborGraph) -> Estimate:
    """The dimension under which the ratios are most likely, less its bias for n ratios.

    The standard error, d / sqrt(n - 2), is for independent ratios. Ratios of neighbors are
    dependent: on a plane, new samples scatter some 1.4 times as far. Vectors with a copy are
    dropped.

    Examples:
        >>> import numpy as np
        >>> found = two_nn_maximum_likelihood(np.random.default_rng(0).uniform(size=(2000, 2)))
        >>> round(found.value, 1), round(found.standard_error, 2)
        (2.0, 0.04)
    """
    ratios, dropped = _ratios(x)
    n, total = len(ratios), np.log(ratios).sum()
    if n < 3 or not total:
        return Estimate(float("nan"), float("nan"), n, dropped)
    value = float((n - 1) / total)
    return Estimate(value, value / math.sqrt(n - 2), n, dropped)


def _two_nearest(x: Vectors | NeighborGraph) -> NeighborGraph:
    if not isinstance(x, NeighborGraph) and len(x) < 3:
        raise ValueError(f"x: expected 3 vectors or more, two others for each, found {len(x)}")
    return neighbor_graph_of(x, 2)


def _ratios(x: Vectors | NeighborGraph) -> tuple[Ratios, int]:
    """Sorted ratios of the second distance to the first, and how many have none."""
    first, second = _two_nearest(x).distances.T
    near = first > 0
    return np.sort(ratios_of_distances(second[near], first[near])), int((~near).sum())


def _by_line(x: Vectors | NeighborGraph, share_kept: float) -> Estimate:
    ratios, dropped = _ratios(x)
    n = len(ratios)
    kept = min(int(n * share_kept), n - 1)
    value = _slope(ratios[: max(kept, 0)], np.arange(1, kept + 1) / max(n, 1))
    return Estimate(value, float("nan"), max(kept, 0), dropped + n - max(kept, 0))


def _slope(ratios: Ratios, shares: Float[np.ndarray, " ratio"]) -> float:
    """Return the slope of the line through the origin; NaN where ratios are 1 but for rounding.

    The root mean square of the logarithms is then at most `ROUNDED`, as for evenly spaced points.
    """
    log_ratio = np.log(ratios)
    total = float(log_ratio @ log_ratio)
    if total <= len(log_ratio) * ROUNDED**2:
        return float("nan")
    return float(log_ratio @ -np.log1p(-shares)) / total
