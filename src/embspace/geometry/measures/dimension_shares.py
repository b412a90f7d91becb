"""Measures of the family `direction` that look at single coordinates."""

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.measures.declaration import measure
from embspace.geometry.measures.direction_sums import DirectionSums, direction_sums_of
from embspace.geometry.pairs.types import Vectors

ROUNDING = 1e-12  # of a mean cosine, or of the mean length


def dimension_contributions(x: Vectors | DirectionSums) -> Float[np.ndarray, " dim"]:
    """Return the contribution of every coordinate to the mean cosine of all pairs.

    The contributions sum to the mean cosine. Timkey and van Schijndel 2021, "All bark and no bite",
    equations 4 and 5, in the paper over sampled pairs. NaN of fewer than two vectors with a
    direction.
    """
    sums = direction_sums_of(x)
    n = sums.n_directed
    if n < 2:
        return np.full(len(sums.total), np.nan)
    return (sums.unit_total**2 - sums.unit_squares) / (n * (n - 1))


@measure(
    "direction",
    formula=r"\max_k \frac{c_k}{\sum_l c_l},\quad c_k = \frac{1}{n(n-1)} \sum_{i \ne j} u_{ik} "
    r"u_{jk},\quad u_i = x_i / |x_i|",
    range=r"[1/d,\ 1]\ \text{if all } c_k \ge 0",
    source="Timkey and van Schijndel 2021, equation 5",
    invariant_to=["scale", "lengths"],
    bias="Upwards where the mean cosine is near 0, which it is divided by.",
    shared="directions",
)
def top_dimension_share(x: Vectors | DirectionSums) -> float:
    """Largest share of the mean cosine from a single coordinate.

    Near 1, one coordinate makes the mean cosine. NaN where the mean cosine is not positive.

    Examples:
        >>> import numpy as np
        >>> top_dimension_share(np.array([[3.0, 1.0], [3.0, -1.0], [3.0, 1.0], [3.0, -1.0]]))
        1.038...
    """
    contributions = dimension_contributions(x)
    total = contributions.sum()
    return float(contributions.max() / total) if total > ROUNDING else float("nan")


def outlier_dimensions(
    x: Vectors | DirectionSums, *, threshold: float = 3.0
) -> Int[np.ndarray, " outlier"]:
    """Return the coordinates with a mean far from the remaining means, farthest first.

    Far is more than `threshold` standard deviations of the means from the average mean (Kovaleva et
    al. 2021, "BERT busters", section 3, for parameters). Empty where all means are equal up to
    rounding, as in standardized vectors.

    Raises:
        ValueError: `threshold` is not positive.
    """
    if not threshold > 0:
        raise ValueError(f"threshold: expected a positive number, found {threshold}")
    sums = direction_sums_of(x)
    means = sums.total / sums.n
    distance, spread = np.abs(means - means.mean()), means.std()
    order = np.argsort(-distance, kind="stable")
    if spread <= ROUNDING * sums.total_norm / sums.n:
        return order[:0]
    return order[distance[order] > threshold * spread]


@measure(
    "direction",
    formula=r"\#\{k : |m_k - \bar m| > 3\, s\},\quad m = \frac{1}{n} \sum_i x_i",
    range=r"[0,\ d/9]",
    source="Kovaleva et al. 2021, section 3, for parameters; here of vectors",
    invariant_to=["scale"],
    bias="None to speak of, once the means of coordinates are known better than they differ.",
    shared="directions",
)
def n_outlier_dimensions(x: Vectors | DirectionSums) -> float:
    """Return the number of coordinates with a mean over 3 standard deviations from the average.

    `outlier_dimensions` names the coordinates. At most a ninth, by Chebyshev's inequality.

    Examples:
        >>> import numpy as np
        >>> n_outlier_dimensions(np.array([[0.0] * 15 + [9.0]] * 2))
        1.0
    """
    return float(len(outlier_dimensions(x)))
