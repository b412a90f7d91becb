"""Leads the states of one model into another of the same vocabulary, without training.

States are rows, (n, dim); embeddings (token, dim). The first model is the one that the states come
from, the second the one that reads them.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from embspace.geometry.parameters.planted_copies import random_turn

Kernel = Float[np.ndarray, "dim other_dim"]


class LinearStitch(NamedTuple):
    """A linear map of states, and what is added to its outcome."""

    kernel: Kernel
    offset: Float[np.ndarray, " other_dim"]

    def __call__(self, states: Float[np.ndarray, "... dim"]) -> Float[np.ndarray, "... other_dim"]:
        """Return states of the other model, in the precision of those that were given."""
        kernel, offset = (each.astype(states.dtype) for each in self)
        return np.asarray(states @ kernel + offset)


def kernel_stitch(kernel: Kernel) -> LinearStitch:
    """Return the stitch that adds nothing."""
    return LinearStitch(kernel, np.zeros(kernel.shape[1]))


def vocabulary_kernel(
    first: Float[np.ndarray, "token dim"], second: Float[np.ndarray, "other_token other_dim"]
) -> Kernel:
    """Return the map from states of the first model to states of the second, x -> x K.

    x K is the state of the second whose products with its embeddings are, by least squares, those
    of x with the first's: K = E_1 pinv(E_2), with E (dim, token), Dar et al. (2023), "Analyzing
    Transformers in Embedding Space", section 5.2 and the code beside it. For a turned copy, it is
    the turn; for models of the same embeddings of full rank, the identity.

    Raises:
        ValueError: if they have not the same number of tokens.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} tokens cannot be matched with {len(second)}")
    found = np.linalg.lstsq(second.astype(np.float64), first.astype(np.float64), rcond=None)[0]
    return np.asarray(found.T)


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
        each - each.mean(axis=0) for each in (first.astype(float), second.astype(float))
    )
    rest = np.square(other @ vocabulary_kernel(whole, other).T - whole).sum()
    return float(1 - rest / np.square(whole).sum())


def turned_kernel(kernel: Kernel, generator: np.random.Generator) -> Kernel:
    """Return the kernel turned at random in the second model's space: the null of no direction.

    It scales states as the kernel does, singular value by singular value.
    """
    return np.asarray(kernel @ random_turn(kernel.shape[1], generator))


def shuffled_kernel(
    first: Float[np.ndarray, "token dim"],
    second: Float[np.ndarray, "token other_dim"],
    generator: np.random.Generator,
) -> Kernel:
    """Return the kernel of tokens matched at random: the null of no common words.

    It knows the mean of both sides' embeddings, for any order of the tokens has that.
    """
    return vocabulary_kernel(first[generator.permutation(len(first))], second)


def trained_stitch(
    states: Float[np.ndarray, "n dim"],
    other_states: Float[np.ndarray, "n other_dim"],
    *,
    strength: float,
) -> LinearStitch:
    """Return the ridge regression of the states of the second model on those of the first.

    Of the same n tokens. Unlike the kernel, it has seen states, so it tells what a trained linear
    map can gain. It fits states, not classes: another map may classify better.
    The penalty is `strength` times the mean variance of a dimension, times n, on the kernel alone.
    """
    x, y = states.astype(np.float64), other_states.astype(np.float64)
    mean, other_mean = x.mean(axis=0), y.mean(axis=0)
    x, y = x - mean, y - other_mean
    products = x.T @ x
    penalty = strength * np.trace(products) / len(products)
    kernel = np.linalg.solve(products + penalty * np.eye(len(products)), x.T @ y)
    return LinearStitch(kernel, other_mean - mean @ kernel)
