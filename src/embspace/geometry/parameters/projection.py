"""Vectors of a model's width, read in its vocabulary by their scores with every token's vector.

Dar, Geva, Gupta and Berant 2023, Analyzing Transformers in Embedding Space (ACL), section 3.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Int

Inverse = Literal["transpose", "pseudo_inverse"]
BLOCK = 256  # rows at once: with 250,000 tokens a quarter of a gigabyte


@dataclass(frozen=True, eq=False)
class TopTokens:
    """The tokens of the highest scores of every vector, highest first."""

    token: Int[np.ndarray, "row k"]
    score: Float[np.ndarray, "row k"]
    opposite_token: Int[np.ndarray, "row k"]
    """The tokens of lowest scores, lowest first: the tokens of the vector times -1."""
    opposite_score: Float[np.ndarray, "row k"]


def token_readers(
    embedding: Float[np.ndarray, "token dim"], inverse: Inverse
) -> Float[np.ndarray, "token dim"]:
    """Return the matrix R, in float32, whose products R v are the scores of a vector v.

    `transpose`: the embedding matrix E. `pseudo_inverse`: E (E^T E)^+, the transposed
    pseudo-inverse of E^T, by which the scores of E^T c, c a token's indicator, come nearest to c.
    Directions of E with less than 1e-6 of the largest singular value are left out.
    """
    if inverse == "transpose":
        return np.asarray(embedding, dtype=np.float32)
    wide = np.asarray(embedding, dtype=np.float64)
    gram = wide.T @ wide
    # The Gram matrix has the squares of the singular values.
    return (wide @ np.linalg.pinv(gram, rcond=1e-12, hermitian=True)).astype(np.float32)


def score_blocks(
    vectors: Float[np.ndarray, "row dim"], readers: Float[np.ndarray, "token dim"]
) -> Iterator[tuple[slice, Float[np.ndarray, "_ token"]]]:
    """Yield the scores of vectors, some rows at a time, to spare memory."""
    for start in range(0, len(vectors), BLOCK):
        rows = slice(start, min(start + BLOCK, len(vectors)))
        yield rows, np.asarray(vectors[rows], dtype=np.float32) @ readers.T


def top_tokens(
    vectors: Float[np.ndarray, "row dim"],
    readers: Float[np.ndarray, "token dim"],
    k: int,
    allowed: Bool[np.ndarray, " token"] | None = None,
) -> TopTokens:
    """Return the `k` allowed tokens of highest score of every vector and of its negation.

    Scores keep the sign: a strongly negative score is not high.

    Raises:
        ValueError: if fewer than `k` tokens are allowed.
    """
    ids = np.arange(len(readers)) if allowed is None else np.flatnonzero(allowed)
    if not 0 < k <= len(ids):
        raise ValueError(f"k: found {k}, allowed: 1 to the {len(ids)} tokens that may be named")
    chosen = np.ascontiguousarray(readers[ids])
    shape = (len(vectors), k)
    top = TopTokens(*(np.empty(shape, dtype) for dtype in (np.int64, np.float32) * 2))
    for rows, scores in score_blocks(vectors, chosen):
        at = highest(scores, k)
        top.token[rows] = ids[at]
        top.score[rows] = np.take_along_axis(scores, at, axis=1)
        np.negative(scores, out=scores)
        at = highest(scores, k)
        top.opposite_token[rows] = ids[at]
        top.opposite_score[rows] = np.take_along_axis(scores, at, axis=1)
    return top


def highest(scores: Float[np.ndarray, "row token"], k: int) -> Int[np.ndarray, "row k"]:
    """Return the columns of the `k` highest numbers of every row, highest first, ties by column."""
    if k >= scores.shape[1]:
        return np.argsort(-scores, axis=1, kind="stable")[:, :k]
    columns = np.empty((len(scores), k), np.int64)
    for row, bound, chosen in zip(scores, _reached_by(scores, k), columns, strict=True):
        candidates = np.flatnonzero(row >= bound)
        order = np.argsort(-row[candidates], kind="stable")
        chosen[:] = candidates[order[:k]]
    return columns


def kth_highest(scores: Float[np.ndarray, "row token"], k: int) -> Float[np.ndarray, " row"]:
    """Return the `k`-th highest score of every row; more than `k` may reach it by ties.

    Raises:
        ValueError: if a row has fewer than `k` scores.
    """
    if not 0 < k <= scores.shape[1]:
        raise ValueError(f"k: found {k}, allowed: 1 to the {scores.shape[1]} scores of a row")
    kth = np.empty(len(scores), scores.dtype)
    for at, (row, bound) in enumerate(zip(scores, _reached_by(scores, k), strict=True)):
        candidates = row[row >= bound]
        kth[at] = np.partition(candidates, len(candidates) - k)[len(candidates) - k]
    return kth


def _reached_by(scores: Float[np.ndarray, "row token"], k: int) -> Float[np.ndarray, " row"]:
    """Return, for every row, a number that `k` of its scores, or a few more, reach.

    The `k`-th highest of the maxima of disjoint parts: as many parts have a score as high. Takes a
    tenth of the time of a partition of the whole row.
    """
    n_rows, n = scores.shape
    n_scores = max(1, n // (4 * k))  # of a part
    n_parts = n // n_scores
    parts = scores[:, : n_scores * n_parts].reshape(n_rows, n_scores, n_parts)
    maxima = parts.max(axis=1)
    return np.asarray(np.partition(maxima, n_parts - k, axis=1)[:, n_parts - k])


def mean_member_cosine(
    members: Int[np.ndarray, "row k"], unit_vectors: Float[np.ndarray, "token dim"]
) -> Float[np.ndarray, " row"]:
    """The mean cosine of two different members of each list, from -1/(k-1) to 1.

    `unit_vectors` have length 1; lists are of 2 members or more.
    """
    k = members.shape[1]
    if k < 2:
        raise ValueError(f"members: found lists of {k}, allowed: 2 or more")
    made = np.empty(len(members))
    for start in range(0, len(members), BLOCK):
        rows = slice(start, start + BLOCK)
        listed = unit_vectors[members[rows]]
        sums = np.square(listed.sum(axis=1, dtype=np.float64)).sum(axis=1)
        squares = np.square(listed, dtype=np.float64).sum(axis=(1, 2))
        made[rows] = (sums - squares) / (k * (k - 1))
    return made
