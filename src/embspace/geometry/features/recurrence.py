"""Finds the features of a cloud that recur with a second seed."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.features.feature_set import FeatureSet

Directions = Float[np.ndarray, "feature axis"]
DirectionsOf = Callable[[int, np.random.Generator], Directions]
"""Draws the given number of random directions."""


class Matches(NamedTuple):
    """A one-to-one match of directions, of as many as the smaller set has."""

    first: Int[np.ndarray, " match"]
    second: Int[np.ndarray, " match"]
    cosine: Float[np.ndarray, " match"]
    """Absolute value, in [0, 1]."""


class Recurrence(NamedTuple):
    """Shares and cosines of the features common to fits with different seeds."""

    shares: Float[np.ndarray, " pair"]
    """Share of the features that recur, by pair of seeds."""
    cosine: float
    """Mean over matches and pairs."""
    threshold: float
    """A feature recurs above this cosine."""
    first_seed: Float[np.ndarray, " feature"]
    """Smallest cosine of a first-seed feature with the other seeds; NaN of a dead feature."""


def matches(
    first: Float[np.ndarray, "feature axis"], second: Float[np.ndarray, "other axis"]
) -> Matches:
    """Match directions of unit length so that the sum of absolute cosines is largest."""
    from scipy.optimize import linear_sum_assignment

    cosines = np.abs(first @ second.T)
    rows, columns = linear_sum_assignment(cosines, maximize=True)
    return Matches(rows, columns, cosines[rows, columns].clip(max=1))


def largest_random_match(
    features: FeatureSet,
    random_directions: DirectionsOf,
    *,
    n_draws: int,
    rng: np.random.Generator,
) -> float:
    """Return the largest absolute cosine of living features in matches with random directions."""
    alive = features.matched_by[features.is_alive]
    return max(
        float(matches(alive, random_directions(len(alive), stream)).cosine.max(initial=0))
        for stream in rng.spawn(n_draws)
    )


def recurrence(seeds: Sequence[FeatureSet], threshold: float) -> Recurrence:
    """Return which living features of two seeds or more match beyond a cosine, the threshold."""
    alive = [features.matched_by[features.is_alive] for features in seeds]
    shares, cosines = [], []
    smallest = np.full(len(alive[0]), np.inf)
    for one, other in combinations(range(len(seeds)), 2):
        matched = matches(alive[one], alive[other])
        n = max(len(alive[one]), len(alive[other]), 1)
        shares.append(float((matched.cosine > threshold).sum() / n))
        cosines.append(float(matched.cosine.mean()) if len(matched.cosine) else np.nan)
        if one == 0:
            own = np.zeros(len(alive[0]))  # a feature without a partner
            own[matched.first] = matched.cosine
            smallest = np.minimum(smallest, own)
    first_seed = np.full(len(seeds[0].matched_by), np.nan)
    first_seed[seeds[0].is_alive] = smallest
    return Recurrence(np.array(shares), float(np.mean(cosines)), threshold, first_seed)


def orthogonal_directions(n: int, rng: np.random.Generator) -> Directions:
    """Return a random orthogonal basis of as many axes."""
    basis, triangle = np.linalg.qr(rng.normal(size=(n, n)))
    rotation: Directions = basis * np.sign(np.diag(triangle))
    return rotation


def directions_of_covariance(x: Float[np.ndarray, "n dim"]) -> DirectionsOf:
    """Return a function that draws Gaussian directions with the covariance of a cloud."""
    centered = x.astype(np.float64) - x.mean(axis=0, dtype=np.float64)
    energies, axes = np.linalg.eigh(centered.T @ centered)
    scaled = np.sqrt(energies.clip(min=0))[:, np.newaxis] * axes.T

    def draw(n: int, rng: np.random.Generator) -> Directions:
        drawn = rng.normal(size=(n, len(scaled))) @ scaled
        unit: Directions = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
        return unit

    return draw
