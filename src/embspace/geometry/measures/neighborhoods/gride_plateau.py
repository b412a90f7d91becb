"""Scales with a constant dimension by Gride, chosen by a rule instead of by eye."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from embspace.geometry.measures.declaration import Estimate, measure
from embspace.geometry.measures.distance_ratios import gride_by_scale
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.types import Vectors


@dataclass(frozen=True)
class Plateau:
    """Successive scales, each of twice as many neighbors, that find nearly the same dimension."""

    value: float
    """The median dimension over the scales."""
    first_k: int
    last_k: int
    spread: float
    """The largest dimension over the smallest, less 1."""


@measure(
    "intrinsic_dimension",
    formula=r"\operatorname{median}_{k \in P} \hat d_k,\quad P \text{ the longest run of scales } "
    r"k = 1, 2, 4, \dots \text{ with } \max_P \hat d_k \le (1 + \tau) \min_P \hat d_k,\ |P| \ge m",
    range=r"(0,\ \infty)",
    source=r"the estimates of Denti et al. 2022, Gride, equation 6; the rule is this library's",
    invariant_to=["rotation", "scale", "translation"],
    bias="Downwards in many dimensions. A plateau does not tell a right value from a biased one.",
    shared="neighbors",
)
def gride_plateau(
    x: Vectors | NeighborGraph,
    *,
    largest_k: int = 32,
    tolerance: float = 0.1,
    n_scales: int = 3,
) -> Estimate:
    """Gride's dimension at the longest run of agreeing scales.

    Scales are k = 1, 2, 4, ... up to `largest_k`. At least `n_scales` agree if the largest
    dimension exceeds the smallest by no more than the share `tolerance`. Of equally long runs the
    run with the smallest spread counts. NaN without a plateau: the dimension depends on the scale.
    Papers choose the scale where the curve "visually plateaus". The standard error belongs to the
    run's first scale, where neighborhoods overlap least.

    Raises:
        ValueError: `largest_k` under 1, `tolerance` not positive, or `n_scales` under 2.

    Examples:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> line = np.outer(np.linspace(0, 1, 2000), np.ones(10))
        >>> noisy = line + 3e-4 * rng.normal(size=line.shape)
        >>> round(gride(noisy, k=1).value, 1), round(gride_plateau(noisy).value, 1)
        (4.2, 1.0)
    """
    by_scale = _by_scale(x, largest_k)
    plateau = plateau_of(by_scale, tolerance=tolerance, n_scales=n_scales)
    first = by_scale[plateau.first_k if plateau else 1]
    if not plateau:
        return Estimate(float("nan"), float("nan"), first.n, first.dropped)
    return Estimate(plateau.value, first.standard_error, first.n, first.dropped)


def plateau_of(
    by_scale: Mapping[int, Estimate], *, tolerance: float, n_scales: int
) -> Plateau | None:
    """Return the longest run of agreeing scales by the rule of `gride_plateau`, or None.

    `by_scale` is the result of `gride_by_scale`.

    Raises:
        ValueError: `tolerance` not positive, or `n_scales` under 2.
    """
    if not tolerance > 0:
        raise ValueError(f"tolerance: expected a positive share, found {tolerance}")
    if n_scales < 2:
        raise ValueError(f"n_scales: expected at least 2, found {n_scales}")
    scales, values = list(by_scale), np.array([estimate.value for estimate in by_scale.values()])
    runs = [
        (stop - first, -_spread(values[first:stop]), first)
        for first in range(len(values))
        for stop in range(first + n_scales, len(values) + 1)
        if _spread(values[first:stop]) <= tolerance  # False where one is NaN
    ]
    if not runs:
        return None
    length, spread, first = max(runs, key=lambda run: (run[0], run[1], -run[2]))
    value = float(np.median(values[first : first + length]))
    return Plateau(value, scales[first], scales[first + length - 1], -spread)


def _by_scale(x: Vectors | NeighborGraph, largest_k: int) -> dict[int, Estimate]:
    n_neighbors = x.k if isinstance(x, NeighborGraph) else len(x) - 1
    if n_neighbors < 2:
        raise ValueError(f"x: expected at least 3 vectors, found {n_neighbors + 1}")
    return gride_by_scale(x, largest_k=min(largest_k, n_neighbors // 2))


def _spread(values: Float[np.ndarray, " scale"]) -> float:
    return float(values.max() / values.min() - 1)
