"""Matches the layers of two models of one vocabulary by their parameters.

A parameter is a row of shape (dim,); the projection, of shape (token,), is the product with every
row of an embedding matrix (token, dim). The correlation of two projections follows from three
matrices of (dim, dim) or (dim, other_dim), so that no projection is ever made.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

Rows = Float[np.ndarray, "_ dim"]
OtherRows = Float[np.ndarray, "_ other_dim"]
RowMeans = Float[np.ndarray, "layer other_row"]
Similarity = Float[np.ndarray, "layer other_layer"]


class Covariances(NamedTuple):
    """The covariances over tokens of two embedding matrices, dimension by dimension."""

    cross: Float[np.ndarray, "dim other_dim"]
    first: Float[np.ndarray, "dim dim"]
    second: Float[np.ndarray, "other_dim other_dim"]


class Assignment(NamedTuple):
    """The layers of the second model matched with the layers of the first."""

    order: Int[np.ndarray, " layer"]
    """The number of every layer's match, from 0; -1 without a match."""
    total: float
    """The sum of the similarities of all matches."""
    margin: float
    """The total less the total of the second best assignment; NaN without a second."""


def vocabulary_covariances(first: Rows, second: OtherRows) -> Covariances:
    """Return E1'E2 / n, E1'E1 / n and E2'E2 / n of centered embeddings, in float64.

    Row i of both is the same token. Centering beforehand is the same as taking off products of
    means, as Dar et al. do, and loses fewer digits.

    Raises:
        ValueError: if they have not the same number of tokens.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} tokens cannot be matched with {len(second)}")
    x, y = (rows - rows.mean(axis=0) for rows in (_double(first), _double(second)))
    n = len(first)
    return Covariances(x.T @ y / n, x.T @ x / n, y.T @ y / n)


def projected_row_means(
    first: Sequence[Rows], second: Sequence[OtherRows], covariances: Covariances
) -> RowMeans:
    """Return mean |r| of every row of the second model with the rows of a layer of the first.

    r is Pearson's correlation over the vocabulary of x E1' and y E2'. Rows of the second model
    stand layer below layer. A row whose projection is constant has no r, and is left out of means;
    NaN where nothing is left. In [0, 1].
    """
    x = [_unit(layer, covariances.first) @ covariances.cross for layer in first]
    return _row_means(x, _unit(np.concatenate(second), covariances.second))


def raw_row_means(first: Sequence[Rows], second: Sequence[OtherRows]) -> RowMeans:
    """Return the same with Pearson's correlation over the dimensions of the rows themselves.

    The baseline of Dar et al.: dimension i of a model has nothing to do with dimension i of the
    second.

    Raises:
        ValueError: if the models differ in width.
    """
    if first[0].shape[1] != second[0].shape[1]:
        raise ValueError(f"{first[0].shape[1]} dimensions against {second[0].shape[1]}")
    x, y = ([_centered_unit(layer) for layer in rows] for rows in (first, second))
    return _row_means(x, np.concatenate(y))


class SameRows(NamedTuple):
    """The correlation of row i of a layer with row i of another; NaN for unequal numbers."""

    mean: Similarity
    """The mean over rows, in [-1, 1]; a row without a correlation counts as 0."""
    at_random: Similarity
    """The expected mean if the rows of one layer were in random order."""
    deviations: Similarity
    """The difference of both, in standard deviations of random orders."""


def projected_same_rows(
    first: Sequence[Rows], second: Sequence[OtherRows], covariances: Covariances
) -> SameRows:
    """Return how alike row i of two layers is, by Pearson's r over the vocabulary."""
    x = [_unit(rows, covariances.first) @ covariances.cross for rows in first]
    return _same_rows(x, [_unit(rows, covariances.second) for rows in second])


def raw_same_rows(first: Sequence[Rows], second: Sequence[OtherRows]) -> SameRows:
    """Return the same by Pearson's r over the dimensions of the rows, for models of one width."""
    x, y = ([_centered_unit(rows) for rows in model] for model in (first, second))
    return _same_rows(x, y)


def _same_rows(x: Sequence[OtherRows], y: Sequence[OtherRows]) -> SameRows:
    """Return the statistics of r = x y'.

    Mean and variance over all orders are exact: of sum r[i, order[i]], the variance is the sum of
    squares of the doubly centered r over n - 1, which Gram matrices of centered rows give.
    """
    x, y = ([np.nan_to_num(rows) for rows in model] for model in (x, y))
    grams, others = ([_centered_gram(rows) for rows in model] for model in (x, y))
    mean, at_random, deviations = np.full((3, len(x), len(y)), np.nan)
    for layer, other in np.ndindex(len(x), len(y)):
        n = len(x[layer])
        if n != len(y[other]) or n < 2:
            continue
        mean[layer, other] = np.einsum("rd,rd->", x[layer], y[other]) / n
        at_random[layer, other] = x[layer].mean(axis=0) @ y[other].mean(axis=0)
        error = np.sqrt((grams[layer] * others[other]).sum() / (n - 1)) / n
        difference = mean[layer, other] - at_random[layer, other]
        deviations[layer, other] = difference / error if error > 0 else np.nan
    return SameRows(mean, at_random, deviations)


def _centered_gram(rows: Rows) -> Float[np.ndarray, "dim dim"]:
    centered = rows - rows.mean(axis=0)
    return np.asarray(centered.T @ centered)


def layer_similarity(row_means: RowMeans, other_layer: Int[np.ndarray, " other_row"]) -> Similarity:
    """Return the mean over the rows of each layer of the second model.

    With rows that have no correlation left out. Dar et al. (2023), "Analyzing Transformers in
    Embedding Space", section 5: the mean over all pairs of rows of two layers of |r|, the absolute
    value taken first.
    """
    is_defined = ~np.isnan(row_means).all(axis=0)
    own = np.arange(other_layer.max() + 1) == other_layer[:, np.newaxis]
    own &= is_defined[:, np.newaxis]
    n = own.sum(axis=0)
    sums = np.where(is_defined, row_means, 0) @ own.astype(np.float64)
    return np.asarray(sums / np.where(n > 0, n, np.nan))


def layer_numbers(rows: Sequence[np.ndarray]) -> Int[np.ndarray, " row"]:
    """Return the layer of every row, from 0, layer below layer."""
    return np.repeat(np.arange(len(rows)), [len(layer) for layer in rows])


def best_order(similarity: Similarity) -> Int[np.ndarray, " layer"]:
    """Return the number of every layer's match in the assignment with the largest total.

    The Hungarian method; -1 for a layer without a match.

    Raises:
        ValueError: if a similarity is NaN.
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(similarity, maximize=True)
    order = np.full(len(similarity), -1)
    order[rows] = columns
    return order


def best_assignment(similarity: Similarity) -> Assignment:
    """Return the assignment of layers with the largest total, and the margin.

    Any different assignment lacks a match of the best: the second best is the best among
    assignments with one match forbidden.

    Raises:
        ValueError: if a similarity is NaN.
    """
    order = best_order(similarity)
    total = _total(similarity, order)
    others = []
    for layer in np.flatnonzero(order >= 0):
        forbidden = similarity.copy()
        forbidden[layer, order[layer]] = -np.inf
        try:
            others.append(_total(forbidden, best_order(forbidden)))
        except ValueError:  # there is no other assignment
            continue
    return Assignment(order, total, total - max(others) if others else float("nan"))


def _total(similarity: Similarity, order: Int[np.ndarray, " layer"]) -> float:
    layers = np.flatnonzero(order >= 0)
    return float(similarity[layers, order[layers]].sum())


def _double(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64)


def _unit(rows: Rows, covariance: Float[np.ndarray, "dim dim"]) -> Rows:
    """Return rows with projections of variance 1; NaN for constant projections."""
    rows = _double(rows)
    variances = np.einsum("rd,rd->r", rows @ covariance, rows)
    least = np.einsum("rd,rd->r", rows, rows) * np.trace(covariance) * np.finfo(float).eps
    deviations = np.where(variances > least, np.sqrt(np.maximum(variances, 0)), np.nan)
    return np.asarray(rows / deviations[:, np.newaxis])


def _centered_unit(rows: Rows) -> Rows:
    rows = _double(rows)
    rows = rows - rows.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, np.nan))


def _row_means(x: Sequence[OtherRows], y: OtherRows) -> RowMeans:
    """Return mean absolute products; products of rows are float32, as parameters are."""
    is_defined = ~np.isnan(y).any(axis=1)
    others = y[is_defined].astype(np.float32).T
    means = np.full((len(x), len(y)), np.nan)
    for layer, rows in enumerate(x):
        defined = rows[~np.isnan(rows).any(axis=1)].astype(np.float32)
        if len(defined):
            products = defined @ others
            means[layer, is_defined] = np.abs(products, out=products).mean(axis=0, dtype=np.float64)
    return means
