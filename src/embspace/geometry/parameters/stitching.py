"""Leads the states of one model into another of the same vocabulary, without training.

States are rows, (n, dim); embeddings (token, dim).
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from embspace.geometry.parameters.planted_copies import random_turn


class LinearStitch(NamedTuple):
    """A linear map of states, and what is added to its outcome."""

    kernel: Float[np.ndarray, "dim other_dim"]
    offset: Float[np.ndarray, " other_dim"]

    def __call__(self, states: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n other_dim"]:
        """Return states of the other model."""
        return np.asarray(states @ self.kernel + self.offset)


def vocabulary_kernel(
    first: Float[np.ndarray, "token dim"], second: Float[np.ndarray, "token other_dim"]
) -> Float[np.ndarray, "dim other_dim"]:
    """Return the map from states of the first model to states of the second, x -> x K.

    x K is the state of the second whose products with its embeddings are, by least squares, those
    of x with the first's: K = E_1' pinv(E_2)', Dar et al. (2023), "Analyzing Transformers in
    Embedding Space", section 6. For a turned copy, it is the turn; for models of the same
    embeddings of full rank, the identity.

    Raises:
        ValueError: if they have not the same number of tokens.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} tokens cannot be matched with {len(second)}")
    found = np.linalg.lstsq(second.astype(np.float64), first.astype(np.float64), rcond=None)[0]
    return np.asarray(found.T)


def random_kernel(
    dim: int, other_dim: int, generator: np.random.Generator
) -> Float[np.ndarray, "dim other_dim"]:
    """Return a part of a random orthogonal matrix: the null, which keeps or shortens lengths."""
    return random_turn(max(dim, other_dim), generator)[:dim, :other_dim]


def trained_stitch(
    states: Float[np.ndarray, "n dim"],
    other_states: Float[np.ndarray, "n other_dim"],
    *,
    strength: float,
) -> LinearStitch:
    """Return the ridge regression of the states of the second model on those of the first.

    Of the same n tokens. The ceiling of a linear stitch: unlike the kernel, it has seen states.
    The penalty is `strength` times the mean variance of a dimension, times n, on the kernel alone.
    """
    x, y = states.astype(np.float64), other_states.astype(np.float64)
    mean, other_mean = x.mean(axis=0), y.mean(axis=0)
    x, y = x - mean, y - other_mean
    products = x.T @ x
    penalty = strength * np.trace(products) / len(products)
    kernel = np.linalg.solve(products + penalty * np.eye(len(products)), x.T @ y)
    return LinearStitch(kernel, other_mean - mean @ kernel)
