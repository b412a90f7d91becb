"""What moves the points of a t-SNE map: attraction along edges, repulsion between all points.

With similarities w_ij = 1 / (1 + |y_i - y_j|²) in the map, their sum Z over all i and j ≠ i, and
strengths p_ij, the gradient of the Kullback-Leibler divergence is, but for a factor of 4 that goes
into the learning rate, Σ_j (p_ij w_ij - w_ij² / Z) (y_i - y_j): van der Maaten and Hinton (2008),
JMLR 9, equation 5.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Complex, Float

MOST_EXACT = 4000
"""Points whose repulsion is summed over all pairs; of as many, the grid takes about as long."""
WIDEST_BOX = 1.0
"""In units of the map, in which similarities fall from 1 to 1/2 over a distance of 1."""
TINY = float(np.finfo(np.float32).tiny)
FEWEST_BOXES = 50
"""On the longer axis."""

Gradient = Float[np.ndarray, "n 2"]
Axis = Float[np.ndarray, " n"]


def tsne_gradient(
    embedding: Float[np.ndarray, "n 2"], P: Any, **_: object
) -> tuple[float, Gradient]:
    """The gradient for openTSNE, as its `negative_gradient_method`.

    Repulsion is summed over all pairs up to 4,000 points, and interpolated on a grid beyond, in
    float32. The sum makes a gradient that is right to some 1e-5 of the largest one, or 1e-3 in a
    map as narrow as the start, where attraction and repulsion cancel; the grid is off by some
    hundredths of the typical force.

    Args:
        embedding: The map.
        P: Strengths, a sparse (n, n) matrix in CSR form.

    Returns:
        NaN in the place of the divergence, which nobody reads, and the gradient.
    """
    from embspace.project.layouts._force_loops import attract

    x, y = (np.ascontiguousarray(axis, dtype=np.float32) for axis in np.asarray(embedding).T)
    pull_x, pull_y = np.empty_like(x), np.empty_like(x)
    attract(P.indices, P.indptr, P.data, x, y, pull_x, pull_y)
    repulsion = exact_repulsion if len(x) <= MOST_EXACT else grid_repulsion
    push_x, push_y, total = repulsion(x, y)
    total = max(total, TINY)  # of one point, or of some too far apart, 0
    gradient = np.stack([pull_x - push_x / total, pull_y - push_y / total], axis=1)
    return np.nan, gradient.astype(np.float64)


def exact_repulsion(x: Axis, y: Axis) -> tuple[Axis, Axis, float]:
    """Σ_j w_ij² (y_i - y_j), both axes, and Z, over all pairs; time n²."""
    from embspace.project.layouts._force_loops import repel

    push_x, push_y = np.empty_like(x), np.empty_like(x)
    total = repel(x, y, push_x, push_y)
    return push_x, push_y, total


def grid_repulsion(x: Axis, y: Axis) -> tuple[Axis, Axis, float]:
    """The same, interpolated: time n, and the number of grid points by its logarithm.

    Linderman et al. (2019), Nature Methods 16: each point is spread on the three by three nodes of
    its box, the nodes repel one another by a convolution, and points read the result off theirs.
    Here the force itself is convolved, not the potentials that it is the difference of; a box is as
    wide in one iteration as in the next where it can be, so that the kernels need no new transform.
    """
    from scipy import fft

    from embspace.project.layouts._force_loops import N_NODES, gather, place_in_boxes, spread

    low = np.minimum(x.min(), y.min())
    span = max(float(np.maximum(x.max(), y.max()) - low), 1e-30)
    width = min(WIDEST_BOX, 1.001 * span / FEWEST_BOXES)  # the last point is in the last box
    n_nodes = N_NODES * (int(span / width) + 1)
    size = 2 * fft.next_fast_len(n_nodes, real=True)  # no node meets another from behind
    places = []
    for axis in (x, y):
        nodes, weights = np.empty(len(x), np.int32), np.empty((len(x), N_NODES), np.float32)
        place_in_boxes(axis, float(low), width, nodes, weights)
        places += [nodes, weights]
    grid = np.zeros((size, size), np.float32)
    spread(*places, grid)
    mass = fft.rfft2(grid)
    similarity, force = _kernels(size, width / N_NODES)
    # By Parseval's theorem; a real transform leaves out the mirror of all columns but two.
    power = ((mass.real**2 + mass.imag**2) * similarity).sum(axis=0, dtype=np.float64)
    total = (2 * power.sum() - power[0] - power[-1]) / size**2 - len(x)
    pushes = np.empty((2, len(x)), np.float32)
    for push, kernel in zip(pushes, force, strict=True):
        gather(*places, fft.irfft2(mass * kernel, s=grid.shape), push)
    return pushes[0], pushes[1], float(total)


@lru_cache(maxsize=1)
def _kernels(
    size: int, spacing: float
) -> tuple[
    Float[np.ndarray, "size half"],
    tuple[Complex[np.ndarray, "size half"], Complex[np.ndarray, "size half"]],
]:
    """Transforms of w and of w² times the difference on each axis, on a grid that is a torus."""
    from scipy import fft

    steps = np.arange(size)
    difference = spacing * np.where(steps <= size // 2, steps, steps - size)
    w = 1 / (1 + difference[:, None] ** 2 + difference**2)
    similarity = fft.rfft2(w.astype(np.float32)).real
    # Odd functions have imaginary transforms: what else there is, is rounding.
    x, y = (
        np.complex64(1j) * fft.rfft2((w * w * axis).astype(np.float32)).imag
        for axis in (difference[:, None], difference)
    )
    return np.ascontiguousarray(similarity), (x, y)
