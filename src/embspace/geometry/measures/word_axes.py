"""Measures how much of a word's occurrences one axis explains, in the published ways."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.groups.grouped_vectors import Groups, checked_groups
from embspace.geometry.measures.spectral_measures import stable_rank
from embspace.geometry.pairs.moments import Moments
from embspace.geometry.pairs.safe_ratio import ratio
from embspace.geometry.pairs.types import Vectors

Several = Float[np.ndarray, "word n dim"]
WordShares = Float[np.ndarray, " word"]
FEW = 32  # occurrences of a word, whose spectra are computed of many words at once
MOST_NUMBERS = 2**22  # that the occurrences of some words take at once


@dataclass(frozen=True, eq=False)
class WordAxes:
    """Shares of every word with two or more occurrences; NaN where nothing varies."""

    square_shares: WordShares
    """Shares of the squared lengths along the axis of the largest share."""
    variance_along_axis: WordShares
    """Shares of the variance about the mean along the axis of `square_shares`."""
    variance_shares: WordShares
    """Shares of the variance about the mean along the first principal axis."""
    square_share_of_all: float
    """Share of all vectors' squared lengths along the axis of the largest share."""


def word_axes_of(
    x: "Vectors | WordAxes", group: Groups, moments: Moments | None = None
) -> WordAxes:
    """Return shares of the rows of `x`, with words numbered by `group`; or `x`, if it is shares.

    The moments of `x`, if known, spare the products of all vectors.
    """
    if isinstance(x, WordAxes):
        return x
    parts = [_shares(x[rows]) for rows in _words_of_one_size(checked_groups(x, group), x.shape[1])]
    shares = np.concatenate([np.zeros((3, 0)), *parts], axis=1)
    return WordAxes(
        shares[0], shares[1], shares[2], 1 / stable_rank(x if moments is None else moments)
    )


def _words_of_one_size(
    group: Int[np.ndarray, " n"], dim: int
) -> Iterator[Int[np.ndarray, "word n"]]:
    """The rows of words that occur equally often; of not too many words at once."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=group[order[:1]] - 1))
    counts = np.diff(np.append(starts, len(group)))
    for n in np.unique(counts[counts > 1]):
        word_starts = starts[counts == n]
        some = max(1, MOST_NUMBERS // int(n * dim)) if n <= FEW else 1
        for first in range(0, len(word_starts), some):
            yield order[word_starts[first : first + some, None] + np.arange(n)]


def _shares(x: Several) -> Float[np.ndarray, "3 word"]:
    """Return every word's shares: of squares, of variance along the same axis, of variance."""
    centered = x - x[:, :1]  # so that equal rows give exact zeros
    centered = centered - centered.mean(axis=1, keepdims=True)
    total, varying = (np.square(vectors).sum(axis=(1, 2)) for vectors in (x, centered))
    squares, axes = _first_axis(x)
    along = np.square(centered @ axes[:, :, None]).sum(axis=(1, 2))
    largest, _ = _first_axis(centered)
    return np.stack([ratio(squares, total), ratio(along, varying), ratio(largest, varying)])


def _first_axis(x: Several) -> tuple[WordShares, Float[np.ndarray, "word dim"]]:
    """The largest squared singular value, and its right singular vector.

    From the smaller of the two matrices of products.
    """
    n, dim = x.shape[1:]
    if n > dim:
        largest, axes = _largest(x.transpose(0, 2, 1) @ x)
        return largest, axes
    largest, left = _largest(x @ x.transpose(0, 2, 1))
    axes = (left[:, None] @ x)[:, 0]
    length = np.sqrt(np.square(axes).sum(axis=1, keepdims=True))
    return largest, np.divide(axes, length, out=np.zeros_like(axes), where=length > 0)


def _largest(
    products: Float[np.ndarray, "word m m"],
) -> tuple[WordShares, Float[np.ndarray, "word m"]]:
    """Return the largest eigenvalues, with eigenvectors."""
    from scipy.linalg import eigh

    m = products.shape[1]
    if m <= FEW:
        values, vectors = np.linalg.eigh(products)
        return values[:, -1], vectors[:, :, -1]
    spectra = [
        eigh(matrix, subset_by_index=[m - 1, m - 1], check_finite=False) for matrix in products
    ]
    return (
        np.concatenate([values for values, _ in spectra]),
        np.stack([vectors[:, 0] for _, vectors in spectra]),
    )
