"""Rare high cosines of pairs of different documents, with intervals over documents."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from embspace.geometry.practice.high_pairs import HighPairs

FEWEST_DOCUMENTS = 4


class RateBounds(NamedTuple):
    """The share of pairs with at least a cosine, by edge, with an interval over documents."""

    rate: Float[np.ndarray, " edge"]
    low: Float[np.ndarray, " edge"]
    high: Float[np.ndarray, " edge"]


class RareCosine(NamedTuple):
    """The cosine reached by a share of pairs."""

    rate: float
    cosine: float
    low: float
    """NaN for too few documents."""
    high: float
    """1 for an interval without an upper end: too few pairs are expected."""
    n_above: int
    """Number of pairs with at least the cosine."""


def rate_bounds(pairs: HighPairs, level: float) -> RateBounds:
    """Return the share of pairs by edge, with bounds for further documents of the same kind.

    The variance is the jackknife's, a document at a time: pairs with a common document are not
    independent. The jackknife counts the variance of single pairs twice (Efron and Stein 1981,
    Annals of Statistics 9); for documents of one row, the surplus is subtracted. The bounds are Fay
    and Feuer's (1997, Statistics in Medicine 16) for rates from few counts: gamma quantiles, equal
    to Poisson's exact bounds for independent pairs. NaN with fewer than 4 documents.
    """
    from scipy.special import gammaincinv

    rate = pairs.counts / pairs.n_pairs
    if pairs.n_documents < FEWEST_DOCUMENTS:
        return RateBounds(rate, np.full_like(rate, np.nan), np.full_like(rate, np.nan))
    weight, tail = 1 / pairs.n_pairs, (1 - level) / 2
    variance = rate * weight * np.interp(pairs.edges, pairs.coarse, _inflation(pairs))
    low = np.zeros_like(rate)
    some = rate > 0
    shape = np.square(rate[some]) / variance[some]
    low[some] = gammaincinv(shape, tail) * rate[some] / shape
    upper_rate, upper_variance = rate + weight, variance + weight**2
    shape = np.square(upper_rate) / upper_variance
    high = gammaincinv(shape, 1 - tail) * upper_rate / shape
    return RateBounds(rate, low, np.minimum(high, 1))


def _inflation(pairs: HighPairs) -> Float[np.ndarray, " coarse"]:
    """Return the variance of the rate over Poisson's of independent pairs, at least 1."""
    own, document_counts = pairs.pairs_of_document, pairs.document_counts
    has_pairs = own > 0
    own, document_counts = own[has_pairs], document_counts[has_pairs]
    total = document_counts.sum(axis=0) / 2
    without = (total - document_counts) / (pairs.n_pairs - own)[:, None]
    n = len(own)
    variance = (n - 1) / n * np.square(without - without.mean(axis=0)).sum(axis=0)
    poisson = total / pairs.n_pairs**2
    is_single = n * (n - 1) // 2 == pairs.n_pairs
    ratio = np.divide(variance, poisson, where=poisson > 0, out=np.ones_like(variance))
    return np.maximum(ratio - is_single, 1)


def rare_cosine(pairs: HighPairs, rate: float, *, level: float) -> RareCosine:
    """Return the least cosine reached by at most a share `rate` of the pairs, with an interval.

    The interval holds all cosines with `rate` between their bounds (Woodruff 1952, JASA 47).

    Raises:
        ValueError: a rate outside 0 to 1, or above the share of counted pairs.
    """
    if not 0 < rate < 1:
        raise ValueError(f"rate: expected a share between 0 and 1, found {rate}")
    bounds = rate_bounds(pairs, level)
    if bounds.rate[0] < rate and pairs.edges[0] > -1:
        raise ValueError(f"rate: pairs are counted up to {bounds.rate[0]:g}, found {rate}")
    place = int(np.argmax(bounds.rate <= rate)) if (bounds.rate <= rate).any() else -1
    low, high = float("nan"), float("nan")
    if not np.isnan(bounds.low).any():
        may_be = (bounds.low <= rate) & (bounds.high >= rate)
        inside = pairs.edges[may_be]
        cosine = pairs.edges[place]
        low = float(min(inside[0], cosine)) if len(inside) else float(cosine)
        high = float(max(inside[-1], cosine)) if len(inside) else float(cosine)
    return RareCosine(rate, float(pairs.edges[place]), low, high, int(pairs.counts[place]))


class FalseAlarms(NamedTuple):
    """Expected number of pairs of different documents with at least a cosine."""

    expected: float
    low: float
    high: float


def false_alarms(pairs: HighPairs, cosine: float, n_rows: int, *, level: float) -> FalseAlarms:
    """Return the expected number of pairs with at least a cosine among `n_rows` rows.

    Rows, and not documents: a document of several rows has a pair for each.
    The interval is of the expectation. NaN for a cosine below the lowest edge.
    """
    bounds = rate_bounds(pairs, level)
    if cosine < pairs.edges[0]:
        return FalseAlarms(*[float("nan")] * 3)
    place = min(int(np.searchsorted(pairs.edges, cosine)), len(pairs.edges) - 1)
    n = n_rows * (n_rows - 1) / 2
    return FalseAlarms(*(float(n * part[place]) for part in bounds))
