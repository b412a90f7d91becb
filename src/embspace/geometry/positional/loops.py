"""Persistent homology of points in order: when they join, and which loops they close."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.maps.lines import spanning_tree
from embspace.geometry.pairs.directions import distance_matrix
from embspace.geometry.pairs.door import takes_arrays


@takes_arrays(invariant_to=["rotation", "translation"])
def loop_bars(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "loop 2"]:
    """Return birth and death of every loop of the points, the longest bar first, in their unit.

    Bars of degree 1 of the Vietoris-Rips filtration by Euclidean distance (Edelsbrunner and Harer
    2010), as GUDHI computes them: a loop is born at the distance where the points form a circle,
    and dies at the distance where triangles fill the circle. Bars without length are left out.

    Parameters:
        x: Some hundreds of points: all distances are held, and triangles are counted.
    """
    from gudhi.sklearn.rips_persistence import RipsPersistence

    if len(x) < 4:
        return np.empty((0, 2))
    rips = RipsPersistence(homology_dimensions=1, input_type="full distance matrix", n_jobs=1)
    [bars] = rips.fit_transform([distance_matrix(x)])
    bars = np.asarray(bars, dtype=np.float64).reshape(-1, 2)
    bars = bars[bars[:, 1] > bars[:, 0]]
    return bars[np.lexsort([bars[:, 0], bars[:, 0] - bars[:, 1]])]


@takes_arrays(invariant_to=["rotation", "scale", "translation"])
def successive_edges(x: Float[np.ndarray, "n dim"]) -> float:
    """Return the share of successive rows among the edges of the minimum spanning tree, in [0, 1].

    1: points join in order, as on a curve that keeps away from itself.

    Raises:
        ValueError: fewer than 2 points.
    """
    if len(x) < 2:
        raise ValueError(f"x: expected at least 2 points, found {len(x)}")
    edges, _ = spanning_tree(distance_matrix(x))
    return float((np.abs(edges[:, 0] - edges[:, 1]) == 1).mean())


@takes_arrays(invariant_to=["rotation", "translation"])
def merge_distances(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, " merge"]:
    """Return the distances at which parts of the points join, descending: bars of degree 0.

    They are the lengths of the edges of the minimum spanning tree, one fewer than points.
    """
    if len(x) < 2:
        return np.empty(0)
    _, lengths = spanning_tree(distance_matrix(x))
    return np.sort(lengths)[::-1]
