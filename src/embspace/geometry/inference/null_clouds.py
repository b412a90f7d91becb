"""Null clouds by family of measures: they show the value that chance alone leaves."""

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
from jaxtyping import Bool, Int

from embspace.geometry.measures.declaration import Family
from embspace.geometry.pairs.types import Vectors

Null = Literal["isotropic_gaussian", "gaussian_of_covariance", "coordinates_shuffled"]
Draw = Callable[[np.random.Generator], Vectors]


def isotropic_gaussian(x: Vectors, rng: np.random.Generator) -> Vectors:
    """Return as many independent Gaussian vectors as `x` has, isotropic, of as many coordinates.

    Their root mean square norm is that of `x`, in expectation.
    """
    return rng.normal(scale=np.sqrt(np.square(x).mean()), size=x.shape)


def gaussian_of_covariance(x: Vectors, rng: np.random.Generator) -> Vectors:
    """Return Gaussian vectors with exactly the mean and the covariance of `x`, and nothing else.

    The excess of a measure of neighbors over this null is not in the second moments. With fewer
    vectors than coordinates, the null spans the span of `x`.
    """
    return _gaussians_of_covariance(x)(rng)


def _gaussians_of_covariance(x: Vectors) -> Draw:
    mean = x.mean(axis=0)
    centered = x - mean
    rank = min(len(x) - 1, x.shape[1])
    # The random vectors are made orthonormal, all of them with mean 0: their covariance is exact.
    by_products = len(x) > 2 * x.shape[1]  # three times faster and here as exact
    if by_products:
        energies, directions = np.linalg.eigh(centered.T @ centered)
        scaled = np.sqrt(energies.clip(min=0))[:, np.newaxis] * directions.T
    else:
        _, singular, axes = np.linalg.svd(centered, full_matrices=False)

    def draw(rng: np.random.Generator) -> Vectors:
        drawn = rng.normal(size=(len(x), rank))
        drawn -= drawn.mean(axis=0)
        if by_products:
            drawn_factor = np.linalg.cholesky(drawn.T @ drawn)
            gaussian: Vectors = drawn @ np.linalg.solve(drawn_factor.T, scaled) + mean
            return gaussian
        basis, triangle = np.linalg.qr(drawn)
        basis *= np.sign(np.diag(triangle))
        return basis * singular[:rank] @ axes[:rank] + mean

    return draw


def coordinates_shuffled(x: Vectors, rng: np.random.Generator) -> Vectors:
    """Return `x` with each coordinate in an order of its own: same marginals, no dependence."""
    return _shuffles_of_coordinates(x)(rng)


def _shuffles_of_coordinates(x: Vectors) -> Draw:
    # A column that lies in one piece is shuffled in half the time.
    columns = np.ascontiguousarray(x.T)
    return lambda rng: np.ascontiguousarray(rng.permuted(columns, axis=1).T)


def draws_of(null: Null, x: Vectors) -> Draw:
    """Return a function that draws a null cloud of `NULL_CLOUDS`, over and over.

    What all draws have in common, such as the axes of `x`, is computed once.
    """
    if null == "gaussian_of_covariance":
        return _gaussians_of_covariance(x)
    if null == "coordinates_shuffled":
        return _shuffles_of_coordinates(x)
    return partial(NULL_CLOUDS[null], x)


def exchanged_between_texts(
    x: Vectors,
    word: Int[np.ndarray, " n"],
    band: Int[np.ndarray, " n"],
    text: Int[np.ndarray, " n"],
    rng: np.random.Generator,
) -> tuple[Vectors, Bool[np.ndarray, " n"]]:
    """Exchange the vectors of `x` between texts, within a word and a band of positions.

    Every place gets a vector of the same word and of about the same position, but from a different
    text. The second array marks the exchanged places: a place stays if the word occurs in a single
    text within the band, or too often in one text. Measure both the cloud and the null on the
    exchanged places: the excess of a measure of context over the null is due to the text.
    """
    shuffled = rng.permutation(len(x))
    order = shuffled[np.lexsort((text[shuffled], band[shuffled], word[shuffled]))]
    cells, runs = _starts(word[order], band[order]), _starts(word[order], band[order], text[order])
    sizes, lengths = (np.diff(starts, append=len(x)) for starts in (cells, runs))
    # A cell's occurrences in one text stand together: a step as long as the longest of these runs,
    # in a circle, leaves each text, unless one has more than half.
    steps = np.maximum.reduceat(lengths, np.searchsorted(runs, cells))
    cell, size, step = (np.repeat(per_cell, sizes) for per_cell in (cells, sizes, steps))
    source = order[cell + (np.arange(len(x)) - cell - step) % size]
    moved = text[source] != text[order]
    exchanged, is_moved = x.copy(), np.zeros(len(x), dtype=bool)
    exchanged[order[moved]] = x[source[moved]]
    is_moved[order[moved]] = True
    return exchanged, is_moved


def _starts(*columns: Int[np.ndarray, " n"]) -> Int[np.ndarray, " run"]:
    """Return the first rows of runs of equal values in all columns."""
    differ = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.append(0, np.flatnonzero(differ) + 1)


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
    "hubs": ("gaussian_of_covariance", "coordinates_shuffled"),
    "context": (),
}
