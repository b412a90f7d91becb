"""Counts the parts of a set of points, by the gaps between the parts."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.directions import distance_matrix


@dataclass(frozen=True)
class Parts:
    """Points by the part that each belongs to."""

    labels: Int[np.ndarray, " n"]
    """From 0 on, the largest part first; -1 for a point in a part too small to count."""

    @property
    def n(self) -> int:
        """The number of parts that count."""
        return int(self.labels.max(initial=-1)) + 1


def parts_by_gaps(x: Float[np.ndarray, "n dim"], *, gap: float, smallest_share: float) -> Parts:
    """Return the parts of points that no step shorter than a gap joins: single linkage.

    Args:
        x: Some thousands of points at most: all distances are held.
        gap: Of a step between parts, over the median distance of nearest neighbors.
        smallest_share: Of all points, that a part must have to count; the others are stragglers.

    Raises:
        ValueError: fewer than 2 points.
    """
    from scipy.sparse.csgraph import connected_components

    if len(x) < 2:
        raise ValueError(f"x: expected at least 2 points, found {len(x)}")
    distances = distance_matrix(x)
    np.fill_diagonal(distances, np.inf)
    longest = gap * float(np.median(distances.min(axis=1)))
    _, labels = connected_components(distances <= longest, directed=False)
    sizes = np.bincount(labels)
    order = np.argsort(-sizes, kind="stable")
    counted = order[sizes[order] >= smallest_share * len(x)]
    renamed = np.full(len(sizes), -1)
    renamed[counted] = np.arange(len(counted))
    return Parts(renamed[labels])
