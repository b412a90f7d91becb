"""Measures how well queries find their targets among candidates ordered by a score."""

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.pairs.door import takes_arrays


@takes_arrays(numbers="any", at_least=0)
def ranks_of_relevant(
    scores: Float[np.ndarray, "query candidate"], relevant: Bool[np.ndarray, "query candidate"]
) -> tuple[Int[np.ndarray, " query"], Int[np.ndarray, " query"]]:
    """Return the first and the last possible rank of a query's best relevant candidate.

    The ranks differ if further candidates have the same score.

    Raises:
        ValueError: a query has no relevant candidate.
    """
    if not relevant.any(axis=1).all():
        raise ValueError("relevant: expected a candidate for every query")
    best = np.where(relevant, scores, -np.inf).max(axis=1, keepdims=True)
    first = 1 + (~relevant & (scores > best)).sum(axis=1)
    return first, first + (~relevant & (scores == best)).sum(axis=1)


def reciprocal_rank(
    first: Int[np.ndarray, " query"], last: Int[np.ndarray, " query"]
) -> Float[np.ndarray, " query"]:
    """Return the mean of 1/rank over the ranks from `first` to `last`: ties fall at random."""
    sums = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, last.max(initial=0) + 1))])
    return (sums[last] - sums[first - 1]) / (last - first + 1)


def recall_at(
    first: Int[np.ndarray, " query"], last: Int[np.ndarray, " query"], k: int
) -> Float[np.ndarray, " query"]:
    """Return the probability of a rank of `k` or less, ties being broken at random."""
    return np.clip((k - first + 1) / (last - first + 1), 0, 1)


def reciprocal_rank_by_chance(n_candidates: int, n_relevant: int = 1) -> float:
    """Return the mean of 1/rank of the first relevant candidate where their order is random.

    NaN without a relevant candidate.
    """
    if not 0 < n_relevant <= n_candidates:
        return float("nan")
    later = _none_relevant(n_candidates, n_relevant, n_candidates - n_relevant + 1)
    return float(-np.diff(later) @ (1 / np.arange(1, len(later))))


def recall_by_chance(n_candidates: int, k: int, n_relevant: int = 1) -> float:
    """Return the probability that a relevant candidate is among the first `k` in random order."""
    if not 0 < n_relevant <= n_candidates:
        return float("nan")
    return float(1 - _none_relevant(n_candidates, n_relevant, min(k, n_candidates))[-1])


def _none_relevant(n: int, n_relevant: int, k: int) -> Float[np.ndarray, " rank"]:
    """Return the probabilities that none of the first 0, 1, …, `k` of `n` is relevant."""
    place = np.arange(k)
    shares = (n - n_relevant - place).clip(min=0) / (n - place)
    return np.concatenate([[1.0], np.cumprod(shares)])


@takes_arrays(at_least=0)
def bm25(
    query: Int[np.ndarray, "query term"],
    candidate: Int[np.ndarray, "candidate term"],
    *,
    k1: float = 1.2,
    b: float = 0.75,
) -> Float[np.ndarray, "query candidate"]:
    """Return Okapi BM25 of counts of terms; a term counts as often as it occurs in the query.

    Robertson & Zaragoza 2009, "The probabilistic relevance framework: BM25 and beyond", with the
    inverse document frequency log(1 + (n - n_t + 0.5) / (n_t + 0.5)), which is never negative.
    """
    n, in_documents = len(candidate), (candidate > 0).sum(axis=0)
    weight = np.log1p((n - in_documents + 0.5) / (in_documents + 0.5))
    lengths = candidate.sum(axis=1, keepdims=True)
    mean_length = lengths.mean() if lengths.any() else 1.0
    saturated = candidate * (k1 + 1) / (candidate + k1 * (1 - b + b * lengths / mean_length))
    return query @ (saturated * weight).T
