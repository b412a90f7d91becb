"""Clouds that lack what a measure is after, by family: what is left of a value by chance alone."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.declared import Family

Vectors = Float[np.ndarray, "n dim"]
Null = Literal["isotropic_gaussian", "gaussian_of_covariance", "coordinates_shuffled"]


def isotropic_gaussian(x: Vectors, rng: np.random.Generator) -> Vectors:
    """As many independent vectors as `x` has, of as many coordinates, in no preferred direction.

    Standard Gaussian: measures that this is a null for do not depend on the scale.
    """
    return rng.normal(size=x.shape)


def gaussian_of_covariance(x: Vectors, rng: np.random.Generator) -> Vectors:
    """Gaussian vectors with exactly the mean and the covariance of `x`: its shape and no more.

    What a measure of neighbours gives beyond this is not in the second moments. With fewer vectors
    than coordinates, they span what `x` spans.
    """
    centred = x - x.mean(axis=0)
    rank = min(len(x) - 1, x.shape[1])
    left, singular, axes = np.linalg.svd(centred, full_matrices=False)
    drawn = rng.normal(size=(len(x), rank))
    drawn -= drawn.mean(axis=0)
    # An orthonormal basis of random vectors, all of them with mean 0: their covariance is exact.
    basis, triangle = np.linalg.qr(drawn)
    basis *= np.sign(np.diag(triangle))
    gaussian: Vectors = basis * singular[:rank] @ axes[:rank] + x.mean(axis=0)
    return gaussian


def coordinates_shuffled(x: Vectors, rng: np.random.Generator) -> Vectors:
    """Each coordinate of `x` in an order of its own: the same marginals, no dependence."""
    return rng.permuted(x, axis=0)


def exchanged_between_texts(
    x: Vectors,
    word: Int[np.ndarray, " n"],
    band: Int[np.ndarray, " n"],
    rng: np.random.Generator,
) -> Vectors:
    """The vectors of `x`, dealt out anew among occurrences of one word in one band of positions.

    So each place keeps a vector of its word and of about its position, of another text. What a
    measure of context gives beyond this, vectors owe to their text.
    """
    exchanged = x.copy()
    keys = np.unique(np.stack([word, band]), axis=1, return_inverse=True)[1].ravel()
    order = np.argsort(keys, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
        exchanged[rows] = x[rng.permutation(rows)]
    return exchanged


NULL_CLOUDS: dict[Null, Callable[[Vectors, np.random.Generator], Vectors]] = {
    "isotropic_gaussian": isotropic_gaussian,
    "gaussian_of_covariance": gaussian_of_covariance,
    "coordinates_shuffled": coordinates_shuffled,
}
# What a family is held against; of the others, nothing that is left by chance says anything. The
# nulls of `context` need words and positions: `exchanged_between_texts`. Random weights, which need
# a model, come on top for `direction`, `spectrum` and `context`.
NULLS_OF_FAMILY: dict[Family, tuple[Null, ...]] = {
    "direction": ("isotropic_gaussian",),
    "spectrum": ("isotropic_gaussian", "coordinates_shuffled"),
    "intrinsic_dimension": ("gaussian_of_covariance", "coordinates_shuffled"),
    "neighbourhoods": ("gaussian_of_covariance", "coordinates_shuffled"),
    "context": (),
}
