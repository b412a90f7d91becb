"""Attention maps that are built by hand, and some without any pattern."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.attention.head_features import TokenSets

N = 24


def previous(n: int = N) -> Float[np.ndarray, "token token"]:
    """Every token looks at the one before it; the first at itself."""
    attention = np.eye(n, k=-1, dtype=np.float32)
    attention[0, 0] = 1
    return attention


def sink(n: int = N) -> Float[np.ndarray, "token token"]:
    attention = np.zeros((n, n), np.float32)
    attention[:, 0] = 1
    return attention


def uniform(n: int = N) -> Float[np.ndarray, "token token"]:
    return np.full((n, n), 1 / n, np.float32)


def blocks(n: int = N) -> Float[np.ndarray, "token token"]:
    """Each half of the text looks at itself alone."""
    return np.kron(np.eye(2), np.full((n // 2, n // 2), 2 / n)).astype(np.float32)


def band(n: int = N, reach: int = 3) -> Float[np.ndarray, "token token"]:
    """Every token looks at those that are near, all alike."""
    near = np.abs(np.arange(n) - np.arange(n)[:, None]) <= reach
    return (near / near.sum(axis=1, keepdims=True)).astype(np.float32)


def half_and_half(n: int = N) -> Float[np.ndarray, "token token"]:
    """Half of the mass goes to the first token, half to the previous one."""
    return (sink(n) + previous(n)) / 2


def random_heads(n_heads: int, n: int = N, scale: float = 1.0) -> Float[np.ndarray, "head n n"]:
    """The softmax of random scores."""
    scores = np.random.default_rng(0).normal(scale=scale, size=(n_heads, n, n))
    weights = np.exp(scores)
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)


def token_sets(n: int = N) -> TokenSets:
    """The last token is a separator, every sixth punctuation; everything is seen."""
    place = np.arange(n)
    return TokenSets(place == n - 1, place % 6 == 5, np.ones((n, n), bool))
