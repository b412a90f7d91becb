"""Pairs of vectors of the most extreme cosines, exact although their scan is in float32."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from jaxtyping import Float, Int

Order = Literal["largest", "smallest", "nearest_to_zero"]
ORDERS: tuple[Order, ...] = get_args(Order)


@dataclass(frozen=True, eq=False)
class ExtremePairs:
    """The most extreme pairs of one group of rows, the most extreme first."""

    group: int
    """Number of the membership mask."""
    order: Order
    first: Int[np.ndarray, " pair"]
    """Row numbers in x."""
    second: Int[np.ndarray, " pair"]
    """Row numbers in y, or in x and above `first`."""
    cosine: Float[np.ndarray, " pair"]
    """In float64, rounded to a multiple of 2^-46 = 1.4e-14."""


class Kept(NamedTuple):
    """Best pairs so far, sorted by (key, first, second); a free place has key infinity."""

    key: Float[np.ndarray, "list n_extremes"]
    first: Int[np.ndarray, "list n_extremes"]
    second: Int[np.ndarray, "list n_extremes"]
    cosine: Float[np.ndarray, "list n_extremes"]

    @classmethod
    def empty(cls, n_lists: int, n_extremes: int) -> "Kept":
        """Return lists with all places free."""
        shape = (n_lists, n_extremes)
        first, second = np.zeros((2, *shape), dtype=np.int64)
        return cls(np.full(shape, np.inf), first, second, np.zeros(shape))

    def merge(self, other: "Kept") -> "Kept":
        """Return the best of both."""
        both = [np.concatenate(columns, axis=1) for columns in zip(self, other, strict=True)]
        key, first, second, _ = both
        best = np.lexsort((second, first, key), axis=1)[:, : self.key.shape[1]]
        return Kept(*(np.take_along_axis(column, best, axis=1) for column in both))


class Search(NamedTuple):
    """The order of a list: by small keys, which are -c, c and |c| of a cosine c.

    list = group * len(ORDERS) + order.
    """

    bound: Float[np.ndarray, " list"]
    """A key above the bound cannot win any more; lowered during the scan of other blocks."""
    margin: float
    """Largest difference between a float32 key and the true key."""


class ExtremeLists:
    """Gathers the pairs that the blocks of a scan have kept: a list per group and order.

    The outcome does not depend on the order of the blocks, for (key, first, second) orders all
    pairs strictly.
    """

    def __init__(self, n_groups: int, n_extremes: int, dim: int) -> None:
        n_lists = n_groups * len(ORDERS) if n_extremes else 0
        self.kept = Kept.empty(n_lists, n_extremes)
        self.search = Search(np.full(n_lists, np.inf), cosine_margin(dim))

    def add(self, part: Kept) -> None:
        """Take over the best of a block."""
        if np.isfinite(part.key).any():
            self.kept = self.kept.merge(part)
            self.search.bound[:] = self.kept.key[:, -1]

    def pairs(self) -> tuple[ExtremePairs, ...]:
        """The lists, by group and order."""
        return tuple(self._list(number) for number in range(len(self.kept.key)))

    def _list(self, number: int) -> ExtremePairs:
        group, order = divmod(number, len(ORDERS))
        _, first, second, cosine = (
            column[number, np.isfinite(self.kept.key[number])] for column in self.kept
        )
        return ExtremePairs(group, ORDERS[order], first, second, cosine)


def cosine_margin(dim: int) -> float:
    """Bound on the error of a float32 cosine of float32 rows, whatever the order of summation.

    gamma_k = k u / (1 - k u), u = 2^-24: Higham (2002), Accuracy and Stability of Numerical
    Algorithms, equation 3.5, where |x| . |y| <= ||x|| ||y||. Of k = dim + 8 roundings, dim are of
    the dot product, 4 of the division by two norms, the rest covers float32 comparisons.
    """
    roundings = (dim + 8) * 2.0**-24
    return roundings / (1 - roundings)
