"""Unit cubes in a space of more dimensions: clouds of which mean and covariance are known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True, eq=False)
class EmbeddedCube:
    """[0, 1]^dim, zero on all other axes, turned about the origin and then shifted."""

    dim: int
    turn: Float[np.ndarray, "ambient ambient"]
    """Orthogonal."""
    shift: Float[np.ndarray, " ambient"]

    def points(self, n: int, rng: np.random.Generator) -> Float[np.ndarray, "n ambient"]:
        """Return `n` points, independent and uniform in the cube."""
        flat = np.zeros((n, len(self.shift)))
        flat[:, : self.dim] = rng.uniform(size=(n, self.dim))
        return flat @ self.turn.T + self.shift

    @property
    def mean(self) -> Float[np.ndarray, " ambient"]:
        """Return the mean of the uniform distribution: the cube's center."""
        return self.turn[:, : self.dim].sum(axis=1) / 2 + self.shift

    @property
    def covariance(self) -> Float[np.ndarray, "ambient ambient"]:
        """Return the uniform distribution's covariance: 1/12 in the cube's directions, 0 across."""
        axes = self.turn[:, : self.dim]
        return axes @ axes.T / 12


def union_covariance(cubes: Sequence[EmbeddedCube]) -> Float[np.ndarray, "ambient ambient"]:
    """Return the covariance of the mixture of cubes with equal weights.

    The mean of the cubes' covariances, plus the covariance of the cubes' means.
    """
    centers = np.stack([cube.mean for cube in cubes])
    centers -= centers.mean(axis=0)
    within = np.mean([cube.covariance for cube in cubes], axis=0)
    return np.asarray(within + centers.T @ centers / len(cubes))
