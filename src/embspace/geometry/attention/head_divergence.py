"""Differences between heads: the Jensen-Shannon divergence of their rows, and heads on a plane."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from embspace.geometry.attention.head_features import TINY


class Plane(NamedTuple):
    """Heads on a plane by classical scaling."""

    places: Float[np.ndarray, "head 2"]
    share: float
    """The share of the squared distances that the plane keeps; NaN if no two heads differ."""


def head_divergences(rows: Float[np.ndarray, "head row token"]) -> Float[np.ndarray, "head head"]:
    """Return the Jensen-Shannon divergence of every two heads in bits, the mean over rows.

    Clark et al. (2019), "What does BERT look at?", section 6, with logarithms to the base 2: from
    0, equal rows, to 1, rows without a common key.
    """
    rows = rows.astype(np.float64)
    head_entropy = _entropy(rows).mean(axis=-1)
    divergence = np.zeros((len(rows), len(rows)))
    for head in range(len(rows)):  # one against those after it: no (head, head, row, token) array
        between = _entropy((rows[head] + rows[head:]) / 2).mean(axis=-1)
        divergence[head, head:] = between - (head_entropy[head] + head_entropy[head:]) / 2
    divergence = np.maximum(divergence, divergence.T)
    np.fill_diagonal(divergence, 0)
    return divergence.clip(0, 1)


def heads_on_plane(divergences: Float[np.ndarray, "head head"]) -> Plane:
    """Return two principal coordinates of heads whose squared distances are `divergences`.

    The square root of the divergence is a distance in a Hilbert space (Fuglede & Topsoe 2004), also
    after means over rows and texts: classical scaling (Torgerson 1952) is exact. An axis points
    toward the largest coordinate.
    """
    n = len(divergences)
    centering = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-centering @ divergences @ centering / 2)
    order = np.argsort(values)[::-1]
    values, vectors = values[order].clip(min=0), vectors[:, order]
    places = np.zeros((n, 2))
    kept = min(n, 2)
    places[:, :kept] = vectors[:, :kept] * np.sqrt(values[:kept])
    farthest = np.abs(places).argmax(axis=0)
    places *= np.where(places[farthest, [0, 1]] < 0, -1, 1)
    total = values.sum()
    return Plane(places, float(values[:2].sum() / total) if total > 0 else float("nan"))


def _entropy(rows: Float[np.ndarray, "*row token"]) -> Float[np.ndarray, "*row"]:
    return np.asarray(-(rows * np.log2(np.maximum(rows, TINY))).sum(axis=-1))
