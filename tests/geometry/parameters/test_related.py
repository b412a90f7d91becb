import numpy as np
import pytest

from embspace.geometry.parameters.related import (
    n_common,
    n_common_of_all,
    named_by_any,
    set_similarity,
    strongest_both_ways,
    strongest_tokens,
)


def test_signed_and_absolute_sets_are_of_highest_scores():
    x, tokens = np.array([[3.0, -4.0, 1.0, 0.0]], np.float32), np.eye(4, dtype=np.float32)
    assert strongest_tokens(x, tokens, 2, absolute=False).tolist() == [[0, 2]]
    assert strongest_tokens(x, tokens, 2, absolute=True).tolist() == [[1, 0]]


def test_the_absolute_set_of_a_vector_is_that_of_its_negation():
    rng = np.random.default_rng(0)
    x, tokens = (rng.normal(size=(n, 6)).astype(np.float32) for n in (5, 40))
    one, other = (strongest_tokens(vectors, tokens, 4, absolute=True) for vectors in (x, -x))
    assert np.array_equal(one, other)
    signed = [strongest_tokens(vectors, tokens, 4, absolute=False) for vectors in (x, -x)]
    assert (n_common(*signed) == 0).all()


def test_both_ways_are_the_sets_of_either():
    rng = np.random.default_rng(0)
    x, tokens = (rng.normal(size=(n, 6)).astype(np.float32) for n in (300, 40))
    for tokens_of_x, absolute in zip(strongest_both_ways(x, tokens, 4), (False, True), strict=True):
        assert np.array_equal(tokens_of_x, strongest_tokens(x, tokens, 4, absolute=absolute))


def test_words_in_common_with_every_other_set_are_those_of_each_two():
    rng = np.random.default_rng(0)
    first, second = (
        np.array([rng.permutation(60)[:8] for _ in range(n)], dtype=np.int64) for n in (300, 7)
    )
    common = n_common_of_all(first, second, 60)
    assert common.shape == (300, 7)
    for column, other in zip(common.T, second, strict=True):
        assert np.array_equal(column, n_common(first, np.tile(other, (300, 1))))


def test_similarity_is_common_over_all():
    first = np.array([[1, 2, 3, 4]] * 3)
    second = np.array([[4, 3, 2, 1], [3, 4, 5, 6], [5, 6, 7, 8]])
    assert n_common(first, second).tolist() == [4, 2, 0]
    assert set_similarity(first, second).tolist() == pytest.approx([1, 2 / 6, 0])


def test_random_sets_are_as_alike_as_chance_says():
    rng = np.random.default_rng(0)
    n, k = 1000, 100
    sets = [np.array([rng.permutation(n)[:k] for _ in range(400)]) for _ in range(2)]
    assert set_similarity(*sets).mean() == pytest.approx(k / (2 * n - k), rel=0.05)


def test_a_state_is_named_by_any_of_its_vectors():
    states = np.array([[1, 2, 3, 4], [1, 2, 3, 4]])
    parameters = np.array([[[1, 9, 8, 7], [2, 1, 9, 8]], [[9, 8, 7, 6], [9, 8, 7, 5]]])
    assert named_by_any(states, parameters).tolist() == [0.5, 0]
