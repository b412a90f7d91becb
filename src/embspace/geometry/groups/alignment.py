"""Measures how alike two spaces hold the same n points: CKA, Procrustes, neighbors."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.pairs.directions import is_constant, norms
from embspace.geometry.pairs.door import Transformation, takes_arrays

# Nothing of a view but its shape counts.
SHAPE: tuple[Transformation, ...] = ("rotation", "scale", "translation")


@takes_arrays(invariant_to=SHAPE)
def linear_cka(x: Float[np.ndarray, "n dim_x"], y: Float[np.ndarray, "n dim_y"]) -> float:
    """Return the linear centered kernel alignment of two views of the same points, in [0, 1].

    Kornblith et al. (2019), "Similarity of neural network representations revisited", ICML, eq. 4:
    |X'Y|^2 / (|X'X| |Y'Y|) of centered views, Frobenius norms. 1 for views equal up to a rotation
    and a scale; a shift, a rotation or a scale of either changes nothing. Biased upwards:
    independent isotropic Gaussian views have about (1 + n / dim_x)^(-1/2) (1 + n / dim_y)^(-1/2),
    see `debiased_linear_cka`. NaN where all points of a view are equal.
    """
    x, y = _centered(x), _centered(y)
    lengths = np.sqrt(_squared(x.T @ x) * _squared(y.T @ y))
    return _squared(x.T @ y) / lengths if lengths > 0 else float("nan")


@takes_arrays(invariant_to=SHAPE)
def debiased_linear_cka(x: Float[np.ndarray, "n dim_x"], y: Float[np.ndarray, "n dim_y"]) -> float:
    """`linear_cka` of unbiased estimates of HSIC: at most 1, and near 0 for independent views.

    With the same invariances, and 1 for views equal up to a rotation and a scale. Values may be
    negative. A ratio of unbiased estimates is not unbiased, but the remaining bias is small beside
    1 / n. NaN with fewer than 4 points, and where the estimated HSIC of a view with itself is not
    positive.
    """
    own = unbiased_hsic(x, x), unbiased_hsic(y, y)
    if not min(own) > 0:
        return float("nan")
    return unbiased_hsic(x, y) / float(np.sqrt(own[0] * own[1]))


@takes_arrays(invariant_to=["rotation", "translation"])
def unbiased_hsic(x: Float[np.ndarray, "n dim_x"], y: Float[np.ndarray, "n dim_y"]) -> float:
    """Return the unbiased Hilbert-Schmidt criterion of linear kernels: 0 on average if independent.

    Song et al. (2012), "Feature selection via dependence maximization", JMLR 13, eq. 5. A shift of
    a view does not change the estimate: the views may be centered first. Then the rows of a kernel
    add up to 0, and the squared lengths of rows and |X'Y|^2 suffice: n dim_x dim_y operations,
    without any n by n matrix. NaN with fewer than 4 points.
    """
    n = len(x)
    if n < 4:
        return float("nan")
    x, y = _centered(x), _centered(y)
    k, l = np.square(norms(x)), np.square(norms(y))  # noqa: E741  as in the paper
    pair_term = _squared(x.T @ y) - k @ l
    sum_term = k.sum() * l.sum() / ((n - 1) * (n - 2)) - 2 * (k @ l) / (n - 2)
    return float((pair_term + sum_term) / (n * (n - 3)))


class ProcrustesFit(NamedTuple):
    """The rotation, reflections included, that brings one view of n points closest to another."""

    similarity: float
    """|X'Y|_*, the sum of the singular values, of centered views of Frobenius norm 1."""
    products: Float[np.ndarray, " n"]
    """Dot products of the points of x with the rotated points of y; they add up to `similarity`."""
    squared_lengths: Float[np.ndarray, "2 n"]
    """Squared lengths of the points in x and in y; both rows add up to 1."""


@takes_arrays()
def procrustes_fit(
    x: Float[np.ndarray, "n dim_x"], y: Float[np.ndarray, "n dim_y"]
) -> ProcrustesFit:
    """The orthogonal fit of two views, by a singular value decomposition.

    Schönemann (1966), "A generalized solution of the orthogonal Procrustes problem", Psychometrika
    31. Views of different dims are fitted as if the smaller had columns of zeros. NaN where all
    points of a view are one.
    """
    x, y = _unit_shape(x), _unit_shape(y)
    if np.isnan(x).any() or np.isnan(y).any():
        return ProcrustesFit(np.nan, np.full(len(x), np.nan), np.full((2, len(x)), np.nan))
    u, values, vt = np.linalg.svd(x.T @ y, full_matrices=False)
    products = np.einsum("ij,ij->i", x @ u, y @ vt.T)
    lengths = np.stack([np.square(norms(x)), np.square(norms(y))])
    return ProcrustesFit(float(values.sum().clip(max=1)), products, lengths)


@takes_arrays(invariant_to=SHAPE)
def procrustes_similarity(
    x: Float[np.ndarray, "n dim_x"], y: Float[np.ndarray, "n dim_y"]
) -> float:
    """Largest inner product of two views after a rotation: |X'Y|_* of unit shapes, in [0, 1].

    Views are centered and scaled to Frobenius norm 1. One for views equal up to a rotation and
    rescaling. For independent views not 0, but as large as the free choice of a rotation allows,
    and near 1 for isotropic views with more dims than points: compare with permuted points. NaN if
    all points of a view are equal.
    """
    x, y = _unit_shape(x), _unit_shape(y)
    if np.isnan(x).any() or np.isnan(y).any():
        return float("nan")
    return float(np.linalg.svd(x.T @ y, compute_uv=False).sum().clip(max=1))


@takes_arrays(invariant_to=SHAPE)
def procrustes_distance(x: Float[np.ndarray, "n dim_x"], y: Float[np.ndarray, "n dim_y"]) -> float:
    """Return the least Frobenius distance of two unit shapes after a rotation, in [0, sqrt(2)].

    min |X - Y Q| over orthogonal Q is sqrt(2 - 2 s) with s the `procrustes_similarity`; a metric
    on views up to shift, rotation and scale (Williams et al. 2021, "Generalized shape metrics on
    neural representations", NeurIPS). The disparity of scipy.spatial.procrustes, which also fits
    a scale, is 1 - s^2.
    """
    return float(np.sqrt(2 - 2 * procrustes_similarity(x, y)))


@takes_arrays(invariant_to=SHAPE)
def mutual_nearest_neighbors(
    x: Float[np.ndarray, "n dim_x"], y: Float[np.ndarray, "n dim_y"], *, n_neighbors: int
) -> float:
    """Share of a point's nearest neighbors common to two views, in [0, 1].

    Averaged over the points: the mutual k-nearest-neighbor alignment of Huh et al. (2024), "The
    platonic representation hypothesis", ICML, where rows have unit length. Here neighbors are by
    Euclidean distance of unscaled rows. Unchanged by any map that keeps the order of distances; k /
    (n - 1) on average for independent views. NaN if all points of a view are equal: no order
    exists.

    Raises:
        ValueError: `n_neighbors` under 1 or over n - 1.
    """
    common = common_neighbors(nearest_rows(x, n_neighbors), nearest_rows(y, n_neighbors))
    return float("nan") if is_constant(x) or is_constant(y) else float(common.mean())


@takes_arrays()
def nearest_rows(x: Float[np.ndarray, "n dim"], n_neighbors: int) -> Int[np.ndarray, "n k"]:
    """Return the other rows nearest to every row, nearest first; of ties any.

    Raises:
        ValueError: `n_neighbors` under 1 or over n - 1.
    """
    if not 1 <= n_neighbors < len(x):
        raise ValueError(f"n_neighbors: expected 1 to {len(x) - 1}, found {n_neighbors}")
    x = _centered(x)
    squared = np.square(norms(x))
    distance = squared[:, np.newaxis] + squared - 2 * (x @ x.T)
    np.fill_diagonal(distance, np.inf)
    nearest = np.argpartition(distance, n_neighbors - 1, axis=1)[:, :n_neighbors]
    order = np.take_along_axis(distance, nearest, axis=1).argsort(axis=1)
    return np.take_along_axis(nearest, order, axis=1)


def common_neighbors(
    one: Int[np.ndarray, "n k"], other: Int[np.ndarray, "n k"]
) -> Float[np.ndarray, " n"]:
    """Return the share of every row's neighbors that are in both lists."""
    return np.take_along_axis(_is_listed(one), other, axis=1).sum(axis=1) / one.shape[1]


def common_neighbors_without_each(
    one: Int[np.ndarray, "n k_and_next"], other: Int[np.ndarray, "n k_and_next"]
) -> Float[np.ndarray, " n"]:
    """`mutual_nearest_neighbors` of all rows but one, for every left-out row.

    `one` and `other` are `nearest_rows` of n_neighbors + 1: the last neighbor replaces a left-out
    neighbor. The jackknife (Efron and Stein 1981, Annals of Statistics 9) thus covers a row's
    effect as a point and as a neighbor.
    """
    n, k = len(one), one.shape[1] - 1
    rows, next_one, next_other = np.arange(n), one[:, k], other[:, k]
    near, other_near = _is_listed(one[:, :k]), _is_listed(other[:, :k])
    # A row that enters one list is common if the other list has it, or if it enters there, too.
    one_enters = other_near[rows, next_one].astype(np.int64)
    other_enters = near[rows, next_other].astype(np.int64)
    both_enter = one_enters + other_enters + (next_one == next_other)
    in_both = near & other_near
    gains = in_both * (both_enter - 1)[:, np.newaxis]
    gains += (near & ~other_near) * one_enters[:, np.newaxis]
    gains += (other_near & ~near) * other_enters[:, np.newaxis]
    common = in_both.sum(axis=1)
    return np.asarray((common.sum() - common + gains.sum(axis=0)) / (k * (n - 1)))


def _is_listed(near: Int[np.ndarray, "n k"]) -> Bool[np.ndarray, "n n"]:
    is_listed = np.zeros((len(near), len(near)), dtype=bool)
    np.put_along_axis(is_listed, near, values=True, axis=1)
    return is_listed


def _centered(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n dim"]:
    # Of equal rows rounding may leave a mean that is none of them.
    if is_constant(x):
        return np.zeros(x.shape)
    return np.asarray(x - x.mean(axis=0, dtype=np.float64), dtype=np.float64)


def _unit_shape(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n dim"]:
    """Centered and of Frobenius norm 1; NaN where all rows are equal."""
    x = _centered(x)
    length = np.linalg.norm(x)
    return x / (length if length > 0 else np.nan)


def _squared(x: Float[np.ndarray, "..."]) -> float:
    return float(np.square(x).sum())
