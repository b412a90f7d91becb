"""Changes of coordinates meant to repair embeddings, fitted on vectors."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.pairs.door import takes_arrays

CoordinateChange = Literal[
    "raw", "unit_length", "centered", "top_1", "top_2", "top_3", "standardized", "whitened"
]
CHANGES: tuple[CoordinateChange, ...] = get_args(CoordinateChange)
SMALLEST = 1e-10  # of the largest variance: what varies less varies by rounding


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean and covariance of weighted vectors."""

    weight: float
    """The total weight of all vectors; 0 without vectors, and then moments are 0."""
    mean: Float[np.ndarray, " dim"]
    covariance: Float[np.ndarray, "dim dim"]
    """Divided by the weight."""

    def __add__(self, other: "Moments") -> "Moments":
        """Return the moments of both sets of vectors."""
        weight = self.weight + other.weight
        if not weight:
            return self
        share = other.weight / weight
        between = other.mean - self.mean
        within = (1 - share) * self.covariance + share * other.covariance
        return Moments(
            weight,
            self.mean + share * between,
            within + share * (1 - share) * np.outer(between, between),
        )


@dataclass(frozen=True, eq=False)
class Affine:
    """A change of coordinates, `(x - mean) @ matrix`, and then to unit length if `is_unit`."""

    mean: Float[np.ndarray, " dim"]
    matrix: Float[np.ndarray, "dim kept"] | None
    """None for the identity."""
    is_unit: bool = False

    def __call__(self, x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n kept"]:
        """Return changed vectors, float64."""
        changed = x.astype(np.float64) - self.mean
        if self.matrix is not None:
            changed = changed @ self.matrix
        return unit_rows(changed) if self.is_unit else changed


@takes_arrays()
def fitted_change(x: Float[np.ndarray, "n dim"], change: CoordinateChange) -> Affine:
    """Return a change of coordinates with the moments of `x`.

    `centered`: less the mean. `top_1` to `top_3`: also without the first 1 to 3 principal
    components (Mu and Viswanath 2018, "All-but-the-top"). `standardized`: less the mean, every
    coordinate over its standard deviation. `whitened`: less the mean, every principal component
    over its standard deviation (Su et al. 2021, arXiv:2103.15316); directions without variance are
    dropped.
    """
    dim = x.shape[1]
    if change in ("raw", "unit_length"):
        return Affine(np.zeros(dim), None, is_unit=change == "unit_length")
    mean = x.mean(axis=0)
    if change == "centered":
        return Affine(mean, None)
    centered = x - mean
    if change == "standardized":
        spread = centered.std(axis=0)
        is_wide = np.square(spread) > SMALLEST * np.square(spread).max(initial=0)
        return Affine(mean, np.diag(np.where(is_wide, 1 / np.where(is_wide, spread, 1), 0)))
    covariance = centered.T @ centered / len(x)
    if change == "whitened":
        return whitening(mean, covariance)
    axes = np.linalg.eigh(covariance)[1]
    top = axes[:, -int(change.removeprefix("top_")) :]
    return Affine(mean, np.eye(dim) - top @ top.T)


def whitening(mean: Float[np.ndarray, " dim"], covariance: Float[np.ndarray, "dim dim"]) -> Affine:
    """Return the change after which vectors with these moments have the identity as covariance."""
    variances, axes = np.linalg.eigh(covariance)
    varies = variances > SMALLEST * max(variances[-1], 0)
    return Affine(mean, axes[:, varies] / np.sqrt(variances[varies]))


@takes_arrays(at_least=0)
def weighted_moments(
    x: Float[np.ndarray, "n dim"], weights: Float[np.ndarray, " n"] | None = None
) -> Moments:
    """Return mean and covariance of vectors by weights, by default 1.

    For the rows of an embedding matrix, weighted by the unigram probabilities of the tokens,
    `whitening` is Zipfian whitening (Yokoi et al. 2024, arXiv:2411.00680). The same holds for all
    tokens of texts with a weight of 1: a token then weighs by its frequency.

    Raises:
        ValueError: if a weight is negative.
    """
    counts = np.ones(len(x)) if weights is None else weights
    if (counts < 0).any():
        raise ValueError(f"weights: expected none below 0, found {counts.min()}")
    weight = float(counts.sum())
    if not weight:
        return Moments(0.0, np.zeros(x.shape[1]), np.zeros((x.shape[1], x.shape[1])))
    mean = counts @ x / weight
    centered = x - mean
    return Moments(weight, mean, (counts[:, None] * centered).T @ centered / weight)


class Ranks:
    """Ranks of a vector's coordinates less the mean: cosines become Spearman's correlation.

    Parupudi 2026, arXiv:2606.29571, has ranks ahead of the cosine where few coordinates have most
    of the variance. Equal coordinates share the mean of the ranks.
    """

    def __call__(self, x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n dim"]:
        """Return changed vectors, float64; 0 for a vector of equal coordinates."""
        # Ties take their order in one, and the opposite order in the other.
        ranks = (_order(x) + _order(x[:, ::-1])[:, ::-1]) / 2
        return np.asarray(ranks - (x.shape[1] - 1) / 2)


def _order(x: Float[np.ndarray, "n dim"]) -> Int[np.ndarray, "n dim"]:
    return np.argsort(np.argsort(x, axis=1, kind="stable"), axis=1)


def top_coordinate_share(x: Float[np.ndarray, "n dim"]) -> float:
    """Return the largest share of the total variance of one coordinate; NaN without variance."""
    variances = x.var(axis=0, dtype=np.float64)
    total = variances.sum()
    return float(variances.max() / total) if total > 0 else float("nan")
