"""Measures whether two vectors name the same tokens, by their k strongest tokens.

Dar, Geva, Gupta and Berant 2023, Analyzing Transformers in Embedding Space (ACL), section 4.2 and
appendix B.
"""

import numpy as np
from jaxtyping import Float, Int, UInt

from embspace.geometry.parameters.projection import BLOCK, highest, score_blocks


def strongest_tokens(
    vectors: Float[np.ndarray, "row dim"],
    readers: Float[np.ndarray, "token dim"],
    k: int,
    *,
    absolute: bool,
) -> Int[np.ndarray, "row k"]:
    """The `k` tokens of highest score of each vector, or of highest absolute score."""
    strongest = np.empty((len(vectors), k), np.int64)
    for rows, scores in score_blocks(vectors, readers):
        strongest[rows] = highest(np.abs(scores) if absolute else scores, k)
    return strongest


def strongest_both_ways(
    vectors: Float[np.ndarray, "row dim"], readers: Float[np.ndarray, "token dim"], k: int
) -> tuple[Int[np.ndarray, "row k"], Int[np.ndarray, "row k"]]:
    """The `k` tokens of highest score of every vector, and those of highest absolute score."""
    signed, absolute = (np.empty((len(vectors), k), np.int64) for _ in range(2))
    for rows, scores in score_blocks(vectors, readers):
        signed[rows] = highest(scores, k)
        absolute[rows] = highest(np.abs(scores, out=scores), k)
    return signed, absolute


def n_common(
    first: Int[np.ndarray, "row _"], second: Int[np.ndarray, "row _"]
) -> Int[np.ndarray, " row"]:
    """Return the number of members that two sets of tokens have in common, row by row."""
    together = np.sort(np.concatenate([first, second], axis=1), axis=1)
    return np.asarray((together[:, 1:] == together[:, :-1]).sum(axis=1))


def n_common_of_all(
    first: Int[np.ndarray, "row k"], second: Int[np.ndarray, "other k"], n_tokens: int
) -> UInt[np.ndarray, "row other"]:
    """Return the number of tokens that every first set has in common with every second set."""
    from scipy.sparse import csr_matrix

    def members(sets: Int[np.ndarray, "row k"]) -> csr_matrix:
        n, k = sets.shape
        ones = np.ones(n * k, np.uint16)
        return csr_matrix((ones, sets.ravel(), np.arange(n + 1) * k), shape=(n, n_tokens))

    others = members(second).T.tocsr()
    counts = np.empty((len(first), len(second)), np.uint16)
    for start in range(0, len(first), BLOCK):
        rows = slice(start, start + BLOCK)
        counts[rows] = (members(first[rows]) @ others).toarray()
    return counts


def set_similarity(
    first: Int[np.ndarray, "row k"], second: Int[np.ndarray, "row k"]
) -> Float[np.ndarray, " row"]:
    """Jaccard's similarity of two sets of `k` tokens, row by row: common over all; 0 to 1.

    Dar et al. 2023, appendix B.1. Two random sets of k of n have about k / (2 n - k).
    """
    return jaccard(n_common(first, second), first.shape[1])


def jaccard(n_common: Int[np.ndarray, "*set"], k: int) -> Float[np.ndarray, "*set"]:
    """Jaccard's similarity of two sets of `k` members, by the number of common members."""
    common = n_common.astype(np.float64)
    return np.asarray(common / (2 * k - common))


def named_by_any(
    states: Int[np.ndarray, "state k"], parameters: Int[np.ndarray, "state m k"]
) -> Float[np.ndarray, " state"]:
    """R_k: the share of a state's `k` tokens named by one of the state's `m` vectors; 0 to 1.

    Dar et al. 2023, section 4.2. The vectors differ by state, as activated vectors do.
    """
    shares = [
        np.isin(state_tokens, vector_tokens.ravel()).mean()
        for state_tokens, vector_tokens in zip(states, parameters, strict=True)
    ]
    return np.array(shares, dtype=np.float64)
