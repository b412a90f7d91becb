"""Whether two clouds of points lie apart."""

import numpy as np
from jaxtyping import Float, Int


def linearly_separable(x: Float[np.ndarray, "n dim"], y: Float[np.ndarray, "m dim"]) -> bool:
    """Whether a hyperplane has all of `x` on one side and all of `y` on the other, none on it.

    Exact but for rounding: a linear programme asks for w and b with w . x + b >= 1 for all of `x`
    and <= -1 for all of `y`, in units of the spread of the points. The solver answers wrongly only
    where the gap between the clouds is some millionth of that.

    Raises:
        ValueError: an empty cloud.
        RuntimeError: the solver gave up.
    """
    from scipy.optimize import linprog

    if not (len(x) and len(y)):
        raise ValueError(f"expected points in both clouds, found {len(x)} and {len(y)}")
    points = np.concatenate([x, y]).astype(np.float64)
    points -= points.mean(axis=0)
    points /= points.std() or 1.0
    sign = np.repeat([-1.0, 1.0], [len(x), len(y)])[:, np.newaxis]
    bounds = sign * np.column_stack([points, np.ones(len(points))])
    found = linprog(
        np.zeros(bounds.shape[1]), A_ub=bounds, b_ub=-np.ones(len(points)), bounds=(None, None)
    )
    if found.status not in (0, 2):  # solved, infeasible
        raise RuntimeError(f"linear programme: {found.message}")
    return bool(found.status == 0)


def same_group_neighbor_share(
    x: Float[np.ndarray, "n dim"], groups: Int[np.ndarray, " n"], *, n_neighbors: int
) -> float:
    """Mean share of a point's nearest neighbours that are of its own group, in [0, 1].

    By chance, with groups of m points, (m - 1) / (n - 1). All distances are held: some thousands
    of points at most. Ties in distance go to the earlier row.

    Raises:
        ValueError: `n_neighbors` under 1, or not under n.
    """
    from scipy.spatial.distance import pdist, squareform

    if not 1 <= n_neighbors < len(x):
        raise ValueError(f"n_neighbors: expected 1 to {len(x) - 1}, found {n_neighbors}")
    distances = squareform(pdist(x.astype(np.float64)))
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :n_neighbors]
    return float((groups[nearest] == groups[:, np.newaxis]).mean())
