"""Holds a ranking of places against the places that are known to matter."""

import numpy as np
from jaxtyping import Bool, Float, Int


def ranking(scores: Float[np.ndarray, "text place"]) -> Int[np.ndarray, "text place"]:
    """Return the places of every text by descending score; of equal scores the first comes first.

    Raises:
        ValueError: a score is NaN.
    """
    if np.isnan(scores).any():
        raise ValueError("scores: expected numbers, found NaN")
    return np.argsort(-scores, axis=1, kind="stable")


def ranks_of(order: Int[np.ndarray, "text place"]) -> Int[np.ndarray, "text place"]:
    """Return the rank of every place in a text's order, from 0: the inverse order.

    Examples:
        >>> ranks_of(np.array([[2, 0, 1]])).tolist()
        [[1, 2, 0]]
    """
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(order.shape[1])[np.newaxis], axis=1)
    return ranks


def precision_at_all(
    order: Int[np.ndarray, "text place"], true: Bool[np.ndarray, "text place"]
) -> Float[np.ndarray, " text"]:
    """Return the precision at as many places as are true, in [0, 1]: there it equals the recall.

    R-precision: Manning, Raghavan and Schuetze (2008), Introduction to Information Retrieval, 8.4.
    A random order has the share of true places. NaN where none is.
    """
    n_true = true.sum(axis=1)
    hits = np.take_along_axis(true, order, axis=1).cumsum(axis=1)
    rows = np.flatnonzero(n_true)
    precision = np.full(len(true), np.nan)
    precision[rows] = hits[rows, n_true[rows] - 1] / n_true[rows]
    return precision


def sites_found(
    order: Int[np.ndarray, "text place"],
    covers: Bool[np.ndarray, "site place"],
    k: Int[np.ndarray, " text"],
) -> Bool[np.ndarray, "text site"]:
    """Return, by site, whether any of a text's `k` first places covers the site."""
    n_places = order.shape[1]
    ranks = ranks_of(order)
    best = np.where(covers[np.newaxis], ranks[:, np.newaxis], n_places).min(axis=2)
    return np.asarray(best < k[:, np.newaxis])


def found_by_chance(
    n_covering: Int[np.ndarray, " site"], k: Int[np.ndarray, " text"], n_places: int
) -> Float[np.ndarray, "text site"]:
    """Return the probability that `k` random places hit a place that covers a site.

    1 less the hypergeometric probability of no hit. Exact.
    """
    from scipy.stats import hypergeom

    none = hypergeom.pmf(0, n_places, n_covering[np.newaxis], k[:, np.newaxis])
    return np.asarray(1 - none)
