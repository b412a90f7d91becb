"""Dimensions of a curve over scales: by pairs of points, by boxes, and where they are steady."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.directions import distance_matrix
from embspace.geometry.pairs.door import takes_arrays

REACH = 2  # steps of the grid of scales to either side, over which a slope is taken
MOST_PAIRS = 0.5  # share of all pairs beyond which the ends of the cloud bend the curve
FEWEST_BOXES, FILLED = 8, 4  # fewer boxes see the cloud's outline; fewer points a box are alone
SHIFTS = np.arange(4) / 4  # of the boxes, in their side


@takes_arrays(invariant_to=["rotation", "translation"])
def correlation_slopes(
    x: Float[np.ndarray, "n dim"], scales: Float[np.ndarray, " scale"]
) -> Float[np.ndarray, " scale"]:
    """Return the correlation dimension at each scale (Grassberger and Procaccia 1983).

    The slope of the logarithm of the share of pairs nearer than a scale, by least squares over five
    scales. NaN where fewer pairs than points are so near, or more than half of all.

    Parameters:
        x: Points.
        scales: Ascending distances at equal ratios.
    """
    n = len(x)
    distances = np.sort(distance_matrix(x)[np.triu_indices(n, 1)])
    counts = np.searchsorted(distances, scales, side="right").astype(np.float64)
    counts[(counts < n) | (counts > MOST_PAIRS * len(distances))] = np.nan
    return _slopes(scales, counts)


@takes_arrays(invariant_to=["translation"])
def box_slopes(
    x: Float[np.ndarray, "n dim"], scales: Float[np.ndarray, " scale"]
) -> Float[np.ndarray, " scale"]:
    """Return the box dimension at each side of the boxes.

    The slope, downward, of the logarithm of the mean number of boxes with a point, over four
    positions of the grid of boxes and five scales. NaN where few boxes hold all points, or boxes
    have few points each: beyond three dimensions nearly everywhere. Too small with few points: 1.6
    for 500 in a square.

    Parameters:
        x: Points; boxes lie along the coordinates.
        scales: Ascending sides at equal ratios.
    """
    from_corner = x - x.min(axis=0)
    counts = np.array(
        [
            np.mean([_n_boxes(np.floor(from_corner / side + shift)) for shift in SHIFTS])
            for side in scales
        ]
    )
    counts[(counts < FEWEST_BOXES) | (counts > len(x) / FILLED)] = np.nan
    return -_slopes(scales, counts)


def _n_boxes(boxes: Float[np.ndarray, "n dim"]) -> int:
    # Each coordinate by the rank of its value: NumPy sorts whole numbers faster than rows.
    numbers = np.zeros(len(boxes), dtype=np.int64)
    for column in boxes.T:
        _, ranks = np.unique(column, return_inverse=True)
        _, numbers = np.unique(numbers * len(boxes) + ranks, return_inverse=True)
    return int(numbers.max()) + 1


def _slopes(
    scales: Float[np.ndarray, " scale"], counts: Float[np.ndarray, " scale"]
) -> Float[np.ndarray, " scale"]:
    slopes = np.full(len(scales), np.nan)
    x, y = np.log(scales), np.log(counts)
    for middle in range(REACH, len(scales) - REACH):
        near = slice(middle - REACH, middle + REACH + 1)
        centered = x[near] - x[near].mean()
        slopes[middle] = centered @ y[near] / (centered @ centered)
    return slopes


class SteadyDimension(NamedTuple):
    """A dimension, and the limits of the scales where it is steady; NaN without steady scales."""

    dimension: float
    low: float
    high: float


def steady_dimension(
    scales: Float[np.ndarray, " scale"],
    slopes: Float[np.ndarray, " scale"],
    *,
    tolerance: float,
    factor: float,
) -> SteadyDimension:
    """Return the median slope over the widest range of scales where slopes stay near their median.

    Near is within a share `tolerance` of the median. A range is at least of a `factor`; of two as
    wide, the range of smaller scales counts.
    """
    best, width = SteadyDimension(np.nan, np.nan, np.nan), factor * (1 - 1e-9)
    for start in range(len(scales)):
        for end in range(start + 1, len(scales)):
            ratio = scales[end] / scales[start]
            if ratio < width or (ratio <= width * (1 + 1e-9) and np.isfinite(best.low)):
                continue
            own = slopes[start : end + 1]
            if not np.isfinite(own).all():
                break
            middle = float(np.median(own))
            if np.abs(own - middle).max() <= tolerance * abs(middle):
                best = SteadyDimension(middle, float(scales[start]), float(scales[end]))
                width = ratio
    return best
