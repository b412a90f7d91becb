"""Tables as smooth as a positional one, but encoding nothing: nulls of its path and cosines.

Shuffled positions are the null of "neighbors are alike" alone: any smooth curve exceeds the
shuffles. A claim beyond smoothness needs an equally smooth null.
"""

from collections.abc import Callable, Iterator

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.directions import cosine_matrix
from embspace.geometry.positional.position_properties import cosines_by_offset
from embspace.geometry.positional.regimes import stationary_tables

Table = Float[np.ndarray, "n dim"]
NullTables = Callable[[Table, Int[np.ndarray, " n"], int, np.random.Generator], Iterator[Table]]
"""Draws null tables, given a table, the numbers of its rows, how many to draw and a generator."""


def shuffled_tables(
    x: Table, positions: Int[np.ndarray, " n"], n_tables: int, rng: np.random.Generator
) -> Iterator[Table]:
    """Yield the rows in random order: nothing is smooth."""
    for _ in range(n_tables):
        yield rng.permutation(x)


def random_walks(
    x: Table, positions: Int[np.ndarray, " n"], n_tables: int, rng: np.random.Generator
) -> Iterator[Table]:
    """Yield walks of the table's own steps, in random order, forward or backward.

    A step keeps the length, and all steps the covariance; the dependence of a step on the step
    before, a turn or a way back, is lost. Steps turned at random in all dimensions would be an
    easier null, for the steps of a learned table lie in few dimensions. A walk starts at the
    table's first row, since the distance from the origin decides the cosines at the start.
    """
    steps = np.diff(x.astype(np.float64), axis=0)
    for _ in range(n_tables):
        signs = rng.choice([-1.0, 1.0], size=(len(steps), 1))
        yield np.vstack([x[:1], signs * rng.permutation(steps)]).cumsum(axis=0)


def stationary_copies(
    x: Table, positions: Int[np.ndarray, " n"], n_tables: int, rng: np.random.Generator
) -> Iterator[Table]:
    """Yield Gaussian tables with the mean cosine by offset of `x`, waves included.

    They are the null of any claim about a table beyond its mean cosine by offset.
    """
    kernel, _ = _kernel(x, positions)
    yield from _rows_of(stationary_tables(kernel, x.shape[1], n_tables, rng), positions)


def falling_tables(
    x: Table, positions: Int[np.ndarray, " n"], n_tables: int, rng: np.random.Generator
) -> Iterator[Table]:
    """Yield Gaussian tables whose cosine falls with the offset as that of `x` does, without waves.

    The tables' mean cosine by offset is the nearest never-rising curve to the mean cosine of `x`:
    isotonic least squares, weighted by the pairs.
    """
    kernel, n_pairs = _kernel(x, positions)
    falling = np.append(1, falling_fit(kernel[1:], n_pairs[1:]))
    yield from _rows_of(stationary_tables(falling, x.shape[1], n_tables, rng), positions)


def falling_fit(
    values: Float[np.ndarray, " n"], weights: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """Return the curve that never rises and is nearest to `values` by weighted least squares."""
    from scipy.optimize import isotonic_regression

    # A weight of zero is refused, and an offset without a pair should move nothing.
    fit: Float[np.ndarray, " n"] = isotonic_regression(
        values, weights=np.maximum(weights, 1e-9), increasing=False
    ).x
    return fit


NULLS: dict[str, NullTables] = {
    "shuffled": shuffled_tables,
    "random_walk": random_walks,
    "falling": falling_tables,
    "stationary": stationary_copies,
}
"""By the name in results."""


def _kernel(
    x: Table, positions: Int[np.ndarray, " n"]
) -> tuple[Float[np.ndarray, " span"], Float[np.ndarray, " span"]]:
    """Mean cosine by offset from 0 on, 0 where no pair is, and the number of pairs."""
    span = int(positions[-1] - positions[0]) + 1
    by_offset = cosines_by_offset(cosine_matrix(x), positions - positions[0], span - 1)
    present = np.isfinite(by_offset)
    n_pairs = present.sum(axis=1)
    sums = np.where(present, by_offset, 0).sum(axis=1)
    return np.append(1, sums / np.maximum(n_pairs, 1)), np.append(len(x), n_pairs).astype(
        np.float64
    )


def _rows_of(tables: Iterator[Table], positions: Int[np.ndarray, " n"]) -> Iterator[Table]:
    """Yield the rows of the existing positions."""
    for table in tables:
        yield table[positions - positions[0]]
