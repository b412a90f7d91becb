"""Holds measures of direction to all pairs, to each other and to what chance gives."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from embspace.geometry.measures.mean_direction import (
    cone_index,
    mean_cosine,
    mean_cosine_to_mean,
    mean_resultant_length,
)
from tests.geometry.clouds import CLOUD


def test_the_mean_cosine_is_that_of_all_pairs() -> None:
    cosines = cosine_similarity(CLOUD)
    expected = cosines[~np.eye(len(CLOUD), dtype=bool)].mean()
    assert mean_cosine(CLOUD) == pytest.approx(expected, rel=1e-12)


def test_measures_of_the_resultant_say_the_same_in_three_units() -> None:
    n, length = len(CLOUD), mean_resultant_length(CLOUD)
    assert cone_index(CLOUD) == pytest.approx(n * length)
    assert length**2 == pytest.approx((1 + (n - 1) * mean_cosine(CLOUD)) / n)


def test_extremes_are_reached() -> None:
    parallel, opposite = np.outer([1.0, 2.0, 3.0], [1.0, 1.0]), np.array([[1.0, 0.0], [-1.0, 0.0]])
    assert mean_cosine(parallel) == pytest.approx(1)
    assert mean_resultant_length(parallel) == pytest.approx(1)
    assert cone_index(parallel) == pytest.approx(3)
    assert mean_cosine_to_mean(parallel) == pytest.approx(1)
    assert mean_cosine(opposite) == -1
    assert mean_resultant_length(opposite) == 0


def test_independent_directions_have_what_the_definitions_say() -> None:
    rng, n = np.random.default_rng(0), 400
    clouds = [rng.normal(size=(n, 50)) for _ in range(200)]
    cosines = np.array([mean_cosine(x) for x in clouds])
    assert abs(cosines.mean()) < 4 * cosines.std() / np.sqrt(len(clouds))
    squared = np.array([mean_resultant_length(x) ** 2 for x in clouds])
    assert squared.mean() == pytest.approx(1 / n, rel=0.05)
    assert np.mean([mean_cosine_to_mean(x) for x in clouds]) == pytest.approx(n**-0.5, rel=0.05)


def test_vectors_without_a_direction_are_left_out() -> None:
    with_zero = np.vstack([CLOUD, np.zeros(CLOUD.shape[1])])
    assert mean_cosine(with_zero) == pytest.approx(mean_cosine(CLOUD))
    assert mean_resultant_length(with_zero) == pytest.approx(mean_resultant_length(CLOUD))
    assert cone_index(with_zero) == pytest.approx(cone_index(CLOUD))


def test_what_is_not_defined_is_nan() -> None:
    assert np.isnan(mean_cosine(np.array([[1.0, 0.0], [0.0, 0.0]])))
    assert np.isnan(mean_resultant_length(np.zeros((2, 2))))
    assert np.isnan(mean_cosine_to_mean(np.array([[1.0, 0.0], [-1.0, 0.0]])))
    assert np.isnan(mean_cosine_to_mean(CLOUD - CLOUD.mean(axis=0)))  # but for rounding


def test_a_mean_of_nothing_but_rounding_is_zero_in_standardized_vectors() -> None:
    x = 1e4 + np.random.default_rng(0).normal(size=(860, 4))  # varies little beside its mean
    standardized = (x - x.mean(axis=0)) / x.std(axis=0)
    assert (
        np.linalg.norm(standardized.sum(axis=0))
        > 1e-12 * np.linalg.norm(standardized, axis=1).sum()
    )
    assert np.isnan(mean_cosine_to_mean(standardized))
    assert mean_cosine_to_mean(standardized + 1e-6) > 0  # a mean, if a short one
