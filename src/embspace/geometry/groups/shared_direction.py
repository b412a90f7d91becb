"""Measures the common part of the energy of vectors of different kinds."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.directions import norms, unit_rows
from embspace.geometry.pairs.door import takes_arrays


@dataclass(frozen=True, eq=False)
class PairProducts:
    """Dot products of all pairs of vectors of different groups, for any part of the vectors."""

    products: Float[np.ndarray, "n n"]
    """0 for two vectors of the same group."""
    is_pair: Float[np.ndarray, "n n"]
    """1 for two of different groups, else 0."""
    squared: Float[np.ndarray, " n"]
    """Squared lengths."""

    def shared_energy(self, rows: Int[np.ndarray, " row"] | None = None) -> float:
        """Return the mean dot product over pairs of different groups, over the mean squared length.

        Of a common part m and independent rests, |m|^2 / E|x|^2, without bias in the numerator:
        0 in expectation for independent directions, 1 for equal vectors. Where no two are of one
        group it is (n |mean|^2 / mean |x|^2 - 1) / (n - 1), from -1 / (n - 1) to 1. NaN without
        a pair, or if all vectors are zero. `rows`: of these vectors alone, no row twice.
        """
        taken = np.ones(len(self.squared))
        if rows is not None:
            taken = np.bincount(rows, minlength=len(taken)).astype(np.float64)
        n_pairs, squared = taken @ self.is_pair @ taken, taken @ self.squared
        if not n_pairs or not squared:
            return float("nan")
        return float(taken @ self.products @ taken / n_pairs / (squared / taken.sum()))


@takes_arrays(at_least=0)
def pair_products(x: Float[np.ndarray, "n dim"], group: Int[np.ndarray, " n"]) -> PairProducts:
    """The dot products of all pairs of rows of different groups."""
    is_pair = (group[:, np.newaxis] != group).astype(np.float64)
    return PairProducts(is_pair * (x @ x.T), is_pair, norms(x) ** 2)


@takes_arrays(at_least=0)
def shared_energy(x: Float[np.ndarray, "n dim"], group: Int[np.ndarray, " n"]) -> float:
    """`PairProducts.shared_energy` of all rows."""
    return pair_products(x, group).shared_energy()


@takes_arrays(at_least=0)
def mean_pair_cosine(x: Float[np.ndarray, "n dim"], group: Int[np.ndarray, " n"]) -> float:
    """Return the mean cosine of two rows of different groups; a zero row is in no pair.

    As `shared_energy`, with all lengths made equal: a few long vectors do not decide it.
    """
    kept = norms(x) > 0
    return shared_energy(unit_rows(x[kept]), group[kept])


@takes_arrays(at_least=0)
def shared_cosine(
    x: Float[np.ndarray, "n dim"], y: Float[np.ndarray, "n dim"], group: Int[np.ndarray, " n"]
) -> float:
    """Return the cosine between the common parts of the rows of `x` and the rows of `y`.

    By pairs of different groups, without the relation of a row of `x` to its own row of `y`. NaN
    where a common part is missing; sampling may carry the cosine beyond [-1, 1].
    """
    is_pair = group[:, np.newaxis] != group
    across, within_x, within_y = ((is_pair * (a @ b.T)).sum() for a, b in ((x, y), (x, x), (y, y)))
    if within_x <= 0 or within_y <= 0:
        return float("nan")
    return float(across / np.sqrt(within_x * within_y))
