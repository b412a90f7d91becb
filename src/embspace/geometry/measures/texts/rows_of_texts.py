"""The tokens of each text, in their order."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.groups.grouped_vectors import Groups, checked_groups
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.types import Vectors

Tokens = Float[np.ndarray, "_ dim"]
"""The tokens of one text, in their order."""


def rows_of_texts(x: Vectors, group: Groups) -> list[Tokens]:
    """Return the rows of each text, in the order in which they stand in `x`.

    Raises:
        ValueError: `group` is not one whole number for each row.
    """
    number = np.unique(checked_groups(x, group), return_inverse=True)[1]
    order = np.argsort(number, kind="stable")
    return np.split(x[order], np.flatnonzero(np.diff(number[order])) + 1)


def unit_tokens(tokens: Tokens) -> Tokens:
    """Return the tokens less their mean, each of length 1; those at the mean are left out."""
    # Of equal rows rounding may leave a mean that is none of them.
    if not (tokens != tokens[0]).any():
        return tokens[:0]
    centered = tokens - tokens.mean(axis=0)
    length = norms(centered)
    return centered[length > 0] / length[length > 0, np.newaxis]
