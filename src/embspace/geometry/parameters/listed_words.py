"""Counts the words of a list among the tokens that vectors are read as."""

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.parameters.projection import kth_highest

ROWS_AT_ONCE = 128


def listed_counts(
    vectors: Float[np.ndarray, "n dim"],
    embeddings: Float[np.ndarray, "token dim"],
    is_listed: Bool[np.ndarray, "*list token"],
    *,
    n_tokens: int,
) -> Int[np.ndarray, "*list n sign"]:
    """Return the number of listed tokens among a vector's strongest, for one list or several.

    The strongest are the `n_tokens` with the largest signed product with a row of `embeddings`, for
    the vector and the negated vector (Dar et al. 2023, section 3). The length of a vector does not
    matter, nor a constant added to all embeddings. A tie with the last of the strongest counts. In
    [0, n_tokens] without ties.

    Raises:
        ValueError: with fewer than twice as many tokens, when both ends would overlap, and for a
            vector of length 0.
    """
    if 2 * n_tokens > len(embeddings):
        raise ValueError(f"{n_tokens} tokens at each end of {len(embeddings)}")
    if not vectors.any(axis=1).all():
        raise ValueError("a vector of length 0 has no strongest tokens")
    lists = is_listed.reshape(-1, len(embeddings))
    own = np.flatnonzero(lists.any(axis=0))  # only their products are compared
    members = lists[:, own].T.astype(np.float32)
    counts = np.zeros((len(lists), len(vectors), 2), dtype=np.int64)
    for first in range(0, len(vectors), ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        scores = vectors[rows] @ embeddings.T
        for sign in (0, 1):
            is_strong = scores[:, own] >= kth_highest(scores, n_tokens)[:, np.newaxis]
            counts[:, rows, sign] = (is_strong.astype(np.float32) @ members).T
            np.negative(scores, out=scores)
    return counts.reshape(*is_listed.shape[:-1], len(vectors), 2)


def count_bound(
    null: Int[np.ndarray, "*list draw sign"], *, level: float
) -> Int[np.ndarray, "*list"]:
    """Return the least count that a share `level` of random vectors, or more, do not exceed.

    The count of a random vector is the larger of the counts of the vector and its negation.
    """
    bound = np.quantile(null.max(axis=-1), level, axis=-1, method="inverted_cdf")
    return np.asarray(bound, dtype=np.int64)


def share_above(
    counts: Int[np.ndarray, "*list n sign"], bound: Int[np.ndarray, "*list"]
) -> Float[np.ndarray, "*list"]:
    """Return the share of vectors with more listed tokens than the bound, or their negations have.

    Of as many random vectors as gave the `count_bound` at most 1 - `level` are above, fewer where
    several have the count of the bound. In [0, 1]; NaN without vectors.
    """
    if not counts.shape[-2]:
        return np.full(counts.shape[:-2], np.nan)
    above = counts.max(axis=-1) > np.asarray(bound)[..., np.newaxis]
    return np.asarray(above.mean(axis=-1))


def matched_lists(
    features: Float[np.ndarray, "token feature"],
    is_listed: Bool[np.ndarray, " token"],
    may_be_drawn: Bool[np.ndarray, " token"],
    *,
    n_lists: int,
    n_nearest: int,
    generator: np.random.Generator,
) -> Bool[np.ndarray, "list token"]:
    """Return random lists of as many tokens, matched token by token.

    A listed token is exchanged for one of the `n_nearest` nearest tokens by rank of the features,
    among allowed, unlisted tokens not yet in the random list; or else for the next nearest.

    Raises:
        ValueError: if fewer tokens are allowed than listed.
    """
    from scipy.stats import rankdata

    pool = np.flatnonzero(may_be_drawn & ~is_listed)
    own = np.flatnonzero(is_listed)
    if len(pool) < len(own):
        raise ValueError(f"{len(pool)} tokens may be drawn in the place of {len(own)}")
    ranks = rankdata(features, axis=0)
    distances = np.square(ranks[own, np.newaxis] - ranks[pool]).sum(axis=-1)
    nearest = pool[np.argsort(distances, axis=1, kind="stable")]
    drawn = np.zeros((n_lists, len(features)), dtype=bool)
    for taken in drawn:
        for at in generator.permutation(len(own)):
            order = nearest[at]
            free = order[~taken[order]]
            taken[free[generator.integers(min(n_nearest, len(free)))]] = True
    return drawn
