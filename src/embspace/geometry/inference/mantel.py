"""Correlation of two tables over the same pairs of things, exactly beside the things renamed."""

from itertools import permutations
from math import factorial
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.door import takes_arrays

MOST_THINGS = 8  # of which all 40,320 orders are taken


class Mantel(NamedTuple):
    """A correlation, beside the correlations with the second table in every order of its things."""

    correlation: float
    null: Float[np.ndarray, " order"]
    """A value for every order, the given order included."""

    @property
    def p_value(self) -> float:
        """Share of the orders with as large a correlation: one-sided and exact."""
        if np.isnan(self.correlation):
            return float("nan")
        return float((self.null >= self.correlation - 1e-9).mean())


@takes_arrays(at_least=3)
def mantel(x: Float[np.ndarray, "n n"], y: Float[np.ndarray, "n n"]) -> Mantel:
    """Return the correlation of the pairs of two symmetric tables, the diagonals left out.

    Mantel (1967), "The detection of disease clustering and a generalized regression approach",
    Cancer Research 27. Pairs that share a thing are not independent: the null therefore renames the
    things of one table in all n! ways. In [-1, 1]; NaN where all pairs of a table are equal.

    Raises:
        ValueError: more than 8 things.
    """
    n = len(x)
    if n > MOST_THINGS:
        raise ValueError(f"x: expected at most {MOST_THINGS} rows, found {n}")
    above = np.triu_indices(n, 1)
    orders = np.array([*permutations(range(n))])
    drawn = y[orders[:, above[0]], orders[:, above[1]]]
    one, many = _standardized(x[above]), _standardized(drawn)
    null = (many @ one).clip(-1, 1)
    assert len(null) == factorial(n)
    return Mantel(float(null[0]), null)


def _standardized(x: Float[np.ndarray, "*order pair"]) -> Float[np.ndarray, "*order pair"]:
    centered = x - x.mean(axis=-1, keepdims=True)
    length = np.linalg.norm(centered, axis=-1, keepdims=True)
    return np.asarray(np.where(length > 1e-12, centered / np.maximum(length, 1e-300), np.nan))
