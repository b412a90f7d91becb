"""From which cosine on pairs of different documents are rare, with intervals over documents."""

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
    """The cosine that a share of pairs reaches or passes."""

    rate: float
    cosine: float
    low: float
    """NaN if there are too few documents."""
    high: float
    """1 where so few pairs are expected that the interval has no upper end."""
    n_above: int
    """Pairs that reach it."""


def rate_bounds(pairs: HighPairs, level: float) -> RateBounds:
    """Return the share of pairs by edge, with bounds that hold for other documents as many.

    The variance is by leaving out a document at a time: pairs that share a document are not
    independent. It counts what each pair varies by itself twice (Efron and Stein 1981, Annals of
    Statistics 9), which is taken off where each document has one row. The bounds are those of Fay
    and Feuer (1997, Statistics in Medicine 16) of rates from few counts: gamma quantiles that are
    Poisson's exact ones where pairs are independent. NaN with fewer than 4 documents.
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
    own, of_document = pairs.pairs_of_document, pairs.of_document
    has_pairs = own > 0
    own, of_document = own[has_pairs], of_document[has_pairs]
    total = of_document.sum(axis=0) / 2
    without = (total - of_document) / (pairs.n_pairs - own)[:, None]
    n = len(own)
    variance = (n - 1) / n * np.square(without - without.mean(axis=0)).sum(axis=0)
    poisson = total / pairs.n_pairs**2
    is_single = n * (n - 1) // 2 == pairs.n_pairs
    ratio = np.divide(variance, poisson, where=poisson > 0, out=np.ones_like(variance))
    return np.maximum(ratio - is_single, 1)


def rare_cosine(pairs: HighPairs, rate: float, *, level: float) -> RareCosine:
    """Return the least cosine that at most a share `rate` of the pairs reaches, with an interval.

    The interval holds the cosines whose own rate may be `rate` (Woodruff 1952, JASA 47).

    Raises:
        ValueError: a rate that is no share, or one of which not all pairs were counted.
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
    """Pairs of different documents that reach a cosine, expected among some documents."""

    expected: float
    low: float
    high: float


def false_alarms(pairs: HighPairs, cosine: float, n_documents: int, *, level: float) -> FalseAlarms:
    """Return how many pairs of `n_documents` such documents reach a cosine, with an interval.

    The interval is that of the expectation. NaN for a cosine below those that were counted.
    """
    bounds = rate_bounds(pairs, level)
    if cosine < pairs.edges[0]:
        return FalseAlarms(*[float("nan")] * 3)
    place = min(int(np.searchsorted(pairs.edges, cosine)), len(pairs.edges) - 1)
    n = n_documents * (n_documents - 1) / 2
    return FalseAlarms(*(float(n * part[place]) for part in bounds))
