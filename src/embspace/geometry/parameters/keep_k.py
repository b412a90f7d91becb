"""Measures what is left of inner products when each vector keeps its k strongest tokens.

Dar, Geva, Gupta and Berant 2023, Analyzing Transformers in Embedding Space (ACL), appendix A.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float


def keep_k(scores: Float[np.ndarray, "row token"], k: int) -> Float[np.ndarray, "row token"]:
    """Scores with zero in the place of all but the `k` of largest absolute value of each row.

    Others that are equal to the weakest of these stay, too.

    Raises:
        ValueError: if `k` is not positive.
    """
    if k < 1:
        raise ValueError(f"k: expected 1 or more, found {k}")
    return _kept(scores, np.abs(scores), strengths(scores), k)


def strengths(scores: Float[np.ndarray, "row token"]) -> Float[np.ndarray, "row token"]:
    """The absolute values of each row, ascending."""
    return np.sort(np.abs(scores), axis=1)


def _kept(scores: np.ndarray, strength: np.ndarray, ascending: np.ndarray, k: int) -> np.ndarray:
    if k >= scores.shape[1]:
        return scores
    return np.where(strength >= ascending[:, -k, None], scores, np.float32(0))


def keep_k_scores(
    vectors: Float[np.ndarray, "row dim"],
    embedding: Float[np.ndarray, "token dim"],
    readers: Float[np.ndarray, "token dim"],
    ks: Sequence[int],
) -> Float[np.ndarray, " k"]:
    """The cosine of two Gram matrices of the vectors, for each number of tokens kept; -1 to 1.

    One is X X^T; the other keep_k(X E) keep_k(X E')^T, where E' are the `readers`: the embedding
    itself, or its pseudo-inverse. Both are n by n with their diagonals, so that the cosine depends
    on n: independent vectors have large diagonals and small rest, and the rest weighs more the more
    vectors there are.

    Raises:
        ValueError: if a `k` is below 1.
    """
    return keep_k_grams(vectors, embedding, readers, ks)[0]


def keep_k_grams(
    vectors: Float[np.ndarray, "row dim"],
    embedding: Float[np.ndarray, "token dim"],
    readers: Float[np.ndarray, "token dim"],
    ks: Sequence[int],
    sizes: Sequence[int] = (),
) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, "k size"]]:
    """The cosines of `keep_k_scores`, and those of the first rows alone, so many of them.

    Raises:
        ValueError: if a `k` is below 1, or a size is none of 1 to the number of vectors.
    """
    if min(ks) < 1:
        raise ValueError(f"ks: found {min(ks)}, allowed: 1 or more")
    if not all(0 < size <= len(vectors) for size in sizes):
        raise ValueError(f"sizes: found {list(sizes)}, allowed: 1 to {len(vectors)}")
    x = np.asarray(vectors, dtype=np.float32)
    exact = (x @ x.T).astype(np.float64)
    scores = x @ np.asarray(embedding, dtype=np.float32).T
    strength, ascending = np.abs(scores), strengths(scores)
    is_same = readers is embedding
    others = scores if is_same else x @ np.asarray(readers, dtype=np.float32).T
    strength_of_others = strength if is_same else np.abs(others)
    of_others = ascending if is_same else strengths(others)
    whole, of_sizes = [], []
    for k in ks:
        kept = _kept(scores, strength, ascending, k)
        other = kept if is_same else _kept(others, strength_of_others, of_others, k)
        gram = (kept @ other.T).astype(np.float64)
        whole.append(_cosine(exact, gram))
        of_sizes.append([_cosine(exact[:n, :n], gram[:n, :n]) for n in sizes])
    return np.array(whole), np.array(of_sizes).reshape(len(ks), len(sizes))


def _cosine(first: np.ndarray, second: np.ndarray) -> float:
    """Return the cosine of two matrices; NaN if one is zero."""
    norm = np.linalg.norm(first) * np.linalg.norm(second)
    return float((first * second).sum() / norm) if norm else float("nan")
