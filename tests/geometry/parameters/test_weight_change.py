"""Holds sizes of changes to all orders of few rows, and to matrices of which the size is known."""

from itertools import permutations

import numpy as np
import pytest

from embspace.geometry.parameters.weight_change import (
    pooled,
    row_changes,
    weight_change,
)


def drawn(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def test_dealt_rows_have_the_mean_and_variance_of_all_orders():
    one, other = drawn(0, 5, 3) + 0.5, drawn(1, 5, 3) + 0.5
    every = [np.square(other[list(order)] - one).sum() for order in permutations(range(5))]
    change = weight_change(one, other)
    assert change.dealt_squared == pytest.approx(np.mean(every), rel=1e-5)
    assert change.dealt_variance == pytest.approx(np.var(every), rel=1e-5)


def test_the_most_deviations_are_those_of_a_multiple():
    x = drawn(0, 24, 1)
    change = weight_change(x, 3 * x - 1)
    assert change.most_deviations == pytest.approx(np.sqrt(23), rel=1e-5)
    assert change.deviations == pytest.approx(change.most_deviations, rel=1e-5)
    far = weight_change(drawn(0, 30, 4), drawn(1, 30, 4))
    assert abs(far.deviations) < far.most_deviations
    assert np.isnan(weight_change(np.ones((9, 1)), x[:9]).most_deviations)


def test_independent_weights_are_root_two_apart_and_no_nearer_than_dealt_rows():
    change = weight_change(drawn(0, 400, 60), drawn(1, 400, 60))
    assert change.relative == pytest.approx(np.sqrt(2), abs=0.02)
    assert change.relative_dealt == pytest.approx(np.sqrt(2), abs=0.02)
    assert abs(change.deviations) < 4


def test_a_change_of_a_tenth_is_a_tenth_and_far_from_dealt_rows():
    one, step = drawn(0, 400, 60), drawn(1, 400, 60)
    step *= 0.1 * np.linalg.norm(one) / np.linalg.norm(step)
    change = weight_change(one, one + step)
    assert change.relative == pytest.approx(0.1, rel=1e-5)
    assert change.deviations > 100


def test_gains_near_one_are_compared_with_gains_dealt_anew():
    """Without a relation they are near, too: by chance, not by kinship."""
    one, other = (1 + 0.1 * drawn(seed, 384, 1) for seed in (0, 1))
    change = weight_change(one, other)
    assert change.relative == pytest.approx(change.relative_dealt, rel=0.2)
    assert change.relative < 0.2


def test_rounding_is_some_thousandths_and_none_of_what_bfloat16_holds():
    change = weight_change(drawn(0, 300, 40), drawn(1, 300, 40))
    assert 1e-3 < change.relative_rounding < 2.0**-8
    assert weight_change(np.ones((4, 2)), np.ones((4, 2))).relative_rounding == 0


def test_the_same_weights_have_moved_by_nothing():
    change = weight_change(drawn(0, 30, 4), drawn(0, 30, 4))
    assert change.relative == 0


def test_from_nothing_there_is_no_share():
    change = weight_change(np.zeros((5, 2)), drawn(0, 5, 2))
    assert np.isnan(change.relative) and np.isnan(change.deviations)
    assert change.change_squared > 0


def test_sums_of_parts_are_those_of_the_whole():
    one, other = drawn(0, 20, 4), drawn(1, 20, 4)
    parts = pooled([weight_change(one[:7], other[:7]), weight_change(one[7:], other[7:])])
    assert parts.relative == pytest.approx(weight_change(one, other).relative)


def test_each_row_has_its_own_size():
    one = drawn(0, 6, 4)
    other = one.copy()
    other[2] *= 1.5
    one[4] = other[4] = 0
    sizes = row_changes(one, other)
    assert sizes[2] == pytest.approx(0.5, rel=1e-5)
    assert np.isnan(sizes[4]) and np.nansum(sizes) == pytest.approx(0.5, rel=1e-5)
