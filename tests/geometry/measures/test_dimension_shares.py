"""Holds the coordinates' parts of the mean cosine to their sum, and to planted coordinates."""

import numpy as np
import pytest

from embspace.geometry.measures.dimension_shares import (
    dimension_contributions,
    n_outlier_dimensions,
    outlier_dimensions,
    top_dimension_share,
)
from embspace.geometry.measures.mean_direction import mean_cosine
from tests.geometry.clouds import CLOUD


def test_contributions_sum_to_the_mean_cosine_and_are_those_of_all_pairs() -> None:
    contributions = dimension_contributions(CLOUD)
    assert contributions.sum() == pytest.approx(mean_cosine(CLOUD))
    unit = CLOUD / np.linalg.norm(CLOUD, axis=1, keepdims=True)
    pairs = ~np.eye(len(CLOUD), dtype=bool)
    expected = [np.outer(column, column)[pairs].mean() for column in unit.T]
    assert contributions == pytest.approx(np.array(expected))
    assert top_dimension_share(CLOUD) == pytest.approx(max(expected) / sum(expected))


def test_two_vectors_have_the_products_of_their_directions() -> None:
    contributions = dimension_contributions(np.array([[6.0, 8.0], [2.0, 0.0]]))
    assert contributions == pytest.approx([0.6, 0.0])


def planted(far: dict[int, float]) -> np.ndarray:
    x = np.random.default_rng(0).normal(size=(500, 40))
    for column, value in far.items():
        x[:, column] += value
    return x


def test_a_planted_coordinate_has_the_mean_cosine_for_itself() -> None:
    assert top_dimension_share(planted({7: 30.0})) == pytest.approx(1, abs=0.01)
    assert outlier_dimensions(planted({7: 30.0})).tolist() == [7]


def test_outliers_come_with_the_farthest_first() -> None:
    x = planted({3: -20.0, 9: 30.0})
    assert outlier_dimensions(x).tolist() == [9, 3]
    assert n_outlier_dimensions(x) == 2
    assert outlier_dimensions(x, threshold=6).tolist() == []


def test_means_that_only_rounding_tells_apart_have_no_outlier() -> None:
    x = planted({7: 30.0})
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    means = x.mean(axis=0)
    assert 0 < np.abs(means).max() < 1e-12
    assert not len(outlier_dimensions(x)) and n_outlier_dimensions(1e6 * x) == 0
    x[:, 3] += 1e-9  # more than rounding
    assert outlier_dimensions(x).tolist() == [3]


def test_without_outliers_there_are_few_and_equal_means_have_none() -> None:
    assert n_outlier_dimensions(planted({})) <= 1
    assert n_outlier_dimensions(np.ones((5, 4))) == 0


def test_a_mean_cosine_that_is_not_positive_has_no_shares() -> None:
    assert np.isnan(top_dimension_share(np.array([[1.0, 0.0], [-1.0, 0.0]])))
    for seed in range(6):
        turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(20, 20)))[0]
        assert np.isnan(top_dimension_share(turn))  # a mean cosine of 0, but for rounding
    assert np.isnan(dimension_contributions(np.array([[1.0, 0.0]]))).all()


def test_a_threshold_has_to_be_positive() -> None:
    with pytest.raises(ValueError, match="threshold: expected a positive number, found 0"):
        outlier_dimensions(CLOUD, threshold=0)


def test_two_vectors_make_a_pair() -> None:
    contributions = dimension_contributions(np.array([[0.6, 0.8], [0.6, -0.8]]))
    assert contributions == pytest.approx([0.36, -0.64])
    assert np.isnan(dimension_contributions(np.array([[0.6, 0.8], [0, 0]]))).all()
