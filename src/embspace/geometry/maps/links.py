"""Two closed curves in space: circles, linked or not, and the linking number."""

import numpy as np
from jaxtyping import Float

Polygon = Float[np.ndarray, "_ 3"]
BLOCK_EDGES = 2**20  # pairs of edges at a time
# Polygons this near to each other, relative to their edges' distances, meet.
ROUNDING = 1e-12


def circle_pair(
    n: int, *, center_distance: float, angle: float
) -> tuple[Float[np.ndarray, "n 3"], Float[np.ndarray, "n 3"]]:
    """Return two unit circles of `n` points each, evenly spaced, centered on the first axis.

    The centers are equally far from the origin. The first circle lies in the plane of the first two
    axes; the plane of the second is turned by `angle` degrees about the first axis. The circles are
    linked once, a Hopf link, for a `center_distance` between 0 and 2 and an angle other than a
    multiple of 180. At distance 1 and 90 degrees every point of a circle is 1 away from the second.
    """
    phase, tilt = 2 * np.pi * np.arange(n) / n, np.deg2rad(angle)
    along, across = np.cos(phase), np.sin(phase)
    flat = np.column_stack([along - center_distance / 2, across, np.zeros(n)])
    turned = np.column_stack(
        [along + center_distance / 2, across * np.cos(tilt), across * np.sin(tilt)]
    )
    return flat, turned


def linking_number(a: Float[np.ndarray, "n 3"], b: Float[np.ndarray, "m 3"]) -> float:
    """Return the signed linking number of two closed polygons: whole but for rounding.

    Gauss's double integral of (a - b) . (da x db) / |a - b|^3 over 4 pi, exact for polygons: a pair
    of edges adds the solid angle, from the origin, of the parallelogram of all differences between
    points of both edges: two triangles, each by van Oosterom and Strackee (1983), IEEE Transactions
    on Biomedical Engineering 30. Bertolazzi, Ghiloni and Specogna (2019), arXiv:1912.13121, sum the
    same angles. The sign changes with the direction of either polygon, and in a mirror. NaN for
    polygons that meet.

    Raises:
        ValueError: fewer than 3 corners.
    """
    if min(len(a), len(b)) < 3:
        raise ValueError(f"expected at least 3 corners each, found {len(a)} and {len(b)}")
    a, b = a.astype(np.float64), b.astype(np.float64)
    size = max(1, BLOCK_EDGES // len(b))
    ends = np.roll(a, -1, axis=0)
    total = sum(
        _solid_angles(a[start : start + size], ends[start : start + size], b).sum()
        for start in range(0, len(a), size)
    )
    return float(total / (4 * np.pi))


def _solid_angles(
    starts: Float[np.ndarray, "n 3"], ends: Float[np.ndarray, "n 3"], b: Float[np.ndarray, "m 3"]
) -> Float[np.ndarray, "n m"]:
    """Signed, of every edge from `starts` to `ends` with every edge of the polygon `b`."""
    following = np.roll(b, -1, axis=0)
    p, q, r, s = (
        other - one[:, np.newaxis]
        for one, other in ((starts, b), (ends, b), (ends, following), (starts, following))
    )
    return _triangle(p, q, r) + _triangle(r, s, p)


def _triangle(
    p: Float[np.ndarray, "n m 3"], q: Float[np.ndarray, "n m 3"], r: Float[np.ndarray, "n m 3"]
) -> Float[np.ndarray, "n m"]:
    """Signed solid angle of a triangle as seen from the origin; NaN if the origin lies in it."""
    p_, q_, r_ = (np.linalg.norm(corner, axis=-1) for corner in (p, q, r))
    volume = _dot(p, np.cross(q, r))
    spread = p_ * q_ * r_ + _dot(p, q) * r_ + _dot(q, r) * p_ + _dot(r, p) * q_
    nothing = ROUNDING * p_ * q_ * r_
    meet = (np.abs(volume) <= nothing) & (spread <= nothing)
    return np.where(meet, np.nan, 2 * np.arctan2(volume, spread))


def _dot(x: Float[np.ndarray, "n m 3"], y: Float[np.ndarray, "n m 3"]) -> Float[np.ndarray, "n m"]:
    return np.einsum("ijk,ijk->ij", x, y)
