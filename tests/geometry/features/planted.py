"""Clouds of sparse sources along known directions, and Gaussian ones without."""

import numpy as np


def unit_directions(n: int, dim: int, rng: np.random.Generator) -> np.ndarray:
    directions = rng.normal(size=(n, dim))
    return directions / np.linalg.norm(directions, axis=1, keepdims=True)


def sparse_cloud(
    n: int = 2000, n_features: int = 8, dim: int = 12, n_active: int = 2, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return vectors, each a sum of a few directions, two on average, and the directions."""
    rng = np.random.default_rng(seed)
    directions = unit_directions(n_features, dim, rng)
    is_active = rng.random((n, n_features)) < n_active / n_features
    factors = np.where(is_active, rng.uniform(1, 2, (n, n_features)), 0)
    x = factors @ directions + 0.01 * rng.normal(size=(n, dim))
    return x.astype(np.float32), directions


def gaussian_cloud(n: int = 2000, dim: int = 12, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)
