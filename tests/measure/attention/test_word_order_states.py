import numpy as np
import pytest

from embspace.measure.attention.word_order_states import Moved, moved_states

RNG = np.random.default_rng(0)
STATES = RNG.normal(size=(3, 6, 8))
ORDER = np.array([2, 0, 5, 1, 4, 3])


def test_permuted_states_have_not_moved():
    moves = moved_states(STATES, STATES[:, ORDER], ORDER)
    assert moves.cosine == pytest.approx(1)
    assert moves.largest == pytest.approx(0)


def test_states_that_stay_where_they_were_have_moved_as_far_as_others():
    order = np.roll(np.arange(6), -3)
    moves = moved_states(STATES, STATES, order)
    between = moved_states(STATES, STATES[:, ORDER], ORDER).between
    assert moves.distance.mean() == pytest.approx(between.mean(), rel=0.3)
    assert moves.cosine.mean() < 0.6


def test_distances_are_relative():
    moved = STATES[:, ORDER] * 1.1
    moves = moved_states(STATES, moved, ORDER)
    assert moves.distance == pytest.approx(0.1)
    assert moved_states(7 * STATES, 7 * moved, ORDER).distance == pytest.approx(0.1)


def test_a_zero_state_and_a_single_token_are_not_defined():
    states = STATES.copy()
    states[0, 2] = 0
    assert np.isnan(moved_states(states, states[:, ORDER], ORDER).distance[0])
    one = STATES[:, :1]
    assert np.isnan(moved_states(one, one, np.array([0])).between).all()


def test_texts_are_joined_and_may_be_undefined():
    one = moved_states(STATES, STATES[:, ORDER], ORDER)
    both = Moved.stacked([one, one])
    assert both.cosine.shape == (2, 3)
    assert np.isnan(both.undefined().largest).all()


def test_every_number_by_hand():
    as_is = np.array([[[3.0, 4], [0, 2]], [[1, 0], [0, 1]]])
    permuted = np.array([[[0.0, 1], [4, 3]], [[0, 1], [1, 0]]])  # the second token comes first
    moves = moved_states(as_is, permuted, np.array([1, 0]))
    assert moves.cosine == pytest.approx([(24 / 25 + 1) / 2, 1])
    assert moves.distance == pytest.approx([(2**0.5 / 5 + 1 / 2) / 2, 0])
    assert moves.largest == pytest.approx([1 / 2, 0])
    assert moves.between == pytest.approx([13**0.5 * (1 / 5 + 1 / 2) / 2, 2**0.5])


def test_others_are_half_a_text_away():
    place = np.array([[[1.0], [2], [4], [7], [11]]])
    moves = moved_states(place, place, np.arange(5))
    # Two tokens before, from the end again: 7, 11, 1, 2, 4.
    assert moves.between == pytest.approx([np.mean([6 / 1, 9 / 2, 3 / 4, 5 / 7, 7 / 11])])
