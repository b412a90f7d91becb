"""Leads the states of a model into a second model of the same vocabulary, without training.

States are rows, (n, dim); embeddings (token, dim). The states come from the first model; the second
model reads the states.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.parameters.planted_copies import random_turn

Kernel = Float[np.ndarray, "dim other_dim"]
EQUAL = 1e-6  # cosines of texts that differ by rounding alone


class LinearStitch(NamedTuple):
    """A linear map of states plus an offset."""

    kernel: Kernel
    offset: Float[np.ndarray, " other_dim"]

    def __call__(self, states: Float[np.ndarray, "... dim"]) -> Float[np.ndarray, "... other_dim"]:
        """Return states of the second model, in the precision of the given states."""
        kernel, offset = (array.astype(states.dtype) for array in self)
        return np.asarray(states @ kernel + offset)


def kernel_stitch(kernel: Kernel) -> LinearStitch:
    """Return the stitch without an offset."""
    return LinearStitch(kernel, np.zeros(kernel.shape[1]))


def vocabulary_kernel(
    first: Float[np.ndarray, "token dim"], second: Float[np.ndarray, "other_token other_dim"]
) -> Kernel:
    """Return the map from states of the first model to states of the second, x -> x K.

    The products of x K with the second model's embeddings are, by least squares, the products of x
    with the first's: K = E_1 pinv(E_2), with E (dim, token), Dar et al. (2023), "Analyzing
    Transformers in Embedding Space", section 5.2 and the published code. For a turned copy, K is
    the turn; for models of the same embeddings of full rank, the identity.

    Raises:
        ValueError: if the numbers of tokens differ.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} tokens cannot be matched with {len(second)}")
    transposed = np.linalg.lstsq(second.astype(np.float64), first.astype(np.float64), rcond=None)[0]
    return np.asarray(transposed.T)


def explained_share(
    first: Float[np.ndarray, "token dim"],
    second: Float[np.ndarray, "token other_dim"],
) -> float:
    """Return the share of the first model's embeddings that a kernel from the second's explains.

    1 - |E_2 K' - E_1|^2 / |E_1|^2 in [0, 1], of the kernel of these embeddings, the mean subtracted
    on both sides: a mean that all tokens have in common tells none from another. 1 for a turned
    copy, shifted or not, and other_dim / (tokens - 1) in expectation for independent noise. NaN if
    the first's are all alike.
    """
    if (first == first[0]).all():
        return float("nan")
    whole, other = (
        embeddings - embeddings.mean(axis=0)
        for embeddings in (first.astype(float), second.astype(float))
    )
    rest = np.square(other @ vocabulary_kernel(whole, other).T - whole).sum()
    return float(1 - rest / np.square(whole).sum())


def turned_kernel(kernel: Kernel, generator: np.random.Generator) -> Kernel:
    """Return the kernel turned at random in the second model's space: the null of no direction.

    It scales states as the kernel does, singular value by singular value.
    """
    return np.asarray(kernel @ random_turn(kernel.shape[1], generator))


def shuffled_kernels(
    first: Float[np.ndarray, "token dim"],
    second: Float[np.ndarray, "token other_dim"],
    n_draws: int,
    generator: np.random.Generator,
) -> list[Kernel]:
    """Return kernels of tokens matched at random: the null of no common words.

    They know the mean of both sides' embeddings, which is the same for any order of the tokens.
    """
    # As least squares cuts off; the inverse is the dear part, and the same for all orders.
    smallest = np.finfo(np.float64).eps * max(second.shape)
    inverse = np.linalg.pinv(second.astype(np.float64), rcond=smallest)
    first = first.astype(np.float64)
    orders = (generator.permutation(len(first)) for _ in range(n_draws))
    return [np.asarray((inverse @ first[order]).T) for order in orders]


def trained_stitch(
    states: Float[np.ndarray, "n dim"],
    other_states: Float[np.ndarray, "n other_dim"],
    *,
    strength: float,
) -> LinearStitch:
    """Return the ridge regression of the second model's states on the first's.

    Of the same n tokens. Unlike the kernel, it has seen states, so it shows what a trained linear
    map can gain. It fits states, not classes: another map may classify better. The penalty is
    `strength` times the mean variance of a dimension, times n, on the kernel alone.
    """
    x, y = states.astype(np.float64), other_states.astype(np.float64)
    mean, other_mean = x.mean(axis=0), y.mean(axis=0)
    x, y = x - mean, y - other_mean
    products = x.T @ x
    penalty = strength * np.trace(products) / len(products)
    kernel = np.linalg.solve(products + penalty * np.eye(len(products)), x.T @ y)
    return LinearStitch(kernel, other_mean - mean @ kernel)


class Kept(NamedTuple):
    """How near stitched states are to a model's own last states, text by text."""

    cosine: Float[np.ndarray, " text"]
    """Mean cosine of a token's stitched and own state, in [-1, 1]."""
    nearest: Bool[np.ndarray, " text"]
    """Whether the text's own vector is nearest to the stitched vector."""


def kept_states(
    own: Float[np.ndarray, "text token dim"],
    stitched: Float[np.ndarray, "some token dim"],
    shown: Bool[np.ndarray, "text token"],
    rows: Int[np.ndarray, " some"],
) -> Kept:
    """Return how near stitched states of the texts `rows` are to a model's own states of all texts.

    Only tokens `shown` count, at least 1 in every text. The mean own state of the texts, of equal
    weights, is subtracted on both sides: the common part of all tokens distinguishes no token. For
    states of equal length, a stitched state with a cosine above 1/2 is nearer to the own state than
    the mean state. A text's vector is the mean of the text's tokens, and the nearest has the
    largest cosine; texts of equal vectors count as the same text.

    The own states have cosine 1 and are nearest; states independent of the text 0 and 1 / texts on
    average. A state equal to the mean has cosine 0.
    """
    pooled = _text_means(own, shown)
    mean = pooled.mean(axis=0)
    texts = _text_means(stitched, shown[rows]) - mean
    cosines = np.einsum("ntd,ntd->nt", _unit(own[rows] - mean), _unit(stitched - mean))
    text_cosine = np.einsum("nt,nt->n", cosines, shown[rows]) / shown[rows].sum(axis=1)
    alike = unit_rows(texts) @ unit_rows(pooled - mean).T
    best = alike[np.arange(len(rows)), rows]
    return Kept(text_cosine.clip(-1, 1), best >= alike.max(axis=1) - EQUAL)


def _text_means(
    states: Float[np.ndarray, "text token dim"], shown: Bool[np.ndarray, "text token"]
) -> Float[np.ndarray, "text dim"]:
    total = np.einsum("ntd,nt->nd", states.astype(np.float64), shown)
    return np.asarray(total / shown.sum(axis=1, keepdims=True))


def _unit(states: Float[np.ndarray, "text token dim"]) -> Float[np.ndarray, "text token dim"]:
    return unit_rows(states.reshape(-1, states.shape[-1])).reshape(states.shape)
