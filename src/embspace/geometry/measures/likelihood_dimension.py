"""Measures of the family `intrinsic_dimension` by the likelihood of distances to k neighbors."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.measures.declaration import Estimate, measure
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.types import Vectors

CURVED = "Downwards, more so in many dimensions and with many neighbors, which are farther."


def local_dimensions(x: Vectors | NeighborGraph, *, k: int = 20) -> Float[np.ndarray, " n"]:
    """Return the local dimension per vector, from the distances to the `k` nearest neighbors.

    Levina and Bickel 2004, "Maximum likelihood estimation of intrinsic dimension", equation 9, with
    k - 2 in the place of k - 1 to remove the bias (the authors' remark). NaN for a vector with an
    equal vector, and where all distances are the same.

    Raises:
        ValueError: `k` under 3 or over n - 1.
    """
    logs = _summed_logs(x, k)
    return np.divide(k - 2, logs, out=np.full_like(logs, np.nan), where=logs > 0)


@measure(
    "intrinsic_dimension",
    formula=r"\left( \frac{1}{n (k - 1)} \sum_i \sum_{j < k} \log \frac{r_k(x_i)}{r_j(x_i)} "
    r"\right)^{-1}",
    range=r"(0,\ \infty)",
    source="MacKay and Ghahramani 2005, on Levina and Bickel 2004",
    invariant_to=["rotation", "scale", "translation"],
    bias=CURVED,
    shared="neighbors",
)
def mle_dimension(x: Vectors | NeighborGraph, *, k: int = 20) -> Estimate:
    """Maximum-likelihood dimension from the distances to `k` neighbors of all vectors.

    A single likelihood for all vectors: inverses are averaged, not dimensions. Standard error: NaN,
    for distances about different vectors are not independent. Vectors with an equal vector, and
    vectors with all distances the same, are dropped.

    Raises:
        ValueError: `k` under 3 or over n - 1.

    Examples:
        >>> import numpy as np
        >>> round(mle_dimension(np.random.default_rng(0).uniform(size=(2000, 2))).value, 1)
        1.9
    """
    logs = _summed_logs(x, k)
    defined = logs > 0
    value = float((k - 1) / logs[defined].mean()) if defined.any() else float("nan")
    return Estimate(value, float("nan"), int(defined.sum()), int((~defined).sum()))


@measure(
    "intrinsic_dimension",
    formula=r"\frac{1}{n} \sum_i \left( \frac{1}{k - 2} \sum_{j < k} \log "
    r"\frac{r_k(x_i)}{r_j(x_i)} \right)^{-1}",
    range=r"(0,\ \infty)",
    source="Levina and Bickel 2004, equations 9 and 10",
    invariant_to=["rotation", "scale", "translation"],
    bias=CURVED,
    shared="neighbors",
)
def mean_local_dimension(x: Vectors | NeighborGraph, *, k: int = 20) -> Estimate:
    """Mean of the local dimensions, from the distances to `k` neighbors.

    Above `mle_dimension` where the dimension differs between places: the mean is over dimensions,
    not over inverses. Drops the same vectors.

    Raises:
        ValueError: `k` under 3 or over n - 1.

    Examples:
        >>> import numpy as np
        >>> round(mean_local_dimension(np.random.default_rng(0).uniform(size=(2000, 2))).value, 1)
        1.9
    """
    local = local_dimensions(x, k=k)
    defined = ~np.isnan(local)
    value = float(local[defined].mean()) if defined.any() else float("nan")
    return Estimate(value, float("nan"), int(defined.sum()), int((~defined).sum()))


def _summed_logs(x: Vectors | NeighborGraph, k: int) -> Float[np.ndarray, " n"]:
    """Return each vector's sum of log r_k / r_j over j < k; NaN where r_1 is 0."""
    if k < 3:
        raise ValueError(f"k: expected at least 3 neighbors, found {k}")
    distances = neighbor_graph_of(x, k).distances
    near = distances[:, 0] > 0
    logs = np.full(len(distances), np.nan)
    logs[near] = np.log(distances[near, -1:] / distances[near, :-1]).sum(axis=1)
    return logs
