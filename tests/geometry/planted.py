"""Tables of positional vectors in which it is known what is to be found."""

import numpy as np


def smooth_table(
    n: int = 512, dim: int = 96, *, period: float = 22.0, width: float = 6.0, seed: int = 0
) -> np.ndarray:
    """A stationary Gaussian table: cosines fall over `width` positions and swing with `period`."""
    offsets = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    near = np.exp(-(offsets**2) / (2 * width**2))
    covariance = 0.5 * near + 0.5 * np.cos(2 * np.pi * offsets / period)
    root = np.linalg.cholesky(covariance + 1e-6 * np.eye(n))
    return (root @ np.random.default_rng(seed).normal(size=(n, dim))).astype(np.float32)


def noise(n: int, dim: int = 96, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)


def planted_table(dim: int = 96) -> np.ndarray:
    """A circle of period 22 and a smooth rest, rougher from 128; noise from 384, and at 200 alone.

    All rows are nearly as long.
    """
    directions = np.sqrt(dim) * np.linalg.qr(noise(dim, dim, seed=5))[0][:, :2].T
    angle = 2 * np.pi * np.arange(384)[:, np.newaxis] / 22
    circle = np.hstack([np.cos(angle), np.sin(angle)]) @ directions
    smooth, rough = (_gaussian_process(384, dim, width, seed=2) for width in (6.0, 2.5))
    rest = np.concatenate([smooth[:128], rough[128:]])
    table = np.concatenate([np.sqrt(0.5) * (circle + rest), noise(128, dim)])
    table[200] = noise(1, dim, seed=3)[0]
    return table.astype(np.float32)


def _gaussian_process(n: int, dim: int, width: float, seed: int) -> np.ndarray:
    offsets = np.subtract.outer(np.arange(n), np.arange(n))
    near = np.exp(-(offsets**2) / (2 * width**2)) + 1e-6 * np.eye(n)
    return np.linalg.cholesky(near) @ np.random.default_rng(seed).normal(size=(n, dim))


def helix(
    n: int = 384, *, period: float = 22.0, dim: int = 48, blur: float = 0.05, seed: int = 0
) -> np.ndarray:
    """A helix in three dimensions, under noise in all."""
    angle = 2 * np.pi * np.arange(n) / period
    path = np.column_stack([np.cos(angle), np.sin(angle), np.linspace(-6, 6, n)])
    rng = np.random.default_rng(seed)
    turned = np.linalg.qr(rng.normal(size=(dim, 3)))[0]
    return (path @ turned.T + blur * rng.normal(size=(n, dim))).astype(np.float32)


def sinusoidal(n: int = 512, dim: int = 128) -> np.ndarray:
    """Vaswani et al. (2017), 3.5: cosines depend on the offset alone."""
    angles = np.arange(n)[:, np.newaxis] / 10_000 ** (np.arange(0, dim, 2) / dim)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)
