"""Deletion and insertion curves over the places of a text."""

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.attribution.recall import ranks_of


def first_places(
    order: Int[np.ndarray, "text place"], n_first: Int[np.ndarray, " step"]
) -> Bool[np.ndarray, "step text place"]:
    """Return masks of a text's first places, for several numbers of places."""
    return np.asarray(ranks_of(order)[np.newaxis] < n_first[:, np.newaxis, np.newaxis])


def area_under(
    values: Float[np.ndarray, " step *rest"], n_first: Int[np.ndarray, " step"]
) -> Float[np.ndarray, "*rest"]:
    """Return the mean height of curves over the share of places, by trapezoids.

    Petsiuk, Das and Saenko (2018), arXiv 1806.07421: under a deletion curve small, under an
    insertion curve large, where an order puts first what matters. In the range of `values`.

    Examples:
        >>> float(area_under(np.array([1.0, 0.0, 0.0]), np.array([0, 1, 4])))
        0.125

    Raises:
        ValueError: numbers of places that do not ascend, or fewer than two.
    """
    widths = np.diff(n_first)
    if len(n_first) < 2 or (widths <= 0).any():
        raise ValueError(f"n_first: expected two ascending numbers or more, found {n_first}")
    shares = widths / (n_first[-1] - n_first[0])
    return np.asarray(np.tensordot(shares, (values[1:] + values[:-1]) / 2, axes=1))
