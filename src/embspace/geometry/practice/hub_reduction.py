"""Similarities with fewer hubs than the cosine, and neighbors by similarity."""

from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.pairs.door import takes_arrays

Reduction = Literal["cosine", "local_scaling", "mutual_proximity", "csls"]
REDUCTIONS: tuple[Reduction, ...] = ("cosine", "local_scaling", "mutual_proximity", "csls")
BLOCK_NUMBERS = 2**22  # similarities in memory at once


class Scales(NamedTuple):
    """Distances and cosines of a vector to further vectors, for reductions of hubs."""

    kth_distance: Float[np.ndarray, " n"]
    """Euclidean distance of directions to the k-th nearest."""
    mean_near_cosine: Float[np.ndarray, " n"]
    """Mean cosine with the k nearest."""
    mean_distance: Float[np.ndarray, " n"]
    """Mean distance to all, and the standard deviation."""
    deviation: Float[np.ndarray, " n"]

    def rows(self, chosen: slice) -> "Scales":
        """Return the scales of some vectors."""
        return Scales(*(part[chosen] for part in self))


@takes_arrays(single=True)
def scales_among(
    x: Float[np.ndarray, "n dim"],
    among: Float[np.ndarray, "m dim"],
    *,
    k: int,
    is_same: bool = False,
) -> Scales:
    """Return the scales of the directions of `x` among the directions of `among`.

    With `is_same`, `x` and `among` are the same vectors, and a vector is no neighbor of its own.

    Raises:
        ValueError: `k` under 1, or over the number of vectors to compare with.
    """
    n_others = len(among) - is_same
    _check_k(k, n_others)
    unit, others = unit_rows(x), unit_rows(among)
    parts = []
    for begin in range(0, len(unit), step := _step(len(others))):
        cosine = _cosines(unit[begin : begin + step], others)
        distance = np.sqrt(2 - 2 * cosine)
        if is_same:
            rows = np.arange(len(cosine))
            cosine[rows, begin + rows] = -np.inf
            distance[rows, begin + rows] = 0
        near = -np.partition(-cosine, k - 1, axis=1)[:, :k]
        mean = distance.sum(axis=1) / n_others
        square = np.square(distance).sum(axis=1) / n_others
        kth = np.sqrt((2 - 2 * near.min(axis=1)).clip(min=0))
        parts.append((kth, near.mean(axis=1), mean, np.sqrt((square - mean**2).clip(min=0))))
    return Scales(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def reduced_similarity(
    cosine: Float[np.ndarray, "n m"], left: Scales, right: Scales, reduction: Reduction
) -> Float[np.ndarray, "n m"]:
    """Return the similarities of a reduction of hubs, larger for more similar vectors.

    `cosine` unchanged; `local_scaling`, -d^2 / (s_i s_j), the exponent of Zelnik-Manor and Perona
    (2004), with d the distance of directions and s the distance to the k-th neighbor;
    `mutual_proximity`, log P(D_i > d) P(D_j > d) with D_i Gaussian with the moments of all
    distances from i (Schnitzer et al. 2012, JMLR 13, with independent Gaussians); `csls`, 2 cosine
    - r_i - r_j with r the mean cosine with the k nearest (Lample et al. 2018).
    """
    if reduction == "cosine":
        return cosine
    if reduction == "csls":
        near = left.mean_near_cosine[:, None] + right.mean_near_cosine
        return np.asarray(2 * cosine - near)
    squared = (2 - 2 * cosine).clip(min=0)
    if reduction == "local_scaling":
        scale = left.kth_distance[:, None] * right.kth_distance
        # Of a vector with k equal ones: nearer than any scale to those, and to no other.
        return -np.divide(squared, scale, where=scale > 0, out=np.where(squared > 0, np.inf, 0.0))
    from scipy.special import log_ndtr

    distance = np.sqrt(squared)
    proximity = np.zeros_like(distance)
    for part, axis in ((left, 1), (right, 0)):
        mean, deviation = (np.expand_dims(moment, axis) for moment in (part[2], part[3]))
        proximity += log_ndtr((mean - distance) / np.maximum(deviation, 1e-12))
    return proximity


@takes_arrays(single=True)
def nearest_by(
    x: Float[np.ndarray, "n dim"],
    *,
    k: int,
    reduction: Reduction,
    scale_k: int = 10,
    document: Int[np.ndarray, " n"] | None = None,
) -> Int[np.ndarray, "n k"]:
    """Return the `k` most similar further vectors per vector, in no order.

    All vectors are compared, in blocks. `scale_k` neighbors make the scales. With `document`, the
    number of each vector's document, only vectors of further documents are neighbors.

    Raises:
        ValueError: `k` or `scale_k` under 1, or over the number of vectors to compare with.
    """
    document = np.arange(len(x)) if document is None else document
    _check_k(k, len(x) - int(np.unique(document, return_counts=True)[1].max()))
    unit = unit_rows(x)
    is_plain = reduction == "cosine"
    scales = None if is_plain else scales_among(x, x, k=scale_k, is_same=True)
    nearest = np.empty((len(unit), k), dtype=np.int64)
    for begin in range(0, len(unit), step := _step(len(unit))):
        block = slice(begin, begin + step)
        similarity = _cosines(unit[block], unit)
        if scales is not None:
            similarity = reduced_similarity(similarity, scales.rows(block), scales, reduction)
        similarity[document[block, None] == document] = -np.inf
        nearest[block] = np.argpartition(-similarity, k - 1, axis=1)[:, :k]
    return nearest


def k_occurrences(nearest: Int[np.ndarray, "n k"]) -> Int[np.ndarray, " n"]:
    """Return the number of times a vector is among the nearest of a vector; the mean is k."""
    return np.bincount(nearest.ravel(), minlength=len(nearest))


def occurrence_skewness(occurrences: Int[np.ndarray, " n"]) -> float:
    """Return the skewness of k-occurrences, Radovanovic et al.'s hubness; NaN if all are equal."""
    centered = occurrences - occurrences.mean()
    variance = np.square(centered).mean()
    return float((centered**3).mean() / variance**1.5) if variance else float("nan")


def _cosines(
    unit: Float[np.ndarray, "n dim"], others: Float[np.ndarray, "m dim"]
) -> Float[np.ndarray, "n m"]:
    # A float32 product is rounded more coarsely than a change of scale may be.
    return np.clip((unit @ others.T).astype(np.float64), -1, 1)


def _step(n: int) -> int:
    return max(1, BLOCK_NUMBERS // n)


def _check_k(k: int, most: int) -> None:
    if not 1 <= k <= most:
        raise ValueError(f"k: expected 1 to {most}, the other vectors, found {k}")
