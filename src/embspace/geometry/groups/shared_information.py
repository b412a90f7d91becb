"""Adjusted mutual information of two partitions of vectors, beside labels dealt anew."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int


class SharedInformation(NamedTuple):
    """Adjusted mutual information of two partitions, and with the second dealt anew."""

    value: float
    """Adjusted mutual information, at most 1: 0 for independent, 1 for equal partitions."""
    dealt: Float[np.ndarray, " deal"]


def shared_information(
    first: Int[np.ndarray, " n"],
    second: Int[np.ndarray, " n"],
    group: Int[np.ndarray, " n"],
    *,
    n_deals: int,
    rng: np.random.Generator,
) -> SharedInformation:
    """Return the adjusted mutual information of two partitions inside groups, the mean over groups.

    Vinh, Epps and Bailey (2010), JMLR 11, as in scikit-learn, with the mean of both entropies as
    the largest value. A group counts by its number of rows; a group with a single label or cluster
    is left out. NaN if no group remains. Labels are dealt anew inside groups.
    """
    sizes, values, dealt = [], [], []
    for number in np.unique(group):
        rows = group == number
        one, other = _codes(first[rows]), _codes(second[rows])
        if one.max() == 0 or other.max() == 0:
            continue
        expected, largest = _expected_and_largest(one, other)
        deals = [_information(one, rng.permutation(other)) for _ in range(n_deals)]
        shared = np.array([_information(one, other), *deals])
        adjusted = (shared - expected) / max(largest - expected, np.finfo(np.float64).eps)
        sizes.append(rows.sum())
        values.append(adjusted[0])
        dealt.append(adjusted[1:])
    if not sizes:
        return SharedInformation(np.nan, np.full(n_deals, np.nan))
    return SharedInformation(
        float(np.average(values, weights=sizes)), np.average(dealt, axis=0, weights=sizes)
    )


def _codes(labels: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _counts(one: Int[np.ndarray, " n"], other: Int[np.ndarray, " n"]) -> Int[np.ndarray, "_ _"]:
    shape = (int(one.max()) + 1, int(other.max()) + 1)
    return np.bincount(one * shape[1] + other, minlength=shape[0] * shape[1]).reshape(shape)


def _information(one: Int[np.ndarray, " n"], other: Int[np.ndarray, " n"]) -> float:
    """Return the mutual information in nats."""
    shares = _counts(one, other) / len(one)
    both = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    present = shares > 0
    return float((shares[present] * np.log(shares[present] / both[present])).sum())


def _expected_and_largest(
    one: Int[np.ndarray, " n"], other: Int[np.ndarray, " n"]
) -> tuple[float, float]:
    """Return the information by chance, the same for every deal, and the mean entropy."""
    from sklearn.metrics.cluster import expected_mutual_information

    expected = expected_mutual_information(_counts(one, other), len(one))
    return float(expected), (_entropy(one) + _entropy(other)) / 2


def _entropy(labels: Int[np.ndarray, " n"]) -> float:
    shares = np.bincount(labels) / len(labels)
    return float(-(shares * np.log(shares)).sum())
