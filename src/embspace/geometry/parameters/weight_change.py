"""Measures the change of weights between two models, beside rows in random order."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from embspace.geometry.parameters.rounding import to_bfloat16

BLOCK = 16384  # rows in float64 at once
WeightMatrix = Float[np.ndarray, "row dim"]


@dataclass(frozen=True)
class WeightChange:
    """Sums over the entries of two weights W and W' of equal shape; sums of several add up."""

    squared: float
    """|W|^2, squares of all entries."""
    other_squared: float
    """|W'|^2."""
    change_squared: float
    """|W' - W|^2."""
    rounding_squared: float
    """|b - W|^2, b being W rounded to bfloat16."""
    dealt_squared: float
    """The mean of |W' - W|^2 over all orders of the rows of W': of weights without a relation."""
    dealt_variance: float
    """The variance of |W' - W|^2 over these orders."""
    centered_product: float
    """|C| |C'|, C being W less the mean row: the largest sum of the products of rows."""

    @property
    def relative(self) -> float:
        """|W' - W| / |W|: 0 for the same weights; NaN from weights of 0."""
        return _relative(self.change_squared, self.squared)

    @property
    def relative_rounding(self) -> float:
        """The relative change of W by rounding to bfloat16, some 2e-3 for most weights."""
        return _relative(self.rounding_squared, self.squared)

    @property
    def relative_dealt(self) -> float:
        """The relative change to rows of W' in random order, as a root of a mean of squares.

        Independent weights of mean 0 and equal norm have sqrt 2.
        """
        return _relative(self.dealt_squared, self.squared)

    @property
    def deviations(self) -> float:
        """By how many standard deviations of dealt rows W' is nearer to W; NaN without any."""
        if not self.dealt_variance > 0:
            return float("nan")
        nearer = self.dealt_squared - self.change_squared
        return float(nearer / np.sqrt(self.dealt_variance))

    @property
    def most_deviations(self) -> float:
        """The bound on `deviations`, of W' whose C' is a multiple of C; NaN without dealt rows.

        sqrt(n - 1) for a vector of n entries.
        """
        if not self.dealt_variance > 0:
            return float("nan")
        return float(2 * self.centered_product / np.sqrt(self.dealt_variance))


def weight_change(weights: WeightMatrix, others: WeightMatrix) -> WeightChange:
    """Return the sums of two matrices of equal shape.

    The rows of W' in random order have |W' - W|^2 = |W|^2 + |W'|^2 - 2 S, S being the sum of the
    products of rows. Over all orders of n rows, S has the mean n m.m', m the mean row, and the
    variance |C C'^T|^2 / (n - 1), C being W less the mean row (Hoeffding 1951, "A combinatorial
    central limit theorem").
    """
    n = len(weights)
    mean, other_mean = (x.mean(axis=0, dtype=np.float64) for x in (weights, others))
    squared = other_squared = change = rounding = 0.0
    gram, other_gram = np.zeros((2, weights.shape[1], weights.shape[1]))
    for rows, other_rows in zip(_blocks(weights), _blocks(others), strict=True):
        squared += float(np.square(rows).sum())
        other_squared += float(np.square(other_rows).sum())
        change += float(np.square(other_rows - rows).sum())
        rounding += float(np.square(to_bfloat16(rows) - np.asarray(rows, np.float32)).sum())
        gram += (rows - mean).T @ (rows - mean)
        other_gram += (other_rows - other_mean).T @ (other_rows - other_mean)
    variance = 4 * float((gram * other_gram).sum()) / (n - 1) if n > 1 else 0.0
    dealt = squared + other_squared - 2 * n * float(mean @ other_mean)
    centered = float(np.sqrt(gram.trace() * other_gram.trace()))
    return WeightChange(squared, other_squared, change, rounding, dealt, variance, centered)


def pooled(changes: Iterable[WeightChange]) -> WeightChange:
    """Return the sums over several weights, with the rows of each dealt among themselves."""
    kept = list(changes)
    names = WeightChange.__dataclass_fields__
    return WeightChange(*(sum(getattr(change, name) for change in kept) for name in names))


def row_changes(weights: WeightMatrix, others: WeightMatrix) -> Float[np.ndarray, " row"]:
    """Return |w' - w| / |w| of every row; NaN from rows of 0."""
    parts = []
    for rows, other_rows in zip(_blocks(weights), _blocks(others), strict=True):
        length = np.linalg.norm(rows, axis=1)
        change = np.linalg.norm(other_rows - rows, axis=1)
        parts.append(np.divide(change, length, out=np.full(len(rows), np.nan), where=length > 0))
    return np.concatenate(parts)


def _blocks(x: WeightMatrix) -> Iterator[WeightMatrix]:
    for start in range(0, len(x), BLOCK):
        yield np.asarray(x[start : start + BLOCK], dtype=np.float64)


def _relative(squared: float, whole_squared: float) -> float:
    return float(np.sqrt(squared / whole_squared)) if whole_squared > 0 else float("nan")
