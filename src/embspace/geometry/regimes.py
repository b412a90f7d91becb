"""Where the nature of a table changes along its axis, and how often chance alone says so.

Segments of constant mean of standardised local features, least squares and a penalty for each
change: Killick, Fearnhead and Eckley (2012), "Optimal detection of changepoints with a linear
computational cost", JASA 107, by the library `ruptures` (Truong, Oudre and Vayatis, 2020).
Neighbouring features are correlated, since vectors are, and a penalty for independent values
would cut every smooth table to pieces. The penalty therefore comes from stationary tables.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from jaxtyping import Bool, Float

from embspace.geometry.directions import unit_rows
from embspace.geometry.position_features import LocalFeatures, local_features

BISECTIONS = 12  # of the range 1 to the total sum of squares: to one part in some 400


def change_points(
    features: LocalFeatures, *, penalty: float, smallest_regime: int
) -> tuple[int, ...]:
    """First positions of all regimes but the first.

    A pair of positions blurs a change over its offset, so each change is moved, within the
    largest offset, to where the pairs on each side alone fit best.

    Args:
        features: Of n positions.
        penalty: Reduction of the sum of squares that one change must bring, in squared robust
            standard deviations.
        smallest_regime: Positions that a regime must have. A table under twice as long has none.
    """
    starts = _segments(features.at_centres(), penalty, smallest_regime)
    ends = [0, *starts, features.values.shape[1]]
    for number in range(1, len(ends) - 1):
        begin, start, end = ends[number - 1 : number + 2]
        ends[number] = _moved(features, begin, start, end, smallest_regime)
    return tuple(ends[1:-1])


def _segments(signal: np.ndarray, penalty: float, smallest_regime: int) -> list[int]:
    import ruptures

    if len(signal) < 2 * smallest_regime:
        return []
    # The linear kernel's cost is the sum of squares; `jump` of 1, so the optimum is exact.
    search = ruptures.KernelCPD(kernel="linear", min_size=smallest_regime, jump=1).fit(signal)
    return [int(end) for end in search.predict(pen=penalty)[:-1]]


def _moved(features: LocalFeatures, begin: int, start: int, end: int, smallest: int) -> int:
    reach = max(features.offsets)
    first = max(start - reach, begin + smallest)
    last = min(start + reach, end - smallest)
    if first > last:
        return start
    costs = [
        _cost(features, begin, candidate) + _cost(features, candidate, end)
        for candidate in range(first, last + 1)
    ]
    return first + int(np.argmin(costs))


def _cost(features: LocalFeatures, begin: int, end: int) -> float:
    """Sum of squares about the mean, of pairs that lie between `begin` and `end` alone."""
    total = 0.0
    for offset, row in zip(features.offsets, features.values, strict=True):
        inside = row[begin : max(begin, end - offset)]
        inside = inside[np.isfinite(inside)]
        total += float(np.sum((inside - inside.mean()) ** 2)) if len(inside) else 0.0
    return total


def silent_penalty(features: LocalFeatures, *, smallest_regime: int) -> float:
    """Smallest penalty at which no change is found, to 2 per cent."""
    signal = features.at_centres()
    low, high = 0.0, float(np.log(1 + np.sum((signal - signal.mean(axis=0)) ** 2)))
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        found = _segments(signal, np.expm1(middle), smallest_regime)
        low, high = (middle, high) if found else (low, middle)
    return float(np.expm1(high))


def stationary_kernel(
    x: Float[np.ndarray, "n dim"], left_out: Bool[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """Mean cosine of two positions by their offset, 0 to n - 1; 0 where no pair is left."""
    unit = unit_rows(x.astype(np.float64))
    cosines = unit @ unit.T
    cosines[left_out] = cosines[:, left_out] = np.nan
    kernel = np.zeros(len(x))
    kernel[0] = 1
    for offset in range(1, len(x)):
        of_pairs = np.diagonal(cosines, offset)
        of_pairs = of_pairs[np.isfinite(of_pairs)]
        kernel[offset] = of_pairs.mean() if len(of_pairs) else 0
    return kernel


def stationary_tables(
    kernel: Float[np.ndarray, " n"], dim: int, n_tables: int, rng: np.random.Generator
) -> Iterator[Float[np.ndarray, "n dim"]]:
    """Gaussian tables whose cosines depend on the offset alone: nothing changes along them.

    Columns are independent. Means over different numbers of pairs need not form a covariance:
    negative eigenvalues are set to zero and the diagonal back to one.
    """
    from scipy.linalg import toeplitz

    eigenvalues, vectors = np.linalg.eigh(toeplitz(kernel))
    root = vectors * np.sqrt(eigenvalues.clip(min=0))
    root /= np.linalg.norm(root, axis=1, keepdims=True)
    for _ in range(n_tables):
        yield root @ rng.normal(size=(len(kernel), dim))


def simulated_features(
    tables: Iterable[np.ndarray], *, offsets: Sequence[int], limit: float
) -> list[LocalFeatures]:
    """`local_features` of each table, nothing left out."""
    return [
        local_features(table, np.zeros(len(table), dtype=np.bool_), offsets=offsets, limit=limit)
        for table in tables
    ]
