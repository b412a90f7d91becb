"""How far two curves of the same points lie apart, after one is turned onto the other."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.door import takes_arrays


class CurveDistances(NamedTuple):
    """Distances of two curves, in root mean square distances of a curve from its mean."""

    hausdorff: float
    """The largest distance of a point of either curve from the nearest point of the other."""
    rms: float
    """Root mean square distance of points with the same number."""


@takes_arrays(at_least=2, invariant_to=["rotation", "scale", "translation"])
def curve_distances(
    x: Float[np.ndarray, "n dim"], y: Float[np.ndarray, "n other_dim"]
) -> CurveDistances:
    """Return the distances of two curves, both centered and at a root mean square distance of 1.

    The second is turned so that points with the same number come nearest (Schönemann 1966,
    reflections allowed); no closed form gives the rotation of the least Hausdorff distance. If dims
    differ, the smaller is filled with coordinates of zeros. `rms` lies in [0, sqrt(2)], and is 0,
    like `hausdorff`, for curves equal up to shift, scale and rotation. NaN where all points of a
    curve are equal.
    """
    x, y = _in_own_unit(x), _in_own_unit(y)
    if np.isnan(x).any() or np.isnan(y).any():
        return CurveDistances(np.nan, np.nan)
    dim = max(x.shape[1], y.shape[1])
    x, y = (np.pad(z, ((0, 0), (0, dim - z.shape[1]))) for z in (x, y))
    u, _, vt = np.linalg.svd(x.T @ y)
    y = y @ (u @ vt).T
    squared = np.square(x).sum(axis=1)[:, np.newaxis] + np.square(y).sum(axis=1) - 2 * x @ y.T
    between = np.sqrt(squared.clip(min=0))
    np.fill_diagonal(between, norms(x - y))  # without the rounding of a difference of squares
    hausdorff = max(between.min(axis=0).max(), between.min(axis=1).max())
    return CurveDistances(float(hausdorff), float(np.sqrt(np.square(x - y).sum(axis=1).mean())))


def _in_own_unit(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n dim"]:
    centered = x - x.mean(axis=0)
    unit = np.sqrt(np.square(centered).sum(axis=1).mean())
    if not unit > 1e-12 * np.abs(x).max():
        return np.full_like(centered, np.nan)
    return np.asarray(centered / unit)
