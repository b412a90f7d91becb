"""How far a text lies from its nearest neighbors in a corpus, beside the corpus's own texts."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.directions import cosine_matrix

BLOCK = 512  # rows of cosines in memory at once
BULK = 0.9  # of a corpus's own distances; the rest is the tail, of outliers or not
FEWEST = 100  # texts of a corpus with a tail


class Nearest(NamedTuple):
    """The nearest rows of other documents, by cosine distance, in [0, 2]."""

    mean: Float[np.ndarray, " n"]
    """Mean distance to the k nearest."""
    farthest: Float[np.ndarray, " n"]
    """Distance to the k-th."""
    first: Int[np.ndarray, " n"]
    """The number of the nearest row."""
    first_cosine: Float[np.ndarray, " n"]


class Placed(NamedTuple):
    """Further rows placed among the rows of a corpus, with p-values."""

    nearest: Nearest
    p_value: Float[np.ndarray, " n"]
    """The chance of such a distance for a row of the kind of the corpus."""


def nearest_of(
    x: Float[np.ndarray, "n dim"],
    y: Float[np.ndarray, "m dim"],
    x_document: Int[np.ndarray, " n"],
    y_document: Int[np.ndarray, " m"],
    *,
    k: int,
) -> Nearest:
    """Return the distances of the rows of `x` to the k nearest rows of `y` in further documents.

    NaN for a row of length zero, or with fewer than k rows to be near.
    """
    parts = [
        _nearest(_distances(x[rows], y, x_document[rows], y_document), k)
        for rows in _blocks(len(x))
    ]
    return Nearest(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def place_among(
    x: Float[np.ndarray, "n dim"],
    corpus: Float[np.ndarray, "m dim"],
    document: Int[np.ndarray, " m"],
    *,
    k: int,
) -> Placed:
    """Return how far rows are from a corpus, with p-values by exchangeability.

    Full conformal prediction (Vovk, Gammerman & Shafer 2005, "Algorithmic learning in a random
    world"; for outliers Bates et al. 2023, "Testing for outliers with conformal p-values", Annals
    of Statistics 51): a row is put into the corpus, all distances are taken anew, and p is the
    share of documents, the row included, at least as far. The share of a document is the mean over
    rows. Exact for documents of one row; with several rows a document, p-values are approximate, as
    the new document has a single row. No p is below 1 / (1 + documents).
    """
    own = nearest_of(corpus, corpus, document, document, k=k)
    defined = np.flatnonzero(np.isfinite(own.mean))
    _, number, size = np.unique(document[defined], return_inverse=True, return_counts=True)
    weight = 1 / size[number]
    nobody = np.full(len(x), -1)
    reached = nearest_of(x, corpus, nobody, document, k=k)
    p_value = np.full(len(x), np.nan)
    for rows in _blocks(len(x)):
        distance = _distances(x[rows], corpus[defined], nobody[rows], document[defined])
        nearer = (own.farthest[defined] - distance).clip(min=0)
        anew = own.mean[defined] - nearer / k
        as_far = anew >= reached.mean[rows, None]
        p_value[rows] = (1 + as_far @ weight) / (1 + len(size))
    p_value[~np.isfinite(reached.mean)] = np.nan
    return Placed(reached, p_value)


def tail_p_values(distance: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Return the chance of such distances in the tail of a corpus's own, from its bulk.

    Ranks can make no row an outlier: some row is always the farthest. Therefore the logarithms of
    the upper tenth are taken to fall off exponentially, at a rate by the median of the tenth (Hill
    1975 takes the mean), hardly moved by up to a twentieth of outliers. In the bulk, p is 1 - rank.
    NaN with fewer than 100 distances, or an upper tenth of equal values.
    """
    made = np.full(len(distance), np.nan)
    defined = np.isfinite(distance) & (distance > 0)
    if defined.sum() < FEWEST:
        return made
    logs = np.log(distance[defined])
    start = float(np.quantile(logs, BULK))
    excess = logs - start
    scale = float(np.median(excess[excess > 0])) / np.log(2) if (excess > 0).any() else 0.0
    if scale <= 0:
        return made
    order = np.sort(logs)
    rank = np.searchsorted(order, logs, side="left") / len(logs)
    made[defined] = np.where(excess > 0, (1 - BULK) * np.exp(-excess / scale), 1 - rank)
    made[np.isfinite(distance) & (distance <= 0)] = 1
    return made


def _blocks(n: int) -> list[slice]:
    return [slice(first, first + BLOCK) for first in range(0, n, BLOCK)]


def _distances(
    x: Float[np.ndarray, "n dim"],
    y: Float[np.ndarray, "m dim"],
    x_document: Int[np.ndarray, " n"],
    y_document: Int[np.ndarray, " m"],
) -> Float[np.ndarray, "n m"]:
    """Return cosine distances, infinite within a document and without a direction."""
    distance = 1 - cosine_matrix(x, y).astype(np.float64)
    distance[np.isnan(distance) | (x_document[:, None] == y_document)] = np.inf
    return distance


def _nearest(distance: Float[np.ndarray, "n m"], k: int) -> Nearest:
    n, m = distance.shape
    if m < k:
        nan = np.full(n, np.nan)
        return Nearest(nan, nan, np.full(n, -1), nan)
    chosen = np.partition(distance, k - 1, axis=1)[:, :k]
    chosen[~np.isfinite(chosen)] = np.nan
    mean, first = chosen.mean(axis=1), distance.argmin(axis=1)
    nearest = distance[np.arange(n), first]
    cosine = np.where(np.isfinite(nearest), 1 - nearest, np.nan)
    return Nearest(mean, chosen.max(axis=1), first, cosine)
