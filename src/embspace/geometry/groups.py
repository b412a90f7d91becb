"""How well given groups of points hold together: mean distances, silhouettes, clusters."""

import numpy as np
from jaxtyping import Float, Int


def group_members(
    label: Int[np.ndarray, "*draw n"], n_groups: int
) -> Float[np.ndarray, "*draw n {n_groups}"]:
    """One where a row is of a group, else zero; groups are numbered from 0."""
    return (label[..., np.newaxis] == np.arange(n_groups)).astype(np.float64)


def group_means(
    values: Float[np.ndarray, "*stack n n"], label: Int[np.ndarray, "*draw n"], n_groups: int
) -> Float[np.ndarray, "*any {n_groups} {n_groups}"]:
    """Mean of `values` over the pairs of two different points, one of each group.

    On the diagonal: pairs within a group. NaN where there is no pair. Labels may be a stack of
    draws for one matrix, or one draw for a stack of matrices.
    """
    members = group_members(label, n_groups)
    transposed = np.swapaxes(members, -1, -2)
    sums = transposed @ values @ members
    alone = np.diagonal(values, axis1=-2, axis2=-1)[..., np.newaxis, :] @ members
    own = np.eye(members.shape[-1])
    sizes = members.sum(axis=-2)
    pairs = sizes[..., :, np.newaxis] * sizes[..., np.newaxis, :] - own * sizes[..., np.newaxis, :]
    return np.divide(sums - own * alone, pairs, out=np.full_like(sums, np.nan), where=pairs > 0)


def within_and_between(
    means: Float[np.ndarray, "*stack group group"],
) -> tuple[Float[np.ndarray, "*stack"], Float[np.ndarray, "*stack"]]:
    """Of `group_means`: the mean over groups, and over pairs of different groups.

    Each group counts once, however large it is. NaN if there is none, or no pair.
    """
    n_groups = means.shape[-1]
    own = np.diagonal(means, axis1=-2, axis2=-1)
    others = means[..., ~np.eye(n_groups, dtype=bool)]
    return _mean_defined(own), _mean_defined(others)


def _mean_defined(values: Float[np.ndarray, "*stack k"]) -> Float[np.ndarray, "*stack"]:
    defined = ~np.isnan(values)
    total, n = np.where(defined, values, 0).sum(axis=-1), defined.sum(axis=-1)
    return np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)


def silhouettes(
    distances: Float[np.ndarray, "n n"], label: Int[np.ndarray, "*draw n"]
) -> Float[np.ndarray, "*draw n"]:
    """How much nearer each point is to its own group than to the nearest other, in [-1, 1].

    Rousseeuw (1987), "Silhouettes: a graphical aid to the interpretation and validation of
    cluster analysis", J. Comput. Appl. Math. 20. With a, the mean distance to the others of the
    group, and b, to the group where that is least, (b - a) / max(a, b): as in scikit-learn 0 for
    a group of one, and where all distances are 0. NaN if there is only one group.
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
    found = np.zeros_like(largest)
    with np.errstate(invalid="ignore"):  # infinite where there is no other group: NaN
        np.divide(outside - inside, largest, out=found, where=(largest != 0) & (n_others > 0))
    return np.where(np.isinf(outside), np.nan, found)


def nearest_in_group(
    distances: Float[np.ndarray, "n n"], label: Int[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """Of each point's nearest other points, the share of its own group: 0 or 1 but for ties.

    NaN for a point whose distances are not defined, or that is alone.
    """
    others = np.where(np.eye(len(distances), dtype=bool), np.inf, distances)
    least = others.min(axis=1, keepdims=True, initial=np.inf)
    nearest = (others == least) & np.isfinite(others)
    same = label[:, np.newaxis] == label
    n_nearest = nearest.sum(axis=1)
    return np.divide(
        (nearest & same).sum(axis=1),
        n_nearest,
        out=np.full(len(label), np.nan),
        where=n_nearest > 0,
    )


def average_linkage(
    distances: Float[np.ndarray, "n n"], n_clusters: int
) -> Int[np.ndarray, " n"] | None:
    """Clusters numbered from 0, by joining those of the least mean distance; no chance in it.

    Sokal and Michener (1958). At most `n_clusters`: points that are all at one place are one.
    None if a distance is not defined, or there is only one point.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(distances) < 2 or np.isnan(distances).any():
        return None
    tree = linkage(squareform(distances, checks=False), method="average")
    return np.asarray(fcluster(tree, n_clusters, criterion="maxclust") - 1, dtype=np.int64)


def purity(
    cluster: Int[np.ndarray, " n"], label: Int[np.ndarray, "*draw n"]
) -> Float[np.ndarray, "*draw"]:
    """Share of points that are of the commonest group of their cluster, in (0, 1].

    It grows with the number of clusters: compare it with that of shuffled labels.
    """
    members = [group_members(each, int(each.max(initial=-1)) + 1) for each in (cluster, label)]
    both = members[0].T @ members[1]
    return np.asarray(both.max(axis=-1).sum(axis=-1) / len(cluster))
