"""Whether a hyperplane lies between two clouds of points."""

import numpy as np
from jaxtyping import Float


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
