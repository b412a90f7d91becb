"""A distribution of many values, kept as a fine histogram and power sums about a center."""

from dataclasses import dataclass
from math import comb

import numpy as np
from jaxtyping import Float, Int

POWERS = np.arange(1, 5)
# A spread of so few roundings of a value is none to take a shape from.
FEWEST_ROUNDINGS = 30
# Digits of float64 are lost to the fourth power of the distance of the mean from the center.
MOST_LOST = 1e-4
# Relative: values of a bin that differ less are one.
EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class Distribution:
    """Values that were counted once and then forgotten; parts of a population can be added.

    Moments come from the power sums and know nothing of the bins. An empty distribution has
    NaN moments. What the values or the bins are too coarse for is NaN as well: see `skewness` and
    `quantile`.
    """

    edges: Float[np.ndarray, " edge"]
    """Ascending edges of bins of equal width. A bin holds the lower edge, the last bin both."""
    counts: Int[np.ndarray, " bin"]
    power_sums: Float[np.ndarray, "4"]
    """Sums of u, u^2, u^3, u^4 with u = v - `center`."""
    minimum: float
    """Infinity when empty."""
    maximum: float
    """Minus infinity when empty."""
    center: float = 0.0
    """The nearer to the mean, the fewer digits of a narrow distribution are lost."""
    rounding: float = 0.0
    """The largest error of a value by rounding, in units of the values."""

    @classmethod
    def of(
        cls,
        values: Float[np.ndarray, " value"],
        edges: Float[np.ndarray, " edge"],
        repeats: Int[np.ndarray, " value"] | int = 1,
        *,
        center: float | None = None,
        rounding: float = 0.0,
    ) -> "Distribution":
        """Count each of `values` `repeats` times; values beyond the edges go into the end bins.

        The center is their mean by default.
        """
        repeats = np.broadcast_to(np.asarray(repeats, dtype=np.int64), values.shape)
        values, repeats = values[repeats > 0].astype(np.float64), repeats[repeats > 0]
        bins = np.searchsorted(edges, values, side="right") - 1
        counts = np.zeros(len(edges) - 1, dtype=np.int64)
        np.add.at(counts, bins.clip(0, len(counts) - 1), repeats)
        if center is None:
            center = float(np.average(values, weights=repeats)) if len(values) else 0.0
        power_sums = ((values - center) ** POWERS[:, np.newaxis]) @ repeats.astype(np.float64)
        minimum, maximum = values.min(initial=np.inf), values.max(initial=-np.inf)
        return cls(edges, counts, power_sums, float(minimum), float(maximum), center, rounding)

    def __add__(self, other: "Distribution") -> "Distribution":
        """The distribution of both populations together.

        Raises:
            ValueError: the edges differ.
        """
        if not np.array_equal(self.edges, other.edges):
            raise ValueError(f"edges differ: {_shown(self.edges)} and {_shown(other.edges)}")
        return Distribution(
            edges=self.edges,
            counts=self.counts + other.counts,
            power_sums=self.power_sums + other.sums_about(self.center),
            minimum=min(self.minimum, other.minimum),
            maximum=max(self.maximum, other.maximum),
            center=self.center,
            rounding=max(self.rounding, other.rounding),
        )

    def sums_about(self, center: float) -> Float[np.ndarray, "4"]:
        """Return the power sums about a new center."""
        move = self.center - center
        sums = np.append(self.n, self.power_sums)
        return np.array(
            [sum(comb(k, j) * move ** (k - j) * sums[j] for j in range(k + 1)) for k in POWERS]
        )

    @property
    def n(self) -> int:
        """Return the number of values."""
        return int(self.counts.sum())

    @property
    def resolution(self) -> float:
        """Return the width of a bin, in units of the values: the largest error of a quantile."""
        return float(self.edges[-1] - self.edges[0]) / len(self.counts)

    @property
    def mean(self) -> float:
        """Return the first moment, in units of the values."""
        return float(self.center + self._moments[0])

    @property
    def standard_deviation(self) -> float:
        """Return the square root of the second central moment, of the population."""
        return float(np.sqrt(self._variance))

    @property
    def skewness(self) -> float:
        """Return the third standardized moment: 0 if symmetric, NaN for a constant.

        NaN, too, where the standard deviation is under `FEWEST_ROUNDINGS` times `rounding`, or the
        center is so far from the mean that float64 has lost more than `MOST_LOST`.
        """
        mean, second, third, _ = self._moments
        return self._standardized(third - 3 * mean * second + 2 * mean**3, 3)

    @property
    def excess_kurtosis(self) -> float:
        """Return the fourth standardized moment less 3: 0 for a Gaussian, NaN as `skewness`."""
        mean, second, third, fourth = self._moments
        central = fourth - 4 * mean * third + 6 * mean**2 * second - 3 * mean**4
        return self._standardized(central, 4) - 3

    def quantile(self, q: float) -> float:
        """Return the `q` quantile: the smallest value not exceeded by a share `q`, in [0, 1].

        Interpolated linearly inside the bin, with an error of at most `resolution`. NaN if the bin
        holds more than half of all values and these differ: the bins are then too coarse.

        Raises:
            ValueError: `q` outside [0, 1], or no value.
        """
        if not 0 <= q <= 1:
            raise ValueError(f"q: expected a value in [0, 1], found {q}")
        if not self.n:
            raise ValueError("an empty distribution has no quantile")
        rank = max(q * self.n, 1)
        below = self.counts.cumsum()
        bin_ = int(np.searchsorted(below, rank))
        first, last = np.clip(self.edges[bin_ : bin_ + 2], self.minimum, self.maximum)
        is_one = last - first <= EQUAL * max(abs(first), abs(last))
        if 2 * self.counts[bin_] > self.n and not is_one:
            return float("nan")
        share = 1 - (below[bin_] - rank) / self.counts[bin_]
        value = self.edges[bin_] + share * self.resolution
        return float(np.clip(value, self.minimum, self.maximum))

    def coarsen(self, n: int) -> tuple[Float[np.ndarray, " edge"], Int[np.ndarray, " bin"]]:
        """Return edges and counts of at most `n` bins over the occupied range; no value is lost.

        Every bin joins the same number of the old ones, but the last may join fewer: divide by
        the widths to draw a density.

        Raises:
            ValueError: `n` under 1, or no value.
        """
        if n < 1:
            raise ValueError(f"n: expected at least 1, found {n}")
        if not self.n:
            raise ValueError("an empty distribution has no occupied range")
        occupied = np.flatnonzero(self.counts)
        first, end = occupied[0], occupied[-1] + 1
        starts = np.arange(first, end, -(-(end - first) // n))
        counts = np.add.reduceat(self.counts, starts)  # nothing is beyond the end
        return self.edges[np.append(starts, end)], counts

    @property
    def _moments(self) -> Float[np.ndarray, "4"]:
        return self.power_sums / self.n if self.n else np.full(4, np.nan)

    @property
    def _variance(self) -> float:
        mean, second = self._moments[:2]
        variance = float(second - mean**2)
        # Rounding of the sums or of the values, not a variance.
        return 0.0 if variance <= max(1e-14 * second, self.rounding**2) else variance

    def _standardized(self, central_moment: float, power: int) -> float:
        variance = self._variance
        lost = np.finfo(np.float64).eps * self._moments[3]
        if variance < (FEWEST_ROUNDINGS * self.rounding) ** 2 or lost > MOST_LOST * variance**2:
            return np.nan
        return float(central_moment / variance ** (power / 2)) if variance else np.nan


def _shown(edges: Float[np.ndarray, " edge"]) -> str:
    return f"{len(edges) - 1} bins over [{edges[0]:g}, {edges[-1]:g}]"
