"""How far two versions of the same vectors differ: by text, by neighbors, by search."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.pairs.directions import cosine_matrix, norms
from embspace.geometry.pairs.safe_ratio import ratio
from embspace.geometry.practice.links import shares_given

BLOCK = 512  # rows of cosines in memory at once


class TextChanges(NamedTuple):
    """The change of every text, from the first to the second version."""

    cosine: Float[np.ndarray, " text"]
    """Between both vectors of a text, in [-1, 1]; NaN for versions of different dimensions."""
    length: Float[np.ndarray, " text"]
    """Length in the second version over length in the first."""
    neighbors_kept: Float[np.ndarray, " text"]
    """Share kept of the k nearest texts of further documents, in [0, 1].

    For unrelated versions about k over the number of texts.
    """
    neighbors_given: Float[np.ndarray, " text"]
    """What a text adds to the shares of other texts, by `shares_given`; 0 in sum."""
    first_rank: Float[np.ndarray, " text"]
    """Rank in the second version, from 1, of the first hit in the first version."""
    n_pairs: Float[np.ndarray, " text"]
    """Texts with a cosine above the threshold in either version."""
    n_flipped: Float[np.ndarray, " text"]
    """Texts with a cosine above the threshold in a single version."""


def compare_versions(
    x: Float[np.ndarray, "text dim_x"],
    y: Float[np.ndarray, "text dim_y"],
    document: Int[np.ndarray, " text"],
    *,
    k: int,
    thresholds: tuple[float, float],
) -> TextChanges:
    """Return how two versions of the vectors of the same texts differ.

    Neighbors, hits and pairs are texts of other documents, by cosine.

    Args:
        x: The first version.
        y: The second version, of the same texts.
        document: The number of every text's document.
        k: Neighbors.
        thresholds: Least cosines of a similar pair, in the first and in the second version.
    """
    n = len(x)
    is_one = x.shape[1] == y.shape[1]
    products = np.einsum("ij,ij->i", x.astype(np.float64), y) if is_one else np.full(n, np.nan)
    lengths = norms(x) * norms(y)
    kept, rank, pairs, flipped = (np.empty(n) for _ in range(4))
    given = np.zeros(n)
    for first in range(0, n, BLOCK):
        rows = slice(first, first + BLOCK)
        apart = document[rows, None] != document
        one, other = (_cosines(version, rows, apart) for version in (x, y))
        nearest, is_kept = _kept(one, other, k)
        kept[rows] = is_kept.mean(axis=1)
        given += shares_given(nearest, is_kept, n)
        hit = one.argmax(axis=1)
        hit_cosine = np.take_along_axis(other, hit[:, None], axis=1)
        rank[rows] = 1 + (other > hit_cosine).sum(axis=1)
        above, still = one >= thresholds[0], other >= thresholds[1]
        pairs[rows], flipped[rows] = (above | still).sum(axis=1), (above != still).sum(axis=1)
    return TextChanges(
        *(ratio(products, lengths), ratio(norms(y), norms(x))),
        *(kept, given, rank, pairs, flipped),
    )


def _cosines(
    x: Float[np.ndarray, "text dim"], rows: slice, apart: Bool[np.ndarray, "row text"]
) -> Float[np.ndarray, "row text"]:
    cosine = np.nan_to_num(cosine_matrix(x[rows], x), nan=-1)
    return np.where(apart, cosine, -np.inf)


def _kept(
    one: Float[np.ndarray, "row text"], other: Float[np.ndarray, "row text"], k: int
) -> tuple[Int[np.ndarray, "row k"], Bool[np.ndarray, "row k"]]:
    """Return the nearest in the first version, and whether the second version keeps them."""
    nearest = [np.argpartition(-version, k - 1, axis=1)[:, :k] for version in (one, other)]
    return nearest[0], (nearest[0][:, :, None] == nearest[1][:, None, :]).any(axis=2)
