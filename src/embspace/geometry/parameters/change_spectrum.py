"""The number of directions in which a weight moved, and their angles to those it had before."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from embspace.geometry.measures.effective_numbers import effective_number
from embspace.geometry.parameters.rounding import (
    SIGNIFICANT_BITS,
    SMALLEST_STEP,
    Weights,
    coarser,
    finer,
    stored_format,
)
from embspace.geometry.parameters.weight_change import BLOCK, WeightMatrix

FEW_STEPS = 2
"""Steps, to the next number of a format, by which entries may differ after a sum was undone.

The root mean square of the steps is 1.5 times 2^-bits for normal sums; a step is at most 2 times.
"""


@dataclass(frozen=True, eq=False)
class ChangeSpectrum:
    """The singular values of W' - W, and its directions on the side of the columns."""

    values: Float[np.ndarray, " value"]
    """Descending, float64."""
    directions: Float[np.ndarray, "value dim"]
    """Unit vectors, the largest values first."""
    tolerance: float
    """The largest singular value that rounding of the entries of W and W' may cause."""
    stored: str
    """The coarser of the formats that hold W and W': float32, float16 or bfloat16."""

    @property
    def rank(self) -> int:
        """The number of singular values above the tolerance."""
        return int((self.values > self.tolerance).sum())

    @property
    def stable_rank(self) -> float:
        """The squared norm over the largest squared singular value: 1 for a single direction."""
        squares = np.square(self.values)
        return float(squares.sum() / squares[0]) if squares[0] > 0 else float("nan")

    @property
    def participation_ratio(self) -> float:
        """(sum v)^2 / sum v^2 of the squared singular values v: from 1 to their number."""
        return effective_number(np.square(self.values))

    def share(self, n_directions: int) -> float:
        """Return the share of the squared norm in the first directions, in [0, 1]."""
        squares = np.square(self.values)
        return float(squares[:n_directions].sum() / squares.sum())

    def row_side(self, change: WeightMatrix, n_directions: int) -> Float[np.ndarray, "value row"]:
        """Return unit vectors on the side of the rows, partners of the first directions."""
        first = self.directions[:n_directions]
        return np.asarray((change @ first.T / self.values[:n_directions]).T)


def change_spectrum(weights: WeightMatrix, others: WeightMatrix) -> ChangeSpectrum:
    """Return the singular values of the change of a matrix, and the noise of rounding.

    Rounding moves an entry w by at most 2^-bits |w|, with the bits of the coarser format of both
    matrices. Independent errors of this size have singular values up to about the length of the
    longest row plus the length of the longest column. This sum is the tolerance, an upper bound:
    most errors are smaller than the largest error.
    """
    stored = coarser(stored_format(weights), stored_format(others))
    values, directions = _right_side(others, weights)
    return ChangeSpectrum(values, directions, _tolerance(weights, others, stored), stored)


def _tolerance(weights: WeightMatrix, others: WeightMatrix, stored: str) -> float:
    squares = [np.square(np.asarray(x, dtype=np.float64)) for x in (weights, others)]
    longest = max(np.sqrt(x.sum(axis=1).max()) + np.sqrt(x.sum(axis=0).max()) for x in squares)
    step = SMALLEST_STEP[stored] * (np.sqrt(weights.shape[0]) + np.sqrt(weights.shape[1]))
    return float(2.0 ** -SIGNIFICANT_BITS[stored] * longest + step)


def within_rounding(weights: WeightMatrix, others: WeightMatrix) -> str:
    """Return the format whose rounding leaves such a change; "" for a larger change.

    An example is a sum that a program undid. The format is the finer format of both weights:
    float32 weights that left the grid of bfloat16 have moved. The norm of the change is at most
    2^-bits of the norm of W, and no singular value of a matrix is above the tolerance. Only changed
    rows of a matrix count, as a single moved row must show; and changed entries differ by at most
    `FEW_STEPS`.
    """
    stored = finer(stored_format(weights), stored_format(others))
    differs = weights != others
    if weights.shape[1] > 1 and not differs.any(axis=1).all():
        rows = differs.any(axis=1)
        weights, others, differs = weights[rows], others[rows], differs[rows]
    bound = 2.0 ** -SIGNIFICANT_BITS[stored]
    if _relative_change(weights, others) > bound:
        return ""
    if _relative_change(weights[differs], others[differs]) > 2 * FEW_STEPS * bound:
        return ""
    if min(weights.shape) < 2:
        return stored
    largest = _right_side(others, weights)[0][0]
    return "" if largest > _tolerance(weights, others, stored) else stored


def _relative_change(weights: Weights, others: Weights) -> float:
    """Return |W' - W| / |W|: 0 of no entries, infinite from 0."""
    change = np.linalg.norm(np.asarray(others, dtype=np.float64) - weights)
    norm = np.linalg.norm(weights)
    return float(change / norm) if norm > 0 else (np.inf if change > 0 else 0.0)


def leading_directions(weights: WeightMatrix, n_directions: int) -> Float[np.ndarray, "value dim"]:
    """Return the unit vectors of the largest singular values, on the side of the columns.

    Fewer than `n_directions` for a lower rank: any vector has a singular value of 0.
    """
    values, directions = _right_side(weights, None)
    # Of the zeros of float64 arithmetic, as numpy's matrix_rank has them.
    zero = values[0] * max(weights.shape) * np.finfo(np.float64).eps
    return directions[: min(n_directions, int((values > zero).sum()))]


def overlap_with(
    spectrum: ChangeSpectrum, leading: Float[np.ndarray, "value dim"]
) -> tuple[float, float]:
    """Return how the first directions of a change lie to the leading directions of W.

    First the mean squared cosine of the principal angles, in [0, 1], at random len(leading) / dim
    on average: a unit vector of random direction has this share of its squared length in a space of
    dimension len(leading). Then the smallest angle, in degrees. As many directions of the change as
    leading directions, no more than the change's rank; NaN for a change of rank 0, and from weights
    of 0.
    """
    first = spectrum.directions[: min(spectrum.rank, len(leading))]
    if not len(first):
        return float("nan"), float("nan")
    cosines = np.linalg.svd(first @ leading.T, compute_uv=False).clip(max=1)
    return float(np.square(cosines).mean()), float(np.degrees(np.arccos(cosines[0])))


def gaussian_participation_ratio(n_rows: int, dim: int) -> float:
    """Return the participation ratio of a matrix of independent normal entries, of the mean sums.

    E sum s^2 = n d and E sum s^4 = n d (n + d + 1), s being its singular values.
    """
    return n_rows * dim / (n_rows + dim + 1)


def _right_side(
    weights: WeightMatrix, less: WeightMatrix | None
) -> tuple[Float[np.ndarray, " value"], Float[np.ndarray, "value dim"]]:
    """Return singular values and right vectors of `weights`, or of `weights` less `less`."""
    triangle = np.zeros((0, weights.shape[1]))
    for start in range(0, len(weights), BLOCK):
        rows = np.asarray(weights[start : start + BLOCK], dtype=np.float64)
        rows = rows if less is None else rows - less[start : start + BLOCK]
        stacked = np.concatenate([triangle, rows])
        is_tall = len(stacked) > stacked.shape[1]
        triangle = np.asarray(np.linalg.qr(stacked, mode="r")) if is_tall else stacked
    _, values, directions = np.linalg.svd(triangle, full_matrices=False)
    return values, directions
