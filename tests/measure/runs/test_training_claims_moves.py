"""How far other checkpoints and other batches move what is claimed of training."""

import numpy as np
import pandas as pd
import pytest

from embspace.measure.layers.layer_batches import SPREAD
from embspace.measure.runs.training_claims_moves import (
    dealt_anew,
    growth_over,
    rise_and_fall_over,
)

ONE = np.array([7])


def test_one_checkpoint_more_or_less_is_in_the_interval() -> None:
    steps, means = np.arange(8), np.array([1.0, 2, 3, 4, 5, 6, 7, 0])
    correlation, _ = growth_over(steps, means)
    assert correlation.high == pytest.approx(1.0)  # without the last
    assert correlation.low <= correlation.value < correlation.high


def test_the_range_of_growth_is_exact_where_every_checkpoint_rises() -> None:
    correlation, settled = growth_over(np.arange(8), np.arange(8.0))
    assert (correlation.low, correlation.high) == pytest.approx((1, 1))
    # Two of eight are the last quarter; without the last but one, these are two steps apart.
    assert (settled.value, settled.high) == pytest.approx((1 / 7, 2 / 7))


def test_batches_dealt_anew_by_students_t() -> None:
    rows = pd.DataFrame({"step": 0, "value": [4.0, 4.0], "n_batches": 3, SPREAD: 0.2})
    # t of 2 degrees is 4.3027; .2 about the mean of 3 is .1414 of standard error.
    assert dealt_anew(rows) == pytest.approx(4.3027 * 0.2 / 2**0.5 / 4, rel=1e-4)


def test_a_single_batch_says_nothing_of_others() -> None:
    rows = pd.DataFrame({"step": [0, 0], "value": 4.0, "n_batches": [1, 3], SPREAD: [0.0, 0.2]})
    assert np.isnan(dealt_anew(rows)).all()


def test_a_fall_within_what_batches_move_is_uncertain() -> None:
    means = np.array([5.0, 10.0, 9.4])
    _, fall = rise_and_fall_over(means, np.full(3, 0.02))
    assert fall.value == pytest.approx(0.06) and fall.low < 0.05 < fall.high
    _, sure = rise_and_fall_over(means, np.full(3, 0.001))
    assert sure.low > 0.05


def test_the_ends_of_rise_and_fall_by_hand() -> None:
    rise, fall = rise_and_fall_over(np.array([5.0, 10.0, 8.0]), np.array([0.03, 0.04, 0.0]))
    assert (rise.value, rise.low, rise.high) == pytest.approx(
        (1 / 2, 1 - np.exp(0.05) / 2, 1 - np.exp(-0.05) / 2)
    )
    assert (fall.value, fall.low, fall.high) == pytest.approx(
        (0.2, 1 - 0.8 * np.exp(0.04), 1 - 0.8 * np.exp(-0.04))
    )


def test_no_checkpoint_and_a_single_one_have_neither_rise_nor_growth() -> None:
    nothing = [*rise_and_fall_over(np.array([]), np.array([])), *growth_over(ONE, np.array([3.0]))]
    assert np.isnan([(move.value, move.low, move.high) for move in nothing]).all()
    alone = rise_and_fall_over(np.array([3.0]), np.array([0.1]))
    assert [(move.value, move.low, move.high) for move in alone] == [(0, 0, 0)] * 2
    still, _ = growth_over(np.arange(3), np.full(3, 2.0))
    assert np.isnan(still.value)


def test_growth_and_its_last_quarter_by_hand() -> None:
    correlation, settled = growth_over(np.array([0, 10, 20]), np.array([0.0, 4.0, 3.0]))
    # Ranks 1 3 2; without one checkpoint the two that are left are in order, or not.
    assert (correlation.value, correlation.low, correlation.high) == pytest.approx((0.5, -1, 1))
    assert (settled.value, settled.low, settled.high) == pytest.approx((1 / 4, 1 / 4, 1))


def test_steps_are_in_order_and_each_has_its_own_mean() -> None:
    rows = pd.DataFrame(
        {"step": [9, 2, 2], "value": [8.0, 1, 3], "n_batches": 5, SPREAD: [0.8, 0.1, 0.3]}
    )
    # t of 4 degrees is 2.7764; the standard error is the spread over 2.
    assert dealt_anew(rows) == pytest.approx([2.7764 * 0.05, 2.7764 * 0.05], rel=1e-4)
