"""The tokens of every text, in order."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.groups.grouped_vectors import Groups, checked_groups
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.types import Vectors

Tokens = Float[np.ndarray, "_ dim"]
"""The tokens of a text, in order."""


def rows_of_texts(x: Vectors, group: Groups) -> list[Tokens]:
    """Return the rows of every text, in the order of `x`.

    Raises:
        ValueError: `group` is not a whole number for every row.
    """
    number = np.unique(checked_groups(x, group), return_inverse=True)[1]
    order = np.argsort(number, kind="stable")
    return np.split(x[order], np.flatnonzero(np.diff(number[order])) + 1)


def unit_tokens(tokens: Tokens) -> Tokens:
    """Return the tokens less the mean, at length 1; tokens at the mean are left out."""
    # Of equal rows rounding may leave a mean that is none of them.
    if not (tokens != tokens[0]).any():
        return tokens[:0]
    centered = tokens - tokens.mean(axis=0)
    length = norms(centered)
    return centered[length > 0] / length[length > 0, np.newaxis]
