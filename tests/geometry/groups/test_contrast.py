import itertools

import numpy as np
import pytest
from sklearn.metrics import accuracy_score
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from embspace.geometry.groups.contrast import (
    chance_accuracy,
    contrast_groups,
    neighbor_weights,
    relabelings,
)


def distances_of(x: np.ndarray) -> np.ndarray:
    return np.linalg.norm(x[:, np.newaxis] - x, axis=-1)


def all_labelings(group: np.ndarray) -> np.ndarray:
    return np.array(sorted(set(itertools.permutations(group.tolist()))))


def test_three_points_by_hand():
    distances = distances_of(np.array([[0.0], [1.0], [5.0]]))
    contrast = contrast_groups(distances[np.newaxis], np.array([[0, 0, 1], [0, 1, 0]]))
    assert contrast.within.tolist() == [[1.0], [5.0]]
    assert contrast.between.tolist() == [[4.5], [2.5]]
    # The neighbors are 2nd, 1st, 2nd.
    assert contrast.accuracy[:, 0] == pytest.approx([2 / 3, 0])


def test_it_is_what_loops_say_for_every_draw_and_matrix():
    rng = np.random.default_rng(0)
    stack = np.stack([distances_of(rng.normal(size=(7, 3))) for _ in range(4)])
    groups = rng.integers(3, size=(5, 7))
    contrast = contrast_groups(stack, groups)
    for draw, matrix in itertools.product(range(5), range(4)):
        group, distances = groups[draw], stack[matrix]
        pairs = list(itertools.combinations(range(7), 2))
        within = [distances[i, j] for i, j in pairs if group[i] == group[j]]
        between = [distances[i, j] for i, j in pairs if group[i] != group[j]]
        assert contrast.within[draw, matrix] == pytest.approx(np.mean(within))
        assert contrast.between[draw, matrix] == pytest.approx(np.mean(between))


def test_accuracy_is_that_of_a_library_of_classifiers():
    rng = np.random.default_rng(1)
    group = np.repeat([0, 1], 10)
    x = rng.normal(size=(20, 4)) + group[:, np.newaxis]
    model = KNeighborsClassifier(n_neighbors=1)
    expected = accuracy_score(group, cross_val_predict(model, x, group, cv=LeaveOneOut()))
    contrast = contrast_groups(distances_of(x)[np.newaxis], group[np.newaxis])
    assert 0.5 < expected < 1
    assert contrast.accuracy[0, 0] == pytest.approx(expected)


@pytest.mark.parametrize("group", [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2, 2]])
def test_chance_is_the_mean_over_all_labelings_whatever_the_points(group: list[int]):
    labelings = all_labelings(np.array(group))
    rng = np.random.default_rng(2)
    for x in (rng.normal(size=(len(group), 2)), rng.exponential(size=(len(group), 9)) ** 3):
        contrast = contrast_groups(distances_of(x)[np.newaxis], labelings)
        assert contrast.accuracy.mean() == pytest.approx(chance_accuracy(np.array(group)))


def test_chance_of_two_threes_is_two_fifths():
    assert chance_accuracy(np.array([0, 0, 0, 1, 1, 1])) == pytest.approx(2 / 5)
    assert len(all_labelings(np.array([0, 0, 0, 1, 1, 1]))) == 2 * 10
    assert np.isnan(chance_accuracy(np.array([0])))


def test_over_all_labelings_within_and_between_are_equal():
    distances = distances_of(np.random.default_rng(3).normal(size=(6, 4)))
    contrast = contrast_groups(distances[np.newaxis], all_labelings(np.array([0, 0, 0, 1, 1, 1])))
    assert contrast.within.mean() == pytest.approx(distances.sum() / 30)
    assert contrast.between.mean() == pytest.approx(distances.sum() / 30)


def test_draws_visit_every_split_equally_often_and_begin_with_the_truth():
    group = np.array([0, 0, 0, 1, 1, 1])
    draws = relabelings(group, 20_000, np.random.default_rng(4))
    assert draws.shape == (20_001, 6)
    assert (draws[0] == group).all()
    assert (np.sort(draws, axis=1) == group).all()
    _, counts = np.unique(draws[1:], axis=0, return_counts=True)
    # 20 labelings of probability 1/20: a standard deviation of 31 about 1000.
    assert len(counts) == 20
    assert np.abs(counts - 1000).max() < 130


def test_tied_neighbors_share():
    # The first is as near to the second as to the third, which are of different groups.
    distances = distances_of(np.array([[0.0], [1.0], [-1.0], [5.0]]))
    group = np.array([[0, 0, 1, 1]])
    assert neighbor_weights(distances[np.newaxis])[0, 0].tolist() == [0, 0.5, 0.5, 0]
    assert contrast_groups(distances[np.newaxis], group).accuracy[0, 0] == pytest.approx(1.5 / 4)


def test_a_tie_outlives_rounding():
    distances = distances_of(np.array([[0.0], [1.0 + 1e-7], [-1.0], [5.0]]))
    assert neighbor_weights(distances[np.newaxis])[0, 0].tolist() == [0, 0.5, 0.5, 0]


def test_equal_points_have_equal_neighbors():
    assert (neighbor_weights(np.zeros((1, 3, 3)))[0] == (1 - np.eye(3)) / 2).all()


def test_far_groups_are_always_told_apart_and_their_distance_is_known():
    x = np.array([[0.0, 0], [3, 4], [300, 400], [303, 404]])
    contrast = contrast_groups(distances_of(x)[np.newaxis], np.array([[0, 0, 1, 1]]))
    assert contrast.accuracy[0, 0] == 1
    assert contrast.within[0, 0] == 5
    assert contrast.between[0, 0] == pytest.approx(500)


def test_what_is_not_defined_is_nan():
    distances = np.full((2, 3, 3), 1.0)
    distances[0, 0, 1] = distances[0, 1, 0] = np.nan
    group = np.array([[0, 0, 1], [0, 1, 2], [0, 0, 0]])
    contrast = contrast_groups(distances, group)
    assert np.isnan(contrast.accuracy[:, 0]).all()
    assert contrast.accuracy[:, 1] == pytest.approx([1 / 3, 0, 1])
    assert np.isnan(contrast.within[:, 1]).tolist() == [False, True, False]
    assert np.isnan(contrast.between[:, 1]).tolist() == [False, False, True]
    lonely = contrast_groups(np.zeros((1, 1, 1)), np.array([[0]]))
    assert np.isnan([lonely.within, lonely.between, lonely.accuracy]).all()
