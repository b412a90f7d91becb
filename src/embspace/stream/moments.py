"""Moments of disjoint parts of a cloud that merge exactly, whatever the order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.moments import Moments

Part = TypeVar("Part")


@dataclass(frozen=True, eq=False)
class CentralMoments:
    """The moments of n vectors about the mean, in float64.

    Two clouds' moments merge by Chan, Golub and LeVeque (1983, The American Statistician 37,
    equation 2.1). A mean much longer than the spread costs no digit.
    """

    n: int
    mean: Float[np.ndarray, " dim"]
    comoments: Float[np.ndarray, "dim dim"]
    """Sum of y y' with y = x - mean."""
    cubes: Float[np.ndarray, " dim"]
    """Sum of |y|^2 y."""
    quartic: float
    """Sum of |y|^4."""

    def about(self, origin: Float[np.ndarray, " dim"]) -> Moments:
        """Return the sums over y = x - `origin`, as needed for the measures of spectra."""
        shift = self.mean - origin
        square, energy = float(shift @ shift), float(np.trace(self.comoments))
        turned = self.comoments @ shift
        return Moments(
            n=self.n,
            origin=origin,
            total=self.n * shift,
            products=self.comoments + self.n * np.outer(shift, shift),
            cubes=self.cubes + 2 * turned + (energy + self.n * square) * shift,
            quartic=self.quartic
            + float(4 * shift @ turned + 4 * self.cubes @ shift)
            + 2 * square * energy
            + self.n * square**2,
        )


def no_moments(dim: int) -> CentralMoments:
    """Return the moments of no vector, which change nothing when merged."""
    return CentralMoments(0, np.zeros(dim), np.zeros((dim, dim)), np.zeros(dim), 0.0)


def central_moments(sums: Moments) -> CentralMoments:
    """Return sums about an origin as moments about the mean.

    Digits are kept if the origin is no farther from the mean than some times the spread.
    """
    if not sums.n:
        return no_moments(sums.dim)
    raw = CentralMoments(sums.n, sums.origin, sums.products, sums.cubes, sums.quartic)
    shift = sums.total / sums.n
    # As `about`, but of sums whose first moment is not zero about the origin.
    energy, square = float(np.trace(raw.comoments)), float(shift @ shift)
    turned = raw.comoments @ shift
    cubes = raw.cubes - 2 * turned - energy * shift + 2 * sums.n * square * shift
    quartic = raw.quartic - float(4 * raw.cubes @ shift) + 4 * float(shift @ turned)
    quartic += 2 * square * energy - 3 * sums.n * square**2
    comoments = raw.comoments - sums.n * np.outer(shift, shift)
    return CentralMoments(sums.n, sums.origin + shift, comoments, cubes, quartic)


def merge(first: CentralMoments, second: CentralMoments) -> CentralMoments:
    """Return the moments of both clouds together.

    Raises:
        ValueError: their vectors have different numbers of coordinates.
    """
    if first.mean.shape != second.mean.shape:
        raise ValueError(
            f"second: expected {len(first.mean)} coordinates, found {len(second.mean)}"
        )
    if not first.n or not second.n:
        return first if first.n else second
    n = first.n + second.n
    mean = first.mean + (second.mean - first.mean) * (second.n / n)
    first_moments, second_moments = first.about(mean), second.about(mean)
    return CentralMoments(
        n,
        mean,
        first_moments.products + second_moments.products,
        first_moments.cubes + second_moments.cubes,
        first_moments.quartic + second_moments.quartic,
    )


def merge_tree(parts: Sequence[Part], merge_two: Any = merge) -> Part:
    """Merge parts in pairs, then pairs of pairs: the same bytes for the same order of parts.

    Raises:
        ValueError: there is no part.
    """
    if not parts:
        raise ValueError("parts: expected at least one, found none")
    level = list(parts)
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        rest = level[-1:] if len(level) % 2 else []
        level = [*(merge_two(a, b) for a, b in pairs), *rest]
    return level[0]
