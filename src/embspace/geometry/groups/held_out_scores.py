"""Tells two kinds of vectors apart by a direction fitted to other vectors."""

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.pairs.door import takes_arrays


@takes_arrays()
def held_out_scores(
    x: Float[np.ndarray, "n dim"],
    labels: Float[np.ndarray, "n label"],
    folds: Int[np.ndarray, " n"],
    *,
    ridge: float,
) -> Float[np.ndarray, "n label"]:
    """Return the rows' scores along the ridge-regression direction of the remaining folds.

    One direction per column of `labels`. For labels 0 and 1 the direction is Fisher's discriminant,
    up to scale; scores of different folds are not on one scale. 0 if all rows are equal.

    Args:
        x: Of any scale; computed in float64.
        labels: The target, 0 or 1.
        folds: The number of a row's fold, from 0 on.
        ridge: Added to the covariance's diagonal, in units of a coordinate's mean variance.
    """
    n, dim = x.shape
    # About the first row, so that what all rows share costs no digits.
    x = x - x[0]
    # One more column of ones: its products are the sums.
    labels_and_ones = np.column_stack([labels, np.ones(n)])
    parts = [np.flatnonzero(folds == fold) for fold in range(folds.max() + 1)]
    scatters = np.array([x[rows].T @ x[rows] for rows in parts])
    products = np.array([x[rows].T @ labels_and_ones[rows] for rows in parts])
    sums = np.array([labels_and_ones[rows].sum(axis=0) for rows in parts])
    scores = np.zeros((n, labels.shape[1]))
    for fold, rows in enumerate(parts):
        count = sums[:, -1].sum() - sums[fold, -1]
        crossed = (products.sum(axis=0) - products[fold]) / count
        mean, mean_label = crossed[:, -1], (sums.sum(axis=0) - sums[fold])[:-1] / count
        covariance = (scatters.sum(axis=0) - scatters[fold]) / count - np.outer(mean, mean)
        variance = np.trace(covariance) / dim
        if variance > 0:
            covariance.flat[:: dim + 1] += ridge * variance
            target = crossed[:, :-1] - np.outer(mean, mean_label)
            scores[rows] = x[rows] @ np.linalg.solve(covariance, target)
    return scores


def wins_by_stratum(
    scores: Float[np.ndarray, " n"], labels: Bool[np.ndarray, " n"], strata: Int[np.ndarray, " n"]
) -> tuple[Float[np.ndarray, " stratum"], Int[np.ndarray, " stratum"]]:
    """Numbers of pairs won by the true row, and of all pairs of a true and a false row, by stratum.

    Strata ascend. A tie is half a win. The ratio is the area under the ROC curve (Mann and Whitney
    1947); the ratio of the sums compares only within strata.
    """
    order = np.lexsort((scores, strata))
    score, label = scores[order], labels[order]
    starts, stratum = np.unique(strata[order], return_index=True, return_inverse=True)[1:]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (np.diff(score) != 0) | (np.diff(stratum) != 0)
    tie = is_new.cumsum() - 1
    # From 1 on within each stratum, ties sharing their mean.
    rank = (np.bincount(tie, np.arange(1, len(order) + 1)) / np.bincount(tie))[tie]
    rank -= starts[stratum]
    n_true = np.bincount(stratum, label).astype(np.int64)
    n_false = np.bincount(stratum) - n_true
    wins = np.bincount(stratum, rank * label) - n_true * (n_true + 1) / 2
    return wins, n_true * n_false


@takes_arrays(at_least=0)
def linearly_separable(x: Float[np.ndarray, "n dim"], y: Float[np.ndarray, "m dim"]) -> bool:
    """Return whether a hyperplane has all of `x` on one side and all of `y` on the other.

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
    points = np.concatenate([x, y])
    points -= points.mean(axis=0)
    points /= points.std() or 1.0
    sign = np.repeat([-1.0, 1.0], [len(x), len(y)])[:, np.newaxis]
    bounds = sign * np.column_stack([points, np.ones(len(points))])
    solution = linprog(
        np.zeros(bounds.shape[1]), A_ub=bounds, b_ub=-np.ones(len(points)), bounds=(None, None)
    )
    if solution.status not in (0, 2):  # solved, infeasible
        raise RuntimeError(f"linear programme: {solution.message}")
    return bool(solution.status == 0)
