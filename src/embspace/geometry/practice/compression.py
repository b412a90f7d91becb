"""Vectors with fewer coordinates or coarser numbers, and similarities of the results."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.pairs.door import takes_arrays
from embspace.geometry.practice.links import shares_given

STEPS = 255  # of int8
OVERSAMPLED = 4  # candidates by sign bits a wanted row, before rescoring


@takes_arrays()
def principal_axes(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "dim dim"]:
    """Return the principal axes of `x` as columns, the largest variance first.

    Axes of the uncentered second moments, for the sake of cosines.
    """
    return np.linalg.eigh(x.T @ x)[1][:, ::-1]


@dataclass(frozen=True, eq=False)
class Int8Ranges:
    """Ranges of coordinates in 255 steps, as in sentence-transformers."""

    low: Float[np.ndarray, " dim"]
    step: Float[np.ndarray, " dim"]

    @classmethod
    def of(cls, x: Float[np.ndarray, "n dim"]) -> "Int8Ranges":
        """Return the ranges of vectors to calibrate by."""
        low, high = x.min(axis=0), x.max(axis=0)
        return cls(low, (high - low) / STEPS)

    def codes(self, x: Float[np.ndarray, "n dim"]) -> Int[np.ndarray, "n dim"]:
        """Return codes from -128 to 127; values beyond the ranges take the nearest code."""
        step = np.where(self.step > 0, self.step, 1)
        return (np.clip(np.floor((x - self.low) / step), 0, STEPS) - 128).astype(np.int8)

    def vectors(self, codes: Int[np.ndarray, "n dim"]) -> Float[np.ndarray, "n dim"]:
        """Return vectors for codes: the middle of all numbers with a code."""
        middle = self.low + (codes.astype(np.float64) + 128.5) * self.step
        return np.where(self.step > 0, middle, self.low)


def hamming_similarity(
    x: Float[np.ndarray, "n dim"], y: Float[np.ndarray, "m dim"]
) -> Float[np.ndarray, "n m"]:
    """Return the share of coordinates with the same sign bit."""
    return (1 + sign_vectors(x) @ sign_vectors(y).T / x.shape[1]) / 2


def sign_vectors(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n dim"]:
    """Return 1 for positive coordinates, else -1."""
    return np.where(x > 0, 1.0, -1.0)


def rescored_similarity(
    x: Float[np.ndarray, "n dim"], y: Float[np.ndarray, "m dim"], n_wanted: int
) -> Float[np.ndarray, "n m"]:
    """Return similarities of vectors `x` with sign bits of `y`, in two steps.

    The `4 n_wanted` nearest by bits are ordered by the dot product of `x` with the signs of `y`, as
    sentence-transformers rescores; the remaining rows follow, by bits. Only bits of `y` are kept.
    """
    by_bits = hamming_similarity(x, y)
    n_rescored = min(OVERSAMPLED * n_wanted, len(y))
    rows = np.arange(len(x))[:, None]
    first = np.argpartition(-by_bits, n_rescored - 1, axis=1)[:, :n_rescored]
    signs = sign_vectors(y) / np.sqrt(y.shape[1])
    scores = unit_rows(x.astype(np.float64)) @ signs.T
    rescored = by_bits.copy()
    rescored[rows, first] = 2 + scores[rows, first]
    return rescored


def scores_of_neighbors_kept(
    exact: Int[np.ndarray, "n k"], nearest: Int[np.ndarray, "n k"]
) -> Float[np.ndarray, " n"]:
    """Return scores of rows whose mean is the share of exact neighbors in `nearest`.

    A row's score is its own share plus its effect on the shares of others, by `shares_given`, so
    that a score may lie outside [0, 1].
    """
    kept = np.array(
        [np.isin(own, other) for own, other in zip(exact, nearest, strict=True)], dtype=bool
    )
    scores: np.ndarray = kept.mean(axis=1) + shares_given(exact, kept, len(exact))
    return scores


PairScores = Callable[
    [Float[np.ndarray, "n dim"], Float[np.ndarray, "m dim"]], Float[np.ndarray, "n m"]
]


def nearest_by_scores(
    x: Float[np.ndarray, "n dim"],
    document: Int[np.ndarray, " n"],
    scores: PairScores,
    k: int,
    block: int = 1024,
) -> Int[np.ndarray, "n k"]:
    """Return the `k` rows of further documents with the largest scores per row, in no order."""
    nearest = np.empty((len(x), k), dtype=np.int64)
    for begin in range(0, len(x), block):
        similarity = np.array(scores(x[begin : begin + block], x))
        similarity[document[begin : begin + block, None] == document] = -np.inf
        nearest[begin : begin + block] = np.argpartition(-similarity, k - 1, axis=1)[:, :k]
    return nearest
