"""What the pair scan must find, computed in float64 with all pairs in memory."""

import numpy as np

from embspace.geometry.pairs.distribution import Distribution
from embspace.geometry.pairs.extremes import ORDERS

KEYS = {"largest": np.negative, "smallest": np.positive, "nearest_to_zero": np.abs}
TIE = 2.0**46
LANES = 32


def pairs_of(x: np.ndarray, y: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers of all pairs, in lexicographic order."""
    if y is None:
        return np.triu_indices(len(x), k=1)
    first, second = np.indices((len(x), len(y))).reshape(2, -1)
    return first, second


def values_of(x: np.ndarray, y: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """Each metric of each pair; the cosine without the pairs of a zero row."""
    first, second = pairs_of(x, y)
    a, b = (matrix.astype(np.float64) for matrix in (x[first], (x if y is None else y)[second]))
    dots = (a * b).sum(axis=1)
    norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return {
        "euclidean_distance": np.linalg.norm(a - b, axis=1),
        "dot_product": dots,
        "cosine": dots[norms > 0] / norms[norms > 0],
    }


def extremes_of(
    x: np.ndarray,
    y: np.ndarray | None = None,
    *,
    groups: np.ndarray | None = None,
    n_extremes: int,
) -> list[tuple[int, str, list[int], list[int], list[float]]]:
    """Each list: group, order, first, second, cosine. Cosines within 2^-46 are ties."""
    groups = np.ones((1, len(x)), dtype=bool) if groups is None else groups
    first, second = pairs_of(x, y)
    other = x if y is None else y
    directed = x.any(axis=1)[first] & other.any(axis=1)[second]
    first, second = first[directed], second[directed]
    cosine = np.round(values_of(x, y)["cosine"] * TIE) / TIE
    lists = []
    for group, members in enumerate(groups):
        inside = members[first] & (members[second] if y is None else True)
        for order in ORDERS:
            kept = np.flatnonzero(inside)
            key = KEYS[order](cosine[kept])
            best = kept[np.lexsort((second[kept], first[kept], key))[:n_extremes]]
            columns = (column[best].tolist() for column in (first, second, cosine))
            lists.append((group, order, *columns))
    return lists


def distances_of(x: np.ndarray, row: int) -> np.ndarray:
    """From one row to all, in the order of summation of `_neighbor_loops._distances`."""
    squares = (x[row].astype(np.float64) - x.astype(np.float64)) ** 2
    squares = np.pad(squares, ((0, 0), (0, -x.shape[1] % LANES)))
    sums = np.zeros((len(x), LANES))
    for begin in range(0, squares.shape[1], LANES):
        sums = sums + squares[:, begin : begin + LANES]
    while sums.shape[1] > 1:
        half = sums.shape[1] // 2
        sums = sums[:, :half] + sums[:, half:]
    return np.sqrt(sums[:, 0])


def neighbors_of(x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices and distances of the `k` nearest of each row; ties go to the smaller index."""
    indices, distances = [], []
    for row in range(len(x)):
        distance = distances_of(x, row)
        order = np.argsort(distance, kind="stable")
        order = order[order != row][:k]
        indices.append(order)
        distances.append(distance[order])
    return np.array(indices), np.array(distances)


def assert_counted(distribution: Distribution, values: np.ndarray, tolerance: np.ndarray) -> None:
    """Each value lies in its bin, or nearer than its tolerance to the bin where it was counted.

    So the number of values under an edge lies between those of the values moved up and down.
    """
    assert distribution.n == len(values)
    under = distribution.counts.cumsum()[:-1]
    inner = distribution.edges[1:-1]
    fewest = np.searchsorted(np.sort(values + tolerance), inner)
    most = np.searchsorted(np.sort(values - tolerance), inner)
    assert (fewest <= under).all()
    assert (under <= most).all()


def rounding(x: np.ndarray, y: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """How far each metric of each pair may be off in float32: some five times what is seen."""
    first, second = pairs_of(x, y)
    a = np.linalg.norm(x.astype(np.float64), axis=1)[first]
    b = np.linalg.norm((x if y is None else y).astype(np.float64), axis=1)[second]
    distance, size = values_of(x, y)["euclidean_distance"], np.hypot(a, b)
    # The error is in the square of the distance, except where it is small.
    distance_error = 1e-6 * size**2 / np.maximum(distance, size / 40 + 1e-30)
    return {
        "euclidean_distance": distance_error,
        "dot_product": 2e-6 * a * b,
        "cosine": np.full(np.count_nonzero(a * b), 2e-6),
    }
