"""Measures the shape of one table of positions: planes, loops, parts, dimensions over scales."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.maps.parts import parts_by_gaps
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.positional.curve_dimensions import (
    box_slopes,
    correlation_slopes,
    steady_dimension,
)
from embspace.geometry.positional.helix import spectral_peak, winding
from embspace.geometry.positional.loops import loop_bars, merge_distances, successive_edges

COMPONENTS, FULL = "components", "full"
PLANE = "plane"  # of the first two components, a map on which parts are counted
SPACES = (COMPONENTS, FULL)
N_COMPONENTS = 3
CORRELATION, BOX = "correlation", "box"


class Search(NamedTuple):
    """Settings of the measures of a curve's shape."""

    n_planes: int
    n_bars: int
    """The number of longest loops to keep."""
    scales: Float[np.ndarray, " scale"]
    """Distances, in units of the root mean square distance from the mean."""
    tolerance: float
    factor: float
    """The least ratio of the scales at the ends of a steady slope; see `steady_dimension`."""
    parts_gap: float
    """Gap between parts, and the share of positions of the smallest; see `parts_by_gaps`."""
    smallest_part: float


class Shape(NamedTuple):
    """The measures of one table; lengths are in root mean square distances from the mean."""

    planes: Float[np.ndarray, "plane 4"]
    """Share of variance, turns, period, share of power."""
    bars: dict[str, Float[np.ndarray, "loop 2"]]
    """By space: birth and death, the longest first; NaN if there are fewer loops."""
    slopes: dict[tuple[str, str], Float[np.ndarray, " scale"]]
    """By space and method."""
    values: dict[tuple[str, str], Float[np.ndarray, "3"]]
    """By space and measure: value, and for a dimension the scales between which it is steady."""


def shape_of(x: Float[np.ndarray, "n dim"], positions: Int[np.ndarray, " n"], how: Search) -> Shape:
    """Return the shape of a table whose rows are `positions`."""
    n_components = min(max(2 * how.n_planes, N_COMPONENTS), *x.shape)
    components = principal_components(x, n_components=n_components)
    coordinates = components.coordinates
    planes = _planes(coordinates, components.explained_variance, positions, how.n_planes)
    clouds = {COMPONENTS: coordinates[:, :N_COMPONENTS], FULL: x.astype(np.float64)}
    bars, slopes, values = {}, {}, {}
    for space, cloud in clouds.items():
        own = _in_own_unit(cloud)
        loops = loop_bars(own)
        bars[space] = np.full((how.n_bars, 2), np.nan)
        bars[space][: len(loops)] = loops[: how.n_bars]
        lengths = np.append(loops[:, 1] - loops[:, 0], 0)
        alone = (np.nan, np.nan)
        values[space, "longest_loop"] = np.array([lengths[0], *alone])
        values[space, "longest_merge"] = np.array([merge_distances(own)[0], *alone])
        values[space, "successive_edges"] = np.array([successive_edges(own), *alone])
        slopes[space, CORRELATION] = correlation_slopes(own, how.scales)
        if space == COMPONENTS:  # in more dimensions each box holds one point
            slopes[space, BOX] = box_slopes(own, how.scales)
    for space, cloud in {PLANE: coordinates[:, :2], **clouds}.items():
        parts = parts_by_gaps(cloud, gap=how.parts_gap, smallest_share=how.smallest_part)
        values[space, "parts"] = np.array([parts.n, np.nan, np.nan])
    for (space, method), slope in slopes.items():
        steady = steady_dimension(how.scales, slope, tolerance=how.tolerance, factor=how.factor)
        values[space, f"{method}_dimension"] = np.array(steady)
    return Shape(planes, bars, slopes, values)


def _in_own_unit(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n dim"]:
    centered = x - x.mean(axis=0)
    unit = np.sqrt(np.square(centered).sum(axis=1).mean())
    return centered / (unit or 1.0)


def _planes(
    coordinates: Float[np.ndarray, "n component"],
    shares: Float[np.ndarray, " component"],
    positions: Int[np.ndarray, " n"],
    n_planes: int,
) -> Float[np.ndarray, "plane 4"]:
    rows = np.full((n_planes, 4), np.nan)
    for plane in range(min(n_planes, coordinates.shape[1] // 2)):
        pair = slice(2 * plane, 2 * plane + 2)
        path = coordinates[:, pair] @ np.array([1, 1j])
        if not np.ptp(np.abs(path)) > 0:
            continue
        turning, peak = winding(path, positions), spectral_peak(path, positions)
        rows[plane] = shares[pair].sum(), abs(turning.n_turns), peak.period, peak.power_share
    return rows
