"""Measures how well given groups of points hold together: mean distances, silhouettes, clusters."""

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.pairs.directions import distance_matrix, is_constant
from embspace.geometry.pairs.door import takes_arrays
from embspace.geometry.pairs.safe_ratio import mean_of_defined, ratio


def group_members(
    label: Int[np.ndarray, "*draw n"], n_groups: int
) -> Float[np.ndarray, "*draw n {n_groups}"]:
    """Return 1 where a row is of a group, else 0; groups are numbered from 0."""
    return (label[..., np.newaxis] == np.arange(n_groups)).astype(np.float64)


@takes_arrays(numbers="any", at_least=0)
def group_means(
    values: Float[np.ndarray, "*stack n n"], label: Int[np.ndarray, "*draw n"], n_groups: int
) -> Float[np.ndarray, "*any {n_groups} {n_groups}"]:
    """Return the mean of `values` over pairs of different points, by pair of groups.

    On the diagonal: pairs within a group. NaN without a pair. Labels may be a stack of draws for
    one matrix, or one draw for a stack of matrices.
    """
    members = group_members(label, n_groups)
    transposed = np.swapaxes(members, -1, -2)
    sums = transposed @ values @ members
    alone = np.diagonal(values, axis1=-2, axis2=-1)[..., np.newaxis, :] @ members
    own = np.eye(members.shape[-1])
    sizes = members.sum(axis=-2)
    pairs = sizes[..., :, np.newaxis] * sizes[..., np.newaxis, :] - own * sizes[..., np.newaxis, :]
    return ratio(sums - own * alone, pairs)


def within_and_between(
    means: Float[np.ndarray, "*stack group group"],
) -> tuple[Float[np.ndarray, "*stack"], Float[np.ndarray, "*stack"]]:
    """Return the mean of `group_means` over groups, and over pairs of different groups.

    Every group counts once, whatever the size. NaN without a group, or without a pair.
    """
    n_groups = means.shape[-1]
    own = np.diagonal(means, axis1=-2, axis2=-1)
    others = means[..., ~np.eye(n_groups, dtype=bool)]
    return mean_of_defined(own, axis=-1), mean_of_defined(others, axis=-1)


@takes_arrays(numbers="any", at_least=0)
def silhouettes(
    distances: Float[np.ndarray, "n n"], label: Int[np.ndarray, "*draw n"]
) -> Float[np.ndarray, "*draw n"]:
    """Return how much nearer a point is to its group than to the nearest other group, in [-1, 1].

    Rousseeuw (1987), "Silhouettes: a graphical aid to the interpretation and validation of cluster
    analysis", J. Comput. Appl. Math. 20. With a, the mean distance to the rest of the group, and b,
    to the nearest other group, (b - a) / max(a, b); as in scikit-learn, 0 for a group of a single
    point, and where all distances are 0. NaN for a single group.
    """
    members = group_members(label, int(label.max(initial=-1)) + 1)
    sums, sizes = distances @ members, members.sum(axis=-2, keepdims=True)
    own = members > 0
    n_others = (own * (sizes - 1)).sum(axis=-1)
    total = np.where(own, sums, 0).sum(axis=-1)
    inside = np.divide(total, n_others, out=np.zeros_like(total), where=n_others > 0)
    means = np.divide(sums, sizes, out=np.full_like(sums, np.inf), where=~own & (sizes > 0))
    outside = means.min(axis=-1, initial=np.inf)
    largest = np.maximum(inside, outside)
    silhouette = np.zeros_like(largest)
    with np.errstate(invalid="ignore"):  # infinite where there is no other group: NaN
        np.divide(outside - inside, largest, out=silhouette, where=(largest != 0) & (n_others > 0))
    return np.where(np.isinf(outside), np.nan, silhouette)


@takes_arrays(numbers="any", at_least=0)
def nearest_others(
    distances: Float[np.ndarray, "*stack n n"], *, tie: float
) -> Bool[np.ndarray, "*stack n n"]:
    """Return masks of the nearest further points: a single point, or several equally near.

    Equally near are distances that exceed the least by no more than `tie` of the largest of all.
    None for a point with a NaN distance, or alone.
    """
    others = np.where(np.eye(distances.shape[-1], dtype=bool), np.inf, distances)
    least = others.min(axis=-1, keepdims=True, initial=np.inf)
    known = np.where(np.isnan(distances), 0.0, distances)
    slack = tie * known.max(axis=(-2, -1), keepdims=True, initial=0.0)
    return (others <= least + slack) & np.isfinite(others)


@takes_arrays(numbers="any", at_least=0)
def nearest_in_group(
    distances: Float[np.ndarray, "n n"], label: Int[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """Return the share of the own group among a point's nearest: 0 or 1 but for ties.

    NaN for a point with undefined distances, or alone.
    """
    nearest = nearest_others(distances, tie=0.0)
    same = label[:, np.newaxis] == label
    return ratio((nearest & same).sum(axis=1), nearest.sum(axis=1))


def neighbors_in_group(
    neighbors: Int[np.ndarray, "n k"], group: Int[np.ndarray, " n"]
) -> Bool[np.ndarray, "n k"]:
    """Return whether each of a point's neighbors, given by row number, is of its own group."""
    return group[neighbors] == group[:, np.newaxis]


def shuffled_neighbor_shares(
    neighbors: Int[np.ndarray, "n k"],
    group: Int[np.ndarray, " n"],
    *,
    n_shuffles: int,
    rng: np.random.Generator,
) -> Float[np.ndarray, "n_shuffles n_groups"]:
    """Mean share of neighbors of the own group, by group, in each of many orders of the labels.

    The neighbors stay and the labels of all points change places: a null that keeps hubs and mutual
    neighbors. Groups are numbered from 0, and all have a point.
    """
    sizes = np.bincount(group)
    shares = np.empty((n_shuffles, len(sizes)))
    for draw in shares:
        label = rng.permutation(group)
        own = neighbors_in_group(neighbors, label).mean(axis=1)
        draw[:] = np.bincount(label, weights=own) / sizes
    return shares


@takes_arrays(invariant_to=["rotation", "scale", "translation"])
def same_group_neighbor_share(
    x: Float[np.ndarray, "n dim"], groups: Int[np.ndarray, " n"], *, n_neighbors: int
) -> float:
    """Return the mean share of a point's nearest neighbors that are of its own group, in [0, 1].

    By chance, with groups of m points, (m - 1) / (n - 1). All distances are held: some thousands of
    points at most. Ties in distance go to the earlier row. NaN where all points are equal.

    Raises:
        ValueError: `n_neighbors` under 1, or not under n.
    """
    if not 1 <= n_neighbors < len(x):
        raise ValueError(f"n_neighbors: expected 1 to {len(x) - 1}, found {n_neighbors}")
    distances = distance_matrix(x)
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :n_neighbors]
    if is_constant(x):
        return float("nan")
    return float(neighbors_in_group(nearest, groups).mean())


@takes_arrays(numbers="any", at_least=0)
def average_linkage(
    distances: Float[np.ndarray, "n n"], n_clusters: int
) -> Int[np.ndarray, " n"] | None:
    """Return cluster numbers, by joining clusters of the least mean distance.

    Sokal and Michener (1958); without chance. At most `n_clusters`: points at one place form a
    single cluster. None for an undefined distance, or a single point.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(distances) < 2 or np.isnan(distances).any():
        return None
    tree = linkage(squareform(distances, checks=False), method="average")
    return np.asarray(fcluster(tree, n_clusters, criterion="maxclust") - 1, dtype=np.int64)


@takes_arrays()
def purity(
    cluster: Int[np.ndarray, " n"], label: Int[np.ndarray, "*draw n"]
) -> Float[np.ndarray, "*draw"]:
    """Return the share of points in the commonest group of their cluster, in (0, 1].

    Grows with the number of clusters: compare with shuffled labels.
    """
    members = [group_members(group, int(group.max(initial=-1)) + 1) for group in (cluster, label)]
    both = members[0].T @ members[1]
    return np.asarray(both.max(axis=-1).sum(axis=-1) / len(cluster))
