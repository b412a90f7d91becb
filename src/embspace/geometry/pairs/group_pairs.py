"""All pairs of vectors of different groups, where vectors of one group are not independent."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.pairs._group_pair_loops import Side, Tally, tally_rows, totals_of
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.distribution import Distribution

QUANTITIES = ("euclidean_distance", "dot_product", "cosine", "centered_cosine")
TOTALS = (
    "n",
    "euclidean_distance",
    "dot_product",
    "n_cosine",
    "cosine",
    "n_not_positive",
    "n_centered_cosine",
    "centered_cosine",
    "n_centered_not_positive",
)
BLOCK_ROWS = 512  # of all products that are in memory at once


@dataclass(frozen=True, eq=False)
class GroupedVectors:
    """Vectors about the mean, in groups within units, both ascending."""

    centered: Float[np.ndarray, "n dim"]
    mean: Float[np.ndarray, " dim"]
    groups: Int[np.ndarray, " n"]
    """Two vectors of the same group are no pair."""
    units: Int[np.ndarray, " n"]
    """Those for which sums are kept: a group each, or several groups if there are too many."""

    @classmethod
    def of(
        cls,
        x: Float[np.ndarray, "n dim"],
        groups: Int[np.ndarray, " n"],
        units: Int[np.ndarray, " n"],
    ) -> "GroupedVectors":
        """Return the vectors in float64; equal vectors are exactly zero about the mean.

        Raises:
            ValueError: no vector, NaN or infinity, or units that do not ascend with the groups.
        """
        if not len(x) or not np.isfinite(x).all():
            raise ValueError(f"x: expected finite vectors, found {x.shape} with NaN or infinity")
        order = np.argsort(groups, kind="stable")
        if (np.diff(units[order]) < 0).any():
            raise ValueError("units: expected numbers that ascend with those of the groups")
        # Relative to the first: what all share would leave rounding in the place of zero.
        origin = x[order[0]].astype(np.float64)
        shifted = x[order].astype(np.float64) - origin
        mean = shifted.mean(axis=0)
        return cls(shifted - mean, origin + mean, groups[order], units[order])

    @property
    def vectors(self) -> Float[np.ndarray, "n dim"]:
        """Return the vectors before centering, by group."""
        return self.centered + self.mean


@dataclass(frozen=True, eq=False)
class GroupPairs:
    """The result of `scan_group_pairs`."""

    distributions: dict[str, Distribution]
    """By name in `QUANTITIES`."""
    sums: Float[np.ndarray, "place_x place_y total"]
    """Sums of `TOTALS` over the pairs of two units, or within a unit."""
    units_x: Int[np.ndarray, " place_x"]
    units_y: Int[np.ndarray, " place_y"]
    """The number of the unit at every place."""
    within: bool

    def totals(self, chosen: Bool[np.ndarray, " unit"]) -> dict[str, float]:
        """Return each of `TOTALS` over the pairs whose vectors both lie in the chosen units.

        Numbers of pairs, of cosines, of cosines of at most 0; sums of all other quantities.
        `chosen` has a value for every number of a unit.
        """
        in_x, in_y = chosen[self.units_x], chosen[self.units_y]
        totals = totals_of(self.sums, in_x, in_y, self.within)
        return dict(zip(TOTALS, totals.tolist(), strict=True))


def scan_group_pairs(
    x: GroupedVectors, y: GroupedVectors | None = None, *, n_bins: int
) -> GroupPairs:
    """Scan every pair of vectors of different groups, between `x` and `y` or within `x`.

    In float64, from products about the means: close vectors far from the origin keep their digits.
    `centered_cosine` subtracts the mean of the vector's own side. A vector of length zero has no
    cosine, and the pairs are missing there. Products are BLAS's: set one thread for the same bytes
    everywhere. Memory beyond the vectors is 72 bytes a pair of units.

    Args:
        x: First side.
        y: Second side, of the same dim; numbers of groups and units mean the same on both.
        n_bins: Bins of a quantity's histogram, over a range with all values.
    """
    within, y = y is None, y or x
    left, right = _sides(x, y)
    units_x, units_y = np.unique(x.units), np.unique(y.units)
    tally = Tally(
        limits=_limits(x, y),
        counts=np.zeros((len(QUANTITIES), n_bins), dtype=np.int64),
        power_sums=np.zeros((len(QUANTITIES), 4)),
        extremes=np.tile([np.inf, -np.inf], (len(QUANTITIES), 1)),
        sums=np.zeros((len(units_x), len(units_y), len(TOTALS))),
    )
    for start in range(0, len(x.centered), BLOCK_ROWS):
        rows, columns = slice(start, start + BLOCK_ROWS), slice(start if within else 0, None)
        products = x.centered[rows] @ y.centered[columns].T
        tally_rows(products, within, _part(left, rows), _part(right, columns), tally)
    return GroupPairs(
        distributions={name: _distribution(tally, row) for row, name in enumerate(QUANTITIES)},
        sums=tally.sums,
        units_x=units_x,
        units_y=units_y,
        within=within,
    )


def _distribution(tally: Tally, row: int) -> Distribution:
    """Return the distribution of a quantity, the powers about the middle of the limits."""
    low, high = tally.limits[row].tolist()
    counts, (lowest, highest) = tally.counts[row], tally.extremes[row].tolist()
    edges = np.linspace(low, high, len(counts) + 1)
    return Distribution(edges, counts, tally.power_sums[row], lowest, highest, (low + high) / 2)


def _sides(x: GroupedVectors, y: GroupedVectors) -> tuple[Side, Side]:
    """Return the parts that dot product and squared distance are sums of; see `Side`."""
    apart = x.mean - y.mean
    left = _side(x, x.centered @ y.mean + x.mean @ y.mean, np.square(norms(x.centered + apart)))
    right_squared = np.square(norms(y.centered)) - 2 * y.centered @ apart
    return left, _side(y, y.centered @ x.mean, right_squared)


def _side(
    x: GroupedVectors, dot_shift: Float[np.ndarray, " n"], squared: Float[np.ndarray, " n"]
) -> Side:
    return Side(
        dot_shift=dot_shift,
        squared=squared,
        inverse_norm=_inverse(norms(x.vectors)),
        centered_inverse_norm=_inverse(norms(x.centered)),
        group=x.groups,
        place=np.unique(x.units, return_inverse=True)[1].astype(np.int64),
    )


def _part(side: Side, rows: slice) -> Side:
    return Side(*(values[rows] for values in side))


def _inverse(lengths: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    return np.divide(1.0, lengths, where=lengths > 0, out=np.zeros_like(lengths))


def _limits(x: GroupedVectors, y: GroupedVectors) -> Float[np.ndarray, "quantity 2"]:
    """Return a range for each quantity that holds all its values and is narrow for narrow clouds.

    A dot product differs from that of the means by no more than the triangle inequality allows; a
    cosine is 1 - d^2 / (2 |x| |y|) or more.
    """
    widest_x, widest_y = norms(x.centered).max(), norms(y.centered).max()
    mean_product, apart = x.mean @ y.mean, x.mean - y.mean
    mean_x, mean_y = np.sqrt(x.mean @ x.mean), np.sqrt(y.mean @ y.mean)
    around = widest_x * mean_y + widest_y * mean_x + widest_x * widest_y or 1.0
    longest = np.sqrt(apart @ apart) + widest_x + widest_y
    shortest = norms(x.vectors).min() * norms(y.vectors).min()
    smallest = 1 - longest**2 / (2 * shortest) if shortest > 0 and longest > 0 else -1.0
    return np.array(
        [
            (0, longest or 1.0),
            (mean_product - around, mean_product + around),
            (max(smallest, -1.0), 1),
            (-1, 1),
        ]
    )
