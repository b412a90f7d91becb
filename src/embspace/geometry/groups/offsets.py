"""Differences of paired vectors: their common direction, and the likeness of two directions.

The pairs of a category have the differences d_i = second_i - first_i. The model: a common offset mu
plus independent noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.pairs.safe_ratio import ratio


def offset_consistency(
    cosines: Float[np.ndarray, "*batch n n"], compared: Bool[np.ndarray, "n n"]
) -> Float[np.ndarray, "*batch"]:
    """Return the mean cosine of any two `compared` differences, in [-1, 1].

    Exact, from all `cosines` between differences. With noise of variance v in many dimensions the
    mean is |mu|^2 / (|mu|^2 + dim v), independent of n. A NaN cosine, from a zero difference, is
    left out; NaN if none is left. The idea is the offset concentration of Fournier, Dupoux and
    Dunbar (2020), "Analogies minus analogy test", CoNLL.
    """
    kept, n = _compared_cosines(cosines, compared)
    return ratio(np.asarray(kept.sum(axis=(-2, -1))), n)


def flipped_offset_consistency(
    cosines: Float[np.ndarray, "*batch n n"],
    compared: Bool[np.ndarray, "n n"],
    signs: Float[np.ndarray, "draw n"],
) -> Float[np.ndarray, "*batch draw"]:
    """`offset_consistency` with differences multiplied by signs, for every draw.

    A quadratic form of the cosines, without another look at the vectors.
    """
    kept, n = _compared_cosines(cosines, compared)
    sums = ((signs @ kept) * signs).sum(axis=-1)
    return ratio(sums, n[..., np.newaxis])


def _compared_cosines(
    cosines: Float[np.ndarray, "*batch n n"], compared: Bool[np.ndarray, "n n"]
) -> tuple[Float[np.ndarray, "*batch n n"], Int[np.ndarray, "*batch"]]:
    """The cosines that count, with 0 for the others, and their number."""
    counts = compared & ~np.eye(len(compared), dtype=bool) & ~np.isnan(cosines)
    return np.where(counts, cosines, 0.0), np.asarray(counts.sum(axis=(-2, -1)))


def consistency_of_draws(
    gram: Float[np.ndarray, "m m"],
    first: Int[np.ndarray, "draw pair"],
    second: Int[np.ndarray, "draw pair"],
) -> Float[np.ndarray, " draw"]:
    """`offset_consistency` of the differences x[second] - x[first], for every draw of pairs.

    `gram` holds the inner products of the m vectors about any origin; about the mean, least is lost
    to rounding. -1 stands for a pair outside the draw. With u_i the n differences at unit length,
    the mean cosine is (|sum of u_i|^2 - n) / (n (n - 1)). Vectors closer than 1e-6 of the lengths
    are taken as equal: the difference has no direction.
    """
    squared = np.diagonal(gram)[first] + np.diagonal(gram)[second]
    distance = squared - 2 * gram[first, second]
    defined = (first >= 0) & (second >= 0) & (distance > 1e-12 * squared)
    weight = 1 / np.sqrt(np.where(defined, distance, np.inf))
    rows = np.concatenate([second, first], axis=1)
    coefficients = np.concatenate([weight, -weight], axis=1)
    products = gram[rows[:, :, np.newaxis], rows[:, np.newaxis, :]]
    total = np.einsum("dij,di,dj->d", products, coefficients, coefficients, optimize=True)
    n = defined.sum(axis=1)
    return ratio(total - n, n * (n - 1))


@dataclass(frozen=True, eq=False)
class MeanOffsets:
    """The mean differences of several categories, compared pair by pair."""

    norm: Float[np.ndarray, "draw category"]
    """Euclidean length of the mean."""
    reliability: Float[np.ndarray, "draw category"]
    """Share of the squared length of the mean that is due to mu, not to noise; up to 1, and under 0
    where differences are less alike than noise. NaN with a single pair.
    """
    cosine: Float[np.ndarray, "draw category category"]
    """Between the means, uncorrected: noise draws it to 0."""
    corrected_cosine: Float[np.ndarray, "draw category category"]
    """An estimate of the cosine between the mu themselves; see `mean_offsets`."""


def mean_offsets(
    gram: Float[np.ndarray, "n n"],
    category: Int[np.ndarray, " n"],
    weights: Float[np.ndarray, "draw n"],
) -> MeanOffsets:
    """Means of the differences by category, for draws with weights, from the Gram matrix.

    The weights of the k used differences of a category are 1/k or -1/k, the rest 0; categories are
    numbered from 0. Reliability is the value of split halves of any size: the mean inner product of
    the means of two halves over the mean squared length of a half's mean, lengthened to all k by
    the formula of Spearman (1910) and Brown (1910). Over all splits this is exactly M / |mean|^2
    with M the mean inner product of two different differences; Cronbach (1951) has the analog for
    test scores. M estimates |mu|^2, and the cosine over the root of both reliabilities corrects for
    attenuation (Spearman 1904, "The proof and measurement of association between two things"). The
    corrected cosine may exceed 1, and is NaN where an M is not positive.
    """
    n_categories = int(category.max(initial=-1)) + 1
    members = [np.flatnonzero(category == number) for number in range(n_categories)]
    products = np.empty((len(weights), n_categories, n_categories))
    own = np.empty((len(weights), n_categories))
    for a, rows in enumerate(members):
        combined = weights[:, rows] @ gram[rows]
        own[:, a] = np.square(weights[:, rows]) @ np.diagonal(gram)[rows]
        for b, others in enumerate(members):
            products[:, a, b] = (combined[:, others] * weights[:, others]).sum(axis=1)
    squared = np.diagonal(products, axis1=1, axis2=2).clip(min=0)
    n = np.stack([(weights[:, rows] != 0).sum(axis=1) for rows in members], axis=1)
    shared = ratio((squared - own) * n, n - 1)
    return MeanOffsets(
        norm=np.sqrt(squared),
        reliability=ratio(shared, squared),
        cosine=_over_root_of_both(products, squared),
        corrected_cosine=_over_root_of_both(products, shared),
    )


def mean_weights(category: Int[np.ndarray, " n"]) -> Float[np.ndarray, "1 n"]:
    """One draw of weights for `mean_offsets`, with all differences."""
    return 1 / np.bincount(category)[np.newaxis, category]


def half_sample_weights(
    category: Int[np.ndarray, " n"], *, n_draws: int, generators: Sequence[np.random.Generator]
) -> Float[np.ndarray, "draw n"]:
    """Weights of `mean_offsets` for random halves of the categories, rounded down.

    `generators` has a generator per category 0, 1, ...: the draws of a category do not depend on
    the rest.

    NaN for a category with fewer than 4 pairs, where a half says nothing.
    """
    weights = np.zeros((n_draws, len(category)))
    for number in np.unique(category):
        rows = np.flatnonzero(category == number)
        half = len(rows) // 2
        chosen = generators[number].permuted(np.tile(rows, (n_draws, 1)), axis=1)[:, :half]
        weights[np.arange(n_draws)[:, np.newaxis], chosen] = 1 / half if half > 1 else np.nan
    return weights


def _over_root_of_both(
    products: Float[np.ndarray, "draw category category"], x: Float[np.ndarray, "draw category"]
) -> Float[np.ndarray, "draw category category"]:
    root = np.sqrt(np.where(x > 0, x, np.nan))
    return products / (root[:, :, np.newaxis] * root[:, np.newaxis, :])
