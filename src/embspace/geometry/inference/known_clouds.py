"""Clouds of known dimension, to test estimators against."""

from collections.abc import Callable

import numpy as np

from embspace.geometry.pairs.types import Vectors


def uniform_cube(n: int, d: int, rng: np.random.Generator) -> Vectors:
    """Return `n` vectors uniform in the unit cube of `d` dimensions."""
    return rng.uniform(size=(n, d))


def uniform_sphere(n: int, d: int, rng: np.random.Generator) -> Vectors:
    """Return `n` vectors uniform on the unit sphere, a surface of `d` dimensions in d + 1."""
    x = rng.normal(size=(n, d + 1))
    on_sphere: Vectors = x / np.linalg.norm(x, axis=1, keepdims=True)
    return on_sphere


def standard_gaussian(n: int, d: int, rng: np.random.Generator) -> Vectors:
    """Return `n` standard Gaussian vectors of `d` dimensions."""
    return rng.normal(size=(n, d))


def swiss_roll(n: int, d: int, rng: np.random.Generator) -> Vectors:
    """Return `n` vectors uniform on a rolled-up sheet of 2 dimensions in 3: 1.5 turns, 21 wide.

    Tenenbaum, de Silva and Langford 2000, "A global geometric framework"; there even in the angle,
    here along the sheet.

    Raises:
        ValueError: `d` is not 2.
    """
    if d != 2:
        raise ValueError(f"d: a sheet has 2 dimensions, found {d}")
    grid = np.linspace(1.5 * np.pi, 4.5 * np.pi, 10_001)
    # Along a spiral whose radius is the angle, the length grows by sqrt(1 + angle^2).
    length = np.concatenate([[0], np.cumsum(np.diff(grid) * np.sqrt(1 + grid[:-1] ** 2))])
    angle = np.interp(rng.uniform(0, length[-1], size=n), length, grid)
    return np.column_stack([angle * np.cos(angle), rng.uniform(0, 21, n), angle * np.sin(angle)])


CLOUDS: dict[str, Callable[[int, int, np.random.Generator], Vectors]] = {
    "cube": uniform_cube,
    "sphere": uniform_sphere,
    "gaussian": standard_gaussian,
    "swiss_roll": swiss_roll,
}
